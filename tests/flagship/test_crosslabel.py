import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel import CrossLabelClassifier
from crosslabel.core import reference
from crosslabel.core.objective import Penalties
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship import predictor
from tests.core.problems import samples


@parametrize_with_checks(
    [
        CrossLabelClassifier(random_state=0),
        CrossLabelClassifier(rule="local", ridge=0.1, shared_atoms=1, random_state=0),
        CrossLabelClassifier(
            rule="global",
            # No more than the dimensions of the checks' samples: beyond, atoms are not unique.
            atoms_per_class=2,
            ridge=0.1,
            suppression=20.0,
            scale="none",
            keep_summary=True,
            random_state=0,
        ),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, train_size=400, stratify=y, random_state=0)


@pytest.fixture(scope="module")
def small():
    return samples(np.random.default_rng(0), (8, 9, 10), 12)


def test_digits_are_recognised_better_than_by_nearest_neighbours(digits):
    X, X_test, y, y_test = digits
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    assert model.rule_ == "joint"
    assert model.score(X_test, y_test) > KNeighborsClassifier().fit(X, y).score(X_test, y_test)
    assert model.score(X_test, y_test) > 0.97


@settings(max_examples=8)
@given(
    st.integers(0, 10**6),
    st.sampled_from(
        [
            {"rule": "local", "ridge": 0.1, "init": "kmeans", "shared_atoms": 1},
            {"scale": "unit", "kernel": "linear"},
        ]
    ),
)
def test_neither_the_order_of_samples_nor_the_names_of_classes_matter(seed, kind):
    rng = np.random.default_rng(seed)
    X, y = samples(rng, rng.integers(2, 7, 3), 6)
    shuffle, names = rng.permutation(len(X)), np.array(["pear", "fig", "apple"])
    a = CrossLabelClassifier(atoms_per_class=2, suppression=2.0, random_state=0, **kind).fit(X, y)
    b = clone(a).fit(X[shuffle], names[y[shuffle]])
    assert a.rule_ == b.rule_
    assert_array_equal(names[a.predict(X)], b.predict(X))
    for c in range(3):
        there = np.flatnonzero(b.classes_ == names[c])[0]
        assert_allclose(
            a.dictionary_[a.atom_labels_ == c],
            b.dictionary_[b.atom_labels_ == there],
            atol=1e-8,
        )


def test_nor_do_they_where_lifts_are_averaged():
    X, y = samples(np.random.default_rng(435), (5, 5, 5), 6)
    shuffle, names = np.random.default_rng(0).permutation(len(X)), np.array(["c", "b", "a"])
    a = CrossLabelClassifier(random_state=0).fit(X, y)
    b = clone(a).fit(X[shuffle], names[y[shuffle]])
    assert len(a.fitted_.views) > 1
    assert_allclose(a.predict_proba(X), b.predict_proba(X)[:, ::-1], atol=1e-5)


def test_labels_of_any_type_keep_their_values(small):
    X, y = small
    for names in (
        np.array([10.0, -3.0, 7.0]),
        np.array(["b", "a", "c"], object),
        np.array([3, 1, 2]),
    ):
        model = CrossLabelClassifier(rule="local", random_state=0).fit(X, names[y])
        assert_array_equal(model.classes_, np.unique(names))
        assert_array_equal(model.predict(X), names[y])


@pytest.mark.parametrize("solver", ["exact", "accelerated", "paper"])
@pytest.mark.parametrize("suppression", [np.inf, 2e3])
def test_a_weight_of_two_equals_the_sample_twice_and_zero_its_absence(small, solver, suppression):
    if solver == "paper" and np.isinf(suppression):
        pytest.skip("Algorithm 1 needs a finite suppression")
    X, y = small
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    model = CrossLabelClassifier(
        atoms_per_class=3, solver=solver, suppression=suppression, random_state=0
    )
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(weighted.dictionary_, repeated.dictionary_, atol=1e-10)
    assert weighted.rule_ == repeated.rule_


def test_fractional_weights_that_sum_to_one_still_teach(small):
    X, y = small
    model = CrossLabelClassifier(rule="local", random_state=0)
    model.fit(X, y, sample_weight=np.full(len(X), 1 / len(X)))
    assert_array_equal(model.predict(X), y)


def test_the_paper_solver_is_algorithm_1_and_exact_is_no_worse(small):
    X, y = small
    model = CrossLabelClassifier(
        atoms_per_class=3,
        shared_atoms=2,
        ridge=8e-3,
        suppression=10,
        grouping=0.5,
        rule="global",
        tol=0,
    )
    start = unit_rows(np.random.default_rng(1).normal(size=(11, 12)))
    paper = clone(model).set_params(init=start, solver="paper").fit(X, y)
    exact = clone(model).set_params(init=start).fit(X, y)
    # Canonical order of classes decides the order of updates; the objective tells them apart.
    layout = paper._fitted.view.layout
    weights = Penalties(8e-3, 10, 0.5)
    codes = np.zeros((11, len(X)))
    for _ in range(300):
        codes = reference.code_step(X.T, y, paper.dictionary_.T, codes, layout, weights)
    value = reference.objective(X.T, y, paper.dictionary_.T, codes, layout, weights)
    assert value <= paper.objective_trace_[-1] * (1 + 1e-9)
    assert exact.objective_trace_[-1] <= paper.objective_trace_[-1] * 1.01


def test_the_trace_falls_and_counts_the_iterations(digits):
    X, _, y, _ = digits
    model = CrossLabelClassifier(
        rule="global", ridge=8e-3, suppression=20.0, random_state=0, tol=0, max_iter=12
    ).fit(X, y)
    assert model.n_iter_ == len(model.objective_trace_) == 12
    assert (np.diff(model.objective_trace_) <= 0).all()
    assert clone(model).set_params(tol=0.05).fit(X, y).n_iter_ < 12


def test_auto_without_a_sample_to_spare_takes_the_local_rule():
    X, y = np.eye(3), [0, 1, 2]
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    assert model.rule_ == "local"
    assert_array_equal(model.predict(X), y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("rule", ["auto", "joint", *RULES])
def test_probabilities_agree_with_predict_whatever_the_rule(digits, rule):
    X, X_test, y, y_test = digits
    model = CrossLabelClassifier(rule=rule, ridge=0.3, random_state=0).fit(X, y)
    p = model.predict_proba(X_test)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X_test))
    assert log_loss(y_test, p) < 0.35


