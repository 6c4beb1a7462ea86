"""The words of `crosslabel fit`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crosslabel.app.feature_options import feature_settings, with_feature_options
from crosslabel.app.fit import Parameters, Report, fit
from crosslabel.app.options import AS_JSON, CACHE, FORCE, JOBS, QUIET, SEED, SOURCE, STRICT, choice
from crosslabel.app.printing import print_json, tell_skipped, user_errors
from crosslabel.core.rules import RULES
from crosslabel.flagship.predictor import JOINT

UNTOLD = ("strangers", "atom_files")
"""Entries of the summary that are for other commands alone."""


@with_feature_options
def fit_command(
    path: SOURCE,
    out: Annotated[Path, typer.Option(help="Where the model is written.")] = Path("model.skops"),
    features: str = "auto",
    ridge: Annotated[float | None, typer.Option(min=0, help="β; default: chosen.")] = None,
    suppression: Annotated[float | None, typer.Option(min=0, help="λ; default: infinite.")] = None,
    grouping: Annotated[float | None, typer.Option(min=0, help="γ; default: 0.")] = None,
    rule: Annotated[str | None, choice([JOINT, *RULES], "Default: chosen.")] = None,
    atoms: Annotated[
        int | None, typer.Option(min=1, help="Atoms per class; chosen if not given.")
    ] = None,
    shared: Annotated[int | None, typer.Option(min=0, help="Atoms that all classes share.")] = None,
    held_out: Annotated[float, typer.Option(help="Share kept aside to measure with.")] = 0.25,
    no_refit: Annotated[
        bool, typer.Option("--no-refit", help="Keep the model that was measured, of fewer samples.")
    ] = False,
    force: FORCE = False,
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
    options: Any = None,
) -> None:
    """Train on images, clips or features, and measure on samples kept aside.

    β and the rule are chosen by the log loss of held-out training samples unless given. The model
    that is written is then trained on all samples.

    For example:

      crosslabel fit photos --out pets.skops

      crosslabel fit CroppedYale --features eigenfaces --log --size 54x48

      crosslabel fit scenes --features spm --cache ~/.cache/scenes

      crosslabel fit features.mat --ridge 0.008 --suppression 2000 --grouping 0.02 --rule global
    """
    with user_errors():
        parameters = Parameters(ridge, suppression, grouping, rule, atoms, shared)
        report = fit(
            path,
            out=out,
            force=force,
            features=features,
            settings=feature_settings(options, cache, jobs, not quiet, seed),
            parameters=parameters,
            held_out=held_out,
            refit=not no_refit,
            seed=seed,
            strict=strict,
            licence=licence,
            data_name=data_name,
            tell=None if quiet else partial(typer.echo, err=True),
        )
        tell_skipped(report.data, quiet)
        if as_json:
            told = {k: v for k, v in report.model.summary.items() if k not in UNTOLD}
            print_json({"model": str(out), **told})
        else:
            _tell(report, out, quiet)


def _tell(report: Report, out: Path, quiet: bool) -> None:
    """What was learnt and how well it does, for a reader."""
    summary = report.model.summary
    if not quiet:
        chosen = ", ".join(f"{name} {value}" for name, value in summary["parameters"].items())
        typer.echo(report.data.DESCR)
        typer.echo(f"Parameters: {chosen}; {summary['rule']} rule.")
        typer.echo(f"Trained in {report.seconds:.1f} s; the model is {out}.")
    typer.echo(f"Held-out accuracy: {report.held_out}")
    if not quiet and summary["refit"]:
        typer.echo(f"The model was then trained on all {summary['training_samples']} samples.")
