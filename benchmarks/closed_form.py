"""Training in closed form: beside peers, the price of defaults, and a busy second core.

Run: python -m benchmarks.closed_form        (a minute; on an otherwise idle machine)

Peers run in processes of their own, and in environments of their own where there are some of their
names in $CROSSLABEL_BENCH.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from benchmarks.core import FACES, Size, data, named, seconds
from benchmarks.lines import Line, lines_of, show
from benchmarks.peers.measure import KEPT, measure, python_of
from benchmarks.peers.problems import PROBLEMS
from crosslabel import CrossLabelClassifier
from crosslabel.core.scaling import Array
from crosslabel.flagship.fitted import View

EMBEDDINGS = Size(1280, 101, 5, 5)
"""101 classes, five photos of each, through a network."""

Samples = tuple[Array, Array]


def beside_peers() -> Iterator[Line]:
    """Fit at 504 features, 38 × 32 samples, 15 atoms, on one thread: theirs over ours."""
    runs = {
        "named": ("ours", "flagship, local rule"),
        "defaults": ("ours", "flagship"),
        "dictlearn's DPL": ("dictlearn_peer", "DPL"),
        "SPAMS's class dictionaries": ("spams_peer", "class dictionaries"),
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "problem.npz"
        np.savez(place, **PROBLEMS["Extended Yale B"](KEPT)._asdict())
        found = {
            name: measure(peer, method, 1, place, python_of(peer), 600)
            for name, (peer, method) in runs.items()
        }
    for name, one in found.items():
        told = (
            one.get("problem") or f"{1e3 * one['fit_processor_seconds']:.1f} ms of processor time"
        )
        print(f"  fit, {name}: {told}", flush=True)
    bars = (
        ("dictlearn's DPL", "named", 80),
        ("dictlearn's DPL", "defaults", 10),
        ("SPAMS's class dictionaries", "named", 10),
    )
    for peer, ours, bar in bars:
        # A peer that does not run is no bar met.
        theirs = found[peer].get("fit_processor_seconds", np.nan)
        ratio = theirs / found[ours].get("fit_processor_seconds", np.nan)
        yield Line(f"fit, faces, one thread: {peer} / ours, {ours}", ratio, ">=", bar)


def defaults() -> Iterator[Line]:
    """One fit with defaults over the same fit with everything named, on one thread."""
    for name, make in PRICED.items():
        X, y = make()
        yield defaults_over_named(name, X, y)


def defaults_over_named(name: str, X: Array, y: Array, repeats: int = 3) -> Line:
    """The named fit has rule, ridge and lift of the view that says most in the default one."""
    with threadpool_limits(1):
        views = CrossLabelClassifier(random_state=0).fit(X, y).fitted_.views
        named_fit = as_view(max(views, key=lambda view: view.share))
        chosen, told = seconds(
            lambda: CrossLabelClassifier(random_state=0).fit(X, y),
            lambda: named_fit.fit(X, y),
            repeats=repeats,
            clock=time.process_time,
        )
    about = f"{named_fit.rule} rule, {named_fit.kernel}"
    print(f"  {name}: defaults {chosen:.3f} s, {about} named {told:.3f} s", flush=True)
    return Line(f"fit with defaults / with all named, {name}", chosen / told, "<=", 8)


def as_view(view: View) -> CrossLabelClassifier:
    """A classifier to which a view is named, so that it has nothing to choose."""
    lift = view.lift
    scale = "none" if not lift.unit else "unit" if lift.center is None else "standard"
    return CrossLabelClassifier(
        rule=view.rule, ridge=view.ridge, scale=scale, offset=lift.offset, random_state=0,
        kernel="linear" if lift.kernel is None else lift.kernel.kernel,
    )  # fmt: skip


def digits() -> Samples:
    """Half of scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    return X[::2], y[::2]


PRICED: dict[str, Callable[[], Samples]] = {
    "Extended Yale B size": lambda: data(FACES),
    "digits": digits,
    "101 classes × 5 embeddings": lambda: data(EMBEDDINGS),
}


def busy_neighbour() -> Iterator[Line]:
    """Default threads over one thread while other processes hold all cores but one."""
    X, y = data(FACES)
    many = data(FACES._replace(n_samples=264), seed=3)[0][:10_000]
    model = named("global").fit(X, y)
    tasks: dict[str, Callable[[], Any]] = {
        "fit, faces, local rule named": lambda: named("local").fit(X, y),
        "fit, faces, global rule named": lambda: named("global").fit(X, y),
        "fit, faces, defaults": lambda: CrossLabelClassifier(random_state=0).fit(X, y),
        "10,000 queries, global rule": lambda: model.predict(many),
    }
    with busy_cores():
        for name, task in tasks.items():
            yield under_load(name, task)


def under_load(name: str, task: Callable[[], Any], turns: int = 4) -> Line:
    """Median time with the default threads over that with one; they take turns."""
    one, default = [], []
    for _ in range(turns):
        with threadpool_limits(1):
            one += seconds(task, repeats=1)
        default += seconds(task, repeats=1)
    ratio = float(np.median(default) / np.median(one))
    return Line(f"busy second core: default threads / one, {name}", ratio, "<=", 1.3)


@contextmanager
def busy_cores() -> Iterator[None]:
    """Processes that multiply without end, each on one thread, on all cores but one."""
    work = "import numpy as np\nA = np.eye(400)\nwhile True: A @ A"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    others = [
        subprocess.Popen([sys.executable, "-c", work], env=environment)
        for _ in range(max(1, (os.cpu_count() or 2) - 1))
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


PARTS = (beside_peers, defaults, busy_neighbour)

if __name__ == "__main__":
    sys.exit(1 if show("Training in closed form", lines_of(PARTS)) else 0)
