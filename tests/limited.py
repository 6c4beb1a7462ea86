"""Code in a child process whose memory beyond its libraries is limited, as hostile files need."""

import subprocess
import sys

PRELUDE = """
import resource, sys
from pathlib import Path

def limit(megabytes):
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    now = int(status["VmSize"].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 10**6,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
"""


def child(code, *words):
    """What a child says that runs the code, which calls `limit(megabytes)` when it is ready."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])
    return done.stdout
