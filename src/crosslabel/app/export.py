"""The words of `crosslabel export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosslabel.app.options import FORCE, MODEL, QUIET, choice
from crosslabel.app.outputs import check_output
from crosslabel.app.printing import user_errors
from crosslabel.files import load
from crosslabel.files.onnx.writer import DTYPES, to_onnx


def export_command(
    model: MODEL,
    out: Annotated[Path, typer.Option(help="The file that is written.")] = Path("model.onnx"),
    dtype: Annotated[str | None, choice(DTYPES, "Default: the model's own.")] = None,
    force: FORCE = False,
    quiet: QUIET = False,
) -> None:
    """Write a model as ONNX, with its linear features: rows in, labels and scores out.

    Needs the extra `onnx`.

    For example:

      crosslabel export pets.skops --out pets.onnx --dtype float32
    """
    with user_errors():
        check_output(out, keep=not force)
        content = to_onnx(load(model), out, dtype=dtype)
        if not quiet:
            width = content.graph.input[0].type.tensor_type.shape.dim[1].dim_value
            typer.echo(f"{out} takes rows X of {width} values and gives label and scores.")
