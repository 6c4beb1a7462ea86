import numpy as np
import pytest

from crosslabel.files.forms import (
    Either,
    Field,
    Form,
    Labels,
    Words,
    check_attributes,
    numbers,
    positive,
    whole,
)


@pytest.mark.parametrize(
    ("rule", "value", "reason"),
    [
        (numbers("a"), np.zeros((2, 2)), "must have 1 axes"),
        (numbers("a"), [1.0], "must have 1 axes"),
        (numbers("known"), np.zeros(2), "2 should be 5"),
        (numbers("a"), np.zeros(2, int), "is of type int64"),
        (numbers("a"), np.array([1.0, np.nan]), "values from nan"),
        (numbers("a"), np.array([1e31]), "between -1e.30 and 1e.30"),
        (numbers("a"), np.array([1e10], np.float32), "between -1e.09"),
        (positive("a"), np.array([0.0]), "from 0 to 0"),
        (whole("a", high="known"), np.array([0, 5]), "between 0 and 4"),
        (whole("a"), np.array([-1]), "from -1"),
        (Words(("x", None)), "y", "not one of"),
        (Words((False,)), 0, "not one of"),
        (Labels("a"), np.array([2, 1]), "not sorted"),
        (Labels("a"), np.array(["a", "a"]), "names a class twice"),
        (Labels("a"), np.array([0.0, np.nan]), "not finite"),
        (Labels("a"), np.zeros((2, 2)), "no list of labels"),
        (Labels("a"), np.array(["a", ["b"]], object), "other objects than text"),
        (Either(numbers("a"), numbers()), np.zeros((2, 2)), "must have 0 axes"),
    ],
)
def test_what_breaks_a_rule(rule, value, reason):
    with pytest.raises(ValueError, match=reason):
        rule.check("it", value, {"known": 5})


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (numbers("known"), np.full(5, 1e30)),
        (numbers("a", optional=True), None),
        (numbers(), 0.5),
        (whole("a", high="known"), np.array([0, 4])),
        (Labels("a"), np.array(["a", "b"], object)),
        (Either(numbers("a"), numbers()), np.float64(1)),
        (Field(("a",), "b"), np.array([True])),
    ],
)
def test_what_keeps_a_rule(rule, value):
    rule.check("it", value, {"known": 5})


def test_axes_are_shared_and_follow_from_the_common_attributes():
    state = {"n_features_in_": 4, "classes_": np.arange(3), "coef_": np.zeros((3, 4))}
    rules = {"coef_": numbers("scores", "features")}
    assert check_attributes(state, rules) == {
        "features": 4,
        "classes": 3,
        "scores": 3,
        "pairs": 3,
        "others": 2,
    }
    with pytest.raises(ValueError, match="coef_ has shape"):
        check_attributes(state | {"coef_": np.zeros((3, 5))}, rules)


def test_a_form_knows_every_attribute():
    form = Form({"mean_": numbers("features")}, {"size": whole(high=9)})
    form.check({"n_features_in_": 2, "mean_": np.zeros(2), "size": 9}, {"size": 9})
    with pytest.raises(ValueError, match="'other_', which is not known"):
        form.check({"other_": 1}, {})
    with pytest.raises(ValueError, match="size has values"):
        form.check({"size": 10}, {"size": 10})
