"""Do package, changelog and citation agree with the tag of a release?

python tools/release.py v0.1.0 [--notes]

Exit status 1 and a sentence where they do not; with --notes, prints the changelog of the version.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECTION = re.compile(r"^## \[([\d.]+)\] - (\S+)\n(.*?)(?=^## \[|\Z)", re.DOTALL | re.MULTILINE)


def versions(root: Path = ROOT) -> dict[str, tuple[str, str]]:
    """The version and the date that each file states; "unreleased" for none."""
    package = (root / "src" / "crosslabel" / "_version.py").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    found = SECTION.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    day = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    date = found[2] if found else "unreleased"
    return {
        "_version.py": (_one(r'__version__ = "(.+)"', package), date),
        "CHANGELOG.md": (found[1] if found else "none", date),
        "CITATION.cff": (_one(r"^version: (\S+)$", citation), day[1] if day else "unreleased"),
    }


def notes(version: str, root: Path = ROOT) -> str:
    """What the changelog says of a version."""
    for found in SECTION.finditer((root / "CHANGELOG.md").read_text(encoding="utf-8")):
        if found[1] == version:
            return found[3].strip()
    raise ValueError(f"CHANGELOG.md has no section of version {version}.")


def complaints(tag: str, root: Path = ROOT) -> list[str]:
    """What keeps a tag from being a release; empty where all agree."""
    stated = versions(root)
    wrong = [
        f"{file} says {version}, the tag {tag}."
        for file, (version, _) in stated.items()
        if tag != f"v{version}"
    ]
    dates = {date for _, date in stated.values()}
    if len(dates) > 1:
        said = ", ".join(sorted(dates))
        wrong.append(f"CHANGELOG.md and CITATION.cff differ in the date: {said}.")
    if "unreleased" in dates:
        wrong.append("CHANGELOG.md and CITATION.cff must state the date of the release.")
    if "<!-- status -->" in (root / "README.md").read_text(encoding="utf-8"):
        wrong.append("README.md still says that nothing is released, between the status marks.")
    return wrong


def _one(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else "none"


def main() -> None:
    """Check a tag, or print its notes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tag", help="as v0.1.0")
    parser.add_argument("--notes", action="store_true", help="print what the changelog says")
    given = parser.parse_args()
    if given.notes:
        print(notes(given.tag.removeprefix("v")))
    elif wrong := complaints(given.tag):
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
