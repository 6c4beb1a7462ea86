"""What the pages of the reference say: all public names, from the packages' own lists.

Names come from the lists, and from the functions that the mathematics page names: nothing is listed
a second time. Needs no Sphinx, so that tests can read the pages.
"""

import re
from pathlib import Path

import crosslabel
from crosslabel import datasets, displays, features
from crosslabel.lazy import exported

DOCS = Path(__file__).parents[1]
ROOMS = {
    "flagship": "The classifier",
    "methods": "Comparison methods",
    "intake": "Statistics",
    "files": "Files",
    "versions": "This machine",
}
PACKAGES = {"crosslabel.features": features, "crosslabel.datasets": datasets}
PACKAGES["crosslabel.displays"] = displays

CORE = """\
Pure functions on arrays, which the estimators are made of. They are open to be read and tried, and
may change between versions; :doc:`/method/mathematics` says which equation each computes.

"""


def listing(names: list[str], module: str) -> str:
    """An autosummary of names."""
    lines = "\n".join(f"   {name}" for name in names)
    return (
        f".. currentmodule:: {module}\n\n.. autosummary::\n   :toctree: generated\n"
        f"   :nosignatures:\n\n{lines}\n"
    )


def titled(title: str, mark: str = "=") -> str:
    """A heading."""
    return f"{title}\n{mark * len(title)}\n\n"


def root_page() -> str:
    """The names of `crosslabel` itself, by the room they come from."""
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS}
    for name, module in sorted(exported(str(crosslabel.__file__)).items()):
        if name != "__version__":
            rooms.setdefault(module.split(".")[1], []).append(name)
    parts = [titled("crosslabel"), "``crosslabel.__version__`` tells the version.\n\n"]
    for room, names in rooms.items():
        parts += [titled(ROOMS.get(room, room.capitalize()), "-"), listing(names, "crosslabel")]
    return "\n".join(parts)


def core_page() -> str:
    """The functions that the mathematics page links its equations to."""
    text = (DOCS / "method" / "mathematics.md").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\{py:obj\}`~?(crosslabel\.[\w.]+)`", text)))
    inner = [name.removeprefix("crosslabel.") for name in names if ".core." in name]
    return titled("crosslabel.core") + CORE + listing(inner, "crosslabel")


def pages() -> dict[str, str]:
    """All pages by their names."""
    made = {"crosslabel": root_page(), "crosslabel.core": core_page()}
    for name, package in PACKAGES.items():
        said = (package.__doc__ or "").strip()
        made[name] = titled(name) + said + "\n\n" + listing(sorted(package.__all__), name)
    toc = "\n".join(f"   {name}" for name in made)
    made["index"] = (
        titled("API reference")
        + "All public names, with their parameters and an example each. What is not listed here is "
        "no part of the interface.\n\n.. toctree::\n   :maxdepth: 2\n\n" + toc + "\n"
    )
    return made
