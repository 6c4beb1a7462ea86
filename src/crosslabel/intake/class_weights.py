"""How much the samples of each class count, and what an error on them costs.

The weight of a class multiplies the weights of its samples, as in scikit-learn. Classes have no
frequency in the model, which holds all of them equally likely: weights that are named are costs,
and raise the log-probability of a class by their logarithm; "balanced" ones only make the samples
of all classes count alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import column_or_1d

from crosslabel.intake.checking import Training, checked_weights
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.partitions import is_dask
from crosslabel.intake.sources import read_labels, read_weights

ClassWeight: TypeAlias = Mapping[object, float] | Literal["balanced"] | None
Weights = NDArray[np.float64]


def named_weights(class_weight: Mapping[object, float], classes: ClassLabels) -> Weights:
    """The weight of each class; one for a class that is not named."""
    for label, weight in class_weight.items():
        if not (np.isfinite(weight) and weight > 0):
            raise ValueError(
                f"class_weight gives class {label!r} the weight {weight!r}. Weights are finite and "
                "above zero; leave out the samples of a class that shall not count."
            )
    return np.array([class_weight.get(label, 1.0) for label in classes.tolist()], float)


def check_known(class_weight: Mapping[object, float], classes: ClassLabels) -> None:
    """Refuse a name that no class has while a class has no weight: one of them is misspelt."""
    names: Sequence[object] = classes.tolist()
    unknown = [label for label in class_weight if label not in names]
    missing = [label for label in names if label not in class_weight]
    if unknown and missing:
        raise ValueError(
            f"class_weight names class {unknown[0]!r}, but y holds {names[:10]}, of which "
            f"{missing[0]!r} has no weight. Name classes as y does."
        )


def weighed(training: Training, class_weight: ClassWeight) -> Training:
    """Training samples with their weights multiplied by those of their classes."""
    if class_weight is None:
        return training
    _, classes, labels, weights = training
    if isinstance(class_weight, str):
        factors = compute_class_weight("balanced", classes=classes, y=classes[labels],
                                       sample_weight=weights)  # fmt: skip
    else:
        check_known(class_weight, classes)
        factors = named_weights(class_weight, classes)
    return training._replace(weights=weights * factors[labels])


def weighed_batch(class_weight: ClassWeight, targets: ClassLabels, weights: Weights) -> Weights:
    """Weights of a batch's samples; other classes may come in later batches."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        raise ValueError(
            "class_weight='balanced' needs the labels of all samples at once, and a batch has only "
            "its own. Name the weights, as in class_weight={'rare': 10}, or give sample_weight."
        )
    classes, labels = np.unique(targets, return_inverse=True)
    return weights * named_weights(class_weight, classes)[labels]


def weighed_pass(class_weight: ClassWeight, X: object, y: object, sample_weight: object) -> object:
    """Weights of samples that are not in memory."""
    if class_weight is None:
        return sample_weight
    if is_dask(X):
        raise ValueError(
            "class_weight is for labels that are at hand, but y is a Dask collection. Give the "
            "weights of the samples as sample_weight."
        )
    targets = column_or_1d(read_labels(y))
    classes, labels = np.unique(targets, return_inverse=True)
    given = checked_weights(read_weights(sample_weight), len(targets))
    rows = np.empty((len(targets), 0))
    return weighed(Training(rows, classes, labels, given), class_weight).weights


def raises(class_weight: ClassWeight, classes: ClassLabels) -> Weights:
    """What is added to the log-probability of each class; zero where all cost alike."""
    if class_weight is None or isinstance(class_weight, str):
        return np.zeros(len(classes))
    found = np.log(named_weights(class_weight, classes))
    return found - found.mean()
