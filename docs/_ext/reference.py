"""The reference: pages of all public names, links of types, and no members of scikit-learn."""

import re
import sys

from docutils import nodes
from docutils.nodes import Element
from method_examples import example, is_shown
from reference_pages import BEYOND, DOCS, PACKAGES, pages
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

import crosslabel

API = DOCS / "api"
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
    for package, names in BEYOND.items():
        for module, _, name in (f"{package}.{path}".rpartition(".") for path in names):
            ours[name] = module
    links = {name: f":obj:`~{package}.{name}`" for name, package in ours.items()}
    plain = {name: name for name in ("generator", "scalar", "boolean", "string", "array")}
    return plain | links | {name: f":obj:`{name}`" for name in OUTSIDE if "." not in name}


def write_pages(app: Sphinx, config: Config) -> None:
    """Write the pages of the reference that list names, where they have changed."""
    API.mkdir(exist_ok=True)
    for name, text in pages().items():
        place = API / f"{name}.rst"
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")


def skip_inherited(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out what scikit-learn and Python bring, and what is for the library itself."""
    return True if what == "class" and not is_shown(name, obj) else None


def show_example(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Make pages that are named links, and add to a method the example that is kept for it."""
    lines[:] = [re.sub(r"`?docs/([\w/]+)\.md`?", r":doc:`/\1`", line) for line in lines]
    module, _, path = name.partition(".")
    *owners, method = path.split(".")
    if what != "method" or any(">>>" in line for line in lines):
        return
    owner = getattr(sys.modules[".".join([module, *owners[:-1]])], owners[-1])
    if shown := example(owner, method):
        lines += ["", "Examples", "--------", *shown.splitlines()]


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
    # Before numpydoc makes sections of it.
    app.connect("autodoc-process-docstring", show_example, priority=400)
    app.connect("missing-reference", outside)
    return {"parallel_read_safe": True}
