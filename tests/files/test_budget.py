import pytest

from crosslabel.files.budget import OPERATIONS, Budget, OverBudget, budget


def test_the_variable_replaces_what_it_names(monkeypatch):
    monkeypatch.delenv("CROSSLABEL_BUDGET", raising=False)
    assert budget() == Budget()
    monkeypatch.setenv("CROSSLABEL_BUDGET", "bytes=4G, seconds=1.5")
    assert budget() == Budget(bytes=4e9, seconds=1.5)


@pytest.mark.parametrize("text", ["bytes", "bytes=", "bytes=-1", "bites=3", "rows=x", "rows=nan"])
def test_a_variable_that_is_no_limit_is_named(monkeypatch, text):
    monkeypatch.setenv("CROSSLABEL_BUDGET", text)
    with pytest.raises(ValueError, match=r"which is no limit. Write it as bytes=4G"):
        budget()


def test_an_error_names_the_limit_and_a_value_that_would_do(monkeypatch):
    with pytest.raises(OverBudget, match=r"^This takes 3.2 G bytes, more than .* 512 M") as caught:
        Budget().check("bytes", 3.2e9, "This")
    monkeypatch.setenv(*str(caught.value).rpartition(" ")[2].split("=", 1))
    budget().check("bytes", 3.2e9, "This")


def test_what_is_within_passes_and_what_is_no_number_does_not():
    limits = Budget(rows=10, seconds=2)
    limits.check("rows", 10, "It")
    limits.check_work(2 * OPERATIONS, "It")
    with pytest.raises(OverBudget, match="seconds"):
        limits.check_work(2.1 * OPERATIONS, "It")
    with pytest.raises(OverBudget):
        limits.check("rows", float("nan"), "It")
