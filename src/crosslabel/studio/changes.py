"""What people do to the shelves, as moves: add, move, remove, name and confirm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslabel.studio.folder import STAGED, UNSORTED, Folder
from crosslabel.studio.journal import Move
from crosslabel.studio.names import class_name, picture_name
from crosslabel.studio.stock import Picture, Stock

MOST_CLASSES = 1000
MOST_PICTURES = 50_000

Request = dict[str, object]
"""What a page sent: JSON, of any form until it is looked at."""


@dataclass(frozen=True)
class Upload:
    """A picture that was brought and has no place yet."""

    place: Path
    suffix: str


@dataclass(frozen=True)
class Change:
    """Moves to make, and what to call them."""

    what: str
    moves: Sequence[Move]
    confirmed: Sequence[str] = ()


@dataclass(frozen=True)
class Counter:
    """Where requests become changes.

    Attributes
    ----------
    folder : Folder
    stock : Stock
    uploads : dict
        By the name that the page was told.
    """

    folder: Folder
    stock: Stock
    uploads: dict[str, Upload]

    def change(self, request: Request) -> Change:
        """The change that a request asks for; a `ValueError` or `KeyError` says what is wrong.

        Parameters
        ----------
        request : dict
            `do` is a name in `CHANGES`.
        """
        kind = request.get("do")
        if not isinstance(kind, str) or kind not in CHANGES:
            raise ValueError(f"There is no change {str(kind)[:40]!r}. Known: {', '.join(CHANGES)}.")
        return CHANGES[kind](self, request)

    def add(self, request: Request) -> Change:
        """Put uploads on shelves, which are made where there are none."""
        said = _objects(request.get("pictures"))
        if sum(map(len, self.stock.shelves.values())) + len(said) > MOST_PICTURES:
            raise ValueError(f"A studio holds {MOST_PICTURES:,} pictures; these would be more.")
        moves, taken, made = list[Move](), dict[str, set[str]](), list[str]()
        for one in said:
            shelf = self._shelf(one.get("to"), made, moves)
            upload = self.uploads.get(str(one.get("staged")))
            if upload is None:
                raise KeyError("An uploaded picture is not here any more. Bring it again.")
            names = taken.setdefault(shelf, self._taken(shelf))
            name = picture_name(one.get("name"), upload.suffix, names)
            names.add(name.lower())
            moves.append((f"{STAGED}/{upload.place.name}", _path(shelf, name)))
        where = _places(list(taken))
        return Change(f"Added {_pictures(len(said))} to {where}", moves)

    def move(self, request: Request) -> Change:
        """Put pictures on another shelf."""
        moves, made = list[Move](), list[str]()
        shelf = self._shelf(request.get("to"), made, moves)
        names, found = self._taken(shelf), self._found(request)
        for own, picture in found:
            stem, dot, suffix = picture.name.rpartition(".")
            name = picture_name(stem, dot + suffix, names)
            names.add(name.lower())
            moves.append((_path(own, picture.name), _path(shelf, name)))
        return Change(f"Moved {_pictures(len(found))} to {_called(shelf)}", moves)

    def remove(self, request: Request) -> Change:
        """Take pictures out: they are forgotten."""
        found = self._found(request)
        places = self.folder.removed(len(found))
        moves = [(_path(own, one.name), place) for (own, one), place in zip(found, places)]
        where = _places(list(dict.fromkeys(own for own, _ in found)))
        return Change(f"Removed {_pictures(len(found))} from {where}", moves)

    def new_class(self, request: Request) -> Change:
        """Make an empty shelf."""
        name, moves = class_name(request.get("name")), list[Move]()
        self._check_free(name)
        self._shelf(name, [], moves)
        return Change(f"New class {name}", moves)

    def rename(self, request: Request) -> Change:
        """Give a shelf another name."""
        old, name = self._known(request.get("class")), class_name(request.get("name"))
        if name.casefold() != old.casefold():
            self._check_free(name)
        elif name == old:
            raise ValueError(f"The class is called {name} already.")
        return Change(f"Renamed {old} to {name}", [(old, name)])

    def remove_class(self, request: Request) -> Change:
        """Take a shelf away with all its pictures."""
        name = self._known(request.get("class"))
        count = len(self.stock.shelves[name])
        return Change(
            f"Removed {name} with {_pictures(count)}", [(name, self.folder.removed(1)[0])]
        )

    def confirm(self, request: Request) -> Change:
        """Say that pictures are where they belong."""
        found = self._found(request)
        keys = [picture.key for _, picture in found]
        return Change(f"Confirmed {_pictures(len(found))}", [], keys)

    def _shelf(self, said: object, made: list[str], moves: list[Move]) -> str:
        """An existing shelf, or a new one, which then gets its moves."""
        if said in (None, UNSORTED):
            return UNSORTED
        name = class_name(said)
        if name in self.stock.labels or name in made:
            return name
        self._check_free(name)
        made.append(name)
        moves.append((self.folder.empty_class(), name))
        return name

    def _check_free(self, name: str) -> None:
        if len(self.stock.labels) >= MOST_CLASSES:
            raise ValueError(f"A studio holds {MOST_CLASSES:,} classes.")
        taken = {own.casefold(): own for own in self.stock.labels}
        if name.casefold() in taken or (self.folder.root / name).exists():
            raise ValueError(f"There is a class {taken.get(name.casefold(), name)} already.")

    def _known(self, said: object) -> str:
        if not isinstance(said, str) or said not in self.stock.labels:
            raise KeyError(f"There is no class {str(said)[:80]!r} any more.")
        return said

    def _taken(self, shelf: str) -> set[str]:
        """Names on a shelf, of pictures and of whatever else lies there."""
        place = self.folder.root / shelf
        return {entry.name.lower() for entry in place.iterdir()} if place.is_dir() else set()

    def _found(self, request: Request) -> list[tuple[str, Picture]]:
        said = _objects(request.get("pictures"))
        found = [
            (one.get("class"), self.stock.find(one.get("class"), one.get("name"))) for one in said
        ]
        return list(dict.fromkeys((str(own), picture) for own, picture in found))


CHANGES: dict[str, Callable[[Counter, Request], Change]] = {
    "add": Counter.add,
    "move": Counter.move,
    "remove": Counter.remove,
    "new-class": Counter.new_class,
    "rename": Counter.rename,
    "remove-class": Counter.remove_class,
    "confirm": Counter.confirm,
}


def _objects(said: object) -> list[Request]:
    if not isinstance(said, list) or not said or not all(isinstance(one, dict) for one in said):
        raise ValueError("'pictures' must be a list of objects, one for each picture.")
    return said


def _path(shelf: str, name: str) -> str:
    return f"{shelf}/{name}" if shelf else name


def _called(shelf: str) -> str:
    return shelf or "pictures without a class"


def _places(shelves: list[str]) -> str:
    return _called(shelves[0]) if len(shelves) == 1 else f"{len(shelves)} classes"


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"
