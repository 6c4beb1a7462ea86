import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.flagship.grid import Setting
from crosslabel.flagship.judging import judged, results

GRID = [Setting(k, math.inf, 0.0, 0.1, "local") for k in (1, 2, 3, 4)]


def test_of_equals_up_to_rounding_the_first_is_best():
    scores = np.array([[0.5, 0.6], [0.6, 0.8], [0.8, 0.6], [0.1, 0.2]])
    scores[2] += 3e-13
    table, best = results(GRID, scores)
    assert best == 1
    assert_array_equal(table["rank_test_score"], [3, 1, 1, 4])
    assert_allclose(table["mean_test_score"], [0.55, 0.7, 0.7, 0.15])
    assert_allclose(table["std_test_score"], [0.05, 0.1, 0.1, 0.05])
    assert_array_equal(table["split1_test_score"], scores[:, 1])
    assert table["params"][1]["atoms_per_class"] == 2


def test_a_setting_without_a_score_is_the_last():
    scores = np.array([[np.nan, 0.9], [-2.0, -2.0], [-1.0, -1.0], [-3.0, -3.0]])
    table, best = results(GRID, scores)
    assert best == 2
    assert_array_equal(table["rank_test_score"], [4, 2, 1, 3])


def test_no_score_at_all():
    with pytest.raises(ValueError, match="NaN for every setting"):
        results(GRID, np.full((4, 2), np.nan))


def two_folds():
    """Six samples of three classes in two folds, and what one setting says of them."""
    labels, weights = np.array([0, 1, 2, 0, 1, 2]), np.array([1.0, 2.0, 3.0, 1.0, 1.0, 4.0])
    training = (np.zeros((6, 2)), np.array(["a", "b", "c"]), labels, weights)
    splits = [
        (np.array([3, 4, 5]), np.array([0, 1, 2])),
        (np.array([0, 1, 2]), np.array([3, 4, 5])),
    ]
    said = [np.array([[5.0, 1, 0], [4, 6, 1], [3, 2, 2.5]]), np.eye(3)[[1, 1, 2]]]
    answers = [SimpleNamespace(scores=one) for one in said]
    return SimpleNamespace(training=training, splits=splits, answers=lambda setting: answers)


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_accuracy_counts_weights_fold_by_fold(scoring):
    found = judged(two_folds(), ["only"], scoring, weighted=True)
    assert_allclose(found, [[3 / 6, 5 / 6]])


def test_a_scorer_gets_the_samples_the_labels_and_the_weights_where_there_are_any():
    told = []

    def scorer(answers, X, y, **known):
        told.append((y.tolist(), {name: value.tolist() for name, value in known.items()}))
        return float(len(X))

    assert_allclose(judged(two_folds(), ["only"], scorer, weighted=True), [[3, 3]])
    assert told[1] == (["a", "b", "c"], {"sample_weight": [1.0, 1.0, 4.0]})
    judged(two_folds(), ["only"], scorer, weighted=False)
    assert told[-1] == (["a", "b", "c"], {})
