"""Extended Yale B with everything left to training images: the form of the pixels, and the ridge.

Run: python -m benchmarks.pixels_chosen [--splits 10] [--record]
Five folds of a split's training images judge each form of the pixels before the eigenfaces, at the
best of seven ridges; the test images see the best form alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import CrossLabelClassifierCV
from crosslabel.datasets import load_extended_yale_b
from crosslabel.datasets.splits import per_class
from crosslabel.features import Eigenfaces, Pixels

FORMS = {
    "unit norm": {},
    "as they are": {"normalize": False},
    "logarithms": {"log": True},
}
RIDGES = [1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2, 6.4e-2]
ATOMS = {10: 10, 20: 15, 32: 15}
"""Of each person, by their training images: those of the paper."""


def lines(given: argparse.Namespace) -> Iterator[Line]:
    """How often each form is chosen, what the folds say of it, and accuracy on the test images."""
    data = load_extended_yale_b()
    for n_train, n_atoms in ATOMS.items():
        reached, folds = [], {form: [] for form in FORMS}
        for train, test in per_class(data.target, n_train, repeats=given.splits, seed=0):
            models = {}
            for form, wish in FORMS.items():
                choice = CrossLabelClassifierCV(
                    rules=["global"], atoms_per_class=[n_atoms], ridges=RIDGES, cv=5
                )
                features = make_pipeline(Pixels((54, 48), **wish), Eigenfaces(300))
                models[form] = make_pipeline(features, choice)
                models[form].fit(data.images[train], data.target[train])
                folds[form].append(100 * choice.best_score_)
            best = max(FORMS, key=lambda form: folds[form][-1])
            reached.append(100 * models[best].score(data.images[test], data.target[test]))
        chosen = np.argmax(list(folds.values()), axis=0)
        for place, form in enumerate(FORMS):
            what = f"{n_train} per person, {form}: accuracy of folds, %"
            yield Line(what, float(np.mean(folds[form])))
            yield Line(f"{n_train} per person, {form}: chosen", int((chosen == place).sum()))
        spread = np.std(reached, ddof=1) if len(reached) > 1 else 0.0
        yield Line(
            f"{n_train} per person, chosen form: accuracy, % (± {spread:.2f})",
            float(np.mean(reached)),
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--splits", type=int, default=10)
    return command("pixels_chosen", "Extended Yale B, pixels chosen", lines, options)


if __name__ == "__main__":
    sys.exit(main())
