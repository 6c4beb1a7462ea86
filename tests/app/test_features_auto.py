import numpy as np
import pytest

from crosslabel.app import features_auto
from crosslabel.app.features_auto import choose, trial_split
from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import RECIPES

RNG = np.random.default_rng(0)
LABELS = np.repeat(["a", "b"], 12)


def stripes(shift):
    """Upright or lying stripes, wherever they begin: the same words, never the same pixels."""
    rows = [np.sin((np.arange(72) + RNG.uniform(0, 20)) / 3) for _ in LABELS]
    pictures = [np.tile(0.5 + 0.4 * row, (72, 1)) for row in rows]
    return [p.T if label == "b" else p for p, label in zip(pictures, LABELS)]


@pytest.fixture
def without(monkeypatch):
    monkeypatch.setattr(features_auto, "is_installed", lambda: False)


def test_embeddings_where_they_are_installed(monkeypatch):
    monkeypatch.setattr(features_auto, "is_installed", lambda: True)
    recipe, why = choose("auto", "images", [], LABELS, FeatureSettings())
    assert recipe is RECIPES["embed"]
    assert why.startswith("Features: embed")
    assert "\n" not in why


def test_what_is_named_is_taken_without_words():
    for name in ("pixels", "spm"):
        assert choose(name, "images", [], LABELS, FeatureSettings()) == (RECIPES[name], "")
    recipe, why = choose("auto", "clips", [], LABELS, FeatureSettings())
    assert (recipe.name, why) == ("lbptop", "Features: lbptop, for clips.")
    with pytest.raises(ValueError, match="no features 'magic'"):
        choose("magic", "images", [], LABELS, FeatureSettings())


@pytest.mark.parametrize(
    ("options", "name"),
    [({"size": (4, 4)}, "pixels"), ({"words": 9}, "spm"), ({"model": "n.onnx"}, "embed")],
)
def test_options_tell_which_features_are_meant(options, name):
    recipe, why = choose("auto", "images", [], LABELS, FeatureSettings(options))
    assert recipe.name == name
    assert f"--{next(iter(options))}" in why


def test_without_the_extra_a_trial_decides_and_says_what_would_help(without):
    recipe, why = choose("auto", "images", stripes(0), LABELS, FeatureSettings())
    assert recipe.name in ("pixels", "spm")
    assert "of 12 held-out training pictures" in why
    assert "pip install 'crosslabel[embed]'" in why


@pytest.mark.parametrize("better", ["pixels", "spm"])
def test_the_one_that_is_right_more_often_wins(without, monkeypatch, better):
    monkeypatch.setattr(
        features_auto, "_right", lambda recipe, *_: 0.75 if recipe.name == better else 0.5
    )
    recipe, why = choose("auto", "images", [None] * 24, LABELS, FeatureSettings())
    other = "spm" if better == "pixels" else "pixels"
    assert recipe.name == better
    assert f"{better} (75% of 12 held-out training pictures, {other} 50%)" in why


def test_too_few_pictures_for_a_trial(without):
    recipe, why = choose("auto", "images", [None] * 3, np.array([0, 1, 2]), FeatureSettings())
    assert recipe.name == "pixels"
    assert "too few pictures" in why


def test_the_trial_halves_a_part_of_each_class():
    labels = np.repeat(np.arange(30), [50] * 15 + [2] * 10 + [1] * 5)
    train, test = trial_split(labels, 3)
    assert not set(train) & set(test)
    assert len(np.unique(labels[train])) == 8
    assert set(labels[train]) == set(labels[test])
    assert np.bincount(labels[train]).max() <= 10
    assert all(
        part.tolist() == again.tolist()
        for part, again in zip((train, test), trial_split(labels, 3))
    )
