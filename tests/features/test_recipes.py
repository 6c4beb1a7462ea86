import inspect

import numpy as np
import pytest

from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import RECIPES, recipe_for, steps_for

every_recipe = pytest.mark.parametrize("name", RECIPES)


@every_recipe
def test_a_recipe_makes_fresh_transformers_with_its_defaults(name):
    recipe = RECIPES[name]
    items = [np.zeros((60, 30), np.uint8)]
    first, second = (recipe.steps(items, FeatureSettings(seed=3)) for _ in range(2))
    assert [step for step, _ in first] == [step for step, _ in second]
    for (_, one), (_, other) in zip(first, second):
        assert one is not other
        assert str(one) == str(other)
        assert hasattr(one, "transform")
    assert len({option.name for option in recipe.options}) == len(recipe.options)


@every_recipe
def test_the_options_are_what_the_steps_are_made_from(name):
    recipe = RECIPES[name]
    parameters = inspect.signature(recipe.make).parameters.values()
    if all(p.kind is not p.VAR_KEYWORD for p in parameters):
        assert [p.name for p in parameters][2:] == [option.name for option in recipe.options]
    for option in recipe.options:
        assert option.help.endswith(".")


def test_each_kind_of_data_has_one_usual_feature():
    usual = [(recipe.kind, name) for name, recipe in RECIPES.items() if recipe.usual]
    assert sorted(usual) == [("clips", "lbptop"), ("features", "none"), ("images", "pixels")]
    for kind, name in usual:
        assert recipe_for("auto", kind).name == name


def test_names_and_kinds_that_do_not_fit():
    with pytest.raises(ValueError, match=r"no features 'wavelets'. Known: eigenfaces"):
        recipe_for("wavelets", "images")
    with pytest.raises(ValueError, match=r"'spm' are for images, but the data are clips.*lbptop"):
        recipe_for("spm", "clips")


def test_pixels_are_shrunk_to_48_rows_and_never_blown_up():
    for shape, size in [((96, 60), (48, 30)), ((10, 20), (10, 20)), ((4800, 20), (48, 1))]:
        ((_, pixels),) = steps_for("auto", "images", FeatureSettings(), [np.zeros(shape, np.uint8)])
        assert pixels.size == size


def test_options_reach_the_transformers():
    items = [np.zeros((60, 30), np.uint8)]
    settings = FeatureSettings({"dimension": 7, "log": True, "size": (5, 4)}, seed=2)
    for name in ("eigenfaces", "randomfaces"):
        (_, pixels), (_, faces) = steps_for(name, "images", settings, items)
        assert (pixels.size, pixels.log, faces.n_components) == ((5, 4), True, 7)
    assert faces.random_state == 2
    settings = FeatureSettings({"dimension": 7, "words": 11}, "there", 2, True, 5)
    (_, pyramid), (_, pca) = steps_for("spm", "images", settings, items)
    assert (pyramid.words, pyramid.cache, pyramid.n_jobs, pyramid.verbose) == (11, "there", 2, True)
    assert (pyramid.random_state, pca.n_components, pca.center) == (5, 7, False)
    settings = FeatureSettings(n_jobs=3, scratch="for a while")
    ((_, patterns),) = steps_for("lbptop", "clips", settings, items)
    assert (patterns.n_jobs, patterns.root, patterns.cache) == (3, True, "for a while")
