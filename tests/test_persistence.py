import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.pipeline import make_pipeline

from crosslabel import CrossLabelClassifier
from crosslabel.features import LBPTOP, DenseSIFT, Eigenfaces, Pixels, RandomFaces, SpatialPyramid
from crosslabel.persistence import Model, load, save

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.random((12, 24, 24)).astype(np.float32)
CLIPS = RANDOM.integers(0, 256, (12, 5, 8, 8), dtype=np.uint8)
LABELS = np.repeat([0, 1, 2], 4)
CLASSIFIER = CrossLabelClassifier(atoms_per_class=2, rule="global", random_state=0)

PIPELINES = {
    "pixels": (make_pipeline(Pixels((8, 8), log=True), CLASSIFIER), IMAGES),
    "eigenfaces": (make_pipeline(Pixels(), Eigenfaces(9), CLASSIFIER), IMAGES),
    "randomfaces": (make_pipeline(Pixels(), RandomFaces(9, random_state=0), CLASSIFIER), IMAGES),
    "spm": (
        make_pipeline(
            SpatialPyramid(8, descriptor=DenseSIFT(6, (16,)), random_state=0), CLASSIFIER
        ),
        IMAGES,
    ),
    "lbptop": (make_pipeline(LBPTOP(), CLASSIFIER), CLIPS),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_what_was_saved_predicts_the_same(tmp_path, name):
    pipeline, items = PIPELINES[name]
    pipeline.fit(items, LABELS)
    kind = "clips" if name == "lbptop" else "images"
    model = Model(pipeline, ["a", "b", "ü"], kind, name, {"note": "first", "accuracy": 0.5})
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    assert again.class_names == ["a", "b", "ü"]
    assert again.summary == {"note": "first", "accuracy": 0.5}
    np.testing.assert_array_equal(
        again.pipeline.decision_function(items), pipeline.decision_function(items)
    )


@pytest.fixture
def saved(tmp_path):
    pipeline, items = PIPELINES["pixels"]
    place = tmp_path / "m.skops"
    save(Model(pipeline.fit(items, LABELS), ["a", "b", "c"], "images", "pixels"), place)
    return place


@pytest.mark.parametrize("keep", [0, 10, 500])
def test_truncated_files(saved, keep):
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(ValueError, match="cannot be loaded as a model"):
        load(saved)


def test_pickles_and_other_zips_are_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    place = tmp_path / "evil.skops"
    place.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match="cannot be loaded"):
        load(place)
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ValueError, match="cannot be loaded"):
        load(place)
    assert not (tmp_path / "ran").exists()


class Foreign:
    """A type that is neither ours nor scikit-learn's."""


def test_foreign_types_are_refused(tmp_path):
    place = tmp_path / "foreign.skops"
    skops.io.dump({"format": "crosslabel model 1", "pipeline": Foreign()}, place)
    with pytest.raises(ValueError, match=r"not trusted: tests\.test_persistence\.Foreign"):
        load(place)


def test_something_else_written_by_skops(tmp_path):
    skops.io.dump({"a": 1}, tmp_path / "other.skops")
    with pytest.raises(ValueError, match="not marked as"):
        load(tmp_path / "other.skops")


def test_a_failed_save_keeps_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(load(saved), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]