def test_transform_gives_ridge_codes_and_inverse_transform_the_reconstruction(small):
    X, y = small
    model = CrossLabelClassifier(rule="local", ridge=1e-3, random_state=0).fit(X, y)
    codes = model.transform(3 * X)  # normalised first
    D = model.dictionary_
    assert_allclose(codes @ (D @ D.T) + 1e-3 * codes, X @ D.T, atol=1e-10)
    assert_allclose(model.inverse_transform(codes), X, atol=0.05)
    assert len(model.get_feature_names_out()) == codes.shape[1] == len(D)


def test_probabilities_are_calibrated(digits):
    X, X_test, y, y_test = digits
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    p = model.predict_proba(X_test)
    top, correct = p.max(axis=1), model.predict(X_test) == y_test
    assert abs(top.mean() - correct.mean()) < 0.03
    assert log_loss(y_test, p) < 0.1


def test_two_classes_have_one_column_of_decisions():
    X, y = samples(np.random.default_rng(0), (8, 8), 5)
    model = CrossLabelClassifier(rule="global", ridge=0.1, random_state=0).fit(X, y)
    decisions = model.decision_function(X)
    assert decisions.shape == (16,)
    ratios = model._fitted.scores(X)
    logs = model.temperature_ * np.log(ratios[:, 0] / ratios[:, 1])
    assert_allclose(decisions, logs, atol=1e-9)
    assert_array_equal(model.predict(X), (decisions > 0).astype(int))


