"""Files with a right checksum that ask for too much; a sample of `benchmarks.hostile`."""

import json
import re
import sys

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

pytest.importorskip("resource", reason="limits of memory need a Unix system")

from benchmarks.hostile import outcomes
from benchmarks.loadable import loadable

from crosslabel import SRC, CrossLabelClassifier
from crosslabel.features import LBPTOP, DenseSIFT, Pixels, SpatialPyramid
from crosslabel.files.model import encoded
from tests.files.problems import CLIPS, IMAGES, LABELS, with_arrays, with_json, with_values
from tests.limited import child
from tests.methods.test_methods import faces

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")

LOADED_AND_ASKED = """
import json, time
import numpy as np
import sklearn.pipeline, crosslabel.features, crosslabel.methods
from crosslabel import CrossLabelClassifier
from crosslabel.files import load, ModelFileError
CrossLabelClassifier(atoms_per_class=1).fit(np.eye(4), [0, 0, 1, 1]).predict(np.eye(4))
folder = Path(sys.argv[1])
queries = {name: np.load(folder / f"{name}.npy") for name in ("rows", "images", "clips")}
limit(512)
for place in sorted(folder.glob("*.skops")):
    started, query = time.process_time(), queries[place.stem.split()[0]]
    try:
        load(place).predict(list(query) if query.ndim > 2 else query)
        ending = "answered"
    except ModelFileError as error:
        ending = f"refused: {error}"
    pace = "slow" if time.process_time() - started > 2 else "quick"
    print(json.dumps([place.stem, ending, pace]))
"""


def flagship(**settings):
    X, y = faces()
    return encoded(CrossLabelClassifier(atoms_per_class=2, random_state=0, **settings).fit(X, y))


def shared_lists(content):
    """An array of objects in whose place lists stand that share one identity."""

    def change(tree):
        kind = {"__module__": "builtins", "__class__": "list"}
        number = {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "int"}
        ones = [number | {"content": "1"} for _ in range(1000)]
        rows = [{"__loader__": "ListNode", **kind, "__id__": 10**6, "content": ones}]
        rows += [{"__loader__": "ListNode", **kind, "__id__": 10**6, "content": []}] * 400
        shape = {"__loader__": "TupleNode", "__module__": "builtins", "__class__": "tuple"}
        sizes = [number | {"content": json.dumps(n)} for n in (401, 1000)]
        tree["content"]["content"]["random_state"] = {
            "__loader__": "NdArrayNode",
            "__module__": "numpy",
            "__class__": "ndarray",
            "type": "json",
            "content": rows,
            "shape": shape | {"content": sizes},
        }

    return with_json(content, "schema.json", change)


def pipeline(feature, items):
    classifier = CrossLabelClassifier(atoms_per_class=2, rule="global", random_state=0)
    return encoded(make_pipeline(feature, classifier).fit(items, LABELS))


def grown(content, name, values):
    """A file in which an attribute that is a tuple of numbers is another one."""

    def change(tree):
        for node in _dictionaries(tree):
            if name in node["content"]:
                number = {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "int"}
                node["content"][name]["content"] = [number | {"content": str(v)} for v in values]

    return with_json(content, "schema.json", change)


def _dictionaries(value):
    if isinstance(value, dict):
        if value.get("__loader__") == "DictNode":
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _dictionaries(entry)


def hostile_files():
    """For each name the content of a file that asks for too much, and why it is refused."""
    local = flagship(rule="local")
    pixels = pipeline(Pixels((8, 8)), IMAGES)
    histograms = pipeline(LBPTOP(), CLIPS)
    pyramid = pipeline(SpatialPyramid(8, descriptor=DenseSIFT(6, (16,)), random_state=0), IMAGES)
    padded = np.sort(np.r_[np.zeros(1000, int), np.arange(2000)])
    padded_classes = {
        "classes": np.arange(2000),
        "atom_labels": padded,
        "dictionary": np.zeros((len(padded), 30), np.float32),
    }
    shared = np.r_[np.full(200, -1), np.arange(6000)]  # products of 200 atoms for each class
    many_classes = {
        "classes": np.arange(6000),
        "atom_labels": shared,
        "dictionary": np.zeros((len(shared), 30), np.float32),
    }
    vast = grown(grown(pixels, "image_shape_", (30_000,) * 2), "size", (30_000,) * 2)
    return {
        "rows no length": (with_arrays(local, classes=np.zeros((10**8, 0))), "rows, more than"),
        "rows shared lists": (shared_lists(local), "an array of objects holds other than"),
        "rows padded": (
            with_arrays(local, **padded_classes),
            "too small for|more than",
        ),
        "rows many": (with_arrays(local, **many_classes), "too small for|more than"),
        "images vast": (vast, r"An image of \(30000, 30000\) takes 28.8 G bytes"),
        "images levels": (grown(pyramid, "levels", (1,) * 20_000), "levels must be 1 to 16"),
        "images cells": (grown(pyramid, "levels", (1, 20_000)), "takes 102 G bytes"),
        "images smooth": (with_values(pyramid, smoothing=1e7), "smoothing"),
        "images side": (with_values(pyramid, longest_side_=1e7), "longest_side_"),
        "clips neighbours": (with_values(histograms, neighbours=30), "neighbours"),
        "clips radii": (with_values(histograms, radii=None), "radii"),
    }


@linux
def test_small_files_fill_no_memory_and_take_no_time(tmp_path):
    files = hostile_files()
    for name, (content, _) in files.items():
        (tmp_path / f"{name}.skops").write_bytes(content)
    for name, query in {"rows": faces()[0], "images": IMAGES[:1], "clips": CLIPS[:1]}.items():
        np.save(tmp_path / f"{name}.npy", query)
    answers = [json.loads(line) for line in child(LOADED_AND_ASKED, tmp_path).splitlines()]
    assert {name for name, _, _ in answers} == files.keys()
    for name, ending, pace in answers:
        assert ending.startswith("refused"), (name, ending)
        assert re.search(files[name][1], ending), (name, ending)
        assert pace == "quick", name


def test_products_of_atoms_are_computed_not_believed():
    X, y = faces()
    model = SRC().fit(X, y)
    assert b"_gram" not in encoded(model)
    # A file of an earlier version has them; one that was changed has them wrong.
    wrong = X @ X.T
    wrong[0, 1] = wrong[1, 0] = -5.0
    model.__dict__["_gram"] = wrong
    model.check_stored()
    np.testing.assert_allclose(
        model.decision_function(X[:3]), SRC().fit(X, y).decision_function(X[:3]), rtol=1e-9
    )


@pytest.mark.slow
@linux
def test_no_file_of_a_sample_crashes_hangs_or_fills_the_memory():
    found = list(outcomes(range(10**6, 10**6 + 2000), loadable()))
    assert [each for each in found if each.is_bad] == []
    assert {"refused", "answered"} <= {each.ending for each in found}
