"""The flagship's iterations and queries on one GPU, at the sizes of the paper's data sets.

Run on a machine with a GPU: python -m benchmarks.gpu [--skip-cpu] [--stages]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from crosslabel.core import solver as cpu
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import solver as gpu
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from crosslabel.core.statistics import ClassStatistics

PENALTIES = Penalties(8e-3, 2e3, 2e-2)
N_ITER = 20


class Size(NamedTuple):
    """A problem as the issue names it, and the seconds to reach."""

    name: str
    n_features: int
    n_classes: int
    n_samples: int
    n_atoms: int
    n_shared: int
    reach: float


SIZES = [
    Size("Extended Yale B", 504, 38, 32, 15, 0, 0.08),
    Size("Scene15", 3000, 15, 100, 30, 0, 0.07),
    Size("Caltech101", 3000, 102, 30, 29, 100, 0.5),
    Size("DynTex++", 177, 36, 50, 30, 0, 0.10),
    Size("UCF50", 6000, 50, 105, 75, 0, 1.0),
]


def problem(size: Size) -> tuple[ClassStatistics, np.ndarray, AtomLayout]:
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
    return ClassStatistics.from_samples(X, y, size.n_classes), start, layout


def seconds(work) -> float:
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - started


def stages(size: Size) -> None:
    """Where one iteration's time goes."""
    statistics, start, layout = problem(size)
    sweep = gpu.ExactSweep(statistics, start, layout, PENALTIES, torch.device("cuda"))
    for _ in range(3):
        sweep()
    [group] = sweep.coder.groups
    D = sweep.atoms.dictionary
    factor = gpu_factorise(D, group.tau)
    X = sweep.coder.codes(D)
    N = factor.smoother
    batch = max(group.batches, key=lambda b: len(b.blocks) * (b.blocks[0].rows.stop))
    inverse = batch.inverses(N)
    parts = {
        "factorise": lambda: gpu_factorise(D, group.tau),
        "rows @ coder": lambda: group.rows @ factor.coder.T,
        "inverses": lambda: batch.inverses(N),
        "solve": lambda: batch.solve(X, N, inverse),
        "refine": lambda: group._refine(X, N, [inverse]),
        "X.T X": lambda: X.T @ X,
        "X.T Y": lambda: X.T @ sweep.rows,
        "atoms": sweep.atoms,
        "whole": sweep,
    }
    for name, work in parts.items():
        work()
        print(f"    {name:<14}{1e3 * min(seconds(work) for _ in range(3)):8.2f} ms", flush=True)


def gpu_factorise(D, tau):
    from crosslabel.core.gpu.coding import factorise

    return factorise(D, tau)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--skip-cpu", action="store_true")
    options.add_argument("--stages", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    device = torch.device("cuda")
    records = []
    for size in SIZES:
        if given.only and given.only not in size.name:
            continue
        statistics, start, layout = problem(size)

        def work(statistics=statistics, start=start, layout=layout):
            return gpu.learn(statistics, start, layout, PENALTIES, device=device, max_iter=N_ITER)

        first = seconds(work)
        times = [seconds(work) for _ in range(3)]
        record = size._asdict() | {"first": first, "seconds": min(times), "all": times}
        if not given.skip_cpu:
            started = time.perf_counter()
            expected = cpu.learn(statistics, start, layout, PENALTIES, max_iter=N_ITER)
            record["cpu"] = time.perf_counter() - started
            found = work().dictionary
            record["difference"] = float(
                np.linalg.norm(found - expected.dictionary) / np.linalg.norm(expected.dictionary)
            )
        records.append(record)
        print(json.dumps(record), flush=True)
        if given.stages:
            stages(size)
    if given.out:
        given.out.write_text(json.dumps(records))


if __name__ == "__main__":
    main()
