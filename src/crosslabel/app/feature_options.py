"""The options of every feature in the registry, on the commands that compute features."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from crosslabel.app.options import choice
from crosslabel.features.recipe import FeatureSettings, Option, Recipe
from crosslabel.features.recipes import RECIPES

PANEL = "Options of features"
CHOSEN = "features"
Command = Callable[..., None]


def with_feature_options(command: Command) -> Command:
    """Give a command `--features` and each feature's options.

    The command takes `features`, a name, and `options`, a dict of what was said of them.
    """
    own = inspect.signature(command, eval_str=True)
    options = _by_name(RECIPES.values())

    @wraps(command)
    def run(**given: Any) -> None:
        said = {name: given.pop(name) for name in options}
        command(**given, options=_values(options, said))

    kept = [parameter for parameter in own.parameters.values() if parameter.name != "options"]
    chosen = choice(["auto", *RECIPES], "What is computed from each image or clip.")
    place = [parameter.name for parameter in kept].index(CHOSEN)
    kept[place] = kept[place].replace(annotation=Annotated[str, chosen], default="auto")
    kept[place + 1 : place + 1] = [_parameter(uses) for uses in options.values()]
    run.__signature__ = own.replace(parameters=kept)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in kept}
    return run


def feature_settings(
    options: dict[str, object], cache: Path | None, jobs: int, verbose: bool, seed: int
) -> FeatureSettings:
    """FeatureSettings of features, from what was typed."""
    place = None if cache is None else str(cache.expanduser())
    return FeatureSettings(options, place, jobs, verbose, seed)


Uses = list[tuple[Recipe, Option]]


def _by_name(recipes: Iterable[Recipe]) -> dict[str, Uses]:
    """Every option name, and the features that have it."""
    found: dict[str, Uses] = {}
    for recipe in recipes:
        for option in recipe.options:
            found.setdefault(option.name, []).append((recipe, option))
    return found


def _parameter(uses: Uses) -> inspect.Parameter:
    """One option as a parameter that typer understands; what is not said is None or False."""
    option = uses[0][1]
    flag = option.default is False
    names = ", ".join(recipe.name + _default(own) for recipe, own in uses)
    info = typer.Option(
        f"--{option.name.replace('_', '-')}",
        help=f"{option.help} For {names}.",
        rich_help_panel=PANEL,
        show_default=False,
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=False if flag else None,
        annotation=Annotated[bool if flag else str | None, info],
    )


def _default(option: Option) -> str:
    return "" if option.default in (None, False) else f" ({option.default})"


def _values(options: dict[str, Uses], said: dict[str, str | bool]) -> dict[str, object]:
    """The values that texts stand for, of those options that were said."""
    values: dict[str, object] = {}
    for name, text in said.items():
        if text is True:
            values[name] = True
        elif text:
            try:
                values[name] = options[name][0][1].read(text)
            except ValueError as error:
                raise typer.BadParameter(f"--{name} {error}.") from None
    return values
