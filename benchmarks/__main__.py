"""All of the flagship's benchmarks: exit status 1 where a bar is missed.

python -m benchmarks [--quick] [--record] [--only 'closed_form.*'] [--list]
"""

import argparse
import sys
from fnmatch import fnmatchcase

from benchmarks import accuracy, closed_form, core, large, objectives, selection
from benchmarks.lines import Part, lines_of, show
from benchmarks.records import recorded

SECTIONS: dict[str, tuple[Part, ...]] = {
    "The core": core.PARTS,
    "Training in closed form": closed_form.PARTS,
    "Objectives": objectives.PARTS,
    "Selection by cross-validation": (selection.lines,),
    "Accuracy in percent": accuracy.PARTS,
    "Large problems": large.PARTS,
}
SLOW = large.PARTS
"""What --quick leaves out."""


def name_of(part: Part) -> str:
    """As in `--only`: file and function."""
    return f"{part.__module__.rpartition('.')[2]}.{part.__name__}"


def main() -> int:
    """Run the parts that are asked for; the number of bars missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="*", help="names of parts, with *")
    parser.add_argument("--quick", action="store_true", help="without what takes minutes")
    parser.add_argument("--list", action="store_true", help="name the parts and stop")
    parser.add_argument("--record", action="store_true", help="keep the values, for the docs")
    given = parser.parse_args()
    missed = 0
    for title, parts in SECTIONS.items():
        chosen = [
            part
            for part in parts
            if fnmatchcase(name_of(part), given.only) and not (given.quick and part in SLOW)
        ]
        if given.list:
            print(*map(name_of, chosen), sep="\n")
        elif chosen:
            found = lines_of(chosen)
            missed += show(title, recorded("bench", found) if given.record else found)
            print()
    return missed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
