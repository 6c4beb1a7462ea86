import shutil

import pytest

from crosslabel.app.evaluate import evaluate

from .conftest import CLASSES


def test_accuracy_on_a_folder(model_file, photos):
    accuracy, data = evaluate(model_file, photos)
    assert accuracy.total == 48
    assert accuracy.overall > 0.8
    assert not data.skipped


def test_fewer_classes_in_another_order_are_matched_by_name(model_file, photos, tmp_path):
    whole, _ = evaluate(model_file, photos)
    shutil.copytree(photos / CLASSES[2], tmp_path / CLASSES[2])
    part, _ = evaluate(model_file, tmp_path)
    assert part.overall == whole.per_class[CLASSES[2]]


def test_unknown_classes_and_kinds(model_file, photos, table, tmp_path):
    shutil.copytree(photos / CLASSES[0], tmp_path / "new" / "unheard of")
    with pytest.raises(ValueError, match="does not know the classes unheard of"):
        evaluate(model_file, tmp_path / "new")
    with pytest.raises(ValueError, match=r"trained on images, but .* holds features"):
        evaluate(model_file, table)
