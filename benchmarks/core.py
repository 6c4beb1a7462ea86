"""The core against its floor and its oracle: exactness, speed and memory as ratios of one run.

Run: python -m benchmarks.core        (minutes; on an otherwise idle machine)

Every figure is a ratio of two things measured in turn in the same process, on one thread and with
the default number of threads. A line says what was measured, the bar, and whether it was met.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks.lines import Line, lines_of, show
from crosslabel import CrossLabelClassifier
from crosslabel.core import objective, reference, solver
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import threads_for
from crosslabel.core.code_blocks import Block
from crosslabel.core.coding import suppressed_codes
from crosslabel.core.initialise import kmeans_start
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import Array, unit_rows

PAPER = Penalties(8e-3, 2e3, 2e-2)


class Size(NamedTuple):
    """A problem: features, classes × samples, atoms per class and shared."""

    n_features: int
    n_classes: int
    n_samples: int
    atoms: int
    shared: int = 0


FACES = Size(504, 38, 32, 15)
OBJECTS = Size(3000, 102, 30, 29, 100)


def data(size: Size, seed: int = 0, spread: int = 0) -> tuple[Array, Array]:
    """Unit-norm samples of low-rank classes; `spread` makes the classes differ in size."""
    rng = np.random.default_rng(seed)
    sizes = size.n_samples + rng.integers(-spread, spread + 1, size.n_classes)
    labels = np.repeat(np.arange(size.n_classes), sizes)
    bases = rng.normal(size=(size.n_classes, 9, size.n_features))
    mixing = np.abs(rng.normal(size=(len(labels), 9)))
    X = np.einsum("ij,ijk->ik", mixing, bases[labels], optimize=True)
    return unit_rows(X + 0.5 * rng.normal(size=X.shape)), labels


def problem(size: Size, spread: int = 0) -> tuple[solver.Iterated, Array, Moments]:
    """What the solver sees, and a start."""
    X, labels = data(size, spread=spread)
    layout = AtomLayout(size.shared, (size.atoms,) * size.n_classes)
    statistics = Moments.from_samples(X, labels, size.n_classes)
    D = random_atoms(X, labels, layout)
    targets = statistics.targets()
    blocks = objective.blocks(targets.starts, statistics.counts, PAPER)
    return solver.Iterated(targets.rows, blocks, layout, PAPER), D, statistics


def named(rule: str, atoms: int = FACES.atoms) -> CrossLabelClassifier:
    """A classifier that has nothing left to choose."""
    return CrossLabelClassifier(
        atoms_per_class=atoms, ridge=PAPER.ridge, rule=rule, scale="unit", offset=0.0,
        kernel="linear", random_state=0,
    )  # fmt: skip


def random_atoms(X: Array, labels: Array, layout: AtomLayout) -> Array:
    rng = np.random.default_rng(1)
    own = [rng.choice(np.flatnonzero(labels == c), n) for c, n in enumerate(layout.per_class)]
    shared = rng.choice(len(X), layout.shared)
    noise = rng.normal(size=(layout.n_atoms, X.shape[1])) / np.sqrt(X.shape[1])
    return unit_rows(X[np.concatenate([shared, *own])] + noise)


def seconds(
    *tasks: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Least time of each task; they take turns, so that noise falls on all of them.

    On one thread the clock may be `time.process_time`, which other processes do not hold up.
    """
    best = [np.inf] * len(tasks)
    for _ in range(repeats):
        for k, task in enumerate(tasks):
            start = clock()
            task()
            best[k] = min(best[k], clock() - start)
    return best


def apart(*tasks: Callable[[], object]) -> list[float]:
    """Least time of each short task, in turns with a pause between.

    Threads of OpenBLAS wait busily for 30 ms after a product: the next task would pay for them.
    """
    best = [np.inf] * len(tasks)
    for _ in range(10):
        for k, task in enumerate(tasks):
            time.sleep(0.05)
            best[k] = min(best[k], *seconds(task, repeats=50))
    return best


