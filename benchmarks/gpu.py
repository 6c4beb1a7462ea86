"""The flagship's iterations and queries on one GPU, at the sizes of the paper's data sets.

Run on a machine with a GPU: python -m benchmarks.gpu [--skip-cpu] [--stages]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier
from crosslabel.core import solver as cpu
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import solver as gpu
from crosslabel.core.gpu.coding import factorise
from crosslabel.core.gpu.uploaded import Uploaded
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows

PENALTIES = Penalties(8e-3, 2e3, 2e-2)
N_ITER = 20


class Size(NamedTuple):
    """A problem: samples are those of each class, atoms too."""

    name: str
    n_features: int
    n_classes: int
    n_samples: int
    n_atoms: int
    n_shared: int

    @property
    def title(self) -> str:
        """Its name and sizes."""
        shared = f" + {self.n_shared} shared" if self.n_shared else ""
        sizes = f"{self.n_features}, {self.n_classes}×{self.n_samples}, {self.n_atoms}{shared}"
        return f"{self.name} ({sizes})"


SIZES = [
    Size("Extended Yale B", 504, 38, 32, 15, 0),
    Size("Scene15", 3000, 15, 100, 30, 0),
    Size("Caltech101", 3000, 102, 30, 29, 100),
    Size("DynTex++", 177, 36, 50, 30, 0),
    Size("UCF50", 6000, 50, 105, 75, 0),
]


COLUMNS = {
    "iterations, s": "iterations",
    "learn, s": "learn",
    "CPU, s": "cpu",
    "off": "difference",
}
"""Of the table: what `iterations` calls them."""


def problem(size: Size) -> tuple[Moments, np.ndarray, AtomLayout]:
    """Noisy samples about a mean for each class, and a start of samples."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(size.n_classes), size.n_samples)
    means = 1 + random.standard_normal((size.n_classes, size.n_features))
    X = unit_rows(means[y] + 1.5 * random.standard_normal((len(y), size.n_features)))
    layout = AtomLayout(size.n_shared, (size.n_atoms,) * size.n_classes)
    own = [np.flatnonzero(y == c)[: size.n_atoms] for c in range(size.n_classes)]
    shared = random.choice(len(X), size.n_shared, replace=False)
    start = X[np.concatenate([shared, *own])]
    # A start that is no sample: codes of samples over themselves would be trivial.
    start = unit_rows(start + 0.01 * random.standard_normal(start.shape))
    return Moments.from_samples(X, y, size.n_classes), start, layout


def seconds(work) -> float:
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - started


def exact_sweep(statistics: Moments, start: np.ndarray, layout: AtomLayout) -> gpu.ExactSweep:
    targets = Uploaded.of(statistics, torch.device("cuda"))
    D = torch.as_tensor(start, device="cuda").double()
    return gpu.ExactSweep(targets, D, layout, PENALTIES)


def stages(size: Size) -> dict[str, float]:
    """Where one iteration's time goes, launch by launch, in milliseconds."""
    statistics, start, layout = problem(size)
    sweep = exact_sweep(statistics, start, layout)
    for _ in range(3):
        sweep()
    [group] = sweep.coder.groups
    D = sweep.atoms.dictionary
    factor = factorise(D, group.tau)
    X, N = sweep.coder.codes(D), factor.smoother
    parts = {
        "factorise": lambda: factorise(D, group.tau),
        "ridge codes": lambda: group.rows @ factor.coder.T,
        "small systems": lambda: [batch.inverses(N) for batch in group.batches],
        "all codes": lambda: sweep.coder.codes(D),
        "two moments": lambda: (X.T @ X, X.T @ sweep.rows),
        "atoms": lambda: sweep.atoms.update(X.T @ X, X.T @ sweep.rows),
        "whole, recorded": sweep,
    }
    for work in parts.values():
        work()
    return {name: 1e3 * min(seconds(work) for _ in range(3)) for name, work in parts.items()}


def iterations(size: Size, with_cpu: bool) -> dict:
    """Seconds of 20 iterations from a start on the device, and of `learn` with its transfers."""
    statistics, start, layout = problem(size)
    device = torch.device("cuda")

    def learn():
        return gpu.learn(statistics, start, layout, PENALTIES, device=device, max_iter=N_ITER)

    first = seconds(learn)
    sweeps = [exact_sweep(statistics, start, layout) for _ in range(3)]
    times = [seconds(lambda s=s: gpu.iterate(s, N_ITER)) for s in sweeps]
    del sweeps
    whole = min(seconds(learn) for _ in range(3))
    record = {"first": first, "iterations": min(times), "learn": whole}
    if with_cpu:
        started = time.perf_counter()
        expected = cpu.learn(statistics, start, layout, PENALTIES, max_iter=N_ITER).dictionary
        record["cpu"] = time.perf_counter() - started
        off = np.linalg.norm(learn().dictionary - expected) / np.linalg.norm(expected)
        record["difference"] = float(off)
    return record


def queries() -> dict:
    """Queries per second at the Extended Yale B size, tensors in and out."""
    size = SIZES[0]
    random = np.random.default_rng(1)
    n = size.n_classes * size.n_samples
    y = np.repeat(np.arange(size.n_classes), size.n_samples)
    means = 1 + random.standard_normal((size.n_classes, size.n_features))
    X = means[y] + 1.5 * random.standard_normal((n, size.n_features))
    batch = torch.randn(100_000, size.n_features, dtype=torch.float64, device="cuda")
    rates = {}
    for rule in ("global", "local"):
        model = CrossLabelClassifier(
            atoms_per_class=size.n_atoms, ridge=8e-3, rule=rule, device="cuda", random_state=0
        ).fit(X, y)
        model.predict(batch)
        spent = min(seconds(lambda m=model: m.predict(batch)) for _ in range(3))
        rates[f"{rule} rule: million queries a second"] = 1e-6 * len(batch) / spent
        labels = model.predict(batch[:2000]).cpu().numpy()
        on_host = model.fitted_.view.prepared.scores(unit_rows(batch[:2000].cpu().numpy())).argmax(
            axis=1
        )
        rates[f"{rule} rule: share of labels as on the host"] = float((on_host == labels).mean())
    return rates


def lines(given: argparse.Namespace) -> Iterator[Line]:
    """Tables of the iterations and of their stages, then the queries."""
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}", flush=True)
    for size in SIZES:
        if given.only in size.name:
            found = iterations(size, not given.skip_cpu)
            for column, what in COLUMNS.items():
                if what in found:
                    yield Line(f"20 iterations | {size.title} | {column}", found[what])
            if given.stages:
                for name, milliseconds in stages(size).items():
                    yield Line(f"one iteration | {size.name} | {name}, ms", milliseconds)
    for name, value in queries().items():
        yield Line(name, value)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--skip-cpu", action="store_true")
    options.add_argument("--stages", action="store_true")
    options.add_argument("--only", default="", help="problems whose name holds this")
    return command("gpu", "On one GPU, float64", lines, options)


if __name__ == "__main__":
    sys.exit(main())
