import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from crosslabel.features import Eigenfaces, Pixels, RandomFaces
from crosslabel.files.onnx.steps import Affine, Log, UnitNorm, operations

X = np.random.default_rng(0).random((20, 6)) + 0.1


def applied(operation, rows):
    if isinstance(operation, Affine):
        A = operation.matrix
        return (rows * A if A.ndim == 1 else rows @ A) + operation.offset
    if isinstance(operation, Log):
        return np.log(1 + operation.factor * rows)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


STEPS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    RobustScaler(),
    RobustScaler(with_centering=False),
    MinMaxScaler((-1, 3)),
    MaxAbsScaler(),
    Normalizer(),
    PCA(3),
    PCA(3, whiten=True),
    IncrementalPCA(3),
    TruncatedSVD(3, random_state=0),
    GaussianRandomProjection(4, random_state=0),
    SparseRandomProjection(4, random_state=0),
    Eigenfaces(3),
    Eigenfaces(3, center=True),
    RandomFaces(4, random_state=0),
    Pixels(),
    Pixels(log=True, normalize=False),
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(step)[:40])
def test_operations_do_what_the_step_does(step):
    rows = X
    for operation in operations([("step", step.fit(X))]):
        rows = applied(operation, rows)
    assert_allclose(rows, step.transform(X), rtol=1e-6, atol=1e-9)


def test_affine_steps_that_follow_each_other_become_one():
    steps = make_pipeline(StandardScaler(), PCA(4), MaxAbsScaler(), make_pipeline(PCA(2)))
    (one,) = operations(steps.fit(X).steps)
    assert_allclose(applied(one, X), steps.transform(X), atol=1e-9)
    parted = make_pipeline(StandardScaler(), Normalizer(), "passthrough", PCA(2)).fit(X)
    assert [type(each) for each in operations(parted.steps)] == [Affine, UnitNorm, Affine]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Nystroem(n_components=3), r"'odd' \(Nystroem\) cannot be exported"),
        (MinMaxScaler(clip=True), "clips"),
        (Normalizer("l1"), "norm='l1'"),
        (type("PCA", (), {"__module__": "elsewhere"})(), r"'odd' \(PCA\) cannot be exported"),
    ],
)
def test_what_cannot_be_exported_is_named(step, message):
    with pytest.raises(ValueError, match=message):
        operations([("odd", step.fit(X) if hasattr(step, "fit") else step)])
