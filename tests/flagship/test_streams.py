import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from crosslabel import ClassStatistics, CrossLabelClassifier
from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.scaling import unit_rows
from tests import naive
from tests.core.problems import samples

NAMES = np.array(["fig", "apple", "pear"])


@pytest.fixture(scope="module")
def small():
    X, y = samples(np.random.default_rng(0), (14, 15, 16), 12)
    return X, NAMES[y]


def classifier(**changed):
    settings = {
        "atoms_per_class": 3,
        "ridge": 8e-3,
        "suppression": 2e3,
        "grouping": 2e-2,
        "init": "kmeans",
        "max_iter": 6,
        "tol": 0,
        "rule": "local",
        "random_state": 0,
        "keep_summary": True,
    }
    return CrossLabelClassifier(**{**settings, **changed})


def limit(**changed):
    """Infinite suppression: classes part, and nothing is iterated."""
    return classifier(**{"suppression": np.inf, "init": "spectral", "grouping": 0.0, **changed})


def in_batches(model, X, y, batches):
    for batch in batches:
        model.partial_fit(X[batch], y[batch])
    return model.refit()


def assert_same(a, b, atol=1e-8):
    assert_array_equal(a.classes_, b.classes_)
    assert_array_equal(a.atom_labels_, b.atom_labels_)
    assert_allclose(a.dictionary_, b.dictionary_, atol=atol)
    assert a.rule_ == b.rule_


