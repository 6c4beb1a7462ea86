"""The worker of `benchmarks.hostile`: loads a model, asks it once, and says what that took.

Reads cases from standard input, each two lengths and then the kind of query and the bytes of a
model file, and answers each with a line of JSON. Memory beyond what the process had before is
limited, so that a file that asks for more fails here instead of filling the machine.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.loadable import QUERIES, loadable
from crosslabel.files import ModelFileError, load

MEMORY = 512 * 10**6
"""Bytes that a case may take beyond its file."""

ASKED = ("decision_function", "predict_proba", "predict", "transform")


def ask(model: Any, query: Any) -> str:
    """Ask all that a model can be asked; how that ended."""
    for name in ASKED:
        if hasattr(model, name):
            found = getattr(model, name)(query)
            kind = getattr(found, "dtype", np.dtype(object)).kind
            if name != "predict" and kind == "f" and not np.isfinite(found).all():
                return f"NOT FINITE {name}"
    return "answered"


def attempt(asks: str, content: bytes, place: Path) -> dict[str, Any]:
    """Load one file, ask the model once, and say how that ended."""
    place.write_bytes(content)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    before, started, message = memory("VmRSS"), time.process_time(), ""
    limit = memory("VmSize") + MEMORY + len(content)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            ending = ask(load(place), QUERIES[asks])
    except ModelFileError as error:
        ending, message = "refused", str(error)
    except (ValueError, TypeError) as error:
        ending, message = "error in words", str(error)
    # What else is raised is counted by its name.
    except BaseException as error:
        ending, message = f"other error {type(error).__name__}", str(error)
    seconds = time.process_time() - started
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    grown = memory("VmHWM") - before - len(content)
    if grown > MEMORY or "allocate" in message or "MemoryError" in ending + message:
        ending = f"OVER MEMORY ({ending})"
    return {"ending": ending, "seconds": seconds, "message": message[-300:], "grown": grown}


def memory(name: str) -> int:
    """Bytes of this process that /proc calls so."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise ValueError(f"/proc/self/status has no {name}.")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "m.skops"
        for sound in loadable():  # loads the libraries, so that no case pays for them
            done = attempt(sound.asks, sound.content, place)
            assert done["ending"] == "answered", (sound.name, done)
        print("ready", flush=True)
        while head := sys.stdin.buffer.read(16):
            sizes = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
            asks, content = (sys.stdin.buffer.read(size) for size in sizes)
            print(json.dumps(attempt(asks.decode(), content, place)), flush=True)


if __name__ == "__main__":
    main()