def threads(n_threads: int | None):
    return nullcontext() if n_threads is None else threadpool_limits(n_threads)


def exactness() -> Iterator[Line]:
    for name, spread in (("balanced", 0), ("unbalanced", 12)):
        given, D, _ = problem(FACES, spread)
        slow = naive_codes(given.rows, given.blocks, D, given.layout)
        for dtype, bar in ((np.float64, 1e-8), (np.float32, 1e-3)):
            rows, atoms = given.rows.astype(dtype), D.astype(dtype)
            fast = suppressed_codes(rows, given.blocks, atoms, given.layout, PAPER.suppression)
            error = np.linalg.norm(fast - slow) / np.linalg.norm(slow)
            yield Line(f"codes vs naive, {name}, {np.dtype(dtype).name}", error, "<=", bar)


def naive_codes(Y: Array, blocks: list[Block], D: Array, layout: AtomLayout) -> Array:
    """One K×K solve for each class and shift."""
    codes, G = np.empty((len(Y), len(D))), D @ D.T
    for block in blocks:
        other = np.ones(len(D))
        other[layout.free(block.label)] = 0
        system = G + np.diag(PAPER.suppression * other + block.shift)
        codes[block.rows] = np.linalg.solve(system, D @ Y[block.rows].T).T
    return codes


def against_the_reference() -> Iterator[Line]:
    """20 iterations from one start: time and objective beside Algorithm 1 in plain NumPy."""
    X, labels = data(FACES)
    layout = AtomLayout(0, (FACES.atoms,) * FACES.n_classes)
    D = kmeans_start(X, labels, layout, PAPER.ridge, np.random.default_rng(0))
    with threadpool_limits(1):
        start = time.perf_counter()
        theirs, codes = reference.learn(X.T, labels, D.T, layout, PAPER, 20)
        slow = time.perf_counter() - start
        statistics = Moments.from_samples(X, labels, FACES.n_classes)
        (fast,) = seconds(
            lambda: solver.learn(statistics, D, layout, PAPER, max_iter=20), repeats=3
        )
    ours = solver.learn(statistics, D, layout, PAPER, max_iter=20)
    value = reference.objective(X.T, labels, theirs, codes, layout, PAPER)
    yield Line("20 iterations, faces: reference / ours, one thread", slow / fast, ">=", 10)
    yield Line("objective after 20: ours / reference", ours.trace[-1] / value, "<=", 1.0)
    yield Line("largest relative rise of the objective", _rise(ours.trace), "<=", 1e-10)


def _rise(trace: list[float]) -> float:
    return float(np.max(np.diff(trace), initial=0) / trace[0])


def large_iteration() -> Iterator[Line]:
    given, D, _ = problem(OBJECTS)
    Y = given.rows[: OBJECTS.n_classes * OBJECTS.n_samples]
    for n_threads in (1, None):
        with threads(n_threads):
            product, sweep = seconds(
                lambda: Y @ D.T, lambda: solver.exact_sweep(given, D), repeats=3
            )
        name = f"one iteration / one product, objects, {_named(n_threads)}"
        yield Line(name, sweep / product, "<=", 8)
    peak = _peak_memory("from benchmarks.core import one_large_sweep; one_large_sweep()")
    yield Line("peak memory of that iteration in GB", peak, "<=", 2)


def one_large_sweep() -> None:
    given, D, _ = problem(OBJECTS)
    solver.exact_sweep(given, D)


def growth() -> Iterator[Line]:
    """An iteration must not grow with the number of samples."""
    steps = []
    for n_samples in (2_000, 20_000):
        given, D, _ = problem(Size(128, 10, n_samples, 30))
        steps.append(lambda given=given, D=D: _sweep(given, D))
    few, many = seconds(*steps, repeats=9)
    yield Line("time per iteration, 200,000 / 20,000 samples", many / few, "<=", 1.3)


