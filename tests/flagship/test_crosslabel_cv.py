from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.flagship.crosslabel_cv import _snake
from tests.core.problems import samples

SMALL_GRID = {
    "atoms_per_class": (2, 3),
    "ridges": (1e-2, 1e-1),
    "suppressions": (0.0, 1e3),
    "groupings": (0.0, 0.1),
}


@parametrize_with_checks([CrossLabelClassifierCV(**SMALL_GRID, max_iter=3, cv=3, random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, train_size=300, stratify=y, random_state=0)


def test_it_chooses_as_well_as_a_grid_search_over_the_same_folds(digits):
    X, X_test, y, y_test = digits
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = CrossLabelClassifierCV(
        atoms_per_class=(8, 15), ridges=(8e-3, 8e-2), suppressions=(2e3,), cv=cv, random_state=0
    ).fit(X, y)
    grid = {
        "atoms_per_class": [8, 15],
        "ridge": [8e-3, 8e-2],
        "suppression": [2e3],
        "grouping": [2e-2, 0.5],
        "rule": ["global", "local"],
    }
    theirs = GridSearchCV(CrossLabelClassifier(random_state=0), grid, cv=cv).fit(X, y)
    place = theirs.cv_results_["params"].index(ours.best_params_)
    # Finalists are learnt as a grid search learns them; folds count by size here, equally there.
    assert_allclose(
        ours.cv_results_["split_test_score"][ours.best_index_],
        [theirs.cv_results_[f"split{k}_test_score"][place] for k in range(5)],
    )
    assert theirs.cv_results_["mean_test_score"][place] > theirs.best_score_ - 0.005
    assert ours.score(X_test, y_test) > theirs.score(X_test, y_test) - 0.01


def test_results_cover_the_grid_and_the_best_is_refitted(digits):
    X, _, y, _ = digits
    model = CrossLabelClassifierCV(**SMALL_GRID, random_state=0).fit(X, y)
    assert len(model.cv_results_["params"]) == 32
    assert model.cv_results_["split_test_score"].shape == (32, 5)
    finalists = model.cv_results_["finalist"]
    assert finalists.sum() == 6
    assert model.best_score_ == model.cv_results_["mean_test_score"][finalists].max()
    assert model.best_params_ == model.cv_results_["params"][model.best_index_]
    assert model.ridge_ == model.best_estimator_.ridge == model.best_params_["ridge"]
    assert_array_equal(model.predict(X), model.best_estimator_.predict(X))
    assert_allclose(model.inverse_transform(model.transform(X)).shape, X.shape)


def test_order_of_samples_and_names_of_classes_do_not_matter():
    X, y = samples(np.random.default_rng(0), (6, 7, 8), 6)
    shuffle, names = np.random.default_rng(1).permutation(len(X)), np.array(["c", "a", "b"])
    a = CrossLabelClassifierCV(**SMALL_GRID, random_state=0).fit(X, y)
    b = CrossLabelClassifierCV(**SMALL_GRID, random_state=0).fit(X[shuffle], names[y[shuffle]])
    assert a.best_params_ == b.best_params_
    assert_allclose(a.cv_results_["mean_test_score"], b.cv_results_["mean_test_score"])
    assert_array_equal(names[a.predict(X)], b.predict(X))


def test_merged_fold_statistics_equal_those_of_the_training_samples():
    X, y = samples(np.random.default_rng(0), (6, 7, 8), 6)
    model = CrossLabelClassifierCV()
    model.classes_ = np.arange(3)
    splits = list(StratifiedKFold(3).split(X, y))
    for fold in model._folds(X, y, None, splits, np.random.default_rng(0)):
        merged = fold.train.statistics
        direct = replace(fold.train, known=None).statistics
        assert_allclose(merged.counts, direct.counts)
        assert_allclose(merged.means, direct.means, atol=1e-12)
        for a, b in zip(merged.scatters, direct.scatters):
            assert_allclose(a.matrix(), b.matrix(), atol=1e-12)


def test_splits_that_do_not_tile_the_samples_work_too(digits):
    X, _, y, _ = digits
    cv = ShuffleSplit(3, test_size=0.3, random_state=0)
    model = CrossLabelClassifierCV(**SMALL_GRID, cv=cv, random_state=0).fit(X, y)
    assert model.cv_results_["split_test_score"].shape == (32, 3)


def test_neighbours_on_the_path_differ_in_one_step():
    path = list(_snake([0, 1], [0, 1, 2], [0, 1]))
    assert len(set(path)) == 12
    steps = np.abs(np.diff(path, axis=0)).sum(axis=1)
    assert_array_equal(steps, 1)


def test_probability_is_passed_on(digits):
    X, _, y, _ = digits
    model = CrossLabelClassifierCV(
        atoms_per_class=(5,), ridges=(1e-2,), groupings=(0.02,), probability=True, random_state=0
    ).fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert not hasattr(CrossLabelClassifierCV(), "predict_proba")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridges": []}, r"ridges must be a sequence of numbers of zero or more; got \[\]"),
        ({"suppressions": [-1.0]}, r"suppressions must be .* got \[-1.0\]"),
        ({"groupings": [np.nan]}, r"groupings must be"),
        ({"atoms_per_class": []}, "atoms_per_class is empty"),
        ({"atoms_per_class": [0]}, "integer of one or more, .* got 0"),
        ({"atoms_per_class": [[1, 2]]}, r"for each of the 3 classes; got \[1, 2\]"),
    ],
)
def test_bad_grids_are_named_with_their_value(parameters, message):
    X, y = samples(np.random.default_rng(0), (4, 4, 4), 5)
    with pytest.raises(ValueError, match=message):
        CrossLabelClassifierCV(**parameters).fit(X, y)


def test_no_sample_to_hold_out_is_an_error():
    with pytest.raises(ValueError, match="at least two distinct samples"):
        CrossLabelClassifierCV().fit(np.eye(3), [0, 1, 2])


def test_a_fold_without_a_class_is_named():
    X, y = samples(np.random.default_rng(0), (2, 4), 5)
    splits = [(np.arange(2, 6), np.arange(2))]
    with pytest.raises(ValueError, match="Fold 0 of cv has no training sample of class 0"):
        CrossLabelClassifierCV(cv=splits).fit(X, y)
