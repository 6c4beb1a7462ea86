"""Specs from TOML files: one file for each table or figure, checked when it is read."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from crosslabel.lab import paper
from crosslabel.lab.published import Published, Ratio, Reason
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.spec import (
    FIRST_CLASSES,
    KINDS,
    Method,
    Options,
    ProtocolOptions,
    Spec,
    SpecError,
    TableSetting,
)

FOLDER = Path(__file__).parent / "specs"


class SettingEntry(TypedDict):
    """A `[[setting]]`."""

    name: str
    label: NotRequired[str]
    n_train: NotRequired[int]
    parameters: NotRequired[dict[str, object]]


class SweepEntry(TypedDict):
    """The `[sweep]` of a figure: each setting at each value of a parameter."""

    parameter: str
    values: list[float]


class MethodEntry(TypedDict):
    """A `[[method]]`: the fields of `Method`, most of which may be left out."""

    name: str
    label: NotRequired[str]
    estimator: str
    features: NotRequired[list[Options]]
    settings: NotRequired[list[str]]


class SpecContent(TypedDict):
    """A whole file; `published` states values that `published.toml` has in words only."""

    item: int
    kind: NotRequired[str]
    title: str
    caption: NotRequired[str]
    data: Options
    features: NotRequired[list[Options]]
    protocol: ProtocolOptions
    quantities: NotRequired[list[str]]
    keep: NotRequired[list[str]]
    codes_of: NotRequired[list[int]]
    serial: NotRequired[bool]
    paper: NotRequired[list[str]]
    setting: list[SettingEntry]
    sweep: NotRequired[SweepEntry]
    method: list[MethodEntry]
    published: NotRequired[dict[str, dict[str, object]]]
    ratio: NotRequired[list[dict[str, str]]]
    reason: NotRequired[list[dict[str, str]]]


def load_specs(folder: Path = FOLDER) -> list[Spec]:
    """All specs, in the paper's order; each file is read once."""
    specs = [load_spec(place.stem, folder) for place in folder.glob("*.toml")]
    return sorted(specs, key=lambda spec: (spec.item, spec.name))


def load_spec(name: str, folder: Path = FOLDER) -> Spec:
    """Read one spec.

    Parameters
    ----------
    name : str
        As `table-2`, or the path of a TOML file.
    folder : Path, default=FOLDER

    Returns
    -------
    Spec
    """
    place = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    if not place.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.toml")))
        raise SpecError(f"There is no table or figure {name!r}. Known: {known}.")
    try:
        content = cast(SpecContent, tomllib.loads(place.read_text("utf-8")))
        spec = _spec(place.stem, content)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise SpecError(f"{place} is not a spec: {what}.") from None
    _check(spec)
    return spec


def _spec(name: str, given: SpecContent) -> Spec:
    settings = tuple(_settings(given["setting"], given.get("sweep")))
    methods = tuple(_method(entry) for entry in given["method"])
    printed = _printed(given.get("paper", []), methods, [setting.name for setting in settings])
    return Spec(
        name=name,
        item=given["item"],
        kind=given.get("kind", "table"),
        title=given["title"],
        caption=given.get("caption", ""),
        data=given["data"],
        features=tuple(given.get("features", ())),
        protocol=given["protocol"],
        quantities=tuple(given.get("quantities", ("accuracy",))),
        keep=tuple(given.get("keep", ())),
        codes_of=tuple(given.get("codes_of", FIRST_CLASSES)),
        serial=given.get("serial", False),
        axis=given["sweep"]["parameter"] if "sweep" in given else "",
        methods=methods,
        settings=settings,
        published=(*printed, *_stated(given.get("published", {}))),
        ratios=tuple(Ratio(**entry) for entry in given.get("ratio", ())),
        reasons=tuple(Reason(**entry) for entry in given.get("reason", ())),
    )


def _method(entry: MethodEntry) -> Method:
    fields = cast("dict[str, object]", {"label": entry["name"], **entry})
    for key in ("features", "settings"):
        if key in fields:
            fields[key] = tuple(cast("list[object]", fields[key]))
    return Method(**fields)  # type: ignore[arg-type]  # a wrong field is a TypeError, which is said


def _settings(entries: Sequence[SettingEntry], sweep: SweepEntry | None) -> Iterator[TableSetting]:
    """The settings as they stand, or each of them at each value of a figure's axis."""
    for entry in entries:
        name, label = entry["name"], entry.get("label", entry["name"])
        if sweep is None:
            yield TableSetting(**{"label": label, "series": name, **entry})  # type: ignore[arg-type]
            continue
        parameter = sweep["parameter"]
        for value in sweep["values"]:
            yield TableSetting(
                name=f"{name} {parameter}={value:g}",
                label=f"{label}, {value:g}",
                n_train=entry.get("n_train"),
                parameters={**entry.get("parameters", {}), parameter: value},
                series=name,
                x=float(value),
            )


def _printed(
    sections: Sequence[str], methods: Sequence[Method], settings: Sequence[str]
) -> Iterator[Published]:
    """The paper's values, each under every method that stands beside it, or under its own name."""
    for name in sections:
        try:
            values = list(paper.published(name, settings))
        except ValueError as error:
            raise SpecError(str(error)) from None
        for value in values:
            ours = [method.name for method in methods if method.stands_beside(value.method)]
            for method in ours or [value.method]:
                yield replace(value, method=method)


def _stated(given: dict[str, dict[str, object]]) -> Iterator[Published]:
    for method, entry in given.items():
        deviations = cast("dict[str, float]", entry.get("deviation", {}))
        for quantity in QUANTITIES:
            for setting, value in cast("dict[str, float]", entry.get(quantity, {})).items():
                spread = deviations.get(setting) if quantity == "accuracy" else None
                quoted = bool(entry.get("quoted", False))
                yield Published(method, setting, quantity, value, spread, quoted)


def _check(spec: Spec) -> None:
    """Raise for what would otherwise be ignored: a name that nothing has."""
    methods, settings = set(spec.method), set(spec.setting)
    _expect(spec, spec.kind, KINDS, "kind")
    if len(methods) < len(spec.methods) or len(settings) < len(spec.settings):
        raise SpecError(f"{spec.name}: two methods or two settings have the same name.")
    for quantity in spec.quantities:
        _expect(spec, quantity, QUANTITIES, "quantity")
    names = settings | {setting.series for setting in spec.settings}
    for method in spec.methods:
        for name in (*(method.settings or ()), *method.at):
            _expect(spec, name, names, f"setting of method {method.name}")
        for name in method.search:
            _expect(spec, name, method.parameters, f"search of method {method.name}")
        if method.parameters_of:
            _expect(spec, method.parameters_of, paper.sections(), "parameters_of")
    for value in spec.published:
        _expect(spec, value.setting, settings, f"published setting of {value.method}")
    for ratio in spec.ratios:
        _expect(spec, ratio.quantity, QUANTITIES, "ratio of quantity")
        for name in (ratio.slow, ratio.fast):
            _expect(spec, name, methods, "ratio of method")
        _expect(spec, ratio.setting, settings, "ratio at setting")


def _expect(spec: Spec, found: str, allowed: Collection[str], what: str) -> None:
    if found not in allowed:
        listed = ", ".join(sorted(allowed))
        raise SpecError(f"{spec.name}: {what} {found!r} is none of {listed}.")