def queries() -> Iterator[Line]:
    X, labels = data(FACES)
    many = data(FACES._replace(n_samples=264), seed=3)[0][:10_000]
    for rule in ("global", "local"):
        model = named(rule).fit(X, labels)
        for n_threads in (1, None):
            with threads(n_threads):
                yield from _query_lines(model, many, f"{rule} rule, {_named(n_threads)}")


def _query_lines(model: CrossLabelClassifier, many: Array, where: str) -> Iterator[Line]:
    D, bare, one = model.dictionary_.T.copy(), model.fitted_.view.prepared.projection, many[:1]
    product, found = seconds(lambda: many @ D, lambda: model.predict(many))
    yield Line(f"10,000 queries / projection, {where}", found / product, "<=", 4)
    matrix, single = apart(lambda: one @ bare, lambda: model.predict(one))
    above = 1e6 * (single - matrix)
    yield Line(f"one query beyond its matrix work in µs, {where}", above, "<=", 150)


def import_time() -> Iterator[Line]:
    """What the import adds to scikit-learn's, whose own two seconds vary by more than that."""
    timed = (
        "import sklearn.linear_model, time; begun = time.perf_counter()\n"
        "from crosslabel import CrossLabelClassifier; print(time.perf_counter() - begun)"
    )
    # With byte code, as an install has it.
    keeping = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", timed]
    runs = [
        float(subprocess.run(command, capture_output=True, check=True, env=keeping).stdout)
        for _ in range(6)
    ]
    name = "importing crosslabel beyond scikit-learn's linear models in ms"
    yield Line(name, 1e3 * min(runs), "<=", 50)


def two_threads() -> Iterator[Line]:
    """The default number of threads over one thread, at every size above."""
    sizes = {"faces": FACES, "objects": OBJECTS, "many samples": Size(128, 10, 20_000, 30)}
    for name, size in sizes.items():
        given, D, _ = problem(size)
        yield _ratio(f"iteration, {name}", lambda given=given, D=D: _sweep(given, D))
    X, labels = data(FACES)
    many = data(FACES._replace(n_samples=264), seed=3)[0][:10_000]
    for rule in ("global", "local"):
        model = named(rule).fit(X, labels)
        yield _ratio(f"10,000 queries, {rule} rule", lambda m=model: m.predict(many))
        yield _ratio(f"one query, {rule} rule", lambda m=model: m.predict(many[:1]), 50, 40)
    yield _ratio("fit, faces", lambda: named("global").fit(X, labels), 3)


def _sweep(given: solver.Iterated, D: Array) -> None:
    """One iteration as `solver.learn` runs it, with its choice of threads."""
    with threads_for(2.0 * given.rows.size * len(D)):
        solver.exact_sweep(given, D)


def _ratio(name: str, task: Callable[[], object], repeats: int = 2, turns: int = 4) -> Line:
    """Least time with the default threads over least time with one; they take turns."""
    one = default = np.inf
    for _ in range(turns):
        with threadpool_limits(1):
            one = min(one, *seconds(task, repeats=repeats))
        default = min(default, *seconds(task, repeats=repeats))
    # Two measurements of the same thing differ by some percent on these machines.
    return Line(f"default threads / one thread: {name}", default / one, "<=", 1.05)


def _named(n_threads: int | None) -> str:
    if n_threads == 1:
        return "one thread"
    return f"{max(i['num_threads'] for i in threadpool_info())} threads"


def _peak_memory(statement: str) -> float:
    """Peak memory of a statement in a fresh process, in GB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(before, after) / 1e6


PARTS = (
    exactness,
    against_the_reference,
    large_iteration,
    growth,
    queries,
    import_time,
    two_threads,
)


def main() -> None:
    show("The core", lines_of(PARTS))


if __name__ == "__main__":
    main()
