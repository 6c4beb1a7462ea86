import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import spectrum as module
from crosslabel.core.moments import Moments, Scatter
from crosslabel.core.spectrum import (
    alike,
    gram_axes,
    matrix_spectra,
    row_spectra,
    scatter_spectrum,
    spectra,
)


@st.composite
def labelled(draw):
    """Classes of different sizes and ranks, as factor and as matrix, with weights."""
    n_features = draw(st.integers(1, 9))
    sizes = draw(st.lists(st.integers(1, 14), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rank = draw(st.integers(1, n_features))
    X = rng.normal(size=(len(labels), rank)) @ rng.normal(size=(rank, n_features))
    return X, labels, rng.choice([0.25, 1.0, 3.0], len(X))


@given(labelled())
def test_values_and_axes_are_those_of_the_weighted_samples(data):
    X, labels, weights = data
    statistics = Moments.from_samples(X, labels, labels.max() + 1, weights)
    for c, spectrum in enumerate(spectra(statistics)):
        Y = np.sqrt(weights[labels == c])[:, None] * X[labels == c]
        expected = np.linalg.svd(Y, compute_uv=False)
        n_axes = len(spectrum.values)
        padded = np.pad(expected, (0, max(0, n_axes - len(expected))))
        assert_allclose(spectrum.values, padded[:n_axes], atol=1e-6 * expected[0])
        assert_allclose(padded[n_axes:], 0, atol=1e-6 * expected[0])
        moment = (spectrum.axes.T * spectrum.values**2) @ spectrum.axes
        assert_allclose(moment, Y.T @ Y, atol=1e-10 * expected[0] ** 2)
        assert_allclose(spectrum.rest, 0, atol=1e-10 * expected[0] ** 2)


@given(labelled())
def test_axes_are_orthonormal_and_point_up(data):
    X, labels, weights = data
    for spectrum in spectra(Moments.from_samples(X, labels, labels.max() + 1, weights)):
        real = spectrum.values > 1e-6 * spectrum.values[0]
        axes = spectrum.axes[real]
        assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-7)
        peaks = np.abs(axes).argmax(axis=1)
        assert (axes[np.arange(len(axes)), peaks] > 0).all()
        assert (np.diff(spectrum.values) <= 0).all()


@pytest.mark.parametrize(("n_samples", "n_features"), [(6, 9), (30, 9), (300, 120)])
def test_what_is_not_asked_for_is_in_the_rest(n_samples, n_features):
    X = np.random.default_rng(0).normal(size=(n_samples, n_features))
    statistics = Moments.from_samples(X, np.zeros(n_samples, int), 1)
    (few,), (all_,) = spectra(statistics, 3), spectra(statistics)
    assert len(few.values) == 3
    assert_allclose(few.values, all_.values[:3], rtol=1e-10)
    assert_allclose(few.axes, all_.axes[:3], atol=1e-8)
    assert_allclose(few.rest, np.sum(all_.values[3:] ** 2), rtol=1e-10)


def test_small_values_keep_their_digits_and_right_angles():
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(n, 4)))[0] for n in (6, 9))
    expected = np.array([1.0, 1e-2, 1e-5, 1e-6])
    values, axes, _ = (part[0] for part in row_spectra((left * expected) @ right.T[None]))
    assert_allclose(values[:4], expected, rtol=1e-4)
    assert_allclose(axes[:4] @ axes[:4].T, np.eye(4), atol=1e-6)
    assert_allclose(np.abs(axes[:4] @ right), np.eye(4), atol=1e-4)


@pytest.mark.parametrize("n_samples", [3, 20])
def test_a_class_of_zeros_has_any_axes_of_value_zero(n_samples):
    X = np.zeros((n_samples, 5))
    (spectrum,) = spectra(Moments.from_samples(X, np.zeros(n_samples, int), 1))
    assert spectrum.values.tolist() == [0]
    assert_allclose(np.linalg.norm(spectrum.axes, axis=1), 1)


@pytest.mark.parametrize("decompose", [row_spectra, matrix_spectra])
def test_every_axis_of_zeros_is_a_unit_vector(decompose):
    axes = decompose(np.zeros((2, 4, 4)), 3).axes
    assert_allclose(axes @ axes.transpose(0, 2, 1), np.tile(np.eye(3), (2, 1, 1)))


def test_equal_samples_have_one_axis():
    y = np.array([3.0, 0.0, 4.0])
    (spectrum,) = spectra(Moments.from_samples(np.tile(y, (7, 1)), np.zeros(7, int), 1))
    assert_allclose(spectrum.values[0], 5 * np.sqrt(7))
    assert_allclose(spectrum.axes[0], y / 5)
    assert (spectrum.values[1:] < 1e-7).all()


