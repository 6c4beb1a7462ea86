import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.utils.estimator_checks import parametrize_with_checks

import crosslabel
from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.core.discriminant import discriminant
from crosslabel.core.moments import Moments
from crosslabel.core.rules import RULES
from crosslabel.core.rules.rule import evidence
from crosslabel.core.scaling import unit_rows
from crosslabel.files.model import encoded
from crosslabel.flagship.crosslabel_cv import of_format_1
from tests.core.problems import samples

SMALL = {"atoms_per_class": (2, 3), "ridges": (1e-2, 1e-1), "shrinkages": (0.1,)}
FINITE = {**SMALL, "suppressions": (2.0, math.inf), "groupings": (0.0, 0.1), "max_iter": 3}


@parametrize_with_checks([CrossLabelClassifierCV(**SMALL, cv=3, random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, train_size=200, stratify=y, random_state=0)


def split_scores(model):
    return model.cv_results_["split_test_score"]


@pytest.mark.parametrize("scale", ["unit", "standard", "none"])
def test_accuracies_are_those_of_classifiers_fitted_on_each_fold(digits, scale):
    X, _, y, _ = digits
    X, cv = X.astype(np.float64), StratifiedKFold(3, shuffle=True, random_state=0)
    model = CrossLabelClassifierCV(
        atoms_per_class=(4, 40), ridges=(1e-2, 0.5), rules=list(RULES), scale=scale, cv=cv,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert len(model.cv_results_["params"]) == 16
    for parameters, found in zip(model.cv_results_["params"], split_scores(model)):
        one = CrossLabelClassifier(**parameters, scale=scale, random_state=0)
        assert_allclose(found, cross_val_score(one, X, y, cv=cv))


@pytest.mark.parametrize(
    "parameters",
    [
        {"suppressions": (2.0,)},
        {"groupings": (0.1,)},
        {"shared_atoms": 2},
        {"atoms_per_class": [(2, 3, 1)]},
        {"init": "kmeans"},
        {"ridges": (0.0,), "atoms_per_class": (1,)},
    ],
    ids=lambda one: next(iter(one)),
)
def test_what_has_no_closed_form_over_the_grid_is_learnt(parameters):
    X, y = samples(np.random.default_rng(0), (8, 9, 10), 12)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    given = {**SMALL, **parameters}
    model = CrossLabelClassifierCV(
        **given, rules=("global", "local", "global-length"), cv=cv, max_iter=3, random_state=0
    ).fit(X, y)
    common = {name: given[name] for name in ("shared_atoms", "init") if name in given}
    for setting, found in zip(model.cv_results_["params"], split_scores(model)):
        one = CrossLabelClassifier(**setting, **common, max_iter=3, random_state=0)
        assert_allclose(found, cross_val_score(one, X, y, cv=cv))


def test_the_joint_rule_is_judged_with_weights_from_the_other_folds(digits):
    """Beside the same reckoning with classifiers: learnt on each fold, weights by plain descent."""
    X, _, y, _ = digits
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    splits = list(cv.split(X, y))
    local, linear = [], []
    for train, test in splits:
        one = CrossLabelClassifier(atoms_per_class=5, ridge=0.1, rule="local", scale="unit")
        local.append(evidence(one.fit(X[train], y[train]).decision_function(X[test])))
        moments = Moments.from_samples(unit_rows(X[train]), y[train], 10)
        linear.append(discriminant(moments, 0.1).scores(unit_rows(X[test])))
    accuracies, losses = [], []
    for k, (_, test) in enumerate(splits):
        others = [j for j in range(3) if j != k]
        e, g = (np.concatenate([kind[j] for j in others]) for kind in (local, linear))
        labels = np.concatenate([y[splits[j][1]] for j in others])

        def loss(a, e=e, g=g, labels=labels):
            logp = np.log(softmax(a[0] * e + a[1] * g, axis=1))
            # One sample at chance level, spread over all.
            chance = logp.mean(axis=1).mean()
            return -logp[np.arange(len(labels)), labels].sum() - chance

        a = minimize(loss, [1.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-7}).x
        p = softmax(a[0] * local[k] + a[1] * linear[k], axis=1)
        accuracies.append(np.mean(p.argmax(axis=1) == y[test]))
        losses.append(np.log(p[np.arange(len(test)), y[test]]).mean())
    grid = {"atoms_per_class": [5], "ridges": [0.1], "rules": ["joint"], "shrinkages": [0.1]}
    model = CrossLabelClassifierCV(**grid, cv=cv)
    assert_allclose(split_scores(model.fit(X, y))[0], accuracies)
    model.set_params(scoring="neg_log_loss")
    assert_allclose(split_scores(model.fit(X, y))[0], losses, rtol=1e-4)


def test_any_scorer_judges(digits):
    X, _, y, _ = digits
    cv = StratifiedKFold(3, shuffle=True, random_state=0)

    def seen(estimator, X, y):
        return np.mean(estimator.predict(X) == y) - X.mean()

    one = CrossLabelClassifier(atoms_per_class=4, ridge=0.1, rule="local", random_state=0)
    for scoring in ("accuracy", "f1_macro", "top_k_accuracy", seen):
        grid = {"atoms_per_class": [4], "ridges": [0.1], "rules": ["local"]}
        model = CrossLabelClassifierCV(**grid, cv=cv, scoring=scoring).fit(X, y)
        expected = cross_val_score(one, X, y, cv=cv, scoring=scoring)
        assert_allclose(split_scores(model)[0], expected)
    for scoring in ("neg_log_loss", "roc_auc_ovr"):
        model.set_params(scoring=scoring).fit(X, y)
        expected = cross_val_score(one, X, y, cv=cv, scoring=scoring)
        # The temperature comes from other held-out samples.
        assert_allclose(split_scores(model)[0], expected, atol=0.1)


def test_two_classes_are_ranked_by_the_second():
    X, y = samples(np.random.default_rng(0), (15, 20), 6)
    cv = StratifiedKFold(3)
    model = CrossLabelClassifierCV(**SMALL, rules=["local"], cv=cv, scoring="roc_auc").fit(X, y)
    for setting, found in zip(model.cv_results_["params"], split_scores(model)):
        one = CrossLabelClassifier(**setting)
        assert_allclose(found, cross_val_score(one, X, y, cv=cv, scoring="roc_auc"))


def test_groups_stay_together():
    rng = np.random.default_rng(0)
    X, y = samples(rng, (12, 12, 12), 8)
    groups = rng.permutation(np.arange(36) % 4)
    for cv in (GroupKFold(4), LeaveOneGroupOut()):
        model = CrossLabelClassifierCV(**SMALL, rules=["local"], cv=cv).fit(X, y, groups=groups)
        one = CrossLabelClassifier(**model.best_params_)
        expected = cross_val_score(one, X, y, groups=groups, cv=cv)
        assert_allclose(split_scores(model)[model.best_index_], expected)
    with pytest.raises(ValueError, match="groups"):
        CrossLabelClassifierCV(cv=GroupKFold(4)).fit(X, y)


def test_an_integer_with_groups_keeps_them_together():
    rng = np.random.default_rng(0)
    X, y = samples(rng, (12, 12), 8)
    # A copy of each sample in its own group: apart, the copies would give each other away.
    X, y, groups = np.tile(X, (2, 1)), rng.permutation(np.tile(y, 2)), np.tile(np.arange(24), 2)
    y[24:] = y[:24]
    model = CrossLabelClassifierCV(**SMALL, rules=["local"], cv=4).fit(X, y, groups=groups)
    assert model.best_score_ < 0.8


def test_repeated_folds_and_splits_that_do_not_tile(digits):
    X, _, y, _ = digits
    repeated = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
    for cv, n_splits in ((repeated, 4), (ShuffleSplit(3, test_size=0.3, random_state=0), 3)):
        model = CrossLabelClassifierCV(**SMALL, cv=cv, random_state=0).fit(X, y)
        assert split_scores(model).shape == (12, n_splits)
        one = CrossLabelClassifier(**model.cv_results_["params"][0], random_state=0)
        assert_allclose(split_scores(model)[0], cross_val_score(one, X, y, cv=cv))


def test_a_single_split_has_no_other_folds_to_weigh_with(digits):
    X, _, y, _ = digits
    cv = ShuffleSplit(1, test_size=0.3, random_state=0)
    model = CrossLabelClassifierCV(**SMALL, cv=cv, scoring="neg_log_loss").fit(X, y)
    assert np.isfinite(split_scores(model)).all()


def test_results_cover_the_grid_and_the_best_is_learnt(digits):
    X, X_test, y, y_test = digits
    model = CrossLabelClassifierCV(**FINITE, random_state=0).fit(X, y)
    table = model.cv_results_
    assert len(table["params"]) == 48
    assert split_scores(model).shape == (48, 5)
    assert_array_equal(table["split2_test_score"], split_scores(model)[:, 2])
    assert_allclose(table["mean_test_score"], split_scores(model).mean(axis=1))
    assert model.best_score_ == table["mean_test_score"].max()
    assert table["rank_test_score"][model.best_index_] == 1
    assert model.best_params_ == table["params"][model.best_index_]
    names = ("atoms_per_class", "suppression", "grouping", "ridge", "rule", "shrinkage")
    for name in names:
        assert getattr(model, f"{name}_") == model.best_params_[name]
        assert getattr(model.best_estimator_, name) == model.best_params_[name]
    assert model.dictionary_ is model.best_estimator_.dictionary_
    assert_array_equal(model.predict(X), model.best_estimator_.predict(X))
    assert_allclose(model.inverse_transform(model.transform(X)).shape, X.shape)
    assert model.score(X_test, y_test) > 0.85


@pytest.mark.parametrize("rule", ["local", "global-length", "global"])
def test_the_best_estimator_is_what_its_own_fit_would_give(digits, rule):
    X, _, y, _ = digits
    model = CrossLabelClassifierCV(**SMALL, rules=[rule], random_state=0).fit(X, y)
    again = clone(model.best_estimator_).fit(X, y)
    assert_allclose(again.dictionary_, model.dictionary_, atol=1e-12)
    assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-6)
    assert (again.rule_, again.temperature_ > 0) == (rule, True)


def test_probabilities_of_the_model_are_at_the_temperature_of_the_folds(digits):
    X, X_test, y, y_test = digits
    model = CrossLabelClassifierCV(random_state=0, scoring="neg_log_loss").fit(X, y)
    p = model.predict_proba(X_test)
    assert_allclose(p.sum(axis=1), 1)
    loss = -np.log(p[np.arange(len(p)), y_test]).mean()
    assert abs(loss + model.best_score_) < 0.1
    assert loss < 0.35


def test_order_of_samples_and_names_of_classes_do_not_matter():
    X, y = samples(np.random.default_rng(0), (6, 7, 8), 6)
    shuffle, names = np.random.default_rng(1).permutation(len(X)), np.array(["c", "a", "b"])
    a = CrossLabelClassifierCV(**FINITE, random_state=0).fit(X, y)
    b = CrossLabelClassifierCV(**FINITE, random_state=0).fit(X[shuffle], names[y[shuffle]])
    assert a.best_params_ == b.best_params_
    assert_allclose(split_scores(a), split_scores(b))
    assert_array_equal(names[a.predict(X)], b.predict(X))


def test_weights_count_samples_in_training_and_in_scores():
    X, y = samples(np.random.default_rng(0), (6, 7, 8), 6)
    times = np.random.default_rng(1).integers(0, 3, len(X))
    a = CrossLabelClassifierCV(**SMALL, random_state=0).fit(X, y, sample_weight=times)
    b = CrossLabelClassifierCV(**SMALL, random_state=0).fit(np.repeat(X, times, 0), y.repeat(times))
    assert_allclose(split_scores(a), split_scores(b))
    assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-5)
    cv = StratifiedKFold(2)
    weighted = CrossLabelClassifierCV(**SMALL, cv=cv, scoring="f1_macro")
    weighted.fit(X, y, sample_weight=np.ones(len(X)))
    plain = clone(weighted).fit(X, y)
    assert_allclose(split_scores(weighted), split_scores(plain))


def test_equal_samples_are_in_one_fold_and_cap_the_atoms():
    X, y = samples(np.random.default_rng(0), (3, 3), 5)
    X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    for given in (3, cv):
        model = CrossLabelClassifierCV(
            atoms_per_class=(5,), ridges=(0.1,), rules=["local"], cv=given
        )
        assert len(model.fit(X, y).dictionary_) == 6
    one = CrossLabelClassifier(atoms_per_class=5, ridge=0.1, rule="local")
    assert_allclose(split_scores(model)[0], cross_val_score(one, X, y, cv=cv))


def test_pickles_and_files_hold_the_dictionary_once(digits, tmp_path):
    X, _, y, _ = digits
    model = CrossLabelClassifierCV(**SMALL, random_state=0).fit(X, y)
    assert "_fitted" not in model.__getstate__()
    crosslabel.save(model, tmp_path / "m")
    for again in (pickle.loads(pickle.dumps(model)), crosslabel.load(tmp_path / "m")):
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.dictionary_ is again.best_estimator_.dictionary_
        assert again.best_params_ == model.best_params_
        assert_array_equal(split_scores(again), split_scores(model))
    assert encoded(again) == encoded(model) == (tmp_path / "m").read_bytes()
    bare = pickle.loads(pickle.dumps(clone(model)))
    assert not hasattr(bare, "dictionary_")
    assert not hasattr(bare, "ridge_")


def test_a_state_of_format_1_opens(digits):
    X, _, y, _ = digits
    best = CrossLabelClassifier(atoms_per_class=3, ridge=0.01, rule="local").fit(X, y)
    earlier = {
        "atoms_per_class": (3,), "shared_atoms": 0, "ridges": (0.01,), "suppressions": (2.0,),
        "groupings": (0.1,), "rule": "auto", "cv": 5, "normalize": True, "init": "kmeans",
        "max_iter": 20, "tol": 1e-4, "solver": "exact", "random_state": 0, "verbose": 0,
        "probability": True, "classes_": best.classes_, "dictionary_": best.dictionary_,
        "atom_labels_": best.atom_labels_, "n_iter_": 3, "temperature_": 2.0, "ridge_": 0.01,
        "rule_": "local", "atoms_per_class_": 3, "suppression_": 2.0, "grouping_": 0.1,
        "best_params_": {"ridge": 0.01, "rule": "local"}, "best_estimator_": best,
        "best_index_": 0, "best_score_": 0.9, "n_features_in_": 64, "cv_results_": {},
    }  # fmt: skip
    model = CrossLabelClassifierCV.__new__(CrossLabelClassifierCV)
    model.__setstate__(earlier)
    assert_array_equal(model.predict(X), best.predict(X))
    assert (model.ridge_, model.rule_, model.scale) == (0.01, "local", "unit")
    assert model.rules == ("global", "local")
    assert clone(model).get_params() == model.get_params()
    one = {**earlier, "rule": "local", "solver": "class", "normalize": False}
    again = of_format_1(one)
    assert (again["rules"], again["scale"], again["suppressions"]) == (
        ("local",),
        "none",
        (math.inf,),
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridges": []}, r"ridges must be a sequence of numbers of zero or more; got \[\]"),
        ({"suppressions": [-1.0]}, r"suppressions must be .* got \[-1.0\]"),
        ({"groupings": [np.nan]}, r"groupings must be"),
        ({"atoms_per_class": []}, "atoms_per_class is empty"),
        ({"atoms_per_class": [0]}, "integer of one or more, .* got 0"),
        ({"atoms_per_class": [[1, 2]]}, r"for each of the 3 classes; got \[1, 2\]"),
        ({"rules": ["other"]}, r"names of .*'joint'\]; got \['other'\]"),
        ({"scoring": "other"}, "'scoring' parameter"),
    ],
)
def test_bad_grids_are_named_with_their_value_and_change_nothing(parameters, message):
    X, y = samples(np.random.default_rng(0), (4, 4, 4), 5)
    model = CrossLabelClassifierCV(**SMALL).fit(X, y)
    before = model.dictionary_
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(X[:, :3], y)
    assert model.dictionary_ is before
    assert model.n_features_in_ == 5


