"""Where a fit on a device spends its time: launches, waits and milliseconds of each stage.

Run: python -m benchmarks.fit_stages [--device cpu] [--size "Scene15"] [--record]

A launch is an operation of torch that is no view; those of Triton's kernels are not seen. A wait
is an operation that brings values home. Both are counted in one fit, and time is taken in another
one, where each stage ends with everything done.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.command import command
from benchmarks.gpu_fits import NAMED, PAPER, samples
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier

FLAGSHIP, LOOP = "crosslabel.flagship", "loop:"
STAGES = {
    "checks": f"{FLAGSHIP}.on_device._checked",
    "order": "crosslabel.core.gpu.ordering.distinct",
    "lifts": f"{FLAGSHIP}.choose.lifts",
    "lifted rows": f"{FLAGSHIP}.choose._field",
    "axes": f"{FLAGSHIP}.race.axes_of",
    "local scores": f"{FLAGSHIP}.race.local_evidence",
    "global scores": f"{FLAGSHIP}.race.global_evidence",
    "discriminants": f"{FLAGSHIP}.race.discriminants",
    "temperatures and losses": f"{FLAGSHIP}.race.judge",
    "joint weights": f"{FLAGSHIP}.race.fit_weights",
    "average of lifts": f"{FLAGSHIP}.choose.average",
    "coordinates of a kernel": f"{FLAGSHIP}.lifts.KernelMap.fit",
    "discriminant of all": f"{FLAGSHIP}.choose.discriminant_of_all",
    "atoms": "crosslabel.core.gpu.closed_form.closed_form",
    "calibration": f"{FLAGSHIP}.on_device._temperature",
    "views": f"{FLAGSHIP}.on_device._view",
    f"{LOOP} unit norms": "crosslabel.core.rotation.unit_norms",
    f"{LOOP} exemplars": "crosslabel.core.rotation.greedy",
    f"{LOOP} Newton's steps": "crosslabel.core.gpu.temperatures.descended",
}
"""The function of each stage, where it is looked up; what is left goes by "all else".

The loops run on torch's CPU alone, and are not in the sums: on a GPU each is one launch of a kernel
of Triton's.
"""

ALLOCATE = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "detach"}
"""Operations that start nothing on the device, beside views."""


class Stage:
    """The stages that are running, innermost last, and what is told of each."""

    def __init__(self, device: str) -> None:
        self.device, self.running = device, ["all else"]
        self.launches, self.waits = Counter[str](), Counter[str]()
        self.seconds, self.since = Counter[str](), time.perf_counter()

    def pass_time(self) -> None:
        """Put the time since the last call to the stage that runs."""
        if torch.device(self.device).type == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        self.seconds[self.running[-1]] += now - self.since
        self.since = now

    def told(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which tells when it begins and ends."""

        def run(*args: Any, **kwargs: Any) -> Any:
            self.pass_time()
            self.running.append(name)
            try:
                found = function(*args, **kwargs)
                return list(found) if isinstance(found, Iterator) else found
            finally:
                self.pass_time()
                self.running.pop()

        return run

    def waited(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that brings values home, counted."""

        def run(tensor: Tensor) -> Any:
            self.waits[self.running[-1]] += tensor.ndim > 0  # of one number it is told otherwise
            return method(tensor)

        return run


class Counted(TorchDispatchMode):
    """Counts the launches and waits of the stage that runs."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None):
        found, name = operation(*args, **(kwargs or {})), operation._schema.name.split("::")[1]
        aliases = [one.alias_info for one in operation._schema.returns]
        is_view = any(alias is not None and not alias.is_write for alias in aliases)
        self.stage.launches[self.stage.running[-1]] += not (is_view or name in ALLOCATE)
        self.stage.waits[self.stage.running[-1]] += name in {"_local_scalar_dense", "nonzero"}
        return found


@contextmanager
def staged(device: str) -> Iterator[Stage]:
    """All functions of the stages tell when they run."""
    stage = Stage(device)
    with ExitStack() as stack:
        for name, where in STAGES.items():
            owner, _, attribute = where.rpartition(".")
            function = getattr(resolve_name(owner), attribute)
            stack.enter_context(patch(where, stage.told(name, function)))
        for name in ("cpu", "tolist"):
            stack.enter_context(patch(f"torch.Tensor.{name}", stage.waited(getattr(Tensor, name))))
        yield stage
    stage.pass_time()


def stages(size: str, device: str, is_named: bool) -> Iterator[Line]:
    """Print the stages of one fit, those of most time first; launches and waits of all."""
    n_features, n_classes, n_samples, n_atoms, _ = PAPER[size]
    X = samples(n_features, n_classes, n_samples, device).reshape(-1, n_features)
    y = torch.arange(n_classes, device=device).repeat_interleave(n_samples)
    settings = {**NAMED, "atoms_per_class": n_atoms} if is_named else {"random_state": 0}
    model = CrossLabelClassifier(**settings).fit(X, y)
    with staged(device) as counted, Counted(counted):
        model.fit(X, y)
    with staged(device) as timed:
        model.fit(X, y)
    print(f"\n{'stage':<26}{'launches':>10}{'waits':>8}{'ms':>10}")
    for name, seconds in timed.seconds.most_common():
        counts = counted.launches[name], counted.waits[name]
        print(f"{name:<26}{counts[0]:>10}{counts[1]:>8}{1e3 * seconds:>10.2f}")
    what = f"stages of a fit | {size} | {'named' if is_named else 'defaults'}"
    for told, column in ((counted.launches, "launches"), (counted.waits, "waits")):
        yield Line(f"{what}, {column}", sum(n for name, n in told.items() if LOOP not in name))


def lines(given: argparse.Namespace) -> Iterator[Line]:
    """Of one size or all, with everything named and with defaults, or with one of them."""
    for size in [given.size] if given.size else PAPER:
        for is_named in (True, False):
            yield from stages(size, given.device, is_named)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cuda")
    options.add_argument("--size", choices=PAPER)
    return command("fit_stages", "Stages of a fit on a device", lines, options)


if __name__ == "__main__":
    sys.exit(main())
