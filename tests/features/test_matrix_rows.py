import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from crosslabel import CrossLabelClassifier
from crosslabel.core.manifolds import stein_divergences
from crosslabel.features import MatrixRows, SignalCovariance

FACTORS = np.random.default_rng(0).normal(size=(5, 3, 4))
C = FACTORS @ FACTORS.transpose(0, 2, 1)


@pytest.mark.parametrize("output", ["log", "matrix"])
def test_matrices_become_rows_and_rows_matrices(output):
    model = MatrixRows(output)
    rows = model.fit_transform(C)
    assert rows.shape == (5, {"log": 6, "matrix": 9}[output])
    assert_allclose(model.inverse_transform(rows), C, atol=1e-9)
    assert len(model.get_feature_names_out()) == rows.shape[1]


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (np.ones((3, 4)), r"shape is \(3, 4\)"),
        (np.full((1, 3, 3), np.nan), "NaN or infinity"),
        (C * 1j, "must be real numbers, but their type is complex128"),
        (C[:, :2], r"\(n_matrices, d, d\), but their shape is \(5, 2, 3\)"),
        (np.ones((2, 4, 4)), "size 4, but those of fit had 3"),
        (-C, "no positive definite matrix"),
    ],
)
def test_what_is_no_covariance_is_refused(bad, sentence):
    model = MatrixRows().fit(C)
    with pytest.raises(ValueError, match=sentence):
        model.transform(bad)


def signals(n_per_class=20, n_channels=5, seed=0):
    """Signals of two classes, each with the covariances that pyRiemann draws for it."""
    datasets = pytest.importorskip("pyriemann.datasets", reason="needs pyriemann (extra dev)")
    matrices, y = datasets.make_gaussian_blobs(
        n_per_class, n_channels, class_sep=1.5, class_disp=0.4, random_state=seed
    )
    noise = np.random.default_rng(seed).normal(size=(len(y), n_channels, 200))
    return np.linalg.cholesky(matrices) @ noise, y


@pytest.mark.parametrize("kernel", ["auto", "log-euclidean", "stein"])
def test_pyriemanns_estimators_before_our_classifier(kernel):
    X, y = signals()
    from pyriemann.estimation import Covariances

    rows = MatrixRows("log" if kernel == "auto" else "matrix")
    model = make_pipeline(
        Covariances("oas"), rows, CrossLabelClassifier(kernel=kernel, random_state=0)
    )
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) >= 0.9


def test_our_covariances_before_pyriemanns_classifier():
    X, y = signals()
    from pyriemann.classification import MDM

    back = FunctionTransformer(MatrixRows().inverse_transform)
    model = make_pipeline(SignalCovariance(), back, MDM("logeuclid"))
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) >= 0.9


def test_divergences_are_pyriemanns():
    distance = pytest.importorskip("pyriemann.utils.distance", reason="needs pyriemann (extra dev)")
    theirs = np.array([[distance.distance_logdet(a, b, squared=True) for b in C] for a in C])
    assert_allclose(stein_divergences(C.reshape(5, -1), C.reshape(5, -1)), theirs, atol=1e-9)
    logs = MatrixRows().fit_transform(C)
    theirs = [[distance.distance_logeuclid(a, b) for b in C] for a in C]
    ours = np.linalg.norm(logs[:, None] - logs, axis=2)
    assert_allclose(ours, theirs, atol=1e-6)
