"""From specifications and records to what a page says. Never loads data or an estimator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from crosslabel._version import __version__
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.root import data_root
from crosslabel.lab import significance as statistics
from crosslabel.lab.published import Ratio
from crosslabel.lab.records import Record, Store
from crosslabel.lab.report.content import (
    VERDICTS,
    Entry,
    Report,
    Row,
    Section,
    Table,
    Value,
    WordTable,
)
from crosslabel.lab.report.gather_figures import figures
from crosslabel.lab.significance import TIMES, Paired, Reached, Records
from crosslabel.lab.spec import Method, Spec

TITLES = {
    "accuracy": "accuracy",
    "mean_per_class": "mean of the classes’ accuracies",
    "fit_seconds": "training time",
    "query_seconds": "time per query",
}
UNITS = {"accuracy": "%", "mean_per_class": "%", "fit_seconds": "s", "query_seconds": "ms"}
SCALES = {"query_seconds": 1000.0}  # a query takes less than a second
LEDE = (
    "Every table and figure of Wang and Gu’s paper on cross-label suppression (IEEE TIP 2017), run "
    "again on real data, with our values beside the published ones."
)


def gather(store: Store, specs: Sequence[Spec]) -> Report:
    """All that is known of the given tables and figures.

    Parameters
    ----------
    store : Store
    specs : sequence of Spec

    Returns
    -------
    Report
    """
    found = [(spec, store.found(spec.cells())) for spec in specs]
    every = [record for _, records in found for record in records.values()]
    days = sorted({record.finished[:10] for record in every})
    between = " to ".join(dict.fromkeys((*days[:1], *days[-1:])))
    made = f"{len(every)} records" + (f", finished {between}." if days else ".")
    return Report(
        tuple(section(spec, records, store) for spec, records in found),
        tuple(_environment(every)),
        made,
        lede=LEDE,
    )


def section(spec: Spec, records: Records, store: Store) -> Section:
    """One table or figure: its values, drawings and comparisons, and what is missing.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    store : Store
        Where learnt atoms lie.
    """
    wanted = sum(1 for _ in spec.cells())
    shown = tuple(tables(spec, records))
    said = {entry.reason for table in shown for _, _, entry in table.entries()}
    differs = [reason.text for reason in spec.reasons if spec.kind == "figure"]
    return Section(
        spec.name,
        spec.title,
        spec.caption,
        tables=shown,
        figures=tuple(figures(spec, records, store)),
        words=tuple(_words(spec, records)),
        missing=tuple(_missing(spec, len(records), wanted)),
        notes=tuple(text for text in differs if text not in said),
        done=len(records),
        wanted=wanted,
    )


def tables(spec: Spec, records: Records) -> Iterator[Table]:
    """A table for each quantity; of a figure only the places that have a published value.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    """
    for quantity in spec.quantities:
        said = {p.setting for p in spec.published if p.quantity == quantity}
        settings = [s for s in spec.settings if s.x is None or s.name in said]
        if not settings:
            continue
        places = _entries(spec, records, quantity)
        quoted = dict.fromkeys(p.method for p in spec.published if p.method not in spec.method)
        rows, absent = [], []
        for method in (*spec.methods, *(Method(name, name, "") for name in quoted)):
            entries = [places.get((method.name, setting.name), Entry()) for setting in settings]
            if any(entry.ours or entry.paper for entry in entries):
                rows.append(Row(method.label, tuple(entries), method.ours))
            elif any(entry.wanted for entry in entries):
                absent.append(method.label)
        if not rows:
            continue
        first = quantity == spec.quantities[0]
        yield Table(
            spec.name if first else f"{spec.name}-{quantity.replace('_', '-')}",
            spec.title,
            TITLES[quantity],
            tuple(setting.label for setting in settings),
            tuple(rows),
            UNITS[quantity],
            folded=quantity in TIMES and not spec.serial,
            absent=tuple(absent),
        )


def _entries(spec: Spec, records: Records, quantity: str) -> dict[tuple[str, str], Entry]:
    """Ours and the published value at every place that has one of them."""
    scale = SCALES.get(quantity, 1.0)
    said = {(p.method, p.setting): p for p in spec.published if p.quantity == quantity}
    summaries = statistics.summarise(spec, records, quantity)
    verdicts = statistics.verdicts(spec, records, quantity)
    entries = {}
    for place in summaries.keys() | said.keys():
        summary, paper = summaries.get(place), said.get(place)
        # The published times are another machine's: the ratios say more.
        verdict = None if quantity in TIMES else verdicts.get(place)
        judged = verdict is not None and verdict.word in VERDICTS
        entries[place] = Entry(
            ours=None if summary is None else _value(summary.value, summary.deviation, scale),
            paper=None if paper is None else _value(paper.value, paper.deviation, scale),
            verdict=verdict.word if verdict is not None and judged else "",
            reason=verdict.reason if verdict is not None and judged else "",
            done=0 if summary is None else summary.n,
            wanted=0 if summary is None else summary.wanted,
            quoted=paper is not None and paper.mark == "quoted",
        )
    return entries


def _value(mean: float, deviation: float | None, scale: float) -> Value | None:
    if math.isnan(mean):
        return None
    known = deviation is not None and not math.isnan(deviation)
    return Value(scale * mean, scale * deviation if known and deviation is not None else None)


def _words(spec: Spec, records: Records) -> Iterator[WordTable]:
    """Ratios of times, the ranking, the best method beside each other one, and notes."""
    label = {method.name: method.label for method in spec.methods}
    column = {setting.name: setting.label for setting in spec.settings}
    reached = statistics.ratios(spec, records)
    if any(one.met is not None for one in reached):
        yield WordTable(
            "How many times as long",
            ("methods", "of", "column", "here", "in the paper", ""),
            tuple(
                _ratio(one, one.what, label, column)
                for one in reached
                if isinstance(one.what, Ratio)
            ),
        )
    ranks = tuple(_ranks(spec, records, label))
    if ranks:
        yield WordTable(
            "Methods with a dictionary of the same size, the most accurate first",
            ("column", "order"),
            ranks,
        )
    pairs = [
        _pair(pair, label, column)
        for setting in spec.settings
        if setting.x is None
        for pair in statistics.against_best(spec, records, setting.name)
    ]
    if pairs:
        yield WordTable(
            "The best method and each other one, over the same splits",
            ("best and other", "column", "points more", "95 % interval", "p", "splits won"),
            tuple(pairs),
            folded=True,
        )
    notes = tuple((method.label, method.note) for method in spec.methods if method.note)
    if notes:
        yield WordTable("Notes on the methods", ("method", "note"), notes, folded=True)


def _ratio(
    one: Reached, ratio: Ratio, label: dict[str, str], column: dict[str, str]
) -> tuple[str, ...]:
    here = "—" if math.isnan(one.value) else f"{one.value:.{1 if one.value < 100 else 0}f}×"
    met = {True: "reached", False: "not reached", None: "not run"}[one.met]
    methods = f"{label[ratio.slow]} / {label[ratio.fast]}"
    quantity, place = TITLES[ratio.quantity], column[ratio.setting]
    return methods, quantity, place, here, f"{ratio.at_least:g}×", met


def _ranks(spec: Spec, records: Records, label: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The order at each setting where there is something to rank."""
    for setting, order in statistics.rankings(spec, records):
        shown = (
            f"{label[summary.method]} {summary.value:.2f}"
            + ("" if summary.complete else f" ({summary.n} of {summary.wanted} splits)")
            for summary in order
        )
        yield setting.label, "; ".join(shown)


