"""What is inside a model file, verified as loading would, and with nothing prepared for use."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

from crosslabel.files.container import JsonObject, opened
from crosslabel.files.decode import decode
from crosslabel.files.manifest import check_model, read_manifest
from crosslabel.files.schema import arrays


@dataclass(frozen=True)
class StoredArray:
    """An array of a model: where it stands, and what it is."""

    path: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Description:
    """What a model file tells of itself.

    Parameters
    ----------
    file : str
    bytes : int
    checksum : str
        SHA-256 of the file, which holds.
    manifest : dict
        As `docs/guide/models.md` lists it.
    arrays : list of StoredArray
    """

    file: str
    bytes: int
    checksum: str
    manifest: JsonObject
    arrays: list[StoredArray]

    def as_dict(self) -> JsonObject:
        """For JSON."""
        return asdict(self)


def describe(path: str | os.PathLike[str]) -> Description:
    """Read what a model file tells of itself.

    Parameters
    ----------
    path : path

    Returns
    -------
    Description

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or would not be loaded.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import crosslabel
    >>> from crosslabel.files.description import describe
    >>> model = crosslabel.NearestClassMean(normalize=False).fit([[0, 1], [1, 0]], ["up", "right"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     crosslabel.save(model, Path(folder) / "arrows.skops")
    ...     told = describe(Path(folder) / "arrows.skops")
    >>> told.manifest["holds"], max(array.shape for array in told.arrays)
    ('estimator', (2, 2))
    """
    with opened(path) as archive:
        manifest = read_manifest(archive)
        schema = archive.json("schema.json")
        check_model(decode(schema, archive), manifest)
        found: dict[str, StoredArray] = {}
        # An array that stands in several places is told of once, where it stands first.
        for place, name in arrays(schema):
            if name not in found:
                found[name] = StoredArray(place, *archive.shape_and_type(name))
        return Description(
            str(path), archive.size, archive.checksum, manifest, list(found.values())
        )
