"""What every estimator and feature step of a table computes on a small fixed problem.

Where one of these fails, the code computes other numbers than before: give its entry in
`numerics.toml` a higher version and the numbers of the message, and no record of the older code is
taken for one of today's.
"""

import numpy as np
import pytest

from crosslabel.features import (
    LBPTOP,
    ClipSubspace,
    Eigenfaces,
    Pixels,
    RandomFaces,
    RegionCovariance,
)
from crosslabel.features.spatial_pyramid import SpatialPyramid
from crosslabel.lab.estimators import estimator_class
from crosslabel.lab.numerics import UNLISTED, numerics, versions
from crosslabel.lab.spec_files import load_specs

# Parameters under which an estimator is looked at: the flagship's every path.
PROBES = {
    "CrossLabelClassifier": [
        {"rule": "global", "ridge": 0.01},
        {"rule": "local", "ridge": 0.01, "grouping": 0.1, "shared_atoms": 2},
        {"rule": "global", "ridge": 0.01, "suppression": 2.0, "grouping": 0.1, "init": "kmeans"},
        {"rule": "local", "ridge": 0.01, "suppression": 2.0, "solver": "paper"},
        {"rule": "joint", "kernel": "rbf"},
    ],
    "CrossLabelClassifierCV": [{"atoms_per_class": [2, 3], "ridges": [0.01, 0.1], "cv": 2}],
    "LCKSVD": [{}, {"label_weight": 0.0}],
    "SupGraphDL": [{}, {"adaptive": True}],
    "COPAR": [{}, {"coding": "local"}],
    "FDDL": [{}, {"coding": "local"}],
    "GrassmannCoding": [{}, {"coding": "local"}],
}
CLIPS = {
    "LBPTOP": LBPTOP(),
    "ClipSubspace": ClipSubspace(2, span="frames"),
    "RegionCovariance": RegionCovariance("clips"),
}
COMMON = {"random_state": 0, "atoms_per_class": 3, "shared_atoms": 2, "max_iter": 5, "sparsity": 3}
N_CLASSES, N_EACH, N_FEATURES = 4, 8, 10


def samples(seed):
    """Classes near two-dimensional subspaces; the same bits on every machine, as they are rounded.

    Samples are ordered by a hash of their bits: another last digit would be another start.
    """
    random = np.random.RandomState(seed)
    bases = np.random.RandomState(7).normal(size=(N_CLASSES, 2, N_FEATURES))
    weights = random.normal(size=(N_CLASSES, N_EACH, 2)) + np.array([2.0, 0.0])
    X = (weights @ bases).reshape(-1, N_FEATURES) + 0.3 * random.normal(size=(32, N_FEATURES))
    return X.round(3), np.repeat(np.arange(N_CLASSES), N_EACH)


def summed(values):
    """Three numbers in which a change of any entry shows."""
    flat = np.asarray(values, dtype=float).ravel()
    wave = np.cos(np.arange(len(flat)))
    return [np.abs(flat).mean(), flat.std(), flat @ wave / len(flat)]


def estimator_gives(name):
    found = []
    for probe in PROBES.get(name, [{}]):
        model = estimator_class(name)()
        known = model.get_params()
        common = {key: value for key, value in COMMON.items() if key in known}
        if name == "LinearSVC":
            common["max_iter"] = 10_000
        model.set_params(**{**common, **probe}).fit(*samples(0))
        scores = getattr(model, "decision_function", getattr(model, "predict_proba", None))
        found += summed(scores(samples(1)[0]))
    return found


def pictures(n, height, width):
    """Gray gradients with bumps."""
    y, x = np.mgrid[:height, :width]
    return [
        (96 + 64 * np.sin(0.3 * x + k) + 64 * np.cos(0.2 * y * (1 + k % 3))).clip(0, 255)
        .astype(np.uint8)
        for k in range(n)
    ]  # fmt: skip


def step_gives(name):
    images, rows = pictures(6, 40, 48), samples(0)[0]
    if name in CLIPS:
        return summed(CLIPS[name].fit_transform(np.stack([pictures(24, 24, 24)])))
    if name == "Pyramid":
        pyramid = SpatialPyramid(words=8, longest_side=None, random_state=0)
        return summed(pyramid.fit_transform(images))
    if name == "Pixels":
        return summed(Pixels((8, 6)).fit_transform(images))
    made = {"Eigenfaces": Eigenfaces(4), "RandomFaces": RandomFaces(4, random_state=0)}
    return summed(np.abs(made[name].fit(rows).transform(rows)))


STEPS = {*CLIPS, "Pixels", "Pyramid", "Eigenfaces", "RandomFaces"}


@pytest.mark.parametrize("name", numerics())
def test_the_numbers_are_those_of_the_version(name):
    entry = numerics()[name]
    found = step_gives(name) if name in STEPS else estimator_gives(name)
    shown = ", ".join(f"{value:.7g}" for value in found)
    # The last of three is a sum that cancels, so that little is left but what rounding adds.
    assert found == pytest.approx(entry.gives, rel=1e-4, abs=1e-6), (
        f"{name} computes other numbers. In numerics.toml it becomes:\n"
        f"{name} = {{ version = {entry.version + 1}, gives = [{shown}] }}"
    )


def test_every_estimator_and_step_of_the_tables_has_a_version():
    used = {method.estimator for spec in load_specs() for method in spec.methods}
    cells = [cell for spec in load_specs() for cell in spec.cells(1)]
    used |= {str(step["step"]) for cell in cells for step in cell.features}
    assert used - numerics().keys() == set()


def test_versions_are_those_of_the_file_and_zero_for_what_is_unknown():
    assert versions(["SRC", "MyOwn"]) == {"SRC": numerics()["SRC"].version, "MyOwn": UNLISTED}
