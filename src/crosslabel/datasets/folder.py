"""Any folder of classes: `photos/<class>/*.jpg` or `clips/<class>/*.avi`, in whatever state.

Files are looked at once, by decoding them; what cannot be used is left out, named and counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.utils import Bunch

from crosslabel.media.clips import CLIP_SUFFIXES, read_clip
from crosslabel.media.images import image_suffixes, read_image
from crosslabel.media.unreadable import UnreadableFile
from crosslabel.progress_bar import progress_bar

COMMON = (".jpg", ".png", ".jpeg", ".mp4", ".avi")
SHOWN = 8  # suffixes that are named


class Skipped(NamedTuple):
    """A file or class folder that was left out, and why."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; left out"


def load_image_folder(
    root: str | os.PathLike[str],
    *,
    strict: bool = False,
    check: bool = True,
    minimum: int = 2,
    progress: bool = False,
) -> Bunch:
    """Images of a folder whose subfolders are the classes.

    Parameters
    ----------
    root : path
    strict : bool, default=False
        Raise for the first file or class that cannot be used instead of leaving it out.
    check : bool, default=True
        Decode every image once, to know now which ones cannot be read.
    minimum : int, default=2
        Images that a class must have: one to train and one to test.
    progress : bool, default=False
        Show a bar while images are looked at.

    Returns
    -------
    Bunch
        `filenames` (list of str), `target` (ndarray of int), `target_names` (ndarray of str),
        `skipped` (list of `Skipped`), `kind` ("images") and `DESCR`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from crosslabel.datasets import load_image_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"):
    ...         (Path(folder) / name).parent.mkdir(exist_ok=True)
    ...         Image.new("L", (8, 8)).save(Path(folder) / name)
    ...     data = load_image_folder(folder)
    >>> data.target.tolist(), data.target_names.tolist()
    ([0, 0, 1, 1], ['cat', 'dog'])
    """
    checker = read_image if check else None
    return _load("images", Path(root), image_suffixes(), checker, strict, minimum, progress)


def load_clip_folder(
    root: str | os.PathLike[str],
    *,
    strict: bool = False,
    check: bool = True,
    minimum: int = 2,
    progress: bool = False,
) -> Bunch:
    """Clips of a folder whose subfolders are the classes; as `load_image_folder`.

    Parameters
    ----------
    root : path
    strict, check, minimum, progress
        As for `load_image_folder`.

    Returns
    -------
    Bunch
        As of `load_image_folder`, with `kind` "clips".

    Examples
    --------
    >>> from crosslabel.datasets import load_clip_folder
    >>> clips = load_clip_folder("clips")  # clips/<class>/*.avi  # doctest: +SKIP
    >>> len(clips.filenames) == len(clips.target)  # doctest: +SKIP
    True
    """
    checker = read_clip if check else None
    return _load("clips", Path(root), CLIP_SUFFIXES, checker, strict, minimum, progress)


def _load(
    kind: str,
    root: Path,
    suffixes: frozenset[str],
    checker: Callable[[Path], object] | None,
    strict: bool,
    minimum: int,
    progress: bool,
) -> Bunch:
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is no folder. Give one with a subfolder for each class.")
    skipped: list[Skipped] = []

    def skip(path: Path, reason: str) -> None:
        if strict:
            raise UnreadableFile(path, reason)
        skipped.append(Skipped(path, reason))

    files, loose = _files(root, suffixes)
    classes: dict[str, list[Path]] = {}
    count = sum(len(own) for own in files.values())
    with progress_bar(f"reading {kind}" if progress else None, count) as advance:
        for folder, own in files.items():
            # Bytes that are not UTF-8 come as half characters, which no file can hold.
            if not folder.name.isprintable():
                skip(folder, "its name is not UTF-8, or has signs that are not printed; rename it")
                continue
            reasons = _check(own, checker, advance)
            for file, reason in zip(own, reasons):
                if reason is not None:
                    skip(file, reason)
            usable = [file for file, reason in zip(own, reasons) if reason is None]
            if len(usable) < minimum:
                found = f"{len(usable)} usable {kind if len(usable) != 1 else kind[:-1]}"
                skip(folder, f"the class has {found} and needs at least {minimum}")
            else:
                classes[folder.name] = usable
    if not classes:
        raise ValueError(_nothing(kind, root, suffixes, loose) + _first_reasons(skipped))
    if loose:
        skip(root, f"{loose} {kind} lie directly in the folder, in no class")
    return _bunch(kind, root, classes, skipped)


def _files(root: Path, suffixes: frozenset[str]) -> tuple[dict[Path, list[Path]], int]:
    """Files of each class folder by their suffixes, and how many lie in no class folder."""
    places = sorted(place for place in root.iterdir() if not place.name.startswith("."))
    own = {
        place: [file for file in walk(place) if file.suffix.lower() in suffixes]
        for place in places
        if place.is_dir()
    }
    return own, sum(p.suffix.lower() in suffixes for p in places if p not in own)


def _nothing(kind: str, root: Path, suffixes: frozenset[str], loose: int) -> str:
    """Why a folder cannot be used, and what to do."""
    said = f"{root} holds no class with usable {kind}. Each class is a subfolder"
    if loose:
        return (
            f"{said}, but {loose} {kind} lie directly in {root}. Move the files of each class "
            f"into a folder of its own, as {root.name}/cats and {root.name}/dogs."
        )
    return f"{said} with files ending in {named_suffixes(suffixes)}."


def named_suffixes(suffixes: Collection[str]) -> str:
    """Suffixes for a reader: those that most people have first, and not all of them.

    Parameters
    ----------
    suffixes : collection of str

    Returns
    -------
    str
    """
    common = [suffix for suffix in COMMON if suffix in suffixes]
    others = sorted(suffix for suffix in suffixes if suffix not in common)
    return ", ".join([*common, *others][:SHOWN]) + (" …" if len(suffixes) > SHOWN else "")


def _bunch(kind: str, root: Path, classes: dict[str, list[Path]], skipped: list[Skipped]) -> Bunch:
    names = np.array(list(classes))
    counts = [len(files) for files in classes.values()]
    return Bunch(
        filenames=[str(file) for files in classes.values() for file in files],
        target=np.repeat(np.arange(len(names)), counts),
        target_names=names,
        skipped=skipped,
        kind=kind,
        DESCR=f"{sum(counts)} {kind} of {len(names)} classes in {root}; {len(skipped)} left out.",
    )


def _first_reasons(skipped: list[Skipped]) -> str:
    return "".join(f"\n  {item}" for item in skipped[:5])


def walk(folder: Path) -> Iterator[Path]:
    """Files below a folder in the order of their names; each real folder once, so loops end.

    Parameters
    ----------
    folder : Path

    Yields
    ------
    Path
    """
    seen: set[str] = set()
    for here, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        folders[:] = [] if real in seen else sorted(f for f in folders if not f.startswith("."))
        if real not in seen:
            yield from (Path(here, file) for file in sorted(files) if not file.startswith("."))
        seen.add(real)


def _check(
    files: list[Path],
    checker: Callable[[Path], object] | None,
    advance: Callable[..., None],
) -> list[str | None]:
    """For each file None, or why it cannot be used."""
    if checker is None:
        return [None] * len(files)

    def reason(file: Path) -> str | None:
        try:
            checker(file)
        except UnreadableFile as error:
            return error.reason
        finally:
            advance(1)
        return None

    # Decoders let other threads run; few of them, for an image in work may take half a gigabyte.
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        return list(pool.map(reason, files))
