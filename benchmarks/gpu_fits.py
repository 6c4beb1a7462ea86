"""Whole fits on a device: at the paper's sizes, with defaults, of many classes, of finite λ.

Run on a machine with a GPU: python -m benchmarks.gpu_fits [--only many] [--record]
`--device cpu --part 100` runs the same lines on torch's CPU, with a hundredth of the classes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch

from benchmarks.closed_form import as_view
from benchmarks.command import command
from benchmarks.finite import ATOMS, SHARED, fitted
from benchmarks.finite import samples as finite_samples
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import solver as gpu
from crosslabel.core.gpu.initialise import kmeans_start
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import unit_rows
from crosslabel.core.spectral import closed_form
from crosslabel.flagship.solvers import LONGEST

NAMED = {"ridge": 8e-3, "rule": "local", "random_state": 0}

PAPER = {
    "Extended Yale B": (504, 38, 32, 15, 0.02),
    "Scene15": (3000, 15, 100, 30, 0.03),
    "Caltech101": (3000, 102, 30, 29, 0.10),
    "DynTex++": (177, 36, 50, 30, 0.02),
    "UCF50": (6000, 50, 105, 75, 0.25),
}
"""Features, classes, samples and atoms of each, and the seconds to reach."""

COMPARED = ((40, 6, 12, 5), (300, 8, 50, 40), (60, 5, 90, 20))
"""Features, classes, samples and atoms of what a device is compared with the host on."""


def samples(n_features: int, n_classes: int, n_samples: int, device: str) -> torch.Tensor:
    """Noisy samples about a mean for each class, (n_classes, n_samples, n_features), in float32."""
    place = {"device": device, "dtype": torch.float32}
    torch.manual_seed(0)
    means = 1 + torch.randn(n_classes, 1, n_features, **place)
    return means + 1.5 * torch.randn(n_classes, n_samples, n_features, **place)


def seconds(work: Callable[[], object], device: str, runs: int = 3) -> float:
    """The shortest of some runs, after one to warm up."""
    wait = torch.cuda.synchronize if torch.device(device).type == "cuda" else lambda: None
    work()
    found = []
    for _ in range(runs):
        wait()
        started = time.perf_counter()
        work()
        wait()
        found.append(time.perf_counter() - started)
    return min(found)


def paper(device: str, part: int) -> Iterator[Line]:
    """Rule and ridge named; then everything left to the choice, over what it chose named."""
    for name, (n_features, n_classes, n_samples, n_atoms, reach) in PAPER.items():
        X = samples(n_features, n_classes, n_samples, device).reshape(-1, n_features)
        y = torch.arange(n_classes, device=device).repeat_interleave(n_samples)
        model = CrossLabelClassifier(atoms_per_class=n_atoms, **NAMED)
        spent = seconds(partial(model.fit, X, y), device, 5)
        yield Line(f"whole fit | {name} | named, s", spent, "<=", reach)
        model = CrossLabelClassifier(random_state=0)
        chosen = seconds(partial(model.fit, X, y), device, 2)
        yield Line(f"whole fit | {name} | defaults, s", chosen)
        named = seconds(partial(named_like(model).set_params(device=device).fit, X, y), device)
        yield Line(f"whole fit | {name} | defaults over named", chosen / named, "<=", 8)


def named_like(model: CrossLabelClassifier) -> CrossLabelClassifier:
    """What a default fit chose, named: lift, ridge and rule of the linear view that says most.

    A default fit learns several views; by name there is one. Where it chose kernels alone, one of
    standardised rows has no name: that of the same rows at unit norm takes as long.
    """
    views = model.fitted_.views
    linear = [view for view in views if view.lift.kernel is None]
    best = max(linear or views, key=lambda view: view.share)
    return as_view(best).set_params(scale="unit" if best.lift.center is None else "standard")


def many(device: str, part: int) -> Iterator[Line]:
    """1,000 classes × 10 atoms and 100,000 × 4, 512 features."""
    for n_classes, n_atoms, n_samples, reach in ((1000, 10, 100, 0.3), (100_000, 4, 20, 20.0)):
        X = samples(512, max(2, n_classes // part), n_samples, device)
        y = torch.arange(len(X), device=device).repeat_interleave(n_samples)
        model = CrossLabelClassifier(atoms_per_class=n_atoms, **NAMED)
        name = f"{n_classes} classes × {n_atoms} atoms"
        spent = seconds(partial(model.fit, X.reshape(-1, 512), y), device, 2)
        yield Line(f"{name}: seconds of a named fit", spent, "<=", reach)
    queries = X[:, 0][:20_000]
    for dtype in ("float32", "bfloat16"):
        asked = model.astype(dtype)
        spent = seconds(partial(asked.predict_topk, queries, min(5, len(X))), device, 2)
        what = f"{name}: queries a second, top 5, {dtype}"
        yield Line(what, len(queries) / spent, ">=", 20_000)


def finite(device: str, part: int) -> Iterator[Line]:
    """λ = 2e3 at Caltech101's size, from the closed form's atoms to what 200 from k-means reach."""
    part, place, weights = min(part, 8), torch.device(device), Penalties(8e-3, 2e3, 0.0)
    X, y = finite_samples(part)
    X = unit_rows(X)
    layout = AtomLayout(SHARED // part, (ATOMS,) * (y[-1] + 1))
    moments = Moments.from_samples(X, y, layout.n_classes)
    means = kmeans_start(X, y, layout, weights.ridge, np.random.default_rng(0), device=place)
    closed = closed_form(moments, layout, weights).dictionary

    def learn(start: np.ndarray, n: int, **more: object) -> list[float]:
        return gpu.learn(moments, start, layout, weights, device=place, max_iter=n, **more).trace

    goal = learn(means, 200)[-1]
    approach = min(LONGEST, 2 * layout.n_classes)
    for solver, more in (("exact", {}), ("accelerated", {"momentum": True, "approach": approach})):
        trace, name = np.array(learn(closed, 200, **more)), f"λ = 2e3, {solver}"
        yield Line(f"{name}: objective after 200 over the goal", trace[-1] / goal, "<=", 1)
        needed = min(200, int((trace > goal).sum()) + 1)
        yield Line(f"{name}: iterations to the goal", needed)
        spent = seconds(partial(learn, closed, needed, **more), device)
        reach = ("<=", 0.25) if solver == "accelerated" else ()
        yield Line(f"{name}: seconds to the goal, with transfers", spent, *reach)
        whole = seconds(partial(fitted, part, device=device, solver=solver), device, 1)
        yield Line(f"{name}: seconds of a whole fit", whole)


def agreement(device: str, part: int) -> Iterator[Line]:
    """The largest difference between a device and the host, in float64, rule by rule."""
    for rule in RULES:
        named = {**NAMED, "rule": rule}
        scores, atoms, temperatures = np.max([_apart(s, device, **named) for s in COMPARED], axis=0)
        yield Line(f"device and host | {rule} | scores", scores, "<=", 1e-10)
        yield Line(f"device and host | {rule} | dictionary", atoms, "<=", 1e-10)
        yield Line(f"device and host | {rule} | temperature", temperatures)
    for size in COMPARED:
        X, y, queries = _compared(size)
        models = [CrossLabelClassifier(random_state=0, device=d).fit(X, y) for d in (None, device)]
        ours, theirs = (model.predict_proba(queries) for model in models)
        apart = np.abs(ours - theirs).max()
        yield Line(f"defaults on device and host: probabilities, {size}", apart, "<=", 1e-10)


def _compared(size: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples, labels and queries, on the host and in float64."""
    n_features, n_classes, n_samples, _ = size
    X = samples(n_features, n_classes, n_samples, "cpu").double().numpy().reshape(-1, n_features)
    return X, np.repeat(np.arange(n_classes), n_samples), X + 0.3


def _apart(size: tuple[int, int, int, int], device: str, **named: object) -> list[float]:
    """Of scores (over the largest), dictionaries and temperatures (relatively)."""
    X, y, queries = _compared(size)
    on_host, on_device = (
        CrossLabelClassifier(atoms_per_class=size[3], device=place, **named).fit(X, y)
        for place in (None, device)
    )
    expected, scores = (m.decision_function(queries) for m in (on_host, on_device))
    atoms = np.abs(on_host.dictionary_ - on_device.dictionary_).max()
    temperature = on_device.temperature_ / on_host.temperature_ - 1
    return [np.abs(scores - expected).max() / np.abs(expected).max(), atoms, abs(temperature)]


PARTS = {"paper": paper, "many": many, "finite": finite, "agreement": agreement}


def lines(given: argparse.Namespace) -> Iterator[Line]:
    """All parts, or the one that was asked for."""
    for name in [given.only] if given.only else list(PARTS):
        yield from PARTS[name](given.device, given.part)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cuda")
    options.add_argument("--part", type=int, default=1)
    options.add_argument("--only", choices=PARTS)
    return command("gpu_fits", "Whole fits on a device", lines, options)


if __name__ == "__main__":
    sys.exit(main())
