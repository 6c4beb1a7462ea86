"""`--features auto`: which features suit the pictures at hand, and why, in one line.

Embeddings where their extra is installed. Elsewhere pyramids or pixels, whichever is right more
often for pictures that it has not seen, on a part of the training pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from crosslabel.features.embedding import is_installed
from crosslabel.features.recipe import FeatureSettings, Kind, Recipe
from crosslabel.features.recipes import RECIPES, recipe_for
from crosslabel.flagship import CrossLabelClassifier
from crosslabel.media.gray import Item

AUTO = "auto"
BEST = "embed"
WITHOUT = ("pixels", "spm")  # between which trial decides; the first where they are equally right
CLASSES, PICTURES = 8, 20  # of the trial: at most so many classes, and pictures of each
WORDS = 256  # of the trial's codebook

INSTALL = "pip install 'crosslabel[embed]' adds embeddings, which do better with fewer pictures."


class ChosenFeatures(NamedTuple):
    """Features, and the line that says why it is these; empty where they were asked for by name."""

    recipe: Recipe
    why: str


def choose(
    name: str,
    kind: Kind,
    items: Sequence[Item],
    labels: NDArray[np.generic],
    settings: FeatureSettings,
) -> ChosenFeatures:
    """The named features, or those that "auto" stands for.

    Parameters
    ----------
    name : str
        A name of `crosslabel.features.recipes.RECIPES`, or "auto".
    kind : {"images", "clips", "features"}
    items : sequence
        Training items.
    labels : ndarray of shape (n_items,)
    settings : FeatureSettings
        As for the features themselves. Options that were given leave only the features that have
        them to choose from.

    Returns
    -------
    ChosenFeatures
    """
    if name != AUTO or kind != "images":
        recipe = recipe_for(name, kind)
        return ChosenFeatures(
            recipe, f"Features: {recipe.name}, for {kind}." if name == AUTO else ""
        )
    fitting = [each for each in (BEST, *WITHOUT) if _has(RECIPES[each], settings)]
    if settings.options and len(fitting) == 1:
        said = ", ".join(f"--{option}" for option in settings.options)
        return ChosenFeatures(RECIPES[fitting[0]], f"Features: {fitting[0]}, which have {said}.")
    if is_installed() and BEST in (fitting or [BEST]):
        network = "a frozen network's embeddings"
        return ChosenFeatures(
            RECIPES[BEST], f"Features: {BEST}, {network}, best for photos as a rule."
        )
    return _by_trial([each for each in fitting if each != BEST], items, labels, settings)


def _has(recipe: Recipe, settings: FeatureSettings) -> bool:
    return set(settings.options) <= {option.name for option in recipe.options}


def _by_trial(
    names: Sequence[str],
    items: Sequence[Item],
    labels: NDArray[np.generic],
    settings: FeatureSettings,
) -> ChosenFeatures:
    """Those of the features that are right most often about pictures held out of a part."""
    usual = recipe_for(AUTO, "images")
    train, test = trial_split(labels, settings.seed)
    if len(names) < 2 or not len(test):
        reason = "since there are too few pictures to try others" if len(names) > 1 else "as usual"
        return ChosenFeatures(usual, f"Features: {usual.name}, {reason}. {INSTALL}")
    # Which of them wins does not hang on the size of the codebook, and learning it takes long.
    words = {"words": WORDS, **settings.options}
    trials = {
        name: replace(settings, options=words) if name == "spm" else settings for name in names
    }
    right = {
        name: _right(RECIPES[name], items, labels, train, test, trials[name]) for name in names
    }
    best = max(names, key=lambda name: right[name])
    others = ", ".join(f"{name} {right[name]:.0%}" for name in names if name != best)
    figures = f"{right[best]:.0%} of {len(test)} held-out training pictures, {others}"
    return ChosenFeatures(RECIPES[best], f"Features: {best} ({figures}). {INSTALL}")


def trial_split(
    labels: NDArray[np.generic], seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Halves of a part of the pictures: at most `PICTURES` of at most `CLASSES` classes.

    Parameters
    ----------
    labels : ndarray of shape (n_items,)
    seed : int

    Returns
    -------
    train, test : ndarray of int
        Empty where fewer than two classes have two pictures.
    """
    random = np.random.default_rng(seed)
    names, counts = np.unique(labels, return_counts=True)
    taken = random.permutation(names[counts > 1])[:CLASSES]
    halves: tuple[list[int], list[int]] = ([], [])
    for name in taken if len(taken) > 1 else ():
        own = random.permutation(np.flatnonzero(labels == name))[:PICTURES]
        for half, part in zip(halves, np.array_split(own, 2)):
            half.extend(part.tolist())
    return np.array(halves[0], np.intp), np.array(halves[1], np.intp)


def _right(
    recipe: Recipe,
    items: Sequence[Item],
    labels: NDArray[np.generic],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    settings: FeatureSettings,
) -> float:
    """Share of the test pictures that are recognised from the training pictures."""
    seen = [items[i] for i in train]
    classifier = CrossLabelClassifier(random_state=settings.seed)
    model = Pipeline([*recipe.steps(seen, settings), ("classifier", classifier)])
    found = model.fit(seen, labels[train]).predict([items[i] for i in test])
    return float(np.mean(found == labels[test]))
