import numpy as np
import pytest
from numpy.testing import assert_allclose

import crosslabel
from crosslabel.studio.studio import Studio
from crosslabel.studio.takeaway import TAKEN, measured, model_of
from crosslabel.studio.worker import Worker
from tests.studio.conftest import drawing


def test_the_file_answers_as_the_page_does(studio, tmp_path):
    (tmp_path / "m.skops").write_bytes(TAKEN["model.skops"](studio))
    model = crosslabel.load(tmp_path / "m.skops")
    assert model.class_names == ["ball", "corner", "cross"]
    (tmp_path / "q.png").write_bytes(drawing(1, 77))
    p = model.pipeline.predict_proba([str(tmp_path / "q.png")])[0]
    said = {one["name"]: one["probability"] for one in studio.ask(drawing(1, 77))["classes"]}
    assert_allclose(p, [said[name] for name in model.class_names], rtol=1e-5)


def test_onnx_gives_the_same_scores(studio, tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    session = runtime.InferenceSession(TAKEN["model.onnx"](studio))
    rows = np.stack([studio.teacher.row(key) for key in list(studio.stock.places)[:4]])
    labels, scores = session.run(None, {"X": rows.astype(session_type(session))})
    assert_allclose(scores, model_of(studio).pipeline[-1].decision_function(rows), atol=1e-4)


def session_type(session):
    return np.float32 if session.get_inputs()[0].type == "tensor(float)" else np.float64


def test_the_card_tells_how_it_was_measured(studio):
    worker = Worker(studio)
    worker.work()
    text = TAKEN["card.html"](studio).decode()
    found = measured(studio.study, studio.stock.names)
    assert f"{100 * found['accuracy']:.2f} %" in text
    assert "18 training samples" in text
    assert found["per_class_total"] == {"ball": 6, "corner": 6, "cross": 6}


def test_nothing_to_take_away_yet(tmp_path):
    empty = Studio(tmp_path / "empty", "pixels")
    for take in TAKEN.values():
        with pytest.raises(ValueError, match="teach two classes first"):
            take(empty)
    empty.close()
