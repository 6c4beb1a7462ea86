"""How the site is built (`make docs`). The reference is written from the lists of names."""

import sys
import warnings
from pathlib import Path

import crosslabel
from crosslabel.site import SITE

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
from gallery_order import place
from reference import type_aliases
from sphinx_gallery.sorting import FunctionSortKey

project = "crosslabel"
author = "The crosslabel developers"
copyright = "2026, the crosslabel developers"
version = release = crosslabel.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas without a network, and no reader is told to another site
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "reference",
]
templates_path = ["_templates"]
exclude_patterns = ["_ext", "**/GALLERY_HEADER.rst", "auto_examples/*.ipynb", "**/README.rst"]
suppress_warnings = ["config.cache"]  # settings that hold functions are not cached

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # "fit()", where the page says whose it is
autodoc_typehints = "none"  # numpydoc's sections say the types, and link them
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = type_aliases()
numpydoc_xref_ignore = "all"  # words that are no types

html_theme = "pydata_sphinx_theme"
html_title = "crosslabel"
html_baseurl = SITE
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "github_url": "https://github.com/crosslabel/crosslabel",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 4,
}
# Pages that stand alone have no sections beside them.
html_sidebars = {page: [] for page in ("start", "which", "instead", "glossary")}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": FunctionSortKey(place),
    "thumbnail_size": (440, 300),
    "backreferences_dir": None,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 30,
    "plot_gallery": "True",
}
# Figures that are shown by `plt.show()` have no window here.
warnings.filterwarnings("ignore", message=".*non-interactive.*")
