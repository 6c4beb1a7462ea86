import pytest

from crosslabel.flagship.problem import Settings
from crosslabel.flagship.wish import Wish


@pytest.mark.parametrize(
    ("named", "is_open"),
    [
        ({}, True),
        ({"rule": "local"}, True),
        ({"ridge": 0.1}, True),
        ({"rule": "joint", "ridge": 0.1}, True),
        ({"rule": "local", "ridge": 0.1}, False),
        ({"rule": "global", "ridge": 0.1}, False),
    ],
)
def test_a_wish_is_open_unless_rule_and_ridge_are_named(named, is_open):
    assert Wish(Settings(), **named).is_open == is_open


NAMED = {"rule": "local", "ridge": 0.1}


@pytest.mark.parametrize(
    ("settings", "named", "parts"),
    [
        ({}, NAMED, True),
        ({"grouping": 0.1}, NAMED, True),
        ({}, {"rule": "local"}, False),
        ({"shared_atoms": 1}, NAMED, False),
        ({"suppression": 2.0}, NAMED, False),
        ({"init": "kmeans"}, NAMED, False),
    ],
)
def test_classes_part_where_nothing_is_shared_or_chosen(settings, named, parts):
    assert Wish(Settings(**settings), **named).parts_classes == parts


@pytest.mark.parametrize(
    ("settings", "named", "there"),
    [
        ({}, NAMED, True),
        ({"device": None}, NAMED, False),
        ({"grouping": 0.1}, NAMED, False),
        ({}, {"rule": "local"}, False),
        ({}, NAMED | {"scale": "unit", "kernel": "linear", "offset": 1.0}, True),
        ({}, NAMED | {"scale": "standard"}, False),
        ({}, NAMED | {"scale": "none"}, False),
        ({}, NAMED | {"kernel": "rbf"}, False),
    ],
)
def test_what_a_device_learns(settings, named, there):
    assert Wish(Settings(**{"device": "cpu", **settings}), **named).is_for_device == there
