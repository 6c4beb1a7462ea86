import json

import pytest

from crosslabel.files.budget import OverBudget
from crosslabel.files.container import ModelFileError
from crosslabel.files.weigh import weigh
from tests.files.problems import members, small_file


def node(identity=None, content=(), loader="ListNode"):
    found = {"__loader__": loader, "__module__": "builtins", "__class__": "list"}
    return found | {"content": list(content)} | ({} if identity is None else {"__id__": identity})


def number():
    return {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "int", "content": "1"}


def test_every_node_counts_once_and_shared_ones_each_time():
    assert weigh(node(content=[number()] * 5)) == 6
    inner = node(7, [number()] * 10)
    again = node(7)  # stands for the same list, in a few bytes
    assert weigh(node(content=[inner, again, again])) == 1 + 3 * 11


def test_lists_that_share_one_identity_are_counted_unfolded():
    level = node(0, [number()] * 100)
    for identity in (1, 2):
        level = node(identity, [level, *[node(identity - 1)] * 299])
    with pytest.raises(OverBudget, match="more than the limit of 1 M"):
        weigh(node(content=[level, *[node(2)] * 299]))


def test_depth():
    tree = number()
    for _ in range(80):
        tree = node(content=[tree])
    with pytest.raises(ModelFileError, match="deeper than 64"):
        weigh(tree)


def test_an_honest_model_weighs_little():
    assert weigh(json.loads(members(small_file())["schema.json"])) < 2000
