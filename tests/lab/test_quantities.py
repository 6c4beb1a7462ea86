from dataclasses import fields

from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record


def test_every_quantity_is_a_number_of_a_record():
    assert set(QUANTITIES) <= {field.name for field in fields(Record)}


def test_shares_are_shown_in_per_cent_and_times_in_units_that_suit_them():
    def shown(name, value):
        quantity = QUANTITIES[name]
        return value * quantity.scale * quantity.shown_scale, quantity.unit

    assert shown("accuracy", 0.5) == (50.0, "%")
    assert shown("mean_per_class", 0.25) == (25.0, "%")
    assert shown("fit_seconds", 3.0) == (3.0, "s")
    assert shown("query_seconds", 0.25) == (250.0, "ms")


def test_only_times_are_times():
    assert [name for name, one in QUANTITIES.items() if one.is_time] == [
        "fit_seconds",
        "query_seconds",
    ]
