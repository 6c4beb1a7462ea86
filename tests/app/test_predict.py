import numpy as np
import pytest

from crosslabel.app.fit import fit
from crosslabel.app.predict import predict
from crosslabel.datasets import UnreadableFile
from crosslabel.files import load

from .conftest import CLASSES, GIVEN


def test_files_and_folders_in_order(model_file, photos):
    files = [photos / CLASSES[2] / "3.png", photos / CLASSES[0]]
    predictions = list(predict(model_file, files))
    assert len(predictions) == 17
    assert predictions[0].file.endswith("3.png")
    model = load(model_file)
    expected = model.pipeline.predict([p.file for p in predictions])
    assert [p.label for p in predictions] == [CLASSES[number] for number in expected]
    assert all(p.margin >= 0 and p.runner_up != p.label for p in predictions)


def test_a_bad_file_is_reported_between_good_ones(model_file, photos, tmp_path):
    (tmp_path / "bad.png").write_text("words")
    good = photos / CLASSES[0] / "1.png"
    first, bad, last = predict(model_file, [good, tmp_path / "bad.png", good])
    assert first == last
    assert "no image of a known format" in bad.problem
    assert bad.label is None
    with pytest.raises(UnreadableFile, match=r"bad\.png"):
        list(predict(model_file, [tmp_path / "bad.png"], strict=True))


def test_rows_of_features(table):
    model = fit(table, parameters=GIVEN).model
    predictions = list(predict(model, [table]))
    assert len(predictions) == 60
    assert predictions[7].file.endswith("[7]")
    assert np.mean([p.label == "abc"[i // 20] for i, p in enumerate(predictions)]) > 0.8


def test_a_file_without_features(table, tmp_path):
    np.savez(tmp_path / "odd.npz", other=np.ones(3))
    model = fit(table, parameters=GIVEN).model
    with pytest.raises(ValueError, match=r"holds none of featureMat.*it holds other"):
        list(predict(model, [tmp_path / "odd.npz"]))


def test_two_classes_have_scores_too(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 20)
    X = 3 * np.eye(2, 6)[(y == "yes").astype(int)] + random.standard_normal((40, 6))
    np.savez(tmp_path / "two.npz", X=X, y=y)
    report = fit(tmp_path / "two.npz", parameters=GIVEN)
    labels = [p.label for p in predict(report.model, [tmp_path / "two.npz"])]
    names = np.array(report.model.class_names)
    np.testing.assert_array_equal(labels, names[report.model.pipeline.predict(X)])
