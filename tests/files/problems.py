"""Small fitted models, and files made to harm."""

import io
import json
import zipfile

import numpy as np
from sklearn.pipeline import make_pipeline

from crosslabel import CrossLabelClassifier
from crosslabel.features import LBPTOP, DenseSIFT, Eigenfaces, Pixels, RandomFaces, SpatialPyramid
from crosslabel.files import Model
from crosslabel.files.container import PREFIX, pack, seal
from crosslabel.files.model import encoded
from crosslabel.files.schema import arrays

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.random((12, 24, 24)).astype(np.float32)
CLIPS = RANDOM.integers(0, 256, (12, 5, 8, 8), dtype=np.uint8)
LABELS = np.repeat([0, 1, 2], 4)
CLASSIFIER = CrossLabelClassifier(atoms_per_class=2, rule="global", random_state=0)
PYRAMID = SpatialPyramid(8, longest_side=None, descriptor=DenseSIFT(6, (16,)), random_state=0)

PIPELINES = {
    "pixels": (make_pipeline(Pixels((8, 8), log=True), CLASSIFIER), IMAGES),
    "eigenfaces": (make_pipeline(Pixels(), Eigenfaces(9), CLASSIFIER), IMAGES),
    "randomfaces": (make_pipeline(Pixels(), RandomFaces(9, random_state=0), CLASSIFIER), IMAGES),
    "spm": (make_pipeline(PYRAMID, CLASSIFIER), IMAGES),
    "lbptop": (make_pipeline(LBPTOP(), CLASSIFIER), CLIPS),
}


def small_model():
    """A fitted model of pixels, as `crosslabel fit` makes them."""
    pipeline, items = PIPELINES["pixels"]
    return Model(pipeline.fit(items, LABELS), ["a", "b", "ü"], "images", "pixels", {"note": "x"})


def small_file():
    """Its bytes."""
    return encoded(small_model())


def members(content):
    """Name and content of each member of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_member(content, name, value):
    """A file with one member changed, and a checksum that holds."""
    return pack((members(content) | {name: value}).items())


def with_json(content, name, change):
    """A file with the JSON of one member changed, and a checksum that holds."""
    value = json.loads(members(content)[name])
    change(value)
    return with_member(content, name, json.dumps(value).encode())


def any_zip(write):
    """A sealed archive that `write` fills through zipfile, by no rules of ours."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        write(archive)
        archive.comment = PREFIX + b"0" * 64
    return seal(buffer.getvalue())


def npy(array, allow_pickle=False):
    """Bytes of an array in NumPy's format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def with_arrays(content, **changes):
    """A sealed file in which arrays, by the names of their attributes, are others."""
    parts = members(content)
    places = dict(arrays(json.loads(parts["schema.json"])))
    for name, value in changes.items():
        file = next(f for path, f in places.items() if path.rpartition(".")[2] == name)
        old = np.load(io.BytesIO(parts[file]))
        parts[file] = npy(value(old) if callable(value) else value)
    return pack(parts.items())


def with_values(content, **changes):
    """A sealed file in which plain attributes, wherever they are, have other values."""

    def change(tree):
        for node in nodes(tree):
            if node["__loader__"] == "DictNode":
                for name in changes.keys() & node["content"].keys():
                    value = json.dumps(changes[name])
                    kind = {"__loader__": "JsonNode", "__module__": "builtins", "__class__": "str"}
                    node["content"][name] = kind | {"content": value}

    return with_json(content, "schema.json", change)


def nodes(value):
    """All nodes of a tree."""
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from nodes(entry)
