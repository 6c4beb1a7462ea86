"""`class_weight` of both classifiers: weights of samples, and costs of errors."""

import numpy as np
import pytest
from sklearn.utils import compute_class_weight

import crosslabel
from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV

RNG = np.random.default_rng(3)
Y = np.repeat(["few", "many", "some"], [12, 40, 20])
CENTRES = {"few": 1.0, "many": -1.0, "some": 0.2}
X = np.array([CENTRES[label] for label in Y])[:, None] + RNG.standard_normal((len(Y), 4))
ASKED = RNG.standard_normal((30, 4))
COSTS = {"few": 2.0, "many": 0.5, "some": 1.0}
MODELS = [
    CrossLabelClassifier(random_state=0),
    CrossLabelClassifier(rule="local", ridge=0.1, random_state=0),
    CrossLabelClassifier(rule="global", suppression=2.0, random_state=0),
    CrossLabelClassifierCV(atoms_per_class=(2, 3), ridges=(0.1,), random_state=0),
]
each = pytest.mark.parametrize("model", MODELS, ids=["defaults", "local", "iterated", "cv"])


def log_p(model):
    return np.log(model.predict_proba(ASKED))


def with_weights(model, **more):
    return type(model)(**{**model.get_params(), **more})


@each
def test_costs_are_weights_of_samples_and_a_shift_of_log_probabilities(model):
    if isinstance(model, CrossLabelClassifierCV):
        # What is judged with costs may choose another setting: one is left here.
        model = with_weights(model, atoms_per_class=(2,), rules=("local",))
    weights = np.array([COSTS[label] for label in Y])
    plain = log_p(with_weights(model).fit(X, Y, sample_weight=weights))
    found = with_weights(model, class_weight=COSTS).fit(X, Y)
    wanted = plain + np.log([COSTS[label] for label in found.classes_])
    wanted -= np.log(np.exp(wanted).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(log_p(found), wanted, atol=1e-8)
    np.testing.assert_array_equal(found.predict(ASKED), found.classes_[wanted.argmax(axis=1)])


@each
def test_equal_costs_change_nothing(model):
    ones = with_weights(model, class_weight={"few": 1, "many": 1.0, "some": 1}).fit(X, Y)
    np.testing.assert_array_equal(log_p(ones), log_p(with_weights(model).fit(X, Y)))


@each
def test_balanced_is_the_weight_that_scikit_learn_reckons_and_shifts_nothing(model):
    classes = np.unique(Y)
    factors = compute_class_weight("balanced", classes=classes, y=Y)
    weights = factors[np.searchsorted(classes, Y)]
    found = with_weights(model, class_weight="balanced").fit(X, Y)
    np.testing.assert_allclose(
        log_p(found), log_p(with_weights(model).fit(X, Y, sample_weight=weights)), atol=1e-8
    )


def test_twice_the_cost_learns_what_twice_the_samples_teach():
    model = CrossLabelClassifier(scale="none", keep_summary=True, random_state=0)
    twice = np.concatenate([np.arange(len(Y)), np.flatnonzero(Y == "few")])
    doubled = with_weights(model).fit(X[twice], Y[twice]).statistics_
    found = with_weights(model, class_weight={"few": 2}).fit(X, Y).statistics_
    np.testing.assert_allclose(found.counts, doubled.counts)
    np.testing.assert_allclose(found.means, doubled.means)


def test_a_common_weight_of_a_class_changes_no_atom():
    model = CrossLabelClassifier(rule="local", ridge=0.1, scale="none", atoms_per_class=2)
    found = with_weights(model, class_weight={"few": 7}).fit(X, Y).dictionary_
    np.testing.assert_allclose(found, with_weights(model).fit(X, Y).dictionary_, atol=1e-8)


def test_batches_teach_what_fit_teaches_and_can_be_forgotten():
    model = CrossLabelClassifier(
        rule="local", ridge=0.1, scale="unit", class_weight=COSTS, keep_summary=True, random_state=0
    )
    whole, stream = with_weights(model).fit(X, Y), with_weights(model)
    for part in np.array_split(RNG.permutation(len(Y)), 3):
        stream.partial_fit(X[part], Y[part])
    stream.partial_fit(ASKED, np.resize(Y, 30)).forget(ASKED, np.resize(Y, 30)).refit()
    np.testing.assert_allclose(log_p(stream), log_p(whole), atol=1e-6)


def test_balance_is_refused_where_it_cannot_be_known():
    model = CrossLabelClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="needs the labels of all samples at once"):
        model.partial_fit(X, Y)
    statistics = CrossLabelClassifier(keep_summary=True, scale="unit").fit(X, Y).statistics_
    with pytest.raises(ValueError, match="Weigh the samples"):
        model.fit_statistics(statistics)


def test_samples_on_a_disk_are_weighed_alike(tmp_path):
    np.save(tmp_path / "X.npy", X)
    model = CrossLabelClassifier(rule="local", ridge=0.1, class_weight="balanced", random_state=0)
    found = with_weights(model).fit(str(tmp_path / "X.npy"), Y)
    np.testing.assert_allclose(log_p(found), log_p(with_weights(model).fit(X, Y)), atol=1e-6)


@each
def test_a_stored_model_keeps_its_costs(model, tmp_path):
    found = with_weights(model, class_weight=COSTS).fit(X, Y)
    crosslabel.save(found, tmp_path / "m.xlabel")
    again = crosslabel.load(tmp_path / "m.xlabel")
    assert again.class_weight == COSTS
    np.testing.assert_allclose(log_p(again), log_p(found))


def test_a_model_of_an_earlier_version_has_no_costs():
    for model in (CrossLabelClassifier(), CrossLabelClassifierCV()):
        state = model.__getstate__()
        del state["class_weight"]
        older = type(model).__new__(type(model))
        older.__setstate__(state)
        assert older.get_params()["class_weight"] is None


def test_a_rare_class_that_is_dear_is_found_more_often():
    cheap = with_weights(MODELS[0]).fit(X, Y).predict(ASKED)
    dear = with_weights(MODELS[0], class_weight={"few": 50}).fit(X, Y).predict(ASKED)
    assert (dear == "few").sum() > (cheap == "few").sum()
