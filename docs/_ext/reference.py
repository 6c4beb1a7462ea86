"""The reference: pages of all public names, links of types, and no members of scikit-learn.

Names come from the packages' own lists, and from the functions that the mathematics page names:
nothing is listed a second time.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

import crosslabel
from crosslabel import datasets, displays, features
from crosslabel.lazy import exported

DOCS = Path(__file__).parents[1]
API = DOCS / "api"
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
PYTHON = "https://docs.python.org/3/library/"
OUTSIDE = {
    "array-like": "https://scikit-learn.org/stable/glossary.html#term-array-like",
    "ndarray": "https://numpy.org/doc/stable/reference/generated/numpy.ndarray.html",
    "RandomState": "https://numpy.org/doc/stable/reference/random/legacy.html",
    "Bunch": "https://scikit-learn.org/stable/modules/generated/sklearn.utils.Bunch.html",
    "path": PYTHON + "os.html#os.PathLike",
    "int": PYTHON + "functions.html#int",
    "float": PYTHON + "functions.html#float",
    "bool": PYTHON + "functions.html#bool",
    "str": PYTHON + "stdtypes.html#str",
    "dict": PYTHON + "stdtypes.html#dict",
    "list": PYTHON + "stdtypes.html#list",
    "tuple": PYTHON + "stdtypes.html#tuple",
    "callable": PYTHON + "functions.html#callable",
    "sequence": "https://docs.python.org/3/glossary.html#term-sequence",
    "iterable": "https://docs.python.org/3/glossary.html#term-iterable",
    "None": PYTHON + "constants.html#None",
    "sklearn.model_selection.GridSearchCV": "https://scikit-learn.org/stable/modules/generated/"
    "sklearn.model_selection.GridSearchCV.html",
}


def type_aliases() -> dict[str, str]:
    """What numpydoc makes a link of where it stands as a type: others' types, and public names."""
    ours = dict.fromkeys(crosslabel.__all__, "crosslabel")
    for package, module in PACKAGES.items():
        ours |= dict.fromkeys(module.__all__, package)
    links = {name: f":obj:`~{package}.{name}`" for name, package in ours.items()}
    plain = {name: name for name in ("generator", "scalar", "boolean", "string", "array")}
    return plain | links | {name: f":obj:`{name}`" for name in OUTSIDE if "." not in name}


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


def write_pages(app: Sphinx, config: Config) -> None:
    """Write the pages of the reference that list names, where they have changed."""
    API.mkdir(exist_ok=True)
    pages = {"crosslabel": root_page(), "crosslabel.core": core_page()}
    for name, package in PACKAGES.items():
        said = (package.__doc__ or "").strip()
        pages[name] = titled(name) + said + "\n\n" + listing(sorted(package.__all__), name)
    toc = "\n".join(f"   {name}" for name in pages)
    pages["index"] = (
        titled("API reference")
        + "All public names, with their parameters and an example each. What is not listed here is "
        "no part of the interface.\n\n.. toctree::\n   :maxdepth: 2\n\n" + toc + "\n"
    )
    for name, text in pages.items():
        place = API / f"{name}.rst"
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")


def skip_inherited(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out what scikit-learn and Python bring: it is documented where it comes from."""
    home = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    is_ours = home.startswith("crosslabel")
    is_routing = name.startswith("set_") or name == "get_metadata_routing"
    return True if what == "class" and (is_routing or not is_ours) else None


def outside(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Element
) -> nodes.reference | None:
    """The link of a type that another project documents."""
    address = OUTSIDE.get(node.get("reftarget", ""))
    if address is None:
        return None
    return nodes.reference("", "", content, internal=False, refuri=address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    # Before Sphinx looks for pages, and autosummary for names to write pages of.
    app.connect("config-inited", write_pages)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("missing-reference", outside)
    return {"parallel_read_safe": True}
