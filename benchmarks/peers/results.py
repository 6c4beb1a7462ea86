"""What a run found, as tables for the documentation and as a picture."""

from pathlib import Path
from typing import Any

COLOURS = {"ours": "C0", "dictlearn": "C1", "sklearn": "C2", "spams": "C4"}
MARKERS = "osD^vP*Xph"
HEAD = ("", "fit s", "accuracy %", "one query ms", "10,000 s", "peak MB")


def markdown(kept: dict[str, Any], labels: list[str]) -> str:
    """A table for each problem, with a row for each label."""
    return "\n\n".join(_section(name, rows, labels) for name, rows in kept.items()) + "\n"


def _section(name: str, rows: dict[str, Any], labels: list[str]) -> str:
    kind, floor = "real" if rows["real"] else "synthetic", 1e3 * rows["product_seconds"]
    lines = [f"### {name} ({kind}), one product {floor:.1f} ms", "", _row(HEAD)]
    lines.append(_row(["---"] * len(HEAD)))
    for label in labels:
        if label in rows["measured"]:
            method = label.removesuffix(", 1 threads")
            lines.append(_row([method, *_cells(rows["measured"][label])]))
    return "\n".join(lines)


def _cells(found: dict[str, Any]) -> list[str]:
    if "problem" in found:
        return [found["problem"], *[""] * (len(HEAD) - 2)]
    mark = "≈ " if found["many_reckoned"] else ""
    return [
        _short(found["fit_seconds"]),
        f"{100 * found['accuracy']:.2f}",
        _short(1e3 * found["one_query_seconds"]),
        mark + _short(found["many_queries_seconds"]),
        f"{found['peak_bytes'] / 1e6:.0f}",
    ]


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _row(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


def draw(kept: dict[str, Any], labels: list[str], place: Path) -> None:
    """Fit times on one thread, a column for each problem, a colour for each package."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
    seen = dict.fromkeys(COLOURS, 0)
    for label in (label for label in labels if label.endswith(", 1 threads")):
        peer = label.split(":")[0]
        shift = 0.18 * (list(COLOURS).index(peer) - (len(COLOURS) - 1) / 2)
        points = [
            (number + shift, rows["measured"][label]["fit_seconds"])
            for number, rows in enumerate(kept.values())
            if "fit_seconds" in rows["measured"].get(label, {})
        ]
        style = {"color": COLOURS[peer], "marker": MARKERS[seen[peer]]}
        seen[peer] += 1
        if points:
            name = label.removesuffix(", 1 threads")
            axes.plot(*zip(*points), linestyle="none", label=name, **style)
    floor = [rows["product_seconds"] for rows in kept.values()]
    axes.plot(range(len(floor)), floor, "k_", markersize=24, label="one product (floor)")
    axes.set_xticks(range(len(kept)), kept, rotation=20)
    axes.set(yscale="log", ylabel="seconds to fit, one thread")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(place)
