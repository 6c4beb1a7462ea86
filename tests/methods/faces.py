"""Small problems for the tests of the methods: classes near cones, as faces under light are."""

import numpy as np

from crosslabel.core.scaling import unit_rows


def faces(n_per_class=10, n_classes=3, n_features=20, seed=0):
    """Samples and labels; samples of unit norm."""
    rng = np.random.default_rng(seed)
    bases = rng.normal(size=(n_classes, 3, n_features)) + 0.5 * rng.normal(size=n_features)
    light = np.abs(rng.normal(size=(n_classes, n_per_class, 3)))
    X = (light @ bases).reshape(-1, n_features) + 0.05 * rng.normal(
        size=(n_classes * n_per_class, n_features)
    )
    return unit_rows(X), np.repeat(np.arange(n_classes), n_per_class)


def never_rises(trace):
    """Whether an objective falls from round to round, rounding aside."""
    return bool((np.diff(trace) <= 1e-9 * np.abs(trace[0])).all())
