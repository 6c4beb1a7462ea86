"""From records to figures: accuracy against a parameter, times, traces, codes and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.lab.measured import Records, over_splits
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record, Store
from crosslabel.lab.report.charts import Series
from crosslabel.lab.report.content import (
    AtomSheet,
    BarChart,
    Confusion,
    Figure,
    LineChart,
    StemGrid,
)
from crosslabel.lab.spec import Cell, Spec, TableSetting

AXES = {"suppression": "λ (suppression)", "grouping": "γ (grouping)", "ridge": "β (ridge)"}
MOST_CODED = 3  # classes whose codes are drawn, as in the paper
MOST_LINES = 6  # of a chart: there are no more colours and marks


def figures(spec: Spec, records: Records, store: Store) -> Iterator[Figure]:
    """All figures that the records of a spec allow.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    store : Store
    """
    yield from sweeps(spec, records)
    yield from times(spec, records)
    yield from convergence(spec, records)
    yield from codes(spec, records)
    yield from confusions(spec, records)
    yield from atoms(spec, records, store)


def sweeps(spec: Spec, records: Records) -> Iterator[LineChart]:
    """Accuracy against the parameter on a figure's axis, a line for each method and series."""
    swept = [setting for setting in spec.settings if setting.x is not None]
    found = over_splits(spec, records)
    said = spec.said("accuracy")
    lines, dashed = [], []
    for method in spec.methods:
        for name in dict.fromkeys(setting.series for setting in swept):
            own = [s for s in swept if s.series == name and method.runs_at(s)]
            places = [(s, found[method.name, s.name]) for s in own]
            points = [(_x(s), f.value, _known(f.deviation)) for s, f in places if f.n]
            title = _line_name(spec, method.label, own)
            if points:
                lines.append(Series(title, tuple(points)))
            published = [(_x(s), said[method.name, s.name].value, None) for s in own
                         if (method.name, s.name) in said]  # fmt: skip
            if len(published) > 1:
                dashed.append(Series(f"{title}, paper", tuple(published), dashed=True))
    if lines:
        axis = AXES.get(spec.axis, spec.axis)
        series = tuple([*lines, *dashed][:MOST_LINES])
        title = f"Accuracy against {axis.partition(' ')[0]}; bars are one standard deviation"
        yield LineChart(title, series, axis, "accuracy, %", steps=True)


def _x(setting: TableSetting) -> float:
    return 0.0 if setting.x is None else setting.x


def _known(deviation: float) -> float | None:
    return None if np.isnan(deviation) else deviation


def _line_name(spec: Spec, method: str, settings: list[TableSetting]) -> str:
    """What tells this line from the others: the series, the method, or both."""
    # The label of a swept setting ends in its value.
    series = settings[0].label.rpartition(", ")[0] if settings else ""
    many_methods = len(spec.methods) > 1
    many_series = len({setting.series for setting in spec.settings}) > 1
    words = [method] * many_methods + [series] * (many_series or not many_methods)
    return ", ".join(words)


def times(spec: Spec, records: Records) -> Iterator[BarChart]:
    """Bars of the times of all methods, where they were measured to be compared."""
    for quantity in spec.quantities if spec.serial else ():
        shown = QUANTITIES[quantity]
        if not shown.is_time:
            continue
        found = over_splits(spec, records, quantity)
        for setting in spec.settings:
            rows = [
                (method.label, shown.shown_scale * found[method.name, setting.name].value,
                 "ours" if method.ours else "rival")
                for method in spec.methods
                if method.runs_at(setting) and found[method.name, setting.name].n
            ]  # fmt: skip
            if rows:
                rows.sort(key=lambda row: row[1])
                title = f"{shown.title.capitalize()}, {setting.label}"
                yield BarChart(title, tuple(rows), shown.unit)


