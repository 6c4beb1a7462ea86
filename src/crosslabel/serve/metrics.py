"""Counts for Prometheus, in its text format."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from crosslabel.serve.shelf import Served

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper ends of the histogram's parts."""

FORM = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What was asked, how it ended, how long it took."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.rows: Counter[str] = Counter()
        self.total: defaultdict[str, float] = defaultdict(float)
        self.times: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(SECONDS) + 1))

    def tell(self, model: str, what: str, status: int, seconds: float, rows: int = 0) -> None:
        """Count one request.

        Parameters
        ----------
        model : str
            A model that is served: names that clients make up would grow without end.
        what : {"infer", "classify"}
        status : int
        seconds : float
        rows : int, default=0
        """
        self.requests[model, what, status] += 1
        self.rows[model] += rows
        self.total[model] += seconds
        self.times[model][bisect_left(SECONDS, seconds)] += 1

    def text(self, served: Iterable[Served]) -> str:
        """All counts.

        Parameters
        ----------
        served : iterable of Served
            Whose loads are counted too.
        """
        return "\n".join([*self._lines(list(served)), ""])

    def _lines(self, served: list[Served]) -> Iterator[str]:
        yield from _head("crosslabel_requests_total", "counter", "Requests by model and status.")
        for (model, what, status), count in sorted(self.requests.items()):
            labels = f'{_model(model)},what="{what}",status="{status}"'
            yield f"crosslabel_requests_total{{{labels}}} {count}"
        yield from _head("crosslabel_rows_total", "counter", "Rows or images answered.")
        for model, count in sorted(self.rows.items()):
            yield f"crosslabel_rows_total{{{_model(model)}}} {count}"
        name = "crosslabel_request_seconds"
        yield from _head(name, "histogram", "Time from a request to its answer.")
        for model, counts in sorted(self.times.items()):
            yield from _histogram(name, model, counts, self.total[model])
        yield from _head("crosslabel_loads_total", "counter", "Times that a file was loaded.")
        for one in served:
            yield f"crosslabel_loads_total{{{_model(one.name)}}} {one.loads}"
        yield from _head("crosslabel_load_failures_total", "counter", "Files that were no model.")
        for one in served:
            yield f"crosslabel_load_failures_total{{{_model(one.name)}}} {one.failures}"


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _model(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'model="{escaped}"'


def _histogram(name: str, model: str, counts: list[int], total: float) -> Iterator[str]:
    """Each part counts all that took at most so long."""
    so_far = 0
    for end, count in zip([*SECONDS, "+Inf"], counts):
        so_far += count
        yield f'{name}_bucket{{{_model(model)},le="{end}"}} {so_far}'
    yield f"{name}_sum{{{_model(model)}}} {total:.6f}"
    yield f"{name}_count{{{_model(model)}}} {so_far}"
