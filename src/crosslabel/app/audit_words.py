"""The words of `crosslabel audit`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crosslabel.app.audit import Findings, audit_source
from crosslabel.app.audit_moves import carry_out, proposed, read_moves, write_moves
from crosslabel.app.audit_page import draw_page
from crosslabel.app.feature_options import feature_settings, with_feature_options
from crosslabel.app.options import AS_JSON, CACHE, JOBS, QUIET, SEED, SOURCE, STRICT
from crosslabel.app.outputs import check_output
from crosslabel.app.printing import SHOWN, print_json, tell_skipped, user_errors
from crosslabel.files.whole import write_whole

MOVES = Path("moves.csv")
PAGES = (".html", ".htm")


@with_feature_options
def audit_command(
    path: SOURCE,
    out: Annotated[Path, typer.Option(help="The page that is written.")] = Path("audit.html"),
    features: str = "auto",
    move: Annotated[
        bool, typer.Option("--move", help=f"Write a list of moves, {MOVES}; nothing is moved.")
    ] = False,
    apply: Annotated[
        Path | None, typer.Option(metavar="LIST", help="Carry out a list of moves, and end.")
    ] = None,
    cache: CACHE = None,
    jobs: JOBS = -1,
    seed: SEED = 0,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
    options: Any = None,
) -> None:
    """Find pictures that probably lie in the wrong folder, and pictures that are there twice.

    Each is judged by a model that has not seen it. The page shows thumbnails, worst first, with the
    class that each looks like. Nothing is changed, unless --apply says so.

    For example:

      crosslabel audit photos

      crosslabel audit photos --move           # writes moves.csv: look it through, delete lines

      crosslabel audit photos --apply moves.csv
    """
    with user_errors():
        if apply is not None:
            _apply(apply, path, quiet)
            return
        places = [check_output(out, suffixes=PAGES), *([check_output(MOVES)] if move else [])]
        if move and not path.is_dir():
            raise ValueError(f"{path} is no folder: only files that lie in one can be moved.")
        found = audit_source(
            path,
            features=features,
            settings=feature_settings(options, cache, jobs, not quiet, seed),
            seed=seed,
            strict=strict,
            tell=None if quiet else partial(typer.echo, err=True),
        )
        tell_skipped(found.data, quiet)
        page = draw_page(found)
        write_whole(places[0], lambda file: file.write(page.encode()))
        if as_json:
            print_json({**found.as_dict(), "page": str(out)})
        else:
            _tell(found, out, quiet)
        if move:
            _write_moves(found, path, quiet)


def _tell(found: Findings, out: Path, quiet: bool) -> None:
    """How much there is, and the worst of it."""
    typer.echo(
        f"{len(found.suspects)} labels are probably wrong, {len(found.near)} pairs are nearly the "
        f"same under different labels, {len(found.equal)} groups are equal."
    )
    for one in found.suspects[:SHOWN]:
        typer.echo(
            f"  {one.file}: {one.looks_like} ({one.looks_probability:.0%}) rather than "
            f"{one.label} ({one.probability:.0%})"
        )
    if not quiet:
        typer.echo(f"The page is {out.resolve()}.")


def _write_moves(found: Findings, root: Path, quiet: bool) -> None:
    moves = proposed(found.suspects, root)
    write_moves(moves, MOVES)
    if not quiet:
        typer.echo(
            f"{len(moves)} moves are proposed in {MOVES}. Look it through, delete the lines that "
            f"are wrong, and run: crosslabel audit {root} --apply {MOVES}",
            err=True,
        )


def _apply(place: Path, root: Path, quiet: bool) -> None:
    moves = read_moves(place, root)
    carry_out(moves)
    if not quiet:
        typer.echo(f"{len(moves)} files were moved.")
