"""From specifications and records to what a page says. Never loads data or an estimator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from crosslabel._version import __version__
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.root import data_root
from crosslabel.lab.measured import Records, over_splits, rankings
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record, Store
from crosslabel.lab.report.content import (
    Page,
    Section,
    Table,
    TableEntry,
    TableRow,
    Value,
    WordTable,
)
from crosslabel.lab.report.gather_figures import figures
from crosslabel.lab.significance import Paired, against_best
from crosslabel.lab.spec import Method, Spec
from crosslabel.lab.verdicts import COMPARED, TimesAsLong, Verdict, ratios, verdicts

LEDE = (
    "Every table and figure of Wang and Gu’s paper on cross-label suppression (IEEE TIP 2017), run "
    "again on real data, with our values beside the published ones."
)


def gather(store: Store, specs: Sequence[Spec]) -> Page:
    """All that is known of the given tables and figures.

    Parameters
    ----------
    store : Store
    specs : sequence of Spec

    Returns
    -------
    Page
    """
    found = [(spec, store.found(spec.cells())) for spec in specs]
    every = [record for _, records in found for record in records.values()]
    days = sorted({record.finished[:10] for record in every})
    between = " to ".join(dict.fromkeys((*days[:1], *days[-1:])))
    made = f"{len(every)} records" + (f", finished {between}." if days else ".")
    return Page(
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
            entries = [
                places.get((method.name, setting.name), TableEntry()) for setting in settings
            ]
            if any(entry.ours or entry.paper for entry in entries):
                rows.append(TableRow(method.label, tuple(entries), method.ours))
            elif any(entry.wanted for entry in entries):
                absent.append(method.label)
        if not rows:
            continue
        first = quantity == spec.quantities[0]
        yield Table(
            spec.name if first else f"{spec.name}-{quantity.replace('_', '-')}",
            spec.title,
            QUANTITIES[quantity].title,
            tuple(setting.label for setting in settings),
            tuple(rows),
            QUANTITIES[quantity].unit,
            folded=QUANTITIES[quantity].is_time and not spec.serial,
            absent=tuple(absent),
        )


def _entries(spec: Spec, records: Records, quantity: str) -> dict[tuple[str, str], TableEntry]:
    """Ours and the published value at every place that has one of them."""
    scale = QUANTITIES[quantity].shown_scale
    said, found = spec.said(quantity), over_splits(spec, records, quantity)
    # The published times are another machine's: the ratios say more.
    judged = {} if QUANTITIES[quantity].is_time else verdicts(spec, records, quantity)
    entries = {}
    for place in found.keys() | said.keys():
        measured, paper = found.get(place), said.get(place)
        verdict = _compared(judged.get(place))
        entries[place] = TableEntry(
            ours=None if measured is None else _value(measured.value, measured.deviation, scale),
            paper=None if paper is None else _value(paper.value, paper.deviation, scale),
            verdict="" if verdict is None else verdict.word,
            reason="" if verdict is None else verdict.reason,
            done=0 if measured is None else measured.n,
            wanted=0 if measured is None else measured.wanted,
            quoted=paper is not None and paper.quoted,
        )
    return entries


def _compared(verdict: Verdict | None) -> Verdict | None:
    """The verdict where there were two values to compare."""
    return verdict if verdict is not None and verdict.word in COMPARED else None


def _value(mean: float, deviation: float | None, scale: float) -> Value | None:
    if math.isnan(mean):
        return None
    if deviation is None or math.isnan(deviation):
        return Value(scale * mean)
    return Value(scale * mean, scale * deviation)


def _words(spec: Spec, records: Records) -> Iterator[WordTable]:
    """Ratios of times, the ranking, the best method beside each other one, and notes."""
    label = {method.name: method.label for method in spec.methods}
    column = {setting.name: setting.label for setting in spec.settings}
    found = ratios(spec, records)
    if any(not math.isnan(one.ours) for one in found):
        yield WordTable(
            "How many times as long",
            ("methods", "of", "column", "here", "in the paper", ""),
            tuple(_ratio(one, label, column) for one in found),
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
        for pair in against_best(spec, records, setting.name)
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


def _ratio(one: TimesAsLong, label: dict[str, str], column: dict[str, str]) -> tuple[str, ...]:
    reached = {True: "reached", False: "not reached", None: "—"}[one.reached]
    ratio = one.ratio
    methods = f"{label[ratio.slow]} / {label[ratio.fast]}"
    quantity, place = QUANTITIES[ratio.quantity].title, column[ratio.setting]
    return methods, quantity, place, _times(one.ours), _times(one.published), reached


def _times(factor: float) -> str:
    return "—" if math.isnan(factor) else f"{factor:.{1 if factor < 100 else 0}f}×"


def _ranks(spec: Spec, records: Records, label: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The order at each setting where there is something to rank."""
    for setting, order in rankings(spec, records):
        shown = (
            f"{label[one.method]} {one.value:.2f}"
            + ("" if one.complete else f" ({one.n} of {one.wanted} splits)")
            for one in order
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
