"""What every comparison method must do, whatever it computes: found, not listed, one by one."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel import LLC, methods
from crosslabel.methods.base import ComparisonMethod

FEW = {
    "max_iter": 3,
    "init_iter": 2,
    "atoms_per_class": 3,
    "sparsity": 3,
    "n_random": 200,
    "random_state": 0,
}


def method(cls):
    """A model with few iterations: these tests are of manners, not of accuracy."""
    model = cls()
    return model.set_params(**{k: v for k, v in FEW.items() if k in model.get_params()})


CLASSES = [
    cls
    for cls in (getattr(methods, name) for name in dir(methods))
    if issubclass(cls, ComparisonMethod)
]
MODELS = [pytest.param(method(cls), id=cls.__name__) for cls in CLASSES]
every_method = pytest.mark.parametrize("model", MODELS)


def faces(n_per_class=8, n_classes=4, n_features=30, seed=0):
    """Samples near one cone per class, as faces under changing light are."""
    rng = np.random.default_rng(seed)
    bases = rng.normal(size=(n_classes, 3, n_features))
    light = np.abs(rng.normal(size=(n_classes, n_per_class, 3)))
    X = (light @ bases).reshape(-1, n_features)
    return X + 0.05 * rng.normal(size=X.shape), np.repeat(np.arange(n_classes), n_per_class)


def test_all_methods_are_found():
    assert len(CLASSES) == 23


@parametrize_with_checks([method(cls) for cls in CLASSES] + [LLC(codebook=5, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@every_method
def test_classes_in_cones_are_told_apart(model):
    X, y = faces(n_per_class=16)
    assert clone(model).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) >= 0.9


@every_method
def test_order_of_samples_and_names_of_classes_do_not_matter(model):
    X, y = faces()
    scores = clone(model).fit(X, y).decision_function(X)
    order = np.random.default_rng(1).permutation(len(X))
    renamed = np.array(["d", "a", "c", "b"])[y]
    again = clone(model).fit(X[order], renamed[order])
    assert_array_equal(again.classes_, ["a", "b", "c", "d"])
    assert_allclose(again.decision_function(X), scores[:, [1, 3, 2, 0]], rtol=1e-6, atol=1e-8)


@every_method
def test_one_seed_gives_one_result_and_survives_pickling(model):
    X, y = faces()
    first, second = clone(model).fit(X, y), clone(model).fit(X, y)
    assert_array_equal(first.decision_function(X), second.decision_function(X))
    restored = pickle.loads(pickle.dumps(first))
    scores = first.decision_function(X)
    assert_allclose(restored.decision_function(X), scores, rtol=1e-6, atol=1e-9)


@every_method
def test_scale_of_samples_does_not_matter_when_normalised(model):
    X, y = faces()
    scales = 2.0 ** np.random.default_rng(2).integers(-5, 5, size=(len(X), 1))  # exact products
    expected = clone(model).fit(X, y).predict(X)
    assert_array_equal(clone(model).fit(X * scales, y).predict(X * 2.0**20), expected)


@every_method
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(model, bad):
    X, y = faces()
    X[3, 4] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        clone(model).fit(X, y)


@every_method
def test_one_class_is_refused_in_a_sentence(model):
    X, _ = faces()
    with pytest.raises(ValueError, match="at least two classes"):
        clone(model).fit(X, np.ones(len(X)))


@every_method
def test_queries_of_another_width_are_refused(model):
    X, y = faces()
    with pytest.raises(ValueError, match="30 features"):
        clone(model).fit(X, y).predict(X[:, :-1])


@every_method
def test_black_images_copies_and_single_samples_do_no_harm(model):
    X, y = faces()
    X[0] = 0  # an image without any light
    X[9] = X[8]  # a copy within a class
    X[17] = X[25]  # a copy in another class
    X, y = X[:25], y[:25]  # the last class is left with one sample
    scores = clone(model).fit(X, y).decision_function(np.concatenate([X, np.zeros((1, 30))]))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        pytest.param(method(cls), name, id=f"{cls.__name__}-{name}")
        for cls in CLASSES
        for name in ("penalty", "ridge", "sparsity", "atoms_per_class", "max_iter")
        if name in cls().get_params()
    ],
)
def test_senseless_parameters_are_refused(model, name):
    X, y = faces()
    with pytest.raises(ValueError, match=name):
        clone(model).set_params(**{name: -1}).fit(X, y)


@every_method
def test_integer_and_single_precision_samples_are_taken(model):
    X, y = faces()
    whole = np.round(100 * X)
    expected = clone(model).fit(whole, y).predict(whole)
    assert_array_equal(clone(model).fit(whole.astype(int), y).predict(whole), expected)
    single = clone(model).fit(X.astype(np.float32), y)
    assert np.mean(single.predict(X) == y) >= 0.9


@every_method
def test_memory_stays_far_below_atoms_squared_times_samples(model):
    X, y = make_blobs(400, n_features=40, centers=8, random_state=0)
    fitted = clone(model)
    tracemalloc.start()
    try:
        fitted.fit(X, y).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A few Gram matrices of samples and a working block; 400 × 400 × 400 numbers would be 512 MB.
    assert peak < 100e6


@every_method
def test_samples_of_sizes_that_cannot_be_learnt_from_together_are_refused(model):
    X, y = faces()
    X[::3] *= 1e-40
    unscaled = clone(model).set_params(normalize=False)
    with pytest.raises(ValueError, match=r"largest sample has norm .* scaled to unit norm"):
        unscaled.fit(X, y)
    clone(model).fit(X, y)
