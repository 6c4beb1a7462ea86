"""One measurement: a worker in a process, and where need be an environment, of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KEPT = Path(os.environ.get("CROSSLABEL_BENCH", "/var/tmp/crosslabel-bench"))
"""Where benchmarks keep what takes long: features, and the environments of peers."""


def python_of(peer: str) -> str:
    """The Python of a peer: its own where there is an environment of its name, else ours."""
    own = KEPT / peer.removesuffix("_peer") / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def measure(
    peer: str, method: str, threads: int, problem: Path, python: str, limit: float
) -> dict[str, Any]:
    """Run one worker; its numbers, or the problem it had."""
    variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(variables, str(threads))
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [python, "-W", "ignore", "-m", f"benchmarks.peers.{peer}", method]
        try:
            done = subprocess.run(
                [*command, str(problem), str(result)],
                env=environment,
                timeout=limit,
                capture_output=True,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"problem": f"> {limit:.0f} s"}
        except FileNotFoundError:
            return {"problem": f"not installed: there is no {python}"}
        if done.returncode:
            return {"problem": (done.stderr.strip().splitlines() or ["killed"])[-1][:60]}
        return json.loads(result.read_text())
