from crosslabel.datasets import load_caltech101
from tests.datasets.pictures import save


def test_caltech101_with_and_without_background(tmp_path):
    for name in ("BACKGROUND_Google", "Faces", "bass"):
        for number in (1, 2):
            save(tmp_path / "101_ObjectCategories" / name / f"image_{number:04}.jpg")
    assert len(load_caltech101(tmp_path).target_names) == 3
    data = load_caltech101(tmp_path, background=False)
    assert data.target_names[data.target[0]] == "Faces"
    assert len(data.filenames) == 4
    assert data.target.max() == 1
