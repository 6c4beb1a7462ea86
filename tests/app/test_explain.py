from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from crosslabel.app.explain import explain
from crosslabel.app.fit import fit
from crosslabel.core.rules import RULES
from crosslabel.files import load

from .conftest import CLASSES, GIVEN


@pytest.mark.parametrize("rule", RULES)
def test_the_numbers_are_those_that_decide(photos, rule):
    model = fit(photos, features="pixels", parameters=replace(GIVEN, rule=rule)).model
    image = photos / CLASSES[0] / "0.png"
    explanation = explain(model, image)
    label = model.class_names[model.pipeline.predict([image])[0]]
    assert explanation.views[0].name == label
    assert f"labelled {label} by the {rule} rule" in explanation.sentence
    assert explanation.views[1].name in explanation.sentence
    decided = model.pipeline.decision_function([image])[0]
    for view in explanation.views:
        assert view.share.score == pytest.approx(decided[view.number], rel=1e-4, abs=1e-6)
        own = explanation.atom_labels == view.number
        assert_allclose(explanation.code[own], view.share.coefficients)
    said = explanation.as_dict()
    assert [row["score"] for row in said["classes"]] == sorted(decided, reverse=True)


def test_two_classes_have_the_scores_of_the_rule(table):
    data = np.load(table)
    two = data["y"] != "c"
    place = table.with_name("two.npz")
    np.savez(place, X=data["X"][two], y=data["y"][two])
    views = explain(fit(place, parameters=GIVEN).model, place).views
    for view in views:
        assert view.share.score == pytest.approx(-(view.share.residual**2) / view.share.mass)


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
