"""Which labels are wrong: our audit against cleanlab's ranking from LogisticRegression.

Ten per cent of the labels of Caltech101, thirty photos of each class as embeddings, are flipped at
random. Both find them in one run, on one thread; the cost is the processor's time. cleanlab (AGPL)
is no dependency of ours: make an environment with it and with what crosslabel needs, as

    python3 -m venv /var/tmp/cleanlab && /var/tmp/cleanlab/bin/pip install cleanlab scikit-learn
    PYTHONPATH=src OPENBLAS_NUM_THREADS=1 /var/tmp/cleanlab/bin/python -m benchmarks.audit X.npz

where X.npz holds the embeddings X and the labels y of all photos.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import audit

PER_CLASS, SHARE, REPEATS = 30, 0.1, 3


class Flipped(NamedTuple):
    """Samples, labels of which some are wrong, and which."""

    X: NDArray[np.float32]
    labels: NDArray[np.intp]
    wrong: NDArray[np.bool_]


def flipped(X: NDArray[np.float32], y: NDArray[np.intp], seed: int) -> Flipped:
    """Some samples of each class, with a share of their labels drawn anew from the others."""
    rng = np.random.default_rng(seed)
    classes, labels = np.unique(y, return_inverse=True)
    rows = np.concatenate(
        [rng.permutation(np.flatnonzero(labels == c))[:PER_CLASS] for c in range(len(classes))]
    )
    own = labels[rows]
    wrong = np.zeros(len(rows), bool)
    wrong[rng.permutation(len(rows))[: round(SHARE * len(rows))]] = True
    shift = rng.integers(1, len(classes), len(rows))
    return Flipped(X[rows], np.where(wrong, (own + shift) % len(classes), own), wrong)


def ours(problem: Flipped) -> NDArray[np.floating]:
    """The probability of each sample's own label."""
    return audit(problem.X, problem.labels).probability


def theirs(problem: Flipped) -> NDArray[np.floating]:
    """cleanlab's quality of each label, by its own default."""
    chances = cross_val_predict(
        LogisticRegression(max_iter=1000), problem.X, problem.labels, cv=5, method="predict_proba"
    )
    return get_label_quality_scores(problem.labels, chances)


def measured(
    find: Callable[[Flipped], NDArray[np.floating]], problem: Flipped
) -> tuple[float, float]:
    """Average precision of the wrong labels, and the processor's seconds."""
    start = time.process_time()
    quality = find(problem)
    seconds = time.process_time() - start
    return float(average_precision_score(problem.wrong, -quality)), seconds


def main() -> int:
    """The words of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embeddings", help="An .npz file with X and y.")
    parser.add_argument("--first", type=int, default=0, help="The number of the first draw.")
    title = "Wrong labels of Caltech101, one thread"
    return command("audit", title, lines, parser)


def lines(options: argparse.Namespace) -> Iterator[Line]:
    """Average precision of ours and theirs, and the share of the time."""
    data = np.load(options.embeddings, allow_pickle=False)
    rows = []
    with threadpool_limits(1):
        ours(flipped(data["X"][::9], data["y"][::9], 0))  # what is done once is not counted
        for seed in range(options.first, options.first + REPEATS):
            problem = flipped(data["X"], data["y"], seed)
            rows.append([*measured(ours, problem), *measured(theirs, problem)])
    own, seconds, other, others = np.array(rows).T
    yield Line("average precision of the wrong labels, mean of three draws", own.mean())
    yield Line("… lowest", own.min())
    yield Line("… highest", own.max())
    yield Line("average precision of cleanlab's ranking, mean of three draws", other.mean())
    yield Line("our time / cleanlab's, mean of three draws", (seconds / others).mean())


if __name__ == "__main__":
    sys.exit(main())