def test_float32_is_decomposed_in_float64():
    X = np.random.default_rng(0).normal(size=(8, 20)).astype(np.float32)
    X[:, 0] += 100
    (spectrum,) = spectra(Moments.from_samples(X, np.zeros(8, int), 1))
    assert spectrum.axes.dtype == np.float32
    expected = np.linalg.svd(X.astype(float), compute_uv=False)
    assert_allclose(spectrum.values, expected, rtol=1e-4)  # the statistics are rounded


def test_classes_of_one_form_and_size_come_together():
    X = np.random.default_rng(0).normal(size=(40, 6))
    labels = np.repeat([0, 1, 2, 3, 4], [4, 4, 20, 4, 8])
    statistics = Moments.from_samples(X, labels, 5)
    groups = {tuple(g.classes): g.are_rows for g in alike(statistics, (2, 2, 2, 1, 2))}
    assert groups == {(0, 1): True, (2, 4): False, (3,): True}


@pytest.mark.parametrize("n_rows", [0, 3, 12])
def test_the_spectrum_of_a_scatter(n_rows):
    F = np.random.default_rng(0).normal(size=(n_rows, 6))
    forms = [Scatter(F.T @ F, False)] + [Scatter(F, True)] * (n_rows < 6)
    for scatter in forms:
        spectrum = scatter_spectrum(scatter)
        assert_allclose((spectrum.axes.T * spectrum.values**2) @ spectrum.axes, F.T @ F, atol=1e-10)


def test_axes_of_small_values_are_orthonormal_to_rounding():
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0][:4] for n in (4, 9))
    rows = left.T @ (np.array([1.0, 1e-2, 1e-4, 1e-6])[:, None] * right)
    _, axes, _ = row_spectra(rows[None])
    assert_allclose(axes[0] @ axes[0].T, np.eye(4), atol=1e-14)


@pytest.mark.parametrize("together", [1, 100])
def test_classes_decomposed_apart_are_those_decomposed_together(together, monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), [3, 3, 3, 9, 9])
    statistics = Moments.from_samples(rng.normal(size=(27, 6)), labels, 5, np.ones(27))
    whole = spectra(statistics)
    monkeypatch.setattr(module, "_TOGETHER", together)
    for one, other in zip(spectra(statistics), whole, strict=True):
        assert_allclose(one.values, other.values, atol=1e-12)
        assert_allclose(one.axes, other.axes, atol=1e-9)


def test_directions_without_energy_have_no_axis_and_no_value():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2, 6))
    for found in (
        matrix_spectra((rows.T @ rows)[None]),
        row_spectra((np.eye(4)[:, :2] @ rows)[None]),
    ):
        assert (found.values[0, 2:] == 0).all()
        assert (found.axes[0, 2:] == 0).all()
        assert_allclose(found.axes[0, :2] @ found.axes[0, :2].T, np.eye(2), atol=1e-12)


def test_a_matrix_smaller_than_the_features_is_no_stack_of_rows():
    """Few classes give scatters as matrices whatever their size."""
    S = np.diag([4.0, 1.0])
    statistics = Moments(np.array([3.0]), np.zeros((1, 2)), (Scatter(S, False),))
    assert_allclose(spectra(statistics)[0].values, [2.0, 1.0])


def test_values_never_rise_for_arrays_and_tensors():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    values = np.array([[3.0, 1.0, 2.0], [1.0, 5.0, 0.0]])
    expected = [[3, 1, 1], [1, 1, 0]]
    assert_allclose(module._falling(values), expected)
    assert_allclose(module._falling(torch.as_tensor(values)), expected)


def test_samples_known_by_their_products_have_the_axes_of_the_samples():
    rows = np.random.default_rng(4).normal(size=(3, 6, 9))
    rows[2, 2:] = rows[2, :1] - 3 * rows[2, 1:2]  # of rank two
    values, combination = gram_axes(rows @ rows.swapaxes(1, 2), 4)
    for one, found, shares, rank in zip(rows, values, combination, (4, 4, 2)):
        expected = np.linalg.svd(one, compute_uv=False)[:4]
        expected[rank:] = 0
        assert_allclose(found, expected, rtol=1e-10)
        axes = shares.T @ one
        assert_allclose(axes @ axes.T, np.diag(np.arange(4) < rank), atol=1e-7)
        assert_allclose(axes @ one.T @ one @ axes.T, np.diag(expected**2), atol=1e-6)
        assert np.all(axes[rank:] == 0)
