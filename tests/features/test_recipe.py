import pytest

from crosslabel.features import Pixels
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, image_size, whole_number


def make(items, settings, size, log):
    return [("pixels", Pixels(size, log=log)), ("seed", settings.seed), ("first", items[0])]


RECIPE = Recipe("mine", "images", make, [Option("size", "Size."), Option("log", "Log.", False)])


def test_options_that_are_not_given_have_their_defaults():
    (_, pixels), *rest = RECIPE.steps(["a", "b"], FeatureSettings({"size": (3, 4)}, seed=5))
    assert (pixels.size, pixels.log) == ((3, 4), False)
    assert rest == [("seed", 5), ("first", "a")]
    assert RECIPE.steps(["a"], FeatureSettings({"log": True}))[0][1].log


def test_an_option_of_another_feature_is_refused():
    with pytest.raises(ValueError, match="'mine' have no option 'words'; the feature has size, lo"):
        RECIPE.steps(["a"], FeatureSettings({"words": 3}))
    with pytest.raises(ValueError, match="the feature has none"):
        Recipe("bare", "images", make).steps(["a"], FeatureSettings({"words": 3}))


def test_what_concerns_the_machine_goes_to_slow_transformers():
    settings = FeatureSettings(cache="there", n_jobs=2, verbose=True)
    assert settings.extraction == {"cache": "there", "n_jobs": 2, "verbose": True}


@pytest.mark.parametrize("text", ["54x48", "54X48", "54×48"])
def test_a_size_is_height_by_width(text):
    assert image_size(text) == (54, 48)


@pytest.mark.parametrize("text", ["", "54", "54x", "0x4", "4x-1", "1x2x3", "big"])
def test_other_texts_are_no_size(text):
    with pytest.raises(ValueError, match="HEIGHTxWIDTH"):
        image_size(text)


def test_whole_numbers():
    assert whole_number("12") == 12
    for text in ("0", "-1", "1.5", "", "many"):
        with pytest.raises(ValueError, match="whole number from 1 up"):
            whole_number(text)
