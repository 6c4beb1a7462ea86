"""All features that the command line offers, by name: found in the modules that the stub lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosslabel.features.recipe import FeatureSettings, Kind, Recipe, Steps
from crosslabel.lazy import declared

if TYPE_CHECKING:
    from crosslabel.media.gray import Item

AS_THEY_ARE = Recipe("none", "features", lambda items, settings: [], usual=True)
"""For data that are features already."""

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (*declared("crosslabel.features", "RECIPE", Recipe), AS_THEY_ARE)
}


def recipe_for(name: str, kind: Kind) -> Recipe:
    """The named recipe, which must suit the data.

    Parameters
    ----------
    name : str
        A name of `RECIPES`, or "auto" for what is usual for the kind.
    kind : {"images", "clips", "features"}

    Returns
    -------
    Recipe
    """
    suited = [recipe for recipe in RECIPES.values() if recipe.kind == kind]
    if name == "auto":
        return next(recipe for recipe in suited if recipe.usual)
    if name not in RECIPES:
        raise ValueError(f"There are no features {name!r}. Known: {', '.join(RECIPES)}.")
    recipe = RECIPES[name]
    if recipe not in suited:
        raise ValueError(
            f"Features {name!r} are for {recipe.kind}, but the data are {kind}. Take one of: "
            f"{', '.join(each.name for each in suited)}."
        )
    return recipe


def steps_for(name: str, kind: Kind, settings: FeatureSettings, items: Sequence[Item]) -> Steps:
    """Pipeline steps of the named features for training items of this kind.

    Parameters
    ----------
    name : str
        As of `recipe_for`.
    kind : {"images", "clips", "features"}
    settings : FeatureSettings
    items : sequence
        Training items, of which the first may be looked at.

    Returns
    -------
    list of (str, transformer)
    """
    return recipe_for(name, kind).steps(items, settings)