def convergence(spec: Spec, records: Records) -> Iterator[LineChart]:
    """The objective after each iteration on one split, a line for each setting of the flagship."""
    kept = [
        (cell, np.asarray(record.extra["trace"], dtype=float))
        for cell, record in _first_splits(records, lambda record: "trace" in record.extra)
        if cell.method.ours
    ]
    # A sweep has too many settings, and the two rules learn one dictionary.
    lines = [
        Series(cell.setting.label, tuple((i + 1.0, float(value), None)
               for i, value in enumerate(trace / trace[-1])))
        for cell, trace in kept
        if cell.method == kept[0][0].method and len(trace) > 1
    ]  # fmt: skip
    if lines and not spec.axis:
        yield LineChart(
            "Convergence: the objective in multiples of its last value",
            tuple(lines[:MOST_LINES]), "iteration", "objective / last",
        )  # fmt: skip


def codes(spec: Spec, records: Records) -> Iterator[StemGrid]:
    """Mean absolute codes of three classes at every setting of a method."""
    for method in spec.methods:
        kept = [
            (cell, record)
            for cell, record in _first_splits(records, lambda record: "codes" in record.extra)
            if cell.method == method
        ]
        if not kept:
            continue
        extra = kept[0][1].extra
        classes = [name for name in extra["classes"] if name in extra["codes"]][:MOST_CODED]
        labels = np.asarray(extra["atom_labels"])
        # Codes are compared over one dictionary layout.
        alike = [(c, r) for c, r in kept if list(r.extra["atom_labels"]) == labels.tolist()]
        yield StemGrid(
            f"Mean absolute code of the test samples, {method.label}",
            tuple(cell.setting.label for cell, _ in alike),
            tuple(classes),
            np.array([[r.extra["codes"][name] for name in classes] for _, r in alike]),
            np.array([labels == extra["classes"].index(name) for name in classes]),
        )


def confusions(spec: Spec, records: Records) -> Iterator[Confusion]:
    """Confusion matrices of the flagship, summed over the splits."""
    sums: dict[tuple[str, str], Array] = {}
    names: dict[tuple[str, str], tuple[str, ...]] = {}
    for cell, record in records.items():
        if not cell.method.ours or "confusion" not in record.extra:
            continue
        place = (cell.method.label, cell.setting.label)
        counts = np.asarray(record.extra["confusion"], dtype=float)
        sums[place] = sums.get(place, 0) + counts
        names[place] = tuple(record.extra["classes"])
    for place, counts in sums.items():
        yield Confusion(", ".join(place), names[place], counts)


def atoms(spec: Spec, records: Records, store: Store) -> Iterator[AtomSheet]:
    """Pictures of what the flagship has learnt at the last setting that kept them."""
    kept = [cell for cell in records if cell.method.ours and store.dictionary_place(cell).is_file()]
    if not kept:
        return
    setting = max((cell.setting for cell in kept), key=spec.settings.index)
    at_last = [cell for cell in kept if cell.setting == setting]
    cell = min(at_last, key=lambda cell: (spec.methods.index(cell.method), cell.split))
    with np.load(store.dictionary_place(cell), allow_pickle=False) as file:
        pictures = file["atoms"].reshape(-1, *file["image_shape"])
        names = tuple(map(str, file["classes"]))
        title = f"Learnt atoms, {cell.method.label}, {setting.label}"
        yield AtomSheet(title, pictures.astype(float), file["atom_labels"], names)


def _first_splits(
    records: Records, wanted: Callable[[Record], bool]
) -> Iterator[tuple[Cell, Record]]:
    """Of every method and setting the record of its first split that has what is wanted."""
    seen: set[tuple[str, str]] = set()
    in_order = {setting.name: i for cell in records for i, setting in enumerate(cell.spec.settings)}
    keys = sorted(records, key=lambda cell: (in_order[cell.setting.name], cell.split))
    for cell, record in ((key, records[key]) for key in keys):
        place = (cell.method.name, cell.setting.name)
        if place not in seen and wanted(record):
            seen.add(place)
            yield cell, record
