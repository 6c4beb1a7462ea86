"""The worker of `benchmarks.mutate`: loads what it is given, with bounded memory, and is watched.

Reads cases from standard input, each a length (8 bytes) and the bytes of a model file, and answers
each with a line of JSON. A process of its own, with nothing loaded that loading a model does not
need: its 1 GB of address space holds Python and all libraries too.

Run by `benchmarks.mutate`: python -m benchmarks.attempts N, where the first N files are sound ones,
by which the libraries are loaded before the watch begins.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from crosslabel.files import ModelFileError, load

MEMORY = 10**9  # bytes of address space
CANARY = "/tmp/crosslabel-mutation-canary"
"""Every payload tries to make this file."""

FORBIDDEN = (
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "subprocess.Popen"),
    *("pickle.find_class", "socket.connect", "socket.bind", "urllib.Request", "ctypes.dlopen"),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod"),
    *("shutil.rmtree", "shutil.copyfile", "webbrowser.open", "code.__new__", "builtins.input"),
)


def watch() -> list[str]:
    """Forbidden events, as Python's own audit reports them from now on."""
    events: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and set(str(arguments[1] or "r")) & set("wax+")
        if event in FORBIDDEN or writes:
            events.append(f"{event} {arguments!r:.80}")

    sys.addaudithook(hook)
    return events


def attempt(content: bytes, place: Path, events: list[str]) -> dict[str, Any]:
    """Load one file and say how that ended."""
    place.write_bytes(content)
    events.clear()
    started, message = time.process_time(), ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of another scikit-learn version, in a manifest
            load(place)
        digest = hashlib.sha256(content[:-64]).hexdigest().encode()
        ending = "loaded" if digest == content[-64:] else "LOADED DAMAGED"
    except ModelFileError as error:
        ending, message = "refused", str(error)
    # The finding of the benchmark: any other error.
    except BaseException as error:
        ending, message = f"RAISED {type(error).__name__}", str(error)
    seconds = time.process_time() - started
    if events or os.path.exists(CANARY):
        ending, message = "RAN CODE", ", ".join(events)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"ending": ending, "seconds": seconds, "message": message[:300], "peak": peak}


def answer(place: Path, events: list[str]) -> bool:
    """Attempt the next case; False where there is none."""
    head = sys.stdin.buffer.read(8)
    if head:
        content = sys.stdin.buffer.read(int.from_bytes(head, "little"))
        print(json.dumps(attempt(content, place, events)), flush=True)
    return bool(head)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "m.skops"
        for _ in range(int(sys.argv[1])):
            answer(place, [])
        events = watch()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        while answer(place, events):
            pass


if __name__ == "__main__":
    main()
