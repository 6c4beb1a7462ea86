"""How the studio sees a picture: the features, and what they said of pictures seen before."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from crosslabel.core.scaling import Array
from crosslabel.features.embedding import Embedding, is_installed
from crosslabel.features.pixels import Pixels
from crosslabel.files.whole import write_whole

SIDE = 48
"""Of pictures that are seen as pixels."""

ENDS = 64 * 1024
"""Bytes at both ends of a file that its key is reckoned from, beside its length."""

SIGHTS: dict[str, Callable[[], BaseEstimator]] = {
    "embed": lambda: Embedding().fit([]),
    "pixels": lambda: Pixels((SIDE, SIDE)).fit(np.zeros((1, SIDE, SIDE))),
}
"""The features of each name, ready to use; of no state that pictures change."""


def sight_named(name: str) -> str:
    """A name of `SIGHTS`; "auto" is embeddings where their packages are installed, else pixels.

    Parameters
    ----------
    name : str
    """
    return name if name != "auto" else "embed" if is_installed() else "pixels"


def key_of(path: Path) -> str:
    """What tells a picture from others wherever it lies: by its length and both ends."""
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(ENDS)
        file.seek(max(ENDS, size - ENDS))
        last = file.read(ENDS)
    return hashlib.blake2b(first + last + str(size).encode(), digest_size=16).hexdigest()


class Sight:
    """Rows of features by the keys of pictures; kept in a file, which can be made anew.

    Parameters
    ----------
    name : str
        Of `SIGHTS`.
    place : Path
        The file.
    """

    def __init__(self, name: str, place: Path) -> None:
        self.name = name
        self.place = place
        self.features = SIGHTS[name]()
        self.rows: dict[str, Array] = {}
        self.fresh = 0
        self.lock = threading.Lock()
        # A file that cannot be read back is as good as none: pictures are looked at again.
        try:
            with np.load(place, allow_pickle=False) as stored:
                if str(stored["name"]) == name:
                    self.rows = dict(zip(stored["keys"].tolist(), stored["rows"]))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            self.rows = {}

    def see(self, path: Path, key: str) -> Array:
        """The features of one picture.

        Parameters
        ----------
        path : Path
        key : str
            Of its content, as `key_of` says.

        Returns
        -------
        ndarray of shape (n_features,), float64
        """
        found = self.rows.get(key)
        if found is None:
            found = np.asarray(self.features.transform([path])[0], np.float32)
            if not np.isfinite(found).all():
                raise ValueError("The features of this picture are not finite.")
            with self.lock:
                self.rows[key] = found
                self.fresh += 1
        return found.astype(np.float64)

    def keep(self, keys: Sequence[str]) -> None:
        """Write the features of these pictures for the next start, if any of them is new."""
        with self.lock:
            if not self.fresh:
                return
            self.fresh = 0
            kept = {key: self.rows[key] for key in keys if key in self.rows}
        if kept:
            names, rows = np.array(list(kept)), np.stack(list(kept.values()))
            name = np.array(self.name)
            write_whole(self.place, lambda file: np.savez(file, name=name, keys=names, rows=rows))
