"""Every link inside a built site leads to a page, a file and a heading that exist.

`python -m tools.links build/docs`. Sphinx looks after references; this reads the pages that it
wrote, with what themes, the gallery and raw HTML have put there. Links to other sites are
`make linkcheck`'s affair.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class _Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One tag."""
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)
            elif value and ((tag in ("a", "link") and name == "href") or name == "src"):
                self.links.append(value)


@cache
def _read(place: Path) -> _Page:
    return _Page(place.read_text(encoding="utf-8"))


def pages(root: Path) -> list[Path]:
    """The pages of a site; what lies in `_static` belongs to the theme, templates too."""
    found = sorted(root.rglob("*.html"))
    return [page for page in found if page.relative_to(root).parts[0] != "_static"]


def dead(root: Path) -> Iterator[str]:
    """Links within the site that lead nowhere, each with its page.

    Parameters
    ----------
    root : path
        Of the built site.
    """
    for page in pages(root):
        for link in _read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = place / "index.html" if place.is_dir() else place
            anchor = unquote(urldefrag(link).fragment)
            is_there = place.exists() and (
                not anchor or place.suffix != ".html" or anchor in _read(place).places
            )
            if not is_there:
                yield f"{page.relative_to(root)}: {link}"


def main(folder: str) -> int:
    """Print what is dead, and how many pages were read."""
    found = list(dead(Path(folder).resolve()))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} dead links on {len(pages(Path(folder)))} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
