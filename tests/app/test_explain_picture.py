import numpy as np
import pytest
from PIL import Image

from crosslabel import CrossLabelClassifier
from crosslabel.app.explain_picture import LONGEST, Scene, draw, short

pytest.importorskip("matplotlib", reason="needs the extra plot")


@pytest.fixture(scope="module")
def explanation():
    X = np.random.default_rng(0).normal(size=(30, 6)) + 4 * np.eye(3, 6)[np.arange(30) // 10]
    model = CrossLabelClassifier(random_state=0).fit(X, np.arange(30) // 10)
    return model.explain(X[:1], ["a $name$ of\nmany words that goes on and on", "b", "c"])[0]


def ink(place):
    with Image.open(place) as picture:
        return np.asarray(picture.convert("L")) < 250


@pytest.mark.parametrize("shape", [(60, 80), (60, 80, 3), (9, 60, 80)])
def test_pictures_and_clips_are_drawn_with_their_sources(explanation, tmp_path, shape):
    random = np.random.default_rng(0)
    photo = random.integers(0, 255, shape, dtype=np.uint8)
    heat = random.normal(size=(8, 8))
    sources = [[photo, None, photo], [photo]]
    names = [["one.jpg", "lost.jpg", "x" * 90], ["two.jpg"]]
    draw(
        Scene("new.jpg", explanation, photo, heat, (None, None), sources, names), tmp_path / "a.png"
    )
    draw(Scene("new.jpg", explanation, photo, heat), tmp_path / "b.png")
    assert ink(tmp_path / "a.png").sum() > ink(tmp_path / "b.png").sum() > 1e4


def test_rows_of_features_are_curves(explanation, tmp_path):
    curves = [np.sin(np.arange(50.0) + n) for n in range(3)]
    draw(Scene("x.npz", explanation, curves=curves), tmp_path / "why.svg")
    assert (tmp_path / "why.svg").read_text().lstrip().startswith("<?xml")


def test_names_stay_short_and_are_never_formulas():
    assert short("cat") == "cat"
    assert len(short("c" * 80)) == LONGEST
    assert short("a$b$") == r"a\$b\$"
    assert "\x1b" not in short("a\x1b[31m")