def test_warm_start_continues_where_the_last_fit_stopped(small):
    X, y = small
    model = CrossLabelClassifier(
        atoms_per_class=3,
        rule="global",
        ridge=8e-3,
        suppression=20.0,
        max_iter=5,
        tol=0,
        warm_start=True,
        random_state=0,
    ).fit(X, y)
    first = model.objective_trace_
    model.fit(X, y)
    straight = clone(model).set_params(max_iter=10, warm_start=False).fit(X, y)
    assert_allclose([*first, *model.objective_trace_], straight.objective_trace_, rtol=1e-9)
    model.set_params(atoms_per_class=4).fit(X, y)  # another shape: a fresh start
    assert len(model.dictionary_) == 12


def test_a_warm_start_does_not_leak_into_the_folds(small):
    X, y = small
    cold = CrossLabelClassifier(atoms_per_class=3, suppression=20.0, random_state=0).fit(X, y)
    warm = clone(cold).set_params(warm_start=True).fit(X, y)
    assert warm.rule_scores_ == cold.rule_scores_
    assert warm.fit(X, y).rule_scores_ == cold.rule_scores_


def test_init_takes_a_name_a_callable_or_an_array(small):
    X, y = small
    given = unit_rows(np.random.default_rng(0).normal(size=(6, 12)))
    model = CrossLabelClassifier(
        atoms_per_class=2, rule="global", ridge=8e-3, suppression=20.0, random_state=0
    )
    by_array = clone(model).set_params(init=given).fit(X, y)
    by_call = clone(model).set_params(init=lambda X, labels, layout, *rest: 5 * given).fit(X, y)
    assert_allclose(by_array.dictionary_, by_call.dictionary_, atol=1e-12)
    by_name = clone(model).set_params(init="random").fit(X, y)
    assert not np.allclose(by_name.dictionary_, by_array.dictionary_)


def test_atoms_of_each_class_follow_classes(small):
    X, y = small
    model = CrossLabelClassifier(atoms_per_class=[1, 2, 4], shared_atoms=1, random_state=0)
    assert model.fit(X, y).atom_labels_.tolist() == [-1, 0, 1, 1, 2, 2, 2, 2]


def test_a_class_gets_no_more_atoms_than_distinct_samples(small):
    X, y = samples(np.random.default_rng(0), (1, 3, 9), 6)
    X, y = np.vstack([X, X[:1]]), np.append(y, y[0])  # a repeated sample is not a second one
    model = CrossLabelClassifier(atoms_per_class=5, random_state=0).fit(X, y)
    assert np.bincount(model.atom_labels_).tolist() == [1, 3, 5]


@pytest.mark.parametrize("rule", ["global", "local"])
def test_float32_stays_float32(digits, rule):
    X, X_test, y, y_test = digits
    double = CrossLabelClassifier(
        rule=rule, ridge=8e-3, suppression=20.0, max_iter=5, random_state=0
    ).fit(X, y)
    model = clone(double).set_params(init=double.dictionary_).fit(X.astype(np.float32), y)
    assert model.dictionary_.dtype == np.float32
    assert model.transform(X_test.astype(np.float32)).dtype == np.float32
    assert model.decision_function(X_test.astype(np.float32)).dtype == np.float32
    double.set_params(init=double.dictionary_).fit(X, y)
    assert_allclose(model.dictionary_, double.dictionary_, atol=1e-2)
    assert abs(model.score(X_test, y_test) - double.score(X_test, y_test)) < 0.01


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales_make_no_difference_once_normalised(small, scale):
    X, y = small
    a = CrossLabelClassifier(random_state=0).fit(X, y)
    b = CrossLabelClassifier(random_state=0).fit(X * scale, y)
    assert_array_equal(a.predict(X), b.predict(X * scale))
    assert np.isfinite(b.decision_function(X * scale)).all()


@pytest.mark.parametrize("scale", [1e-160, 1e150])
def test_extreme_scales_are_refused_without_normalisation(small, scale):
    X, y = small
    with pytest.raises(ValueError, match=r"leaves the range of float64. Rescale X, or let"):
        CrossLabelClassifier(scale="none").fit(X * scale, y)


