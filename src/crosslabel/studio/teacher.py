"""The model follows the folder: it learns what is on the shelves, and forgets what has left."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.media.unreadable import UnreadableFile
from crosslabel.studio.lesson import Lesson, first_lesson, settled, taught
from crosslabel.studio.sight import Sight
from crosslabel.studio.stock import Stock
from crosslabel.studio.study import Exercises


class Teacher:
    """Holds the lesson, and brings it up to what lies on the shelves.

    Parameters
    ----------
    sight : Sight
    """

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.learnt: dict[tuple[str, str], str] = {}
        self.unreadable: dict[str, str] = {}
        self.lesson: Lesson | None = None
        self.lock = threading.RLock()

    def follow(self, stock: Stock) -> bool:
        """Learn and forget what has come and gone; whether there was anything.

        Pictures that were not looked at yet wait for `look_at_next`.

        Parameters
        ----------
        stock : Stock
        """
        with self.lock:
            wanted = {
                place: key
                for place, key in stock.sorted_pictures().items()
                if key in self.sight.rows
            }
            come = {place: key for place, key in wanted.items() if self.learnt.get(place) != key}
            gone = {place: key for place, key in self.learnt.items() if wanted.get(place) != key}
            if not come and not gone:
                return False
            lesson = self.lesson or first_lesson(len(self.row(next(iter(come.values())))))
            self.lesson = taught(lesson, self._batch(come), self._batch(gone))
            self.learnt = wanted
            return True

    def settle(self) -> bool:
        """Choose the settings by what is learnt now; whether that still is what is learnt."""
        lesson = self.lesson
        if lesson is None:
            return False
        found = settled(lesson)
        with self.lock:
            if self.lesson is not lesson:
                return False
            self.lesson = found
        return True

    def unseen(self, stock: Stock) -> list[tuple[str, Path]]:
        """Pictures that have not been looked at: their keys and places."""
        known = self.sight.rows.keys() | self.unreadable.keys()
        return [(key, stock.path(key)) for key in stock.places if key not in known]

    def look_at(self, key: str, place: Path) -> None:
        """Look at one picture; one that cannot be read is remembered with the reason."""
        try:
            self.sight.see(place, key)
        except UnreadableFile as error:
            self.unreadable[key] = error.reason
        except (ValueError, OSError) as error:
            self.unreadable[key] = str(error)

    def row(self, key: str) -> Array:
        """The features of a picture that was looked at."""
        return self.sight.rows[key].astype(np.float64)

    def pictures(self) -> Exercises:
        """All that is learnt, for a study."""
        with self.lock:
            places = sorted(self.learnt.items(), key=lambda item: (item[0][0], item[1]))
        names = sorted({label for (label, _), _ in places})
        keys = [key for _, key in places]
        labels = np.array([names.index(label) for (label, _), _ in places], np.intp)
        rows = np.stack([self.row(key) for key in keys]) if keys else np.zeros((0, 0))
        return Exercises(keys, rows, labels, names)

    def _batch(self, pictures: dict[tuple[str, str], str]) -> tuple[list[Array], list[str]]:
        return [self.row(key) for key in pictures.values()], [label for label, _ in pictures]
