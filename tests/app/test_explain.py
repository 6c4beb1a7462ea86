import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

from crosslabel.app import explain as module
from crosslabel.app.explain import explain
from crosslabel.app.fit import fit
from crosslabel.app.occlusion import occlusion_map
from crosslabel.core.rules import RULES
from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import RECIPES
from crosslabel.files import load
from tests.app.command import run

from .conftest import CLASSES, GIVEN


@pytest.mark.parametrize("rule", RULES)
def test_the_numbers_are_those_that_decide(photos, rule):
    model = fit(photos, features="pixels", parameters=replace(GIVEN, rule=rule)).model
    image = photos / CLASSES[0] / "0.png"
    explained = explain(model, image)
    explanation = explained.explanation
    label = model.class_names[model.pipeline.predict([image])[0]]
    assert explanation.views[0].name == label
    assert f"{image} is labelled {label} by the {rule} rule" in explained.sentence
    assert explanation.views[1].name in explained.sentence
    chances = model.predict_proba([image])[0]
    for view in explanation.views:
        assert view.probability == pytest.approx(chances[view.number])
    decided = model.pipeline.decision_function([image])[0]
    for view in explanation.views:
        assert view.share.score == pytest.approx(decided[view.number], rel=1e-4, abs=1e-6)
        own = explanation.atom_labels == view.number
        assert_allclose(explanation.code[own], view.share.coefficients)
    said = explained.as_dict()
    assert [row["score"] for row in said["classes"]] == sorted(decided, reverse=True)


def test_two_classes_have_the_scores_of_the_rule(table):
    data = np.load(table)
    two = data["y"] != "c"
    place = table.with_name("two.npz")
    np.savez(place, X=data["X"][two], y=data["y"][two])
    views = explain(fit(place, parameters=GIVEN).model, place).explanation.views
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
    with pytest.raises(ValueError, match=r"why\.xyz cannot .*one of \.png"):
        explain(load(model_file), "/absent", out=tmp_path / "why.xyz")
    assert not list(tmp_path.iterdir())


def test_the_training_pictures_are_those_of_the_heaviest_atoms(model_file, photos):
    model, image = load(model_file), photos / CLASSES[2] / "4.png"
    explained = explain(model, image)
    explanation = explained.explanation
    for rank, places in enumerate(explained.sources):
        number = explanation.views[rank].number
        own = np.flatnonzero(explanation.atom_labels == number)
        heaviest = own[np.argsort(-np.abs(explanation.code[own]), kind="stable")]
        names = list(dict.fromkeys(model.summary["atom_files"][atom] for atom in heaviest))
        assert [str(place) for place in places] == [str(photos / name) for name in names[:4]]
        assert all(place.parent.name == CLASSES[number] for place in places)


def test_pictures_that_were_moved_are_found_and_none_outside_of_their_folder(
    model_file, photos, tmp_path
):
    model = load(model_file)
    (tmp_path / "moved").symlink_to(photos)
    image = photos / CLASSES[0] / "0.png"
    assert explain(model, image, photos=tmp_path / "moved").sources[0][0].is_file()
    model.summary["atom_files"] = ["../../etc/passwd"] * len(model.summary["atom_files"])
    assert explain(model, image).sources == [[], []]
    model.summary["atom_files"] = "all of them"
    assert explain(model, image).sources == [[], []]


@pytest.mark.parametrize("features", [n for n, r in RECIPES.items() if r.kind == "images"])
def test_every_feature_is_explained_by_a_picture(photos, tmp_path, features, monkeypatch):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    monkeypatch.setattr(module, "occlusion_map", partial(occlusion_map, cells=2))
    few = {"words": 16, "dimension": 20}
    options = {o.name: few[o.name] for o in RECIPES[features].options if o.name in few}
    settings = FeatureSettings(options, n_jobs=1)
    model = fit(photos, features=features, settings=settings, parameters=GIVEN).model
    explain(model, photos / CLASSES[1] / "2.png", out=tmp_path / "why.png")
    with Image.open(tmp_path / "why.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 10


def test_clips_are_explained_too(clips, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    model = fit(clips, parameters=GIVEN).model
    explain(model, clips / "flicker" / "0.npy", out=tmp_path / "why.png")
    assert (tmp_path / "why.png").stat().st_size > 10_000


def test_without_matplotlib_the_sentence_is_printed(model_file, photos, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = run("explain", model_file, photos / CLASSES[0] / "0.png", "--out", tmp_path / "w.png")
    assert done.exit_code == 0
    assert "is labelled" in done.stdout
    assert "No picture: Drawing needs the package matplotlib" in done.stderr
    assert "crosslabel[plot]" in done.stderr
    assert not (tmp_path / "w.png").exists()
