"""Trees that skops would not write: refused, or without effect beyond the object itself."""

import json
import pickle

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.files import ModelFileError, load
from crosslabel.files.container import pack
from crosslabel.files.model import encoded
from tests.files.problems import members, npy, small_file, with_json, with_member


def refuse(tmp_path, content, reason):
    place = tmp_path / "m"
    place.write_bytes(content)
    with pytest.raises(ModelFileError, match=reason):
        load(place)


def unfitted():
    return encoded(CrossLabelClassifier())


def attribute(name, node):
    """Put a node in the place of an attribute of the classifier."""

    def change(schema):
        schema["content"]["content"][name] = node

    return with_json(unfitted(), "schema.json", change)


def made(loader, module, name, **more):
    return {"__loader__": loader, "__module__": module, "__class__": name, **more}


TEXT_TYPE = made("TypeNode", "builtins", "str")
TEXT = made("JsonNode", "builtins", "str", content='"x"')
TREES = {
    "function": (made("FunctionNode", "os", "system"), r"not trusted: os\.system"),
    "our function": (made("FunctionNode", "crosslabel.media.gray", "gray_image"), "not trusted"),
    "type": (made("TypeNode", "subprocess", "Popen"), "not trusted"),
    "method": (made("MethodNode", "builtins", "str", content={}), "by way of MethodNode"),
    "partial": (made("PartialNode", "functools", "partial", content={}), "by way of PartialNode"),
    "operator": (made("OperatorFuncNode", "operator", "methodcaller"), "by way of Operator"),
    "cached": (made("CachedNode", "x", "y"), "by way of CachedNode"),
    "sparse": (made("SparseMatrixNode", "scipy.sparse", "csr_matrix"), "by way of Sparse"),
    "loader": (made("nonsense", "builtins", "str"), "by way of nonsense"),
    "list as dict": (made("ListNode", "builtins", "dict", content=[]), "written as a list"),
    "builtin object": (made("ObjectNode", "builtins", "str", content=TEXT), "as an object"),
    "text as state": (
        made("ObjectNode", "crosslabel.core.atoms", "AtomLayout", content=TEXT),
        "no set of attributes",
    ),
    "few fields": (
        made("TupleNode", "crosslabel.core.objective", "Penalties", content=[TEXT]),
        "does not have 1 fields",
    ),
    "not a tuple": (
        made("TupleNode", "crosslabel.core.atoms", "AtomLayout", content=[TEXT, TEXT]),
        "does not have 2 fields",
    ),
    "absent file": (
        made("NdArrayNode", "numpy", "ndarray", type="numpy", file="9.npy"),
        "'9.npy' is missing",
    ),
    "file outside": (
        made("NdArrayNode", "numpy", "ndarray", type="numpy", file="/etc/passwd"),
        "is missing",
    ),
    "slice": (
        made("SliceNode", "builtins", "slice", content={"start": "a", "stop": 1, "step": 1}),
        "a slice goes",
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_that_are_refused(tmp_path, name):
    node, reason = TREES[name]
    refuse(tmp_path, attribute("ridge", node), reason)


def test_all_foreign_types_are_named_at_once(tmp_path):
    def change(schema):
        schema["content"]["content"]["ridge"] = made("FunctionNode", "os", "system")
        schema["content"]["content"]["tol"] = made("TypeNode", "subprocess", "Popen")

    content = with_json(unfitted(), "schema.json", change)
    refuse(tmp_path, content, r"os\.system, subprocess\.Popen")


def test_pickles_inside_are_refused_and_not_run(tmp_path):
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return open, (str(ran), "w")

    content, payload = small_file(), pickle.dumps(Evil())
    objects = npy(np.array([Evil()], dtype=object), allow_pickle=True)
    ran.unlink(missing_ok=True)
    for name, value in [("0.npy", payload), ("0.npy", objects), ("schema.json", payload)]:
        refuse(tmp_path, with_member(content, name, value), "cannot be loaded")
    refuse(tmp_path, payload, "no model file")
    assert not ran.exists()


def test_one_array_in_many_places_is_made_once(tmp_path):
    node = made("NdArrayNode", "numpy", "ndarray", type="numpy", file="0.npy")

    def change(schema):
        schema["content"]["content"]["kept_"] = made(
            "ListNode", "builtins", "list", content=[node] * 10_000
        )
        schema["content"]["key_types"]["content"].append(TEXT_TYPE)

    many = with_json(unfitted(), "schema.json", change)
    place = tmp_path / "m"
    place.write_bytes(pack((members(many) | {"0.npy": npy(np.zeros(10**5))}).items()))
    found = load(place).kept_
    assert len(found) == 10_000
    assert all(array is found[0] for array in found)


def test_attributes_do_not_reach_the_class(tmp_path):
    place = tmp_path / "m"
    place.write_bytes(attribute("__class__", TEXT))
    before = dict(vars(CrossLabelClassifier))
    with pytest.raises(ModelFileError, match="keys of a dictionary"):
        load(place)
    assert dict(vars(CrossLabelClassifier)) == before


def array_member(content, attribute_name):
    """The member that holds an array of the model in the last step."""
    tree = json.loads(members(content)["schema.json"])
    steps = tree["content"]["content"]["steps"]["content"]
    fitted = steps[-1]["content"][1]["content"]["content"]["_fitted"]["content"]
    place = fitted if attribute_name in fitted else fitted["views"]["content"][0]["content"]
    return place[attribute_name]["file"]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("dictionary", np.zeros((5, 64)), "atom_labels_ has 6 atoms"),
        ("dictionary", np.zeros(6), "atom_labels_ has 6 atoms"),
        ("dictionary", np.full((6, 64), "x"), "atom_labels_ has 6 atoms"),
        ("atom_labels", np.array([0, 1, 0, 1, 2, 2]), "does not list the shared atoms"),
        ("atom_labels", np.array([0, 0, 1, 1, 2, 10**9]), "does not list atoms of 3"),
        ("classes", np.arange(2), "does not list atoms of 2"),
    ],
)
def test_a_dictionary_that_does_not_fit_is_refused(tmp_path, name, value, reason):
    content = small_file()
    refuse(tmp_path, with_member(content, array_member(content, name), npy(value)), reason)


def test_a_dictionary_that_would_stop_the_reader_is_refused(tmp_path):
    content = small_file()
    many = with_member(content, array_member(content, "dictionary"), npy(np.zeros((50_000, 1))))
    labels = np.repeat([0, 1, 2], [49_998, 1, 1])
    refuse(
        tmp_path,
        with_member(many, array_member(content, "atom_labels"), npy(labels)),
        "is too small for the 0 shared atoms and up to 49998",
    )
