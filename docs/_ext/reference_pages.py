"""What the pages of the reference say: all public names, from the packages' own lists.

Names come from the lists, and from the functions that the mathematics page names: nothing is listed
a second time. Needs no Sphinx, so that tests can read the pages.
"""

import inspect
import re
from pathlib import Path

from command_pages import page as command_page

import crosslabel
from crosslabel import datasets, displays, features
from crosslabel.datasets import splits
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

BEYOND = {
    "crosslabel": [
        *("flagship.twins.Twins", "flagship.explanation.Explanation", "flagship.top.Top"),
        *("flagship.explanation.ClassView", "core.rules.explanation.Share"),
    ],
    "crosslabel.datasets.splits": [
        name for name, _ in inspect.getmembers(splits, inspect.isfunction) if name[0] != "_"
    ],
    "crosslabel.files": [
        *("ModelFileError", "description.describe", "mlflow.save_model", "mlflow.log_model")
    ],
}
"""Public names that no package lists: what methods give back, and what few need; by module."""

RESULTS = """\
What methods and functions give back.

"""
SPLITS = """\
Which samples train and which test: the paper's protocols.

"""
FILES = """\
Beside :func:`crosslabel.save` and :func:`crosslabel.load` (:doc:`/guide/models`): the error of a
file that is not loaded, what a file tells of itself, and MLflow's form (:doc:`/guide/ecosystem`).

"""
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


def beyond(module: str) -> str:
    """The names of a module that no package lists."""
    name = f"crosslabel{module}"
    return listing(BEYOND[name], name)


def pages() -> dict[str, str]:
    """All pages by their names, in the order of the reference."""
    made = {"crosslabel": root_page(), "commands": command_page()}
    for name, package in PACKAGES.items():
        said = (package.__doc__ or "").strip()
        made[name] = titled(name) + said + "\n\n" + listing(sorted(package.__all__), name)
    made["crosslabel"] += "\n" + titled("Results", "-") + RESULTS + beyond("")
    made["crosslabel.datasets"] += (
        "\n" + titled("Splits", "-") + SPLITS + beyond(".datasets.splits")
    )
    made["crosslabel.files"] = titled("crosslabel.files") + FILES + beyond(".files")
    made["crosslabel.core"] = core_page()
    toc = "\n".join(f"   {name}" for name in made)
    made["index"] = (
        titled("API reference")
        + "All public names, with their parameters and an example each, and all commands. What is "
        "not listed here is no part of the interface; :doc:`crosslabel.core` is here to be read."
        "\n\n.. toctree::\n   :maxdepth: 2\n\n" + toc + "\n"
    )
    return made
