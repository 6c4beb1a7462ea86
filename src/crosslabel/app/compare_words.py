"""The words of `crosslabel compare`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crosslabel.app.compare import compare
from crosslabel.app.feature_options import feature_settings, with_feature_options
from crosslabel.app.options import AS_JSON, CACHE, JOBS, QUIET, SEED, SOURCE, STRICT
from crosslabel.app.printing import print_json, tell_skipped, user_errors
from crosslabel.lab.comparison import table


@with_feature_options
def compare_command(
    path: SOURCE,
    methods: Annotated[str | None, typer.Option(help="Names, with commas. Default: all.")] = None,
    features: str = "auto",
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
    options: Any = None,
) -> None:
    """Compare methods on the same features and random splits.

    For example:

      crosslabel compare photos --methods crosslabel,svm,knn --train 10 --records results
    """
    with user_errors():
        found = compare(
            path,
            None if methods is None else [name.strip() for name in methods.split(",")],
            features=features,
            settings=feature_settings(options, cache, jobs, False, seed),
            n_train=train,
            repeats=repeats,
            seed=seed,
            records=records,
            strict=strict,
            tell=None if quiet else partial(typer.echo, err=True),
        )
        tell_skipped(found.data, quiet)
        if as_json:
            print_json([row.as_dict() for row in found.standings])
        else:
            typer.echo(table(found.standings))
        if found.interrupted:
            typer.echo("Interrupted: the rows are of the splits that were finished.", err=True)
            raise typer.Exit(130)
