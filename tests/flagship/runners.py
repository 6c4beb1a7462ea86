"""Lifts in a race whose scores are written down."""

from types import SimpleNamespace

import numpy as np

from crosslabel.flagship.choice import Grid, Kind
from crosslabel.flagship.race import DISCRIMINANT, GLOBAL, LOCAL, Runner, discriminant_of

N = 240
LABELS = np.arange(N) % 3
WEIGHTS = np.linspace(0.5, 2, N)
GRID = Grid((0.1, 1.0), (0.01,), ("global-length",), (0.01, 0.1, 1.0), (4,))
FIRST = np.arange(0, N, 2)
"""Samples that the first fold leaves out."""
ROWS = np.concatenate([FIRST, np.arange(1, N, 2)])
"""Those of both folds, in the order of the scores."""
SAMPLES = SimpleNamespace(
    scaled=np.zeros((N, 1)),
    labels=LABELS,
    weights=WEIGHTS,
    left_out=lambda number: np.arange(number, N, 2),
    own_variances=False,
)


def scores_of(skill, seed):
    """Scores that know the right class as well as the skill says."""
    noise = np.random.default_rng(seed).normal(size=(N, 3))
    return (noise + skill * np.eye(3)[LABELS])[ROWS]


def runner(name="unit", local=(2.0, 3.0), linear=(1.0, 2.5, 2.0), wide=1.5, seed=0):
    scores = {Kind(LOCAL, r, "local", 4): scores_of(s, seed + 1) for r, s in zip((0.1, 1.0), local)}
    scores[Kind(GLOBAL, 0.01, "global-length", 4)] = scores_of(wide, seed + 2)
    alphas = zip(GRID.shrinkages, linear)
    scores |= {discriminant_of(a): scores_of(s, seed + 3) for a, s in alphas}
    return Runner(name, SAMPLES, GRID, {LOCAL, GLOBAL, DISCRIMINANT}, scores)