def test_zero_samples_train_and_predict_the_first_class(small):
    X, y = small
    X = np.vstack([X, np.zeros((2, 12))])
    model = CrossLabelClassifier(rule="local", random_state=0).fit(X, np.append(y, [0, 1]))
    assert np.isfinite(model.dictionary_).all()
    assert model.predict(np.zeros((1, 12))) == model.classes_[0]


def test_a_class_of_zeros_alone_still_trains():
    X, y = samples(np.random.default_rng(0), (5, 5), 4)
    X[y == 1] = 0
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    assert_allclose(np.linalg.norm(model.dictionary_, axis=1), 1)
    assert_array_equal(model.predict(X[y == 0]), 0)


def test_constant_features_change_nothing_but_their_own_column(small):
    X, y = small
    a = CrossLabelClassifier(random_state=0, rule="local", ridge=0.1, scale="none").fit(X, y)
    b = CrossLabelClassifier(random_state=0, rule="local", ridge=0.1, scale="none").fit(
        np.hstack([X, 0 * X[:, :1]]), y
    )
    assert not b.dictionary_[:, -1].any()
    assert a.score(X, y) == b.score(np.hstack([X, 0 * X[:, :1]]), y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridge": -1}, r"'ridge' parameter .* Got -1"),
        ({"suppression": -0.5}, r"'suppression' parameter .* Got -0.5"),
        ({"grouping": "strong"}, r"'grouping' parameter .* Got 'strong'"),
        ({"rule": "best"}, r"'rule' parameter .* Got 'best'"),
        ({"init": "zeros"}, r"'init' parameter .* Got 'zeros'"),
        ({"solver": "fast"}, r"'solver' parameter .* Got 'fast'"),
        ({"atoms_per_class": 0}, r"'atoms_per_class' parameter .* Got 0"),
        ({"atoms_per_class": [2, 2]}, r"one integer for each of the 3 classes; got \[2, 2\]"),
        ({"atoms_per_class": [2, 2, 0]}, "at least one atom, but atoms_per_class has 0"),
        ({"init": np.ones((2, 12))}, r"shape \(2, 12\), but 0 shared atoms and 90 atoms"),
        ({"init": np.zeros((90, 12))}, "Atom 0 of the dictionary given as init is zero"),
        ({"init": np.full((90, 12), np.nan)}, "init contains NaN"),
        ({"max_iter": 0}, r"'max_iter' parameter .* Got 0"),
    ],
)
def test_bad_parameters_are_named_with_their_value(small, parameters, message):
    with pytest.raises(ValueError, match=message):
        CrossLabelClassifier(**parameters).fit(*small)


def _nan(X, y):
    X = X.copy()
    X[3, 2] = np.nan
    return X, y


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_nan, "Input X contains NaN"),
        (lambda X, y: (np.where(X > 0.5, np.inf, X), y), "Input X contains infinity"),
        (lambda X, y: (X, np.zeros(len(X))), r"at least two classes, but y holds one class only"),
        (lambda X, y: (X[:0], y[:0]), r"Found array with 0 sample\(s\)"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X, np.random.default_rng(0).normal(size=len(X))), "Unknown label type"),
        (lambda X, y: (X[0], y[:1]), "Expected 2D array, got 1D array"),
    ],
)
def test_bad_data_is_refused_with_a_sentence(small, spoil, message):
    with pytest.raises(ValueError, match=message):
        CrossLabelClassifier().fit(*spoil(*small))


def test_bad_weights_are_refused(small):
    X, y = small
    weights = np.ones(len(X))
    weights[4] = -2
    with pytest.raises(ValueError, match="holds -2 at index 4"):
        CrossLabelClassifier().fit(X, y, sample_weight=weights)
    model = CrossLabelClassifier(solver="paper", suppression=2e3)
    with pytest.raises(ValueError, match=r"fractional weights; got a sample of weight 0\.5"):
        model.fit(X, y, sample_weight=np.full(len(X), 0.5))
    with pytest.raises(ValueError, match="needs a finite suppression; got inf"):
        CrossLabelClassifier(solver="paper").fit(X, y)


