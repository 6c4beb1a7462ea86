"""All peers on all problems, each measurement in a process of its own with a time limit.

    python -m benchmarks.peers [--only digits,"Extended Yale B"] [--limit 120] [--for-docs]

Prints a table, keeps a record of each measurement (a run resumes from it), and writes tables and a
picture of the fit times beside it.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.figures import ROOT
from benchmarks.lines import Line, show
from benchmarks.peers.measure import KEPT, measure, python_of
from benchmarks.peers.problems import PROBLEMS, Problem
from benchmarks.peers.results import draw, markdown
from benchmarks.records import RECORDS, recorded
from crosslabel.files.whole import write_whole

PEERS = {
    "ours": (
        *(
            "flagship",
            "flagship, global rule",
            "flagship, local rule",
            "flagship, finite suppression",
        ),
        *("D-KSVD", "LC-KSVD", "DPL", "SRC, OMP"),
    ),
    "dictlearn_peer": ("D-KSVD", "LC-KSVD", "DPL", "SRC, OMP"),
    "sklearn_peer": ("dictionary + ridge", "mini-batch dictionary + ridge"),
    "spams_peer": ("class dictionaries",),
}
QUOTED = ("ours: flagship", "ours: DPL", "dictlearn: DPL", "spams: class dictionaries")
ALL_THREADS = ("flagship", "flagship, global rule", "flagship, finite suppression")


def has_gpu() -> bool:
    """Whether torch is there and sees a GPU."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def runs(gpu: bool) -> list[tuple[str, str, int]]:
    """Peer, method and number of threads of each measurement; the flagship also on all threads."""
    cores = os.cpu_count() or 1
    listed = [
        (peer, method, threads)
        for peer, methods in PEERS.items()
        for method in methods
        for threads in ((1, cores) if method in ALL_THREADS and cores > 1 else (1,))
    ]
    return [*listed, ("ours", "flagship, GPU", 1)] if gpu else listed


def labelled(peer: str, method: str, threads: int) -> str:
    """The name of a measurement in the record."""
    return f"{peer.removesuffix('_peer')}: {method}, {threads} threads"


def too_slow_before(kept: dict[str, Any], label: str, name: str) -> dict[str, Any] | None:
    """Why not to try a method on a problem: it took too long on a smaller one."""
    for smaller in takewhile(lambda other: other != name, PROBLEMS):
        found = kept.get(smaller, {"measured": {}})["measured"].get(label, {})
        if found.get("problem", "").startswith(">"):
            return {"problem": f"not tried: {found['problem']} on {smaller}"}
    return None


def product_seconds(problem: Problem) -> float:
    """The floor: on one thread, the samples times as many atoms as the methods have."""
    atoms = problem.X[np.arange(problem.atoms * len(np.unique(problem.y))) % len(problem.X)].T
    seconds = []
    with threadpool_limits(1):
        for _ in range(3):
            begun = time.perf_counter()
            problem.X @ atoms
            seconds.append(time.perf_counter() - begun)
    return min(seconds)


def line(name: str, found: dict[str, Any]) -> str:
    """One row of the table."""
    if "problem" in found:
        return f"{name:<46}  {found['problem']}"
    mark = "≈" if found["many_reckoned"] else ""
    return (
        f"{name:<46}{found['fit_seconds']:>9.3f}{100 * found['accuracy']:>9.2f}"
        f"{1e3 * found['one_query_seconds']:>12.3f}"
        f"{mark + format(found['many_queries_seconds'], '.3f'):>12}"
        f"{found['peak_bytes'] / 1e6:>9.0f}"
    )


def quoted(kept: dict[str, Any]) -> Iterator[Line]:
    """What the text beside the tables says of some methods, on one thread."""
    for problem, rows in kept.items():
        for label, found in rows["measured"].items():
            name = label.removesuffix(", 1 threads")
            if name in QUOTED and "problem" not in found:
                yield Line(f"{problem} | {name} | fit, s", found["fit_seconds"])
                yield Line(f"{problem} | {name} | accuracy, %", 100 * found["accuracy"])


def main() -> None:
    """Measure what is asked for and not yet recorded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PROBLEMS))
    parser.add_argument("--methods", default="*", help="part of their names, with *")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one measurement")
    parser.add_argument("--record", type=Path, default=Path("build/peers.json"))
    parser.add_argument("--features", type=Path, default=KEPT)
    parser.add_argument("--for-docs", action="store_true", help="keep table, plot and lines there")
    given = parser.parse_args()
    kept = json.loads(given.record.read_text()) if given.record.exists() else {}
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, GPU: {has_gpu()}")
    for name in given.only.split(","):
        problem = PROBLEMS[name](given.features)
        rows = kept.setdefault(name, {"real": problem.real, "measured": {}})
        rows["product_seconds"] = product_seconds(problem)
        shape = f"{problem.X.shape}, {len(np.unique(problem.y))} classes × {problem.atoms} atoms"
        floor = f"one product {1e3 * rows['product_seconds']:.2f} ms"
        print(f"\n{name} ({'real' if problem.real else 'synthetic'}): {shape}, {floor}")
        head = f"{'fit s':>9}{'accuracy':>9}{'1 query ms':>12}{'10,000 s':>12}{'peak MB':>9}"
        print(f"{'':<46}{head}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "problem.npz"
            np.savez(place, **problem._asdict())
            for peer, method, threads in runs(has_gpu()):
                label = labelled(peer, method, threads)
                if not fnmatchcase(label, given.methods):
                    continue
                if label not in rows["measured"]:
                    python = python_of(peer)
                    found = too_slow_before(kept, label, name) or measure(
                        peer, method, threads, place, python, given.limit
                    )
                    rows["measured"][label] = found
                    text = json.dumps(kept, indent=1).encode()
                    write_whole(given.record, lambda file, text=text: file.write(text))
                print(line(label, rows["measured"][label]), flush=True)
    labels = [labelled(*run) for run in runs(has_gpu())]
    text = markdown(kept, labels).encode()
    write_whole(given.record.with_suffix(".md"), lambda file: file.write(text))
    draw(kept, labels, given.record.with_suffix(".png"))
    if given.for_docs:
        write_whole(RECORDS / "peers-cells.md", lambda file: file.write(text))
        draw(kept, labels, ROOT / "docs" / "images" / "peers.png")
        show("Beside the peers", recorded("peers", quoted(kept)))


if __name__ == "__main__":
    main()
