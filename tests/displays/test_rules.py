import numpy as np
from numpy.testing import assert_allclose
from sklearn.model_selection import StratifiedKFold

from crosslabel import CrossLabelClassifier
from crosslabel.displays import RulesDisplay


def test_curves_are_accuracies_of_each_fold_by_each_rule(digits):
    X, y = digits[0][:300], digits[1][:300]
    folds = StratifiedKFold(3)
    display = RulesDisplay.from_estimator(
        CrossLabelClassifier(atoms_per_class=5, ridge=0.1), X, y,
        param_name="ridge", param_range=[0.01, 1.0], cv=folds,
    )  # fmt: skip
    model = CrossLabelClassifier(atoms_per_class=5, ridge=1.0, rule="global")
    expected = [
        np.mean(model.fit(X[train], y[train]).predict(X[test]) == y[test])
        for train, test in folds.split(X, y)
    ]
    assert_allclose(display.scores["global"][1], expected)
    assert_allclose(display.lines_["global"].get_ydata()[1], np.mean(expected))
    assert display.ax_.get_xscale() == "log"


def test_labels_at_hand_become_accuracies():
    found = {"local": [[0, 1, 1, 1], [0, 1, 0, 1]]}
    display = RulesDisplay.from_predictions(
        [0, 1, 0, 0], found, param_name="atoms_per_class", param_range=[1, 2]
    )
    assert_allclose(display.lines_["local"].get_ydata(), [0.5, 0.75])
    assert display.ax_.get_xscale() == "linear"


def test_infinite_suppression_has_a_place_beyond_the_others():
    found = {"local": [[0], [0], [0]]}
    display = RulesDisplay.from_predictions(
        [0], found, param_name="suppression", param_range=[1, 100, np.inf]
    )
    assert_allclose(display.lines_["local"].get_xdata(), [1, 100, 1000])
    shown = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert shown == ["1", "100", "∞"]
    assert display.ax_.get_xlabel() == "suppression λ"
