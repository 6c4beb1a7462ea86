"""The studio itself: the folder, the model that follows it, and what is told to the pages."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from crosslabel.core.scaling import Array
from crosslabel.media.images import FORMATS
from crosslabel.media.unreadable import UnreadableFile
from crosslabel.studio.asking import Said, answer
from crosslabel.studio.changes import Counter, Request, Upload
from crosslabel.studio.doubts import entropy, teaching_order
from crosslabel.studio.folder import OURS, UNSORTED, Folder
from crosslabel.studio.sight import Sight, key_of
from crosslabel.studio.stock import Stock
from crosslabel.studio.study import Study
from crosslabel.studio.teacher import Teacher
from crosslabel.studio.thumbnails import kept_thumbnail

MOST_WAITING = 2000
"""Uploads that have no place yet, and pictures that are being asked about, at most."""

MOST_PIXELS = 50_000_000
"""Of an upload; a phone's camera has a quarter of it."""


class Studio:
    """One folder, one model, any number of pages.

    Parameters
    ----------
    root : Path
    sight : str
        How pictures are seen; of `sight.SIGHTS`.
    tell : callable
        Called with each event, on any thread.
    """

    def __init__(
        self, root: Path, sight: str, tell: Callable[[Said], None] = lambda said: None
    ) -> None:
        self.folder = Folder(root)
        self.stock = Stock(self.folder)
        self.teacher = Teacher(Sight(sight, self.folder.root / OURS / "features.npz"))
        self.uploads: dict[str, Upload] = {}
        self.asked: OrderedDict[str, Array] = OrderedDict()
        self.tell = tell
        self.study: Study | None = None
        self.version = 0
        self.lock = threading.RLock()
        self.work = threading.Event()
        self.stock.look()
        self.teacher.follow(self.stock)
        self.work.set()

    def close(self) -> None:
        """Leave the folder to another studio."""
        self.keep()
        self.folder.close()

    def keep(self) -> None:
        """Write what was seen of the pictures for the next start."""
        self.teacher.sight.keep(list(self.stock.places))

    # What pages do.

    def stage(self, content: bytes) -> Said:
        """Take a picture in and look at it; it has no place yet.

        Parameters
        ----------
        content : bytes
            Of an image file of a known format; a `ValueError` says what is wrong with it.
        """
        place = self.folder.stage(content)
        try:
            suffix, key = checked(place), key_of(place)
            self.teacher.sight.see(place, key)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
        with self.lock:
            self.uploads[place.name] = Upload(place, suffix)
            while len(self.uploads) > MOST_WAITING:  # of pages that were closed half-way
                self.uploads.pop(next(iter(self.uploads))).place.unlink(missing_ok=True)
        return {"staged": place.name, "key": key}

    def change(self, request: Request) -> Said:
        """Do what a page asks, and let the model follow.

        Parameters
        ----------
        request : dict
            As `changes.CHANGES` says.
        """
        with self.lock:
            change = Counter(self.folder, self.stock, self.uploads).change(request)
            self.folder.change(change.what, change.moves, change.confirmed)
            for here, _ in change.moves:
                self.uploads.pop(here.rpartition("/")[2], None)
            return self._after(change.what)

    def undo(self) -> Said:
        """Take the last change back."""
        with self.lock:
            return self._after(self._said("Undone", self.folder.undo()))

    def redo(self) -> Said:
        """Make the change again that was taken back last."""
        with self.lock:
            return self._after(self._said("Done again", self.folder.redo()))

    def look(self) -> Said | None:
        """See whether somebody else has changed the folder; what has changed, or None."""
        with self.lock:
            version = self.version
            said = self._after("The folder was changed outside of the studio", news=False)
            return said if self.version > version else None

    def ask(self, content: bytes) -> Said:
        """What the model says of a picture that is none of the folder's.

        Parameters
        ----------
        content : bytes
            As of `stage`.
        """
        place = self.folder.stage(content)
        try:
            checked(place)
            row = np.asarray(self.teacher.sight.features.transform([place])[0], np.float64)
        finally:
            place.unlink(missing_ok=True)
        name = secrets.token_hex(8)
        self.asked[name] = row
        while len(self.asked) > MOST_WAITING:
            self.asked.popitem(last=False)
        return {"asked": name, **self.answer(name)}

    def answer(self, asked: str) -> Said:
        """The answer of now to a picture that was asked about before."""
        row = self.asked.get(asked)
        if row is None:
            raise KeyError("The picture is not here any more. Ask again.")
        threshold = None if self.study is None else self.study.threshold
        return answer(row, self.teacher, self.stock.names, threshold)

    def thumbnail(self, key: str) -> bytes:
        """A small picture of one that is on a shelf."""
        return kept_thumbnail(self.stock.path(key), key, self.folder.root / OURS / "thumbnails")

    # What pages are told.

    def state(self) -> Said:
        """All that a page shows when it opens."""
        with self.lock:
            self._look(())
            return {**self._news(list(self.stock.shelves)), "folder": str(self.folder.root)}

    def unsorted(self) -> list[Said]:
        """Pictures without a class, those first whose label would teach most."""
        lesson = self.teacher.lesson
        fitted = None if lesson is None else lesson.fitted
        pictures = [
            one for one in self.stock.shelves[UNSORTED] if one.key in self.teacher.sight.rows
        ]
        if fitted is None or not pictures:
            return [{"name": one.name, "key": one.key} for one in pictures]
        p = fitted.probabilities(np.stack([self.teacher.row(one.key) for one in pictures]))
        most, names = np.log(p.shape[1]), self.stock.names
        taught = entropy(p) / most
        return [
            {
                "name": pictures[i].name,
                "key": pictures[i].key,
                "guess": names.get(str(fitted.classes[p[i].argmax()])),
                "probability": float(p[i].max()),
                "teaches": float(taught[i]),
            }
            for i in teaching_order(p).tolist()
        ]

    def _after(self, what: str, news: bool = True) -> Said:
        """Bring everything up to the folder, and tell all pages."""
        entries = self.folder.journal.entries
        changed = self._look(entries[-1].moves if entries and news else ())
        if news or changed:
            self.version += 1
            said = {**self._news(changed), "what": what}
            self.tell({"event": "changed", **said})
            self.work.set()
            return said
        return {}

    def _look(self, moves: tuple[tuple[str, str], ...]) -> list[str]:
        changed = self.stock.look(moves)
        self.teacher.follow(self.stock)
        return changed

    def _news(self, changed: list[str]) -> Said:
        """The order of the classes, what changed of them, and what can be undone."""
        done, undone = self.folder.journal.stacks
        shelves = self.stock.shelves
        return {
            "version": self.version,
            "order": [name for name in shelves if name != UNSORTED],
            "shelves": {
                name: [[one.name, one.key] for one in shelves[name]]
                for name in changed
                if name in shelves
            },
            "unreadable": [key for key in self.teacher.unreadable if key in self.stock.places],
            "undo": done[-1].what if done else None,
            "redo": undone[-1].what if undone else None,
            "waiting": len(self.teacher.unseen(self.stock)),
        }

    @staticmethod
    def _said(how: str, what: str | None) -> str:
        if what is None:
            raise ValueError("There is nothing to take back or to do again.")
        return f"{how}: {what}"


def checked(place: Path) -> str:
    """The usual suffix of an image file's format; `UnreadableFile` where it is no image.

    Parameters
    ----------
    place : Path
    """
    Image.init()
    known = [name for name in FORMATS if name in Image.OPEN]
    try:
        with Image.open(place, formats=known) as image:
            width, height, form = *image.size, str(image.format)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UnreadableFile(place, "this is no image of a known format") from None
    if width * height > MOST_PIXELS:
        raise UnreadableFile(place, f"{width}×{height} pixels are too many")
    return SUFFIXES.get(form, ".png" if form == "PNG" else f".{form.lower()}")


SUFFIXES = {"JPEG": ".jpg", "JPEG2000": ".jp2", "TIFF": ".tif"}
