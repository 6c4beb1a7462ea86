import sys

import pytest

from crosslabel.lazy import loader


def test_a_name_comes_from_its_module_when_it_is_asked_for():
    sys.modules.pop("json.tool", None)
    load = loader("json", {"main": "tool"})
    assert "json.tool" not in sys.modules
    assert load("main") is sys.modules["json.tool"].main


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'json' has no attribute 'nothing'"):
        loader("json", {"main": "tool"})("nothing")
