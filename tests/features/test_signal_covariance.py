import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from crosslabel.features import SignalCovariance

SIGNALS = np.random.default_rng(0).normal(size=(3, 4, 30)) + 5


def test_the_matrix_is_the_shrunken_covariance_of_the_channels():
    found = SignalCovariance(0.2, output="matrix").fit_transform(SIGNALS)
    for row, signal in zip(found, SIGNALS):
        S = np.cov(signal, bias=True)
        expected = 0.8 * S + 0.2 * np.trace(S) / 4 * np.eye(4)
        assert_allclose(row.reshape(4, 4), expected, atol=1e-12)


def test_dependent_channels_have_a_logarithm():
    doubled = np.concatenate([SIGNALS, SIGNALS], axis=1)
    model = SignalCovariance().fit(doubled)
    rows = model.transform(doubled)
    assert rows.shape == (3, 36)
    assert np.isfinite(rows).all()
    assert len(model.get_feature_names_out()) == 36


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (np.ones((3, 4)), r"shape is \(3, 4\)"),
        (np.full((1, 4, 5), np.nan), "NaN or infinity"),
        (np.ones((1, 4, 5)), "does not vary"),
        (SIGNALS * 1j, "must be real numbers, but their type is complex128"),
        (SIGNALS * 1e200, "leaves the range of float64"),
        (np.eye(5)[None, :4] * 1e-200 + 1e-190, "leaves the range of float64"),
        (np.eye(5)[None, :4] * 1e-200, "Rescale the signals"),
        (SIGNALS[:, :3], "3 channels, but those of fit had 4"),
    ],
)
def test_what_is_no_signal_is_refused(bad, sentence):
    model = clone(SignalCovariance()).fit(SIGNALS)
    with pytest.raises(ValueError, match=sentence):
        model.transform(bad)
