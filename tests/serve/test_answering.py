import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from crosslabel import Model, RejectingClassifier, load, save
from crosslabel.media.unreadable import UnreadableFile
from crosslabel.serve.answering import Uploads, load_answerer, problem_of
from tests.app.conftest import CLASSES, picture
from tests.serve.conftest import images_model, rows_model, rows_of


def test_rows_get_what_the_model_itself_says(model_files):
    answerer, model, (X, _) = load_answerer(model_files[0]), rows_model(), rows_of(5)
    assert answerer.width == 8
    found = answerer.answers(X, ["label", "probabilities", "scores", "novelty"])
    assert found["label"].tolist() == model.predict(X).tolist()
    assert_allclose(found["probabilities"], model.predict_proba(X))
    assert_allclose(found["scores"], model.decision_function(X))
    assert_allclose(found["novelty"], model.novelty_score(X))


def test_images_are_named_by_their_classes(model_files, tmp_path):
    answerer, random = load_answerer(model_files[1]), np.random.default_rng(3)
    places = [tmp_path / f"{kind}.png" for kind in range(3)]
    for kind, place in enumerate(places):
        Image.fromarray(picture(kind, random)).save(place)
    found = answerer.answers(places, ["label"])
    expected = images_model().pipeline.predict([str(place) for place in places])
    assert found["label"].tolist() == [CLASSES[number] for number in expected]


def test_a_stranger_keeps_the_label_that_refuses_it(tmp_path):
    X, y = rows_of()
    save(RejectingClassifier(rows_model(), threshold=0.0).fit(X, y), tmp_path / "m.skops")
    answerer = load_answerer(tmp_path / "m.skops")
    assert "probabilities" not in answerer.outputs
    assert answerer.answers(X[:2], ["label"])["label"].tolist() == ["unknown"] * 2


def test_a_model_of_clips_is_not_served(model_files, tmp_path):
    stored = load(model_files[1])
    save(Model(stored.pipeline, stored.class_names, "clips", "pixels"), tmp_path / "m.skops")
    with pytest.raises(ValueError, match="a model of clips"):
        load_answerer(tmp_path / "m.skops")


def test_uploads_are_there_only_within():
    with Uploads([b"a", b"b"]) as places:
        assert [place.read_bytes() for place in places] == [b"a", b"b"]
    assert not any(place.exists() for place in places)


def test_a_problem_does_not_tell_where_files_lie():
    assert problem_of(UnreadableFile("/tmp/x/0", "it is empty")) == (
        "The image cannot be read: it is empty."
    )
    assert problem_of(ValueError("no")) == "no"