def test_misuse_at_prediction_is_refused(small):
    X, y = small
    with pytest.raises(NotFittedError):
        CrossLabelClassifier().predict(X)
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 12"):
        model.predict(X[:, :5])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict(_nan(X, y)[0])
    with pytest.raises(ValueError, match=r"5 codes per row, but the dictionary has 27 atoms"):
        model.inverse_transform(X[:, :5])


@pytest.mark.parametrize("limit", [2**30, 4 * 2**10], ids=["in memory", "block by block"])
def test_sparse_rows_teach_and_ask_as_dense_ones_do(limit, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = samples(rng, (12, 12, 12), 40)
    X[rng.random(X.shape) < 0.6] = 0
    settings = {"rule": "local", "ridge": 0.05, "random_state": 0, "scale": "unit"}
    dense = CrossLabelClassifier(**settings).fit(X, y)
    sparse = CrossLabelClassifier(memory_limit=limit, **settings).fit(csr_array(X), y)
    assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-9)
    monkeypatch.setattr(predictor, "DENSE_VALUES", 100)
    assert_array_equal(sparse.predict(csr_array(X)), dense.predict(X))
    assert_allclose(sparse.predict_proba(csr_array(X)), sparse.predict_proba(X), atol=1e-12)


def test_a_singular_system_is_reported_not_returned():
    X, y = samples(np.random.default_rng(0), (8, 8), 4)
    with pytest.raises(np.linalg.LinAlgError, match=r"linearly dependent .* larger ridge"):
        CrossLabelClassifier(
            atoms_per_class=6, ridge=0, suppression=1.0, rule="local", init="kmeans", random_state=0
        ).fit(X, y)


def test_a_singular_system_is_reported_under_the_name_that_the_user_gave():
    """One class has dependent samples; its name, not the solver's number, is in the error."""
    X, y = samples(np.random.default_rng(0), (4, 4, 4, 4), 12)
    names = np.array(["fig", "plum", "kiwi", "pear"])
    for c, name in enumerate(names):
        Z = X.copy()
        Z[y == c] = Z[y == c] @ np.diag([1.0] * 2 + [0.0] * 10)  # four samples in a plane
        model = CrossLabelClassifier(
            atoms_per_class=4,
            ridge=0,
            suppression=1.0,
            rule="local",
            init="kmeans",
            random_state=0,
        )
        with pytest.raises(np.linalg.LinAlgError, match=f"codes of class '{name}' are not"):
            model.fit(Z, names[y])


def test_ridge_zero_works_where_each_class_has_independent_atoms(small):
    X, y = small
    model = CrossLabelClassifier(atoms_per_class=2, ridge=0, rule="local", random_state=0)
    assert model.fit(X, y).score(X, y) == 1


def test_the_input_is_left_alone(small):
    X, y = small
    before, X = X.copy(), X.copy()
    X.flags.writeable = False
    CrossLabelClassifier(scale="none", random_state=0).fit(X, y).predict(X)
    assert_array_equal(X, before)


def test_progress_is_told_to_nobody_who_did_not_ask(small, monkeypatch):
    def nobody(*_):
        raise AssertionError("progress was told")

    monkeypatch.setattr("crosslabel.flagship.crosslabel.Progress", nobody)
    CrossLabelClassifier(atoms_per_class=2).fit(*small)
    with pytest.raises(AssertionError, match="progress was told"):
        CrossLabelClassifier(atoms_per_class=2, verbose=1).fit(*small)


def test_verbose_prints_the_objective(small, capsys):
    CrossLabelClassifier(
        verbose=1, max_iter=2, tol=0, rule="global", ridge=0.1, suppression=20.0
    ).fit(*small)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "[CrossLabelClassifier] iteration 1",
        "[CrossLabelClassifier] iteration 2",
    ]


