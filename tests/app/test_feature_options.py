import inspect
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crosslabel.app.feature_options import feature_settings, with_feature_options
from crosslabel.features.recipes import RECIPES


@pytest.fixture
def said():
    """What a command gets, for words that are typed."""
    got = []

    def command(path: str, features: str = "auto", seed: int = 0, options: object = None) -> None:
        got.append((path, features, seed, options))

    app = typer.Typer()
    app.command()(with_feature_options(command))

    def run(*words):
        got.clear()
        done = CliRunner().invoke(app, list(words))
        return got[0] if got else done

    return run


def test_what_is_said_arrives_as_values(said):
    assert said("here") == ("here", "auto", 0, {})
    words = ["--features", "spm", "--words", "12", "--size", "5x4", "--log", "--seed", "3"]
    expected = {"words": 12, "size": (5, 4), "log": True}
    assert said("here", *words) == ("here", "spm", 3, expected)


def test_every_option_of_every_feature_is_there(said):
    parameters = inspect.signature(with_feature_options(lambda features, options: None)).parameters
    for recipe in RECIPES.values():
        assert {option.name for option in recipe.options} <= set(parameters)
    help_text = said("--help").stdout
    for words in ("--dimension", "randomfaces", "(504)", "|".join(["auto", *RECIPES])[:20]):
        assert words in help_text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--features", "magic"], "is not one of auto"),
        (["--words", "many"], "whole number"),
        (["--size", "big"], "HEIGHTxWIDTH"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(said, words, message):
    done = said("here", *words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_settings_know_the_home_folder():
    settings = feature_settings({"words": 3}, Path("~/kept"), -1, True, 4)
    assert settings.cache == str(Path.home() / "kept")
    assert (settings.options, settings.n_jobs, settings.verbose, settings.seed) == (
        {"words": 3},
        -1,
        True,
        4,
    )
