"""What runs here, to be pasted into a report of a problem."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from threadpoolctl import threadpool_info

from crosslabel._version import __version__


def show_versions() -> None:
    """Print the versions of Python, crosslabel, what it depends on, and the linear algebra in use.

    Examples
    --------
    >>> import crosslabel
    >>> crosslabel.show_versions()  # doctest: +ELLIPSIS
    crosslabel: ...
    """
    facts = {
        "crosslabel": __version__,
        "python": sys.version.split()[0],
        "machine": f"{platform.system()} {platform.machine()}",
        **{name: _installed(name) for name in _dependencies()},
    }
    for library in threadpool_info():
        threads = f"{library['num_threads']} threads"
        facts[f"{library['prefix']}"] = f"{library['version'] or '?'}, {threads}"
    width = max(map(len, facts))
    print("\n".join(f"{name + ':':<{width + 1}} {value}" for name, value in facts.items()))


def _dependencies() -> list[str]:
    """Names of all packages that pyproject.toml names for users, those of extras last."""
    found = [line for line in requires("crosslabel") or [] if "extra == 'dev'" not in line]
    found = sorted(found, key=lambda line: "extra ==" in line)
    return list(dict.fromkeys(re.split(r"[\[\s<>=!~;(]", line, maxsplit=1)[0] for line in found))


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