@st.composite
def batchings(draw):
    """A small set, a start, and any cut of any order of it into batches, empty ones included."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    sizes, n_features = rng.integers(3, 9, 3), int(rng.integers(3, 14))
    X, y = samples(rng, sizes, n_features)
    X = X * rng.uniform(0.1, 10, (len(X), 1))
    cuts = np.sort(rng.integers(0, len(X) + 1, draw(st.integers(0, 12))))
    start = unit_rows(rng.normal(size=(2 + 3 * 2, n_features)))
    return X, NAMES[y], start, np.split(rng.permutation(len(X)), cuts)


def check_batching(case, **changed):
    X, y, start, batches = case
    model = classifier(
        atoms_per_class=2, shared_atoms=2, max_iter=4, init=start, warm_iter=0, **changed
    )
    assert_same(in_batches(clone(model), X, y, batches), clone(model).fit(X, y))


@settings(max_examples=150)
@given(batchings(), st.sampled_from([2e3, np.inf]), st.sampled_from(["unit", "none"]))
def test_any_order_and_batching_gives_the_dictionary_of_one_fit(case, suppression, scale):
    check_batching(case, suppression=suppression, scale=scale)


@settings(max_examples=60)
@given(batchings(), st.sampled_from([0.0, 0.5]))
def test_in_the_limit_each_batch_gives_the_model_of_one_fit_without_refit(case, grouping):
    X, y, _, batches = case
    model = limit(grouping=grouping)
    seen = np.zeros(len(X), dtype=bool)
    for batch in batches:
        model.partial_fit(X[batch], y[batch])
        seen[batch] = True
    whole = limit(grouping=grouping).fit(X, y)
    assert_array_equal(model.classes_, whole.classes_)
    for c in range(3):
        a, b = (m.dictionary_[m.atom_labels_ == c] for m in (model, whole))
        # With grouping a few steps of a convex problem end within their tolerance.
        assert_allclose(a.T @ a, b.T @ b, atol=1e-3 if grouping else 1e-7)
    assert_allclose(model.objective_trace_, whole.objective_trace_, rtol=1e-6)


def test_in_the_limit_a_batch_leaves_the_atoms_of_other_classes_alone(small):
    X, y = small
    known = y != "apple"
    model = limit().partial_fit(X[known], y[known])
    before = {
        name: model.dictionary_[model.atom_labels_ == c] for c, name in enumerate(model.classes_)
    }
    model.partial_fit(X[~known], y[~known])
    for c, name in enumerate(model.classes_):
        if name in before:
            assert_array_equal(model.dictionary_[model.atom_labels_ == c], before[name])
    assert_same(model, limit().fit(X, y))


@pytest.mark.parametrize("suppression", [np.inf, 2e3])
def test_a_new_class_never_gets_the_label_of_an_old_one(suppression):
    """Classes b and c first, then a, which sorts before them: the rule and the classes agree."""
    X = np.eye(6).repeat(2, axis=0)
    y = np.array(["a", "b", "c"]).repeat(4)
    model = CrossLabelClassifier(
        warm_iter=0, suppression=suppression, ridge=0.1, rule="local", keep_summary=True
    )
    model.fit(X[4:], y[4:]).partial_fit(X[:4], y[:4])
    assert_array_equal(model.predict(X[4:]), y[4:])
    assert_array_equal(model.partial_fit(X[:0], y[:0], classes=["0"]).predict(X[4:]), y[4:])


def test_a_fit_that_fails_leaves_the_model_as_it_was(small, monkeypatch):
    X, y = small
    model = classifier().fit(X, y)
    before = model.predict(X), model.classes_, model.n_features_in_

    def fail(*_, **__):
        raise MemoryError("no room")

    monkeypatch.setattr("crosslabel.flagship.solvers.iterate", fail)
    with pytest.raises(MemoryError):
        model.fit(X[y != "fig", :5], y[y != "fig"])
    assert_array_equal(model.predict(X), before[0])
    assert_array_equal(model.classes_, before[1])
    assert model.n_features_in_ == before[2]


@pytest.mark.slow
@settings(max_examples=10_000)
@given(batchings())
def test_ten_thousand_batch_orders_agree(case):
    check_batching(case)


@settings(max_examples=25)
@given(batchings())
def test_so_does_the_k_means_start_while_all_samples_are_kept(case):
    X, y, _, batches = case
    model = classifier(shared_atoms=1, rule="joint", max_iter=3, warm_iter=1)
    assert_same(in_batches(clone(model), X, y, batches), clone(model).fit(X, y))


def test_batches_of_one_sample_and_of_new_classes_only(small):
    X, y = small
    whole = classifier().fit(X, y)
    order = np.random.default_rng(1).permutation(len(X))
    assert_same(in_batches(classifier(), X, y, order[:, None]), whole)
    by_class = [np.flatnonzero(y == name) for name in NAMES]
    assert_same(in_batches(classifier(), X, y, by_class), whole)


def test_the_model_predicts_after_each_batch_and_knows_the_classes_it_was_told(small):
    X, y = small
    model = classifier(warm_iter=2, rule="joint")
    first = y == "pear"
    model.partial_fit(X[first], y[first], classes=NAMES)
    assert_array_equal(model.classes_, np.sort(NAMES))
    assert_array_equal(model.predict(X), np.full(len(X), "pear"))
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (len(X), 3)
    assert_array_equal(np.unique(model.atom_labels_), [2])
    model.partial_fit(X[~first], y[~first])
    assert_array_equal(model.predict(X), y)
    model.partial_fit(X[:0], y[:0])
    assert_array_equal(model.predict(X), y)


def test_new_classes_get_atoms_and_the_others_go_on_from_theirs(small):
    X, y = small
    known = y != "apple"
    model = classifier(warm_iter=1).partial_fit(X[known], y[known])
    model.warm_iter = 50
    for _ in range(20):
        model.partial_fit(X[:0], y[:0])
    settled = model.dictionary_[model.atom_labels_ == 0]
    model.warm_iter = 1
    model.partial_fit(X[~known], y[~known])
    assert_array_equal(model.classes_, np.sort(NAMES))
    assert_array_equal(np.bincount(model.atom_labels_), [3, 3, 3])
    near = model.dictionary_[model.atom_labels_ == 1]  # "fig" is now the second class
    assert_allclose(near, settled, atol=0.05)


def test_a_class_gets_more_atoms_as_it_gets_samples(small):
    X, y = small
    model = classifier()
    for row in range(len(X)):
        model.partial_fit(X[[row]], y[[row]])
        n_atoms = [np.minimum(3, np.sum(y[: row + 1] == name)) for name in np.sort(NAMES)]
        assert [np.sum(y[: row + 1] == name) for name in model.classes_]
        assert len(model.dictionary_) == np.sum(n_atoms)


def test_without_warm_iterations_the_model_waits_for_refit(small):
    X, y = small
    model = classifier(warm_iter=0).partial_fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.refit().score(X, y) == 1


def test_weights_are_absorbed_and_mean_repetition(small):
    X, y = small
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = classifier().partial_fit(X, y, sample_weight=weights).refit()
    repeated = classifier().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same(weighted, repeated)


def test_fit_then_partial_fit_is_one_fit_on_both(small):
    X, y = small
    model = classifier().fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2]).refit()
    assert_same(model, classifier().fit(X, y))
    assert_allclose(model.statistics_.counts.sum(), len(X))


def test_the_kept_sample_is_bounded_and_still_starts_well(small):
    X, y = small
    model = in_batches(classifier(kept_samples=1), X, y, np.arange(len(X)).reshape(9, -1))
    assert len(model._summary.sample.X) == 9  # never fewer than the atoms
    assert model.statistics_.counts.sum() == len(X)
    assert model.score(X, y) == 1


@settings(max_examples=40)
@given(batchings(), st.booleans())
def test_a_model_that_forgets_equals_one_that_never_saw(case, as_stream):
    X, y, start, batches = case
    gone = np.random.default_rng(len(X)).random(len(X)) < 0.3
    gone[[np.flatnonzero(y == name)[0] for name in NAMES]] = False
    model = classifier(atoms_per_class=2, shared_atoms=2, max_iter=3, init=start, warm_iter=0)
    full = in_batches(clone(model), X, y, batches) if as_stream else clone(model).fit(X, y)
    assert_same(full.forget(X[gone], y[gone]), clone(model).fit(X[~gone], y[~gone]))


def test_a_class_is_forgotten_with_all_that_was_kept_of_it(small):
    X, y = small
    model = classifier(rule="joint")
    never = clone(model).fit(X[y != "fig"], y[y != "fig"])
    assert_same(clone(model).fit(X, y).forget_class("fig"), never)
    streamed = clone(model).partial_fit(X, y, classes=NAMES).forget_class("fig")
    assert_same(streamed, never)
    with pytest.raises(ImpossibleRemovalError, match=r"no samples of class 'fig'; .* 'pear'"):
        streamed.forget_class("fig")


def test_classes_that_part_stay_when_one_is_forgotten(small, monkeypatch):
    X, y = small
    rest = y != "fig"
    model, never = limit().fit(X, y), limit().fit(X[rest], y[rest])
    monkeypatch.setattr("crosslabel.flagship.problem.closed_form", None)  # nothing is to be learnt
    monkeypatch.setattr("crosslabel.flagship.train.calibrated", lambda *_: 1.0)
    model.forget_class("fig")
    assert_same(model, never)
    assert_allclose(model.objective_trace_, never.objective_trace_)


def test_in_the_limit_forgetting_samples_equals_never_having_seen_them(small):
    X, y = small
    for grouping in (0.0, 0.3):
        model = limit(grouping=grouping).fit(X, y).forget(X[:4], y[:4])
        never = limit(grouping=grouping).fit(X[4:], y[4:])
        for c in range(3):
            a, b = (m.dictionary_[m.atom_labels_ == c] for m in (model, never))
            assert_allclose(a.T @ a, b.T @ b, atol=1e-4 if grouping else 1e-7)


def test_nothing_of_a_removed_sample_is_in_the_saved_model(small):
    X, y = small
    model = classifier(atoms_per_class=20, warm_iter=1, scale="none").partial_fit(X, y)
    row = X[5]

    def traces(model):
        """Bytes of the sample, or any row along it, in what is saved."""
        saved = pickle.dumps(model)
        arrays = [*pickle.loads(saved)._summary.to_arrays().values(), model.dictionary_]
        rows = np.concatenate([unit_rows(a) for a in arrays if a.shape[1:] == row.shape])
        return row.tobytes()[:24] in saved, np.abs(rows @ row).max() > 1 - 1e-9

    assert all(traces(model))
    assert not any(traces(model.forget(X[[5]], y[[5]])))


def test_forgetting_without_refit_leaves_no_dictionary(small):
    X, y = small
    model = classifier().fit(X, y).forget(X[:3], y[:3], refit=False)
    assert not hasattr(model, "dictionary_")
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert_same(model.refit(), classifier().fit(X[3:], y[3:]))


def test_impossible_removals_are_refused_and_change_nothing(small):
    X, y = small
    model = classifier().fit(X, y)
    before = model.statistics_, model.dictionary_
    with pytest.raises(ImpossibleRemovalError, match=r"No sample of class 'kiwi'"):
        model.forget(X[:1], ["kiwi"])
    with pytest.raises(ImpossibleRemovalError, match=r"no such sample of its class"):
        model.forget(X[:1] + 0.01, y[:1])
    with pytest.raises(ImpossibleRemovalError, match=r"30 samples of a class .* it has 15"):
        model.forget(np.tile(X[y == "apple"], (2, 1)), np.tile(y[y == "apple"], 2))
    # Where the sample is not kept, the second moment tells.
    bounded = classifier(kept_samples=3, scale="none").fit(X, y)
    with pytest.raises(ImpossibleRemovalError):
        bounded.forget(30 * X[:2], y[:2])
    assert (model.statistics_, model.dictionary_) == before


def test_a_faulty_batch_is_rejected_whole(small):
    X, y = small
    model = classifier().partial_fit(X[:20], y[:20])
    before = model.statistics_, model.dictionary_
    bad = X[20:].copy()
    bad[7, 3] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN: feature 3 in row 7 of the batch"):
        model.partial_fit(bad, y[20:])
    bad[7, 3] = np.inf
    with pytest.raises(ValueError, match=r"contains infinity .* row 7 of the batch"):
        model.partial_fit(bad, y[20:])
    with pytest.raises(ValueError, match=r"has 5 features, but .* is expecting 12"):
        model.partial_fit(X[:, :5], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(X, y[:3])
    with pytest.raises(ValueError, match=r"Labels so far are text, .* numbers, such as 1"):
        model.partial_fit(X[:2], [1, 2])
    with pytest.raises(ValueError, match="holds -1 at index 1"):
        model.partial_fit(X[:2], y[:2], sample_weight=[1, -1])
    assert (model.statistics_, model.dictionary_) == before


def test_a_stream_goes_on_after_saving_and_a_fit_says_why_it_cannot(small):
    X, y = small
    half = pickle.loads(pickle.dumps(classifier().partial_fit(X[::2], y[::2])))
    assert_same(half.partial_fit(X[1::2], y[1::2]).refit(), classifier().fit(X, y))
    loaded = pickle.loads(pickle.dumps(classifier(keep_summary=False).fit(X, y)))
    assert not hasattr(loaded, "statistics_")
    with pytest.raises(AttributeError, match="partial_fit") as error:
        loaded.partial_fit(X, y)
    assert "Set keep_summary=True before fit" in str(error.value.__cause__)
    for call in (
        lambda: loaded.forget(X[:1], y[:1]),
        lambda: loaded.forget_class("fig"),
        loaded.refit,
    ):
        with pytest.raises(AttributeError, match=r"statistics .* Set keep_summary=True before fit"):
            call()
    twin = copy.deepcopy(classifier().fit(X, y))
    assert_same(twin.forget_class("fig"), classifier().fit(X[y != "fig"], y[y != "fig"]))


def test_float32_streams_stay_float32_and_near_the_fit(small):
    X, y = small
    X = X.astype(np.float32)
    model = in_batches(classifier(), X, y, np.arange(len(X)).reshape(9, -1))
    whole = classifier().fit(X, y)
    assert model.dictionary_.dtype == whole.dictionary_.dtype == np.float32
    assert_allclose(model.dictionary_, whole.dictionary_, atol=2e-4)
    assert model.statistics_.means.dtype == np.float64


def test_a_given_start_waits_for_the_classes_that_it_has_atoms_for(small):
    X, y = small
    start = unit_rows(np.random.default_rng(0).normal(size=(9, 12)))
    model = classifier(init=start)
    first = y == "pear"
    unaware = clone(model).partial_fit(X[first], y[first])
    assert not hasattr(unaware, "dictionary_")
    told = clone(model).partial_fit(X[first], y[first], classes=NAMES)
    assert len(told.dictionary_) == 3
    whole = clone(model).fit(X, y)
    assert_same(unaware.partial_fit(X[~first], y[~first]).refit(), whole)
    assert_same(told.partial_fit(X[~first], y[~first]).refit(), whole)


def test_nothing_to_learn_from(small):
    X, y = small
    model = classifier().partial_fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="holds no samples"):
        model.refit()
    model.partial_fit(X, y)
    for name in NAMES:
        model.forget_class(name)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_too_many_atoms_for_the_exact_solver_are_refused_in_bytes(monkeypatch):
    X, y = samples(np.random.default_rng(0), (8, 8), 5)
    monkeypatch.setattr("os.sysconf", lambda name: 8)
    with pytest.raises(MemoryError, match=r"6 × 6 atoms, 0\.0 GB, .* suppression=inf"):
        classifier(max_iter=1).fit(X, y)
    limit().fit(X, y)


@pytest.mark.parametrize(
    ("normalize", "scale"), [(True, "none"), (False, "unit"), (False, "auto"), (True, "standard")]
)
def test_statistics_of_another_scale_are_refused(small, normalize, scale):
    statistics = ClassStatistics.from_samples(*small, normalize=normalize)
    with pytest.raises(ValueError, match=f"normalize={normalize}, but .* scale='{scale}'"):
        CrossLabelClassifier(scale=scale).fit_statistics(statistics)
    fitting = CrossLabelClassifier(scale="unit" if normalize else "none")
    assert fitting.fit_statistics(statistics).score(*small) > 0.9


def test_a_choice_is_made_anew_with_twice_the_samples(monkeypatch):
    X, y = samples(np.random.default_rng(0), (15, 15, 15), 12)
    order = np.random.default_rng(1).permutation(len(X))
    X, y = X[order], NAMES[y[order]]
    model = limit().partial_fit(X[:20], y[:20])
    chosen = naive.captured(monkeypatch, CrossLabelClassifier, "_chosen")
    model.partial_fit(X[20:39], y[20:39])
    assert not chosen
    model.partial_fit(X[39:40], y[39:40])
    assert len(chosen) == 1


def test_a_new_class_asks_for_a_new_choice_only_where_something_is_chosen(small, monkeypatch):
    X, y = small
    old = y != "pear"
    for model, n_choices in ((limit(), 1), (limit(rule="auto"), 2)):
        chosen = naive.captured(monkeypatch, CrossLabelClassifier, "_chosen")
        model.partial_fit(X[old], y[old])
        model.partial_fit(X[~old][:3], y[~old][:3])
        assert len(chosen) == n_choices


def test_as_many_samples_are_kept_as_any_class_has_atoms():
    assert limit(kept_samples=4, atoms_per_class=[2, 9, 3])._kept() == 9
    assert limit(kept_samples=40, atoms_per_class=[2, 9, 3])._kept() == 40
