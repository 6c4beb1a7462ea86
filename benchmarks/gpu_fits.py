"""Whole fits on a device: at the paper's sizes, with defaults, of many classes, of finite λ.

Run on a machine with a GPU: python -m benchmarks.gpu_fits [--only many]
`--device cpu --part 100` runs the same lines on torch's CPU, with a hundredth of the classes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import torch

from benchmarks.finite import fitted
from benchmarks.lines import Line, show
from crosslabel import CrossLabelClassifier

NAMED = {"ridge": 8e-3, "rule": "local", "random_state": 0}

PAPER = {
    "Extended Yale B": (504, 38, 32, 15, 0.02),
    "Scene15": (3000, 15, 100, 30, 0.03),
    "Caltech101": (3000, 102, 30, 29, 0.10),
    "DynTex++": (177, 36, 50, 30, 0.02),
    "UCF50": (6000, 50, 105, 75, 0.25),
}
"""Features, classes, samples and atoms of each, and the seconds to reach."""


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
    """Rule and ridge named, then everything left to the choice."""
    for name, (n_features, n_classes, n_samples, n_atoms, reach) in PAPER.items():
        X = samples(n_features, n_classes, n_samples, device).reshape(-1, n_features)
        y = torch.arange(n_classes, device=device).repeat_interleave(n_samples)
        model = CrossLabelClassifier(atoms_per_class=n_atoms, **NAMED)
        spent = seconds(partial(model.fit, X, y), device)
        yield Line(f"{name}: seconds of a named fit", spent, "<=", reach)
        chosen = seconds(partial(CrossLabelClassifier(random_state=0).fit, X, y), device, 1)
        yield Line(f"{name}: fit with defaults over a named one", chosen / spent, "<=", 8)


def many(device: str, part: int) -> Iterator[Line]:
    """1,000 classes × 10 atoms and 100,000 × 4, 512 features."""
    for n_classes, n_atoms, n_samples, reach in ((1000, 10, 100, 0.3), (100_000, 4, 20, 20.0)):
        n_classes = max(2, n_classes // part)
        X = samples(512, n_classes, n_samples, device)
        y = torch.arange(n_classes, device=device).repeat_interleave(n_samples)
        model = CrossLabelClassifier(atoms_per_class=n_atoms, **NAMED)
        name = f"{n_classes} classes × {n_atoms} atoms"
        spent = seconds(partial(model.fit, X.reshape(-1, 512), y), device, 1)
        yield Line(f"{name}: seconds of a named fit", spent, "<=", reach)
    queries = X[:, 0][:20_000]
    for dtype in ("float32", "bfloat16"):
        asked = model.astype(dtype)
        spent = seconds(partial(asked.predict_topk, queries, min(5, n_classes)), device, 1)
        what = f"{name}: queries a second, top 5, {dtype}"
        yield Line(what, len(queries) / spent, ">=", 20_000)


def finite(device: str, part: int) -> Iterator[Line]:
    """λ = 2e3 at Caltech101's size, from the closed form to what 200 from k-means reach."""
    part = min(part, 4)
    goal = fitted(part, device=device, init="kmeans", max_iter=200, tol=0)[0].objective_trace_[-1]
    for solver in ("exact", "accelerated"):
        more = {"device": device, "solver": solver, "tol": 0}
        trace, name = fitted(part, max_iter=200, **more)[0].objective_trace_, f"λ = 2e3, {solver}"
        yield Line(f"Caltech101, {name}: objective over the goal", trace[-1] / goal, "<=", 1)
        needed = min(200, int((trace > goal).sum()) + 1)
        spent = seconds(partial(fitted, part, max_iter=needed, **more), device, 1)
        yield Line(f"Caltech101, {name}: seconds of {needed} iterations", spent, "<=", 0.25)


PARTS = {"paper": paper, "many": many, "finite": finite}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", default="cuda")
    options.add_argument("--part", type=int, default=1)
    options.add_argument("--only", choices=PARTS)
    given = options.parse_args()
    chosen = [given.only] if given.only else list(PARTS)
    lines = (line for name in chosen for line in PARTS[name](given.device, given.part))
    show(f"Whole fits on {given.device}", lines)


if __name__ == "__main__":
    main()