def test_it_works_in_a_pipeline(digits):
    X, X_test, y, y_test = digits
    model = make_pipeline(StandardScaler(), CrossLabelClassifier(random_state=0)).fit(X, y)
    assert model.score(X_test, y_test) > 0.9


class Recorder:
    """A callback of scikit-learn's protocol that counts tasks and may ask to stop."""

    def __init__(self, stop_after=None):
        self.announced, self.ended, self.stop_after = [], [], stop_after

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        self.announced.append(context.max_subtasks)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return self.stop_after is not None and len(self.ended) >= self.stop_after

    def teardown(self, estimator, context):
        self.ended.append("teardown")


def test_scikit_learns_callbacks_see_each_iteration_and_can_stop(small):
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    model = CrossLabelClassifier(
        rule="global", ridge=0.1, suppression=20.0, max_iter=6, tol=0, random_state=0
    )
    record = Recorder()
    model.set_callbacks(record).fit(*small)
    assert record.ended == ["iteration"] * 6 + ["fit", "teardown"]
    model.set_callbacks(Recorder(stop_after=2)).fit(*small)
    assert model.n_iter_ == 2


def test_a_refit_announces_its_iterations(small):
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    named = {"rule": "global", "ridge": 0.1, "suppression": 20.0, "max_iter": 3, "tol": 0}
    model, record = CrossLabelClassifier(**named, keep_summary=True).fit(*small), Recorder()
    model.set_callbacks(record).refit()
    assert record.announced[0] == record.ended.count("iteration") == 3


def test_atoms_that_nobody_names_are_thirty_or_more_where_classes_are_large():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = np.einsum("nr,nrm->nm", rng.normal(size=(400, 70)), rng.normal(size=(2, 70, 160))[y])
    auto = CrossLabelClassifier(rule="local", random_state=0)
    assert np.bincount(auto.fit(X, y).atom_labels_).min() >= 60
    assert np.bincount(auto.fit(X[:100], y[:100]).atom_labels_).tolist() == [30, 30]
    assert np.bincount(auto.fit(X[:40], y[:40]).atom_labels_).tolist() == [20, 20]
    named = {"rule": "local", "random_state": 0}
    for one in ({"atoms_per_class": 30}, {"ridge": 0.1}, {"suppression": 20.0}):
        model = CrossLabelClassifier(**named, **one).fit(X, y)
        assert np.bincount(model.atom_labels_).tolist() == [30, 30]


def test_a_stream_chooses_its_atoms_from_the_samples_it_keeps():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = np.einsum("nr,nrm->nm", rng.normal(size=(400, 70)), rng.normal(size=(2, 70, 160))[y])
    model = CrossLabelClassifier(rule="local", random_state=0).partial_fit(X[:100], y[:100])
    assert np.bincount(model.atom_labels_).tolist() == [30, 30]
    model.partial_fit(X[100:], y[100:])
    whole = CrossLabelClassifier(rule="local", random_state=0, keep_summary=True).fit(X, y)
    sizes = np.bincount(whole.atom_labels_)
    assert sizes.min() >= 60
    assert np.bincount(model.atom_labels_).tolist() == sizes.tolist()
    model.forget(X[100:], y[100:])
    assert np.bincount(model.atom_labels_).tolist() == [30, 30]
    by_statistics = CrossLabelClassifier(random_state=0).fit_statistics(whole.statistics_)
    assert np.bincount(by_statistics.atom_labels_).tolist() == [30, 30]


def test_samples_of_any_size_are_compared_only_where_they_are_scaled(small):
    X, y = np.array(small[0], float), small[1]
    X[: len(X) // 2] *= 1e-200
    CrossLabelClassifier(atoms_per_class=2, scale="unit").fit(X, y)
    with pytest.raises(ValueError, match="beside the one, nothing is left of the other"):
        CrossLabelClassifier(atoms_per_class=2, scale="none").fit(X, y)
