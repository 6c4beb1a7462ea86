from crosslabel.datasets import load_scene15
from tests.datasets.pictures import save


def test_scene15_is_an_image_folder(tmp_path):
    for name in ("Bedroom", "Coast"):
        for number in (1, 2):
            save(tmp_path / "scene15" / name / f"image_{number:04}.jpg")
    assert load_scene15(tmp_path).target.tolist() == [0, 0, 1, 1]
