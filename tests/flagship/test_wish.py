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
