"""What lies on the shelves, picture by picture, with a key of each one's content."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from crosslabel.studio.folder import UNSORTED, Folder, Seen
from crosslabel.studio.journal import Move
from crosslabel.studio.sight import key_of


class Picture(NamedTuple):
    """A picture on a shelf: its file name, and what tells its content from others."""

    name: str
    key: str


@dataclass
class Stock:
    """The shelves as they were last looked at.

    Attributes
    ----------
    folder : Folder
    shelves : dict
        Pictures of each class; those without one under `UNSORTED`.
    labels : dict
        The studio's own name of each class, which a renaming leaves alone.
    places : dict
        Shelf and name of each picture, by its key.
    keys : dict
        Of files that were read, by size, time and name.
    count : int
        Labels that were given.
    """

    folder: Folder
    shelves: dict[str, list[Picture]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, str]] = field(default_factory=dict)
    keys: dict[tuple[Seen, str], str] = field(default_factory=dict)
    count: int = 0

    def look(self, moves: tuple[Move, ...] = ()) -> list[str]:
        """See what lies in the folder now.

        Parameters
        ----------
        moves : tuple of Move, default=()
            That were just made: a class that was moved keeps its label.

        Returns
        -------
        list of str
            Classes whose pictures are others than before.
        """
        for here, there in moves:
            if "/" not in here and "/" not in there and here in self.labels:
                self.labels[there] = self.labels.pop(here)
                self.shelves[there] = self.shelves.pop(here, [])
        found = {
            shelf: [Picture(name, self._key(shelf, name, seen)) for name, seen in files.items()]
            for shelf, files in self.folder.shelves().items()
        }
        changed = [
            name for name in {**found, **self.shelves} if found.get(name) != self.shelves.get(name)
        ]
        for name in found:
            if name not in self.labels and name != UNSORTED:
                self.count += 1
                self.labels[name] = f"c{self.count:06d}"
        self.labels = {name: label for name, label in self.labels.items() if name in found}
        self.shelves = found
        self.places = {
            picture.key: (shelf, picture.name)
            for shelf, pictures in found.items()
            for picture in pictures
        }
        return changed

    @property
    def names(self) -> dict[str, str]:
        """The name that people gave to each label."""
        return {label: name for name, label in self.labels.items()}

    def sorted_pictures(self) -> dict[tuple[str, str], str]:
        """Keys of all pictures that have a class, by the label of the class and their name."""
        return {
            (label, picture.name): picture.key
            for shelf, label in self.labels.items()
            for picture in self.shelves[shelf]
        }

    def find(self, shelf: object, name: object) -> Picture:
        """A picture that is said to be there, or a `KeyError`."""
        for picture in self.shelves.get(shelf, ()) if isinstance(shelf, str) else ():
            if picture.name == name:
                return picture
        raise KeyError(f"There is no picture {str(name)[:80]!r} in {str(shelf)[:80]!r} any more.")

    def path(self, key: str) -> Path:
        """Where a picture lies; a `KeyError` where it does not."""
        if key not in self.places:
            raise KeyError("There is no such picture.")
        return self.folder.path(*self.places[key])

    def _key(self, shelf: str, name: str, seen: Seen) -> str:
        """The key of a file, which is read again only when it has changed."""
        if (seen, name) not in self.keys:
            self.keys[seen, name] = key_of(self.folder.path(shelf, name))
        return self.keys[seen, name]
