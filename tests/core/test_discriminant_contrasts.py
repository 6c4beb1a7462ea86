"""Turned samples against means and scatters of the rows, written out."""

import numpy as np
import pytest

from crosslabel.core.discriminant import Contrasts, discriminant
from crosslabel.core.moments import Moments


@pytest.mark.parametrize("weighted", [False, True])
def test_turned_samples_are_the_means_and_what_varies_about_them(weighted):
    rng = np.random.default_rng(0)
    labels = np.array([0, 0, 0, 1, 3, 3])  # class 2 has no samples, class 1 has one
    rows, others = rng.normal(size=(6, 4)), rng.normal(size=(5, 4))
    weights = rng.uniform(0.5, 2, 6) if weighted else np.ones(6)
    classes = Contrasts.of(labels, weights, 4)
    turned = classes.turned(rows @ others.T)
    means = np.array([np.average(rows[labels == c], 0, weights[labels == c]) for c in (0, 1, 3)])
    all_means = np.insert(means, 2, np.average(rows, axis=0, weights=weights), axis=0)
    assert np.allclose(classes.on_means(turned[classes.first].T), others @ all_means.T)
    rest = rows - means[[0, 0, 0, 1, 2, 2]]
    scatter = (weights * (others @ rest.T)) @ rest @ others.T
    varying = turned[classes.rest]
    assert len(varying) == 3
    assert np.allclose(varying.T @ varying, scatter)


@pytest.mark.parametrize("varies", [True, False])
def test_a_discriminant_of_products_is_that_of_the_statistics(varies):
    rng = np.random.default_rng(1)
    labels, weights = np.repeat([0, 1, 2], [4, 1, 3]), rng.uniform(0.5, 2, 8)
    rows = rng.normal(size=(8, 12)) if varies else np.eye(3, 12)[labels]
    classes = Contrasts.of(labels, weights, 3)
    found = classes.discriminant(rows @ rows.T, rows, 0.3, 12)
    expected = discriminant(Moments.from_samples(rows, labels, 3, weights), 0.3)
    assert np.allclose(found.weights, expected.weights)
    assert np.allclose(found.offsets, expected.offsets)


def test_on_a_device_the_discriminants_are_those_at_home():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    rng = np.random.default_rng(3)
    labels, weights = np.repeat([0, 1, 3], [4, 1, 6]), rng.uniform(0.5, 2, 11)
    rows, asked = rng.normal(size=(11, 20)), rng.normal(size=(5, 20))
    classes = Contrasts.of(labels, weights, 4)
    given = rows @ rows.T, rows @ asked.T, [0.1, 2.0], 11
    expected = classes.discriminants(*given)
    there = classes.beside(torch.as_tensor(rows))
    gram, products = (torch.as_tensor(one) for one in given[:2])
    found = there.discriminants(gram.clone(), products.clone(), *given[2:])
    assert np.allclose(found.numpy(), expected, rtol=1e-10, atol=1e-12)
    alone = classes.discriminant(rows @ rows.T, rows, 0.5, 11)
    own = there.discriminant(gram.clone(), torch.as_tensor(rows), 0.5, 11)
    assert np.allclose(own.weights.numpy(), alone.weights, rtol=1e-10, atol=1e-12)
    assert np.allclose(own.offsets.numpy(), alone.offsets, rtol=1e-10)
