import pytest

from crosslabel.files.container import ModelFileError
from crosslabel.files.schema import arrays, audit, canonical, children, walk


def node(loader, module="builtins", name="dict", **more):
    return {"__loader__": loader, "__module__": module, "__class__": name, **more}


def text(value):
    return node("JsonNode", name="str", content=f'"{value}"')


def array(file, identity=0):
    kind = {"type": "numpy", "file": file, "__id__": identity}
    return node("NdArrayNode", "numpy", "ndarray", **kind)


def entries(**content):
    return node("DictNode", content=content, key_types=node("ListNode", name="list", content=[]))


def pair(name, value):
    return node("TupleNode", name="tuple", content=[text(name), value])


def test_parents_come_before_their_children():
    tree = entries(a=node("ListNode", name="list", content=[text("x"), text("y")]), b=text("z"))
    loaders = [each["__loader__"] for each in walk(tree)]
    assert loaders == ["DictNode", "ListNode", "JsonNode", "JsonNode", "JsonNode", "ListNode"]
    assert [label for label, _ in children(tree)] == ["a", "b", "key_types"]


def test_other_loaders_are_refused_wherever_they_stand():
    bad = node("MethodNode", "os", "system")
    with pytest.raises(ModelFileError, match=r"holds os\.system by way of MethodNode"):
        list(walk(entries(a=bad)))


def test_all_types_that_are_not_trusted_are_named():
    tree = entries(a=node("TypeNode", "os", "system"), b=node("TypeNode", "abc", "ABC"))
    with pytest.raises(ModelFileError, match=r"not trusted: abc\.ABC, os\.system"):
        audit(tree)
    audit(entries(a=node("TypeNode", "crosslabel.methods.crc", "CRC")))


def test_identities_and_files_are_numbered_in_the_order_of_the_tree():
    tree = entries(a=array("140.npy", 77), b=array("99.npy", 12), c=array("140.npy", 77))
    assert canonical(tree) == {"140.npy": "0.npy", "99.npy": "1.npy"}
    found = [each for each in walk(tree) if each["__loader__"] == "NdArrayNode"]
    assert [each["file"] for each in found] == ["0.npy", "1.npy", "0.npy"]
    assert [each["__id__"] for each in found] == [1, 2, 1]


def test_an_array_goes_by_attributes_and_by_names_of_steps():
    steps = node("ListNode", name="list", content=[pair("crc", entries(coder_=array("0.npy")))])
    tree = entries(steps=steps, mean_=array("1.npy"))
    assert list(arrays(tree)) == [("crc.coder_", "0.npy"), ("mean_", "1.npy")]
