import numpy as np
import pytest
from PIL import Image

from crosslabel.app.explain import explain
from crosslabel.app.fit import fit
from crosslabel.files import load

from .conftest import CLASSES, GIVEN


@pytest.mark.parametrize("rule", ["global", "local"])
def test_the_numbers_are_those_that_decide(photos, rule):
    from dataclasses import replace

    model = fit(photos, parameters=replace(GIVEN, rule=rule)).model
    image = photos / CLASSES[0] / "0.png"
    explanation = explain(model, image)
    label = model.class_names[model.pipeline.predict([image])[0]]
    assert explanation.views[0].name == label
    assert label in explanation.sentence
    for view in explanation.views:
        cost = view.residual**2
        if rule == "global":
            cost /= view.mass  # there are no shared atoms here
        assert view.score == pytest.approx(-cost, rel=1e-3, abs=1e-6)


def test_the_picture_is_an_image(model_file, photos, tmp_path):
    out = tmp_path / "why.png"
    explain(model_file, photos / CLASSES[1] / "2.png", out=out)
    with Image.open(out) as picture:
        assert min(picture.size) > 300
        assert np.asarray(picture.convert("L")).std() > 10


def test_features_without_an_image_are_drawn_as_curves(table, tmp_path):
    model = fit(table, parameters=GIVEN).model
    explain(model, table, out=tmp_path / "why.svg")
    assert (tmp_path / "why.svg").read_text().lstrip().startswith("<?xml")


def test_an_unknown_format_of_picture(model_file, photos, tmp_path):
    with pytest.raises(ValueError, match=r"as \.xyz; take \.png"):
        explain(load(model_file), photos / CLASSES[1] / "2.png", out=tmp_path / "why.xyz")
    assert not list(tmp_path.iterdir())
