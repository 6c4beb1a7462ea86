"""Extended Yale B with 8 of 38 people unknown, random faces 504: can strangers be told?

Which novelty score to take is decided among the known people alone: some of them are left out in
turn and play the strangers. The 8 people are looked at only to measure.

Run: python -m benchmarks.rejection
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.command import command
from benchmarks.extended_yale_b import PAPER, SIZE
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifier, RejectingClassifier
from crosslabel.core.scaling import Array, unit_rows
from crosslabel.datasets import load_extended_yale_b
from crosslabel.features import Pixels, RandomFaces
from crosslabel.flagship.novelty import beside_others

DRAWS, UNKNOWN, TRAIN = 10, 8, 32


def global_novelty(model: CrossLabelClassifier, X: Array) -> Array:
    """The part of the score that a code over all atoms gives."""
    return beside_others(-model.fitted_.view.claims.scores(unit_rows(X)), 1.0)


def own_novelty(model: CrossLabelClassifier, X: Array) -> Array:
    """The part of the score that each class's own atoms give."""
    trust = 1 - 2 / len(model.classes_)
    return beside_others(-model.fitted_.view.own_residuals.scores(unit_rows(X)), trust)


def best_residual(model: CrossLabelClassifier, X: Array) -> Array:
    """What the best class leaves unexplained."""
    return -model.fitted_.view.own_residuals.scores(unit_rows(X)).max(axis=1)


def concentration(model: CrossLabelClassifier, X: Array) -> Array:
    """How little of the code lies on one class: SRC's sparsity concentration, reversed."""
    mass = np.abs(model.transform(X)) @ (
        model.atom_labels_[:, None] == np.arange(len(model.classes_))
    )
    return 1 - mass.max(axis=1) / mass.sum(axis=1)


CANDIDATES = {
    "own atoms and a code over all atoms (novelty_score)": lambda m, X: m.novelty_score(X),
    "best residual beside the others, own atoms": own_novelty,
    "the same, code over all atoms": global_novelty,
    "best residual alone, own atoms": best_residual,
    "concentration of the code": concentration,
}


def auroc(score: Array, strangers: Array) -> float:
    """Chance that a stranger scores higher than a known person."""
    is_new = np.repeat([0, 1], [len(score), len(strangers)])
    return float(roc_auc_score(is_new, np.concatenate([score, strangers])))


def draw(X: Array, y: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Rows that train, rows that test, and rows of strangers."""
    strangers = rng.permutation(np.unique(y))[:UNKNOWN]
    train, test = [], []
    for person in np.setdiff1d(np.unique(y), strangers):
        rows = rng.permutation(np.flatnonzero(y == person))
        train.append(rows[:TRAIN])
        test.append(rows[TRAIN:])
    return np.concatenate(train), np.concatenate(test), np.flatnonzero(np.isin(y, strangers))


def flagship() -> CrossLabelClassifier:
    return CrossLabelClassifier(rule="global", random_state=0, **PAPER)


def chosen_on_training(X: Array, y: Array, rng: np.random.Generator) -> dict[str, float]:
    """AUROC of each candidate where some of the known people play the strangers."""
    inner, held_out, new = draw(X, y, rng)
    # Half of what trains learns, the rest asks: strangers must not be the only new images.
    model = flagship().fit(X[inner[::2]], y[inner[::2]])
    known = np.concatenate([inner[1::2], held_out])
    return {
        name: auroc(score(model, X[known]), score(model, X[new]))
        for name, score in CANDIDATES.items()
    }


def measured(log: bool) -> Iterator[tuple[dict[str, float], float, float, float]]:
    """For each draw: candidates on training people; AUROC, false accepts and rejects of ours."""
    data = load_extended_yale_b()
    pixels, y = Pixels(SIZE, log=log).fit_transform(data.images), data.target
    for number in range(DRAWS):
        rng = np.random.default_rng(100 + number)
        X = RandomFaces(504, random_state=number).fit_transform(pixels)
        train, test, strangers = draw(X, y, rng)
        candidates = chosen_on_training(X[train], y[train], rng)
        model = RejectingClassifier(flagship(), random_state=0).fit(X[train], y[train])
        found = auroc(model.novelty_score(X[test]), model.novelty_score(X[strangers]))
        accepted = np.mean(model.predict(X[strangers]) != -1)
        rejected = np.mean(model.predict(X[test]) == -1)
        yield candidates, found, float(accepted), float(rejected)


def lines() -> Iterator[Line]:
    for log in (False, True):
        name = "log pixels" if log else "pixels"
        candidates, found, accepted, rejected = zip(*measured(log))
        for score in CANDIDATES:
            mean = np.mean([values[score] for values in candidates])
            yield Line(f"known people alone | {score} | {name}", float(mean))
        shares = {
            "AUROC, mean": (np.mean(found), ">=", 0.95),
            "AUROC, lowest": (np.min(found), ">=", 0.95),
            "false accepts where 0.05 are asked for, mean": (np.mean(accepted), "<=", 0.05),
            "… lowest": (np.min(accepted),),
            "… highest": (np.max(accepted),),
            "known queries rejected then": (np.mean(rejected),),
        }
        for what, found_and_bar in shares.items():
            yield Line(f"strangers, {DRAWS} draws | {what} | {name}", *found_and_bar)


if __name__ == "__main__":
    title = "Rejection: Extended Yale B, 8 of 38 people unknown"
    raise SystemExit(command("rejection", title, lambda given: lines()))