def _pair(pair: Paired, label: dict[str, str], column: dict[str, str]) -> tuple[str, ...]:
    return (
        f"{label[pair.first]} − {label[pair.second]}",
        column[pair.setting],
        f"{pair.difference:+.2f} ± {pair.deviation:.2f}",
        f"{pair.low:+.2f} to {pair.high:+.2f}",
        "< 0.001" if pair.p < 1e-3 else f"{pair.p:.3f}",
        f"{pair.wins} of {pair.n}",
    )


def _missing(spec: Spec, done: int, wanted: int) -> Iterator[str]:
    """What is not there, and how to get it."""
    if done == wanted:
        return
    entry = DATASETS.get(str(spec.data.get("name")))
    if done == 0 and entry is not None and not (data_root() / entry.folder).exists():
        yield (
            f"The data set {spec.data['name']} is not on this machine. It comes from "
            f"{entry.origin}. Put it into `$CROSSLABEL_DATA/{entry.folder}`: {entry.layout}."
        )
    yield f"{wanted - done} of {wanted} cells are not run yet: `crosslabel reproduce {spec.name}`."


def _environment(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    """What computed the records: each fact with all values that occur."""
    facts: dict[str, dict[str, None]] = {"crosslabel": {}}
    for record in records:
        facts["crosslabel"][record.version] = None
        for name, value in record.machine.items():
            facts.setdefault(name, {})[_plain(value)] = None
    for name, values in facts.items():
        yield name, "; ".join(values) or f"{__version__}, nothing run yet"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items())
    return str(value)
