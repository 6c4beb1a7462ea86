import math

import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.flagship.grid import Setting, settings

GRID = {
    "atoms_per_class": [2, (1, 2)],
    "suppressions": [1.0, math.inf],
    "groupings": [0.0],
    "ridges": [0.1],
    "rules": ["global", "joint"],
    "shrinkages": [0.5, 1.0],
}


def test_every_combination_in_the_order_of_the_lists():
    found = settings(2, **GRID)
    assert len(found) == 2 * 2 * 3
    assert found[:4] == [
        Setting(2, 1.0, 0.0, 0.1, "global"),
        Setting(2, 1.0, 0.0, 0.1, "joint", 0.5),
        Setting(2, 1.0, 0.0, 0.1, "joint", 1.0),
        Setting(2, math.inf, 0.0, 0.1, "global"),
    ]
    assert found[-1].atoms_per_class == (1, 2)


def test_auto_is_three_rules():
    found = settings(2, **{**GRID, "rules": "auto"})
    assert {one.rule for one in found} == {"local", "global-length", "joint"}


def test_settings_are_parameters_of_the_classifier():
    for one in settings(2, **GRID):
        given = CrossLabelClassifier(**one.parameters).get_params()
        assert given.items() >= one.parameters.items()
        assert given["shrinkage"] == ("auto" if one.shrinkage is None else one.shrinkage)


def test_the_joint_rule_needs_the_scores_of_the_local_rule():
    one = Setting(2, 1.0, 0.0, 0.1, "joint", 0.5)
    assert one.by_dictionary == Setting(2, 1.0, 0.0, 0.1, "local")
    assert one._replace(rule="global").by_dictionary == Setting(2, 1.0, 0.0, 0.1, "global")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ridges": "ab"}, "ridges must be a sequence of numbers of zero or more; got 'ab'"),
        ({"ridges": [math.inf]}, "ridges must be .* got"),
        ({"ridges": [math.inf, 1.0]}, "ridges must be .* got"),
        ({"ridges": [math.nan, 1.0]}, "ridges must be .* got"),
        ({"ridges": [-1.0, 1.0]}, "ridges must be .* got"),
        ({"shrinkages": [0.0, 1.0]}, "shrinkages must be a sequence of numbers above zero"),
        ({"rules": ["local", "other"]}, "rules must be 'auto' or a sequence of names"),
        ({"atoms_per_class": [(0, 2)]}, r"got \(0, 2\)"),
        ({"ridges": 0.1}, "ridges must be a sequence .* got 0.1"),
        ({"shrinkages": [0.0]}, "shrinkages must be a sequence of numbers above zero"),
        ({"rules": []}, r"got \[\]"),
        ({"rules": "local"}, "rules must be 'auto' or a sequence of names .* got 'local'"),
        ({"atoms_per_class": [1.5]}, "got 1.5"),
    ],
)
def test_what_cannot_be_tried_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        settings(2, **{**GRID, **change})


def test_shrinkages_do_not_matter_without_the_joint_rule():
    assert len(settings(2, **{**GRID, "rules": ["local"], "shrinkages": []})) == 4