def test_no_sample_to_hold_out_is_an_error():
    with pytest.raises(ValueError, match="at least two distinct samples"):
        CrossLabelClassifierCV().fit(np.eye(3), [0, 1, 2])


def test_folds_without_a_class_or_without_tests_are_named():
    X, y = samples(np.random.default_rng(0), (2, 4), 5)
    splits = [(np.arange(2, 6), np.arange(2))]
    with pytest.raises(ValueError, match="Fold 0 of cv has no training sample of class 0"):
        CrossLabelClassifierCV(cv=splits).fit(X, y)
    with pytest.raises(ValueError, match="Fold 0 of cv has no test sample"):
        CrossLabelClassifierCV(cv=[(np.arange(6), np.arange(0))]).fit(X, y)
    with pytest.raises(ValueError, match="cv gives no split"):
        CrossLabelClassifierCV(cv=[]).fit(X, y)


def test_a_class_of_one_sample_is_never_held_out():
    X, y = samples(np.random.default_rng(0), (1, 5, 6), 5)
    model = CrossLabelClassifierCV(**SMALL, cv=3, random_state=0).fit(X, y)
    assert len(model.classes_) == 3
    assert np.isfinite(split_scores(model)).all()


def test_verbose_prints_every_setting(capsys):
    X, y = samples(np.random.default_rng(0), (4, 4), 5)
    CrossLabelClassifierCV(**SMALL, verbose=1).fit(X, y)
    assert capsys.readouterr().out.count("[CrossLabelClassifierCV]") == 12


def test_the_choice_is_of_as_many_samples_as_weigh():
    X, y = load_digits(return_X_y=True)
    weights = np.random.default_rng(0).uniform(0.5, 2, 120)
    model = CrossLabelClassifierCV(
        atoms_per_class=(2,), ridges=(0.1,), cv=2, max_iter=2, random_state=0
    ).fit(X[:120], y[:120], sample_weight=weights)
    assert model._fitted.choice.n_samples == pytest.approx(weights.sum())


def test_samples_of_any_size_are_compared_only_where_they_are_scaled():
    X, y = samples(np.random.default_rng(0), (9, 9), 4)
    X[:9] *= 1e-200
    CrossLabelClassifierCV(**SMALL, cv=3, scale="unit").fit(X, y)
    with pytest.raises(ValueError, match="beside the one, nothing is left of the other"):
        CrossLabelClassifierCV(**SMALL, cv=3, scale="none").fit(X, y)
