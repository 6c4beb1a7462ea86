"""The step `Pyramid` of a spec: where the files of its splits lie, and how they come about.

An image's descriptors are the same for all splits and take nearly as long as its codes. So the
files that several splits lack are made in one pass over the images (`pyramids`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, cast

from sklearn.utils import Bunch

from crosslabel.datasets.splits import per_class
from crosslabel.lab.pyramids import FORMS, coordinates
from crosslabel.lab.spec import Cell, Options, SpecError


class PyramidOptions(TypedDict, total=False):
    """Where the coordinates lie, and which training sets they are made for.

    `form` is "coordinates" or "roots" (`pyramids.FORMS`). `rest` false takes the components of the
    training images instead of the coordinates: by PCA, or where `gamma` is positive by kernel PCA.
    """

    folder: str
    per_class: int
    codebook_per_class: int
    splits: int
    form: str
    rest: bool
    gamma: float


def pyramid_options(steps: Iterable[Options]) -> PyramidOptions | None:
    """Options of the first step where that is `Pyramid`, else None."""
    first = next(iter(steps), {})
    return cast(PyramidOptions, first) if first.get("step") == "Pyramid" else None


def pyramid_place(options: PyramidOptions, features: Path, split: int) -> Path:
    """The file of a split.

    Parameters
    ----------
    options : PyramidOptions
    features : Path
        Folder of features that take long to compute.
    split : int

    Returns
    -------
    Path
    """
    form = options.get("form", "coordinates")
    if form not in FORMS:
        raise SpecError(f"Pyramids have no form {form!r}. Known: {', '.join(FORMS)}.")
    return features / options["folder"] / f"{form}{split}.npy"


def make_pyramids(cells: Iterable[Cell], data: Bunch, features: Path, n_jobs: int = -1) -> None:
    """Make the files that cells of one spec lack, all splits in one pass.

    Parameters
    ----------
    cells : iterable of Cell
        Those without pyramids need nothing.
    data : Bunch
        The data set of their spec.
    features : Path
        Folder of features that take long to compute.
    n_jobs : int, default=-1
    """
    lacking: dict[tuple[str, int, int, int, int], set[int]] = {}
    for cell in cells:
        options = pyramid_options(cell.features)
        if options is not None and not pyramid_place(options, features, cell.split).exists():
            sizes = options["per_class"], options["codebook_per_class"], options["splits"]
            kind = options["folder"], *sizes, cell.spec.seed
            lacking.setdefault(kind, set()).add(cell.split)
    for (folder, size, learning, repeats, seed), numbers in lacking.items():
        splits = list(per_class(data.target, size, repeats=repeats, seed=seed))
        seen = [train for train, _ in per_class(data.target, learning, repeats=repeats, seed=seed)]
        coordinates(data.filenames, splits, features / folder, n_jobs, seen, sorted(numbers))
