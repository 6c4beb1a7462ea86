"""A table or figure of the paper as one TOML file: what is run, and what was published.

A spec names its data set, features, protocol, methods and settings. Its cells are method × setting
× split. It also holds every published value that is known, so that ours can be put beside it, and
the reasons that are known where ours differs. Reading a spec loads neither data nor estimators.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crosslabel.lab.published import Published, Ratio, Reason, Target

FOLDER = Path(__file__).parent / "specs"
MARKS = ("measured", "quoted")
QUANTITIES = ("accuracy", "mean_per_class", "fit_seconds", "query_seconds")
KINDS = ("table", "figure")


class SpecError(ValueError):
    """A spec that cannot be run as it is written; the message says where and why."""


@dataclass(frozen=True)
class Setting:
    """One column of a table, or one point on the axis of a figure.

    Attributes
    ----------
    name : str
        Unique in its spec, as "32" or "32 suppression=20".
    label : str
        For the reader.
    n_train : int or None
        Training samples per class, where the protocol draws them.
    parameters : dict
        Given to every method here.
    series : str
        Settings of a figure that belong to one line.
    x : float or None
        Place on the axis of a figure.
    """

    name: str
    label: str
    n_train: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    series: str = ""
    x: float | None = None


@dataclass(frozen=True)
class Method:
    """One row of a table, or one line of a figure.

    Attributes
    ----------
    name : str
        Unique in its spec.
    label : str
        For the reader.
    estimator : str
        Name of a class of `crosslabel.methods`, or of one of scikit-learn's in `MODELS`.
    parameters : dict
    at : dict of str to dict
        Further parameters at single settings, by their name or series.
    features : list of dict or None
        In place of the spec's.
    ours : bool
        Whether this is the flagship.
    same_size : bool
        Whether its dictionary has the flagship's size, so that the two are ranked together.
    settings : tuple of str or None
        Names or series of the settings it is run at; None for all.
    note : str
    """

    name: str
    label: str
    estimator: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    at: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    features: tuple[Mapping[str, Any], ...] | None = None
    ours: bool = False
    same_size: bool = False
    settings: tuple[str, ...] | None = None
    note: str = ""

    def runs_at(self, setting: Setting) -> bool:
        """Whether the method has a cell at this setting."""
        return self.settings is None or bool({setting.name, setting.series} & set(self.settings))

    def parameters_at(self, setting: Setting) -> dict[str, Any]:
        """Its own parameters, then the setting's, then its own for this setting."""
        own = {**self.at.get(setting.series, {}), **self.at.get(setting.name, {})}
        return {**self.parameters, **setting.parameters, **own}


@dataclass(frozen=True, eq=False)
class Cell:
    """One method at one setting on one split; equal where the three names and the split are."""

    spec: Spec = field(repr=False)
    method: Method
    setting: Setting
    split: int

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Names of its table, method and setting, and its split."""
        return self.spec.name, self.method.name, self.setting.name, self.split

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the estimator is given."""
        return self.method.parameters_at(self.setting)

    @property
    def features(self) -> tuple[Mapping[str, Any], ...]:
        """Steps from the raw data to rows."""
        return self.spec.features if self.method.features is None else self.method.features

    @property
    def seed(self) -> int:
        """Seeds the features and the method: another one for each split."""
        return int(self.spec.protocol.get("seed", 0)) + self.split

    @property
    def identity(self) -> dict[str, Any]:
        """All that the result depends on by declaration."""
        return {
            "table": self.spec.name,
            "data": dict(self.spec.data),
            "features": [dict(step) for step in self.features],
            "protocol": {k: v for k, v in self.spec.protocol.items() if k != "repeats"},
            "estimator": self.method.estimator,
            "parameters": self.parameters,
            "n_train": self.setting.n_train,
            "method": self.method.name,
            "setting": self.setting.name,
            "split": self.split,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Spec:
    """One table or figure.

    Attributes
    ----------
    name : str
        Name of the file without its ending, as "table-2".
    item : int
        Place in the paper's order.
    kind : {"table", "figure"}
    title, caption : str
    data : dict
        `name` in `crosslabel.datasets.catalogue.DATASETS`, and options of its loader.
    features : tuple of dict
        `name` of a transformer or of an entry of `inputs.STEPS`, and its parameters.
    protocol : dict
        `kind` of `crosslabel.datasets.splits`, `repeats`, `seed` and options.
    quantities : tuple of str
        What the table shows, the first foremost.
    keep : tuple of str
        What a record keeps beside its numbers: names in `extras.EXTRAS`.
    serial : bool
        Whether cells run alone, one at a time and on one thread, so that times can be compared.
    axis : str
        Of a figure: the parameter on its axis.
    methods, settings, published, targets, ratios, reasons : tuple
    """

    name: str
    item: int
    kind: str
    title: str
    caption: str
    data: Mapping[str, Any]
    features: tuple[Mapping[str, Any], ...]
    protocol: Mapping[str, Any]
    quantities: tuple[str, ...]
    keep: tuple[str, ...]
    serial: bool
    axis: str
    methods: tuple[Method, ...]
    settings: tuple[Setting, ...]
    published: tuple[Published, ...]
    targets: tuple[Target, ...]
    ratios: tuple[Ratio, ...]
    reasons: tuple[Reason, ...]

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def splits(self) -> int:
        """How many splits the protocol has."""
        return int(self.protocol["repeats"])

    @cached_property
    def method(self) -> dict[str, Method]:
        """Methods by name."""
        return {method.name: method for method in self.methods}

    @cached_property
    def setting(self) -> dict[str, Setting]:
        """Settings by name."""
        return {setting.name: setting for setting in self.settings}

    def cells(self, limit_splits: int | None = None) -> Iterator[Cell]:
        """Every cell; those that share their input follow each other.

        Parameters
        ----------
        limit_splits : int, default=None
            Only so many splits, the first ones.
        """
        splits = self.splits if limit_splits is None else min(self.splits, limit_splits)
        for split in range(splits):
            for setting in self.settings:
                for method in self.methods:
                    if method.runs_at(setting):
                        yield Cell(self, method, setting, split)

    def reason(self, method: str, setting: str) -> str:
        """Why a value at this place differs from the published one, as far as it is known."""
        fitting = [
            reason.text
            for reason in self.reasons
            if reason.method in ("", method) and reason.setting in ("", setting)
        ]
        return " ".join(fitting)


def spec_names(folder: Path = FOLDER) -> list[str]:
    """Names of all specs, in the paper's order."""
    found = [(load_spec(place.stem, folder).item, place.stem) for place in folder.glob("*.toml")]
    return [name for _, name in sorted(found)]


def load_specs(folder: Path = FOLDER) -> list[Spec]:
    """All specs, in the paper's order."""
    return [load_spec(name, folder) for name in spec_names(folder)]


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
        content = tomllib.loads(place.read_text("utf-8"))
        return _spec(place.stem, content)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise SpecError(f"{place} is not a spec: {what}.") from None


def _spec(name: str, given: dict[str, Any]) -> Spec:
    settings = tuple(_swept(given["setting"], given.get("sweep")))
    methods = tuple(_method(entry) for entry in given["method"])
    spec = Spec(
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
        serial=given.get("serial", False),
        axis=given.get("sweep", {}).get("parameter", ""),
        methods=methods,
        settings=settings,
        published=tuple(_published(given.get("published", {}))),
        targets=tuple(_targets(given.get("target", {}))),
        ratios=tuple(Ratio(**entry) for entry in given.get("ratio", ())),
        reasons=tuple(Reason(**entry) for entry in given.get("reason", ())),
    )
    _check(spec)
    return spec


def _method(entry: dict[str, Any]) -> Method:
    fields = dict(entry)
    name = fields.pop("name")
    for key in ("features", "settings"):
        if key in fields:
            fields[key] = tuple(fields[key])
    return Method(name=name, label=fields.pop("label", name), **fields)


def _swept(settings: list[dict[str, Any]], sweep: dict[str, Any] | None) -> Iterator[Setting]:
    """The settings as they stand, or each of them at each value of a figure's axis."""
    for entry in settings:
        fields = {"label": entry["name"], **entry}
        if sweep is None:
            yield Setting(**{"series": fields["name"], **fields})
            continue
        for value in sweep["values"]:
            parameter = sweep["parameter"]
            yield Setting(
                name=f"{fields['name']} {parameter}={value:g}",
                label=f"{fields['label']}, {value:g}",
                n_train=fields.get("n_train"),
                parameters={**fields.get("parameters", {}), parameter: value},
                series=fields["name"],
                x=float(value),
            )


def _published(given: dict[str, dict[str, Any]]) -> Iterator[Published]:
    for method, entry in given.items():
        deviations = entry.get("deviation", {})
        for quantity in QUANTITIES:
            for setting, value in entry.get(quantity, {}).items():
                spread = deviations.get(setting) if quantity == "accuracy" else None
                yield Published(method, setting, quantity, value, spread, entry["mark"])


def _targets(given: dict[str, dict[str, Any]]) -> Iterator[Target]:
    for method, entry in given.items():
        for quantity, values in entry.items():
            for setting, value in values.items():
                yield Target(method, setting, quantity, value)


def _check(spec: Spec) -> None:
    """Raise for what would otherwise be ignored: a name that nothing has."""
    methods, settings = set(spec.method), set(spec.setting)
    names = settings | {setting.series for setting in spec.settings}

    def expect(found: Any, allowed: Any, what: str) -> None:
        if found not in allowed:
            listed = ", ".join(sorted(map(str, allowed)))
            raise SpecError(f"{spec.name}: {what} {found!r} is none of {listed}.")

    expect(spec.kind, KINDS, "kind")
    if len(methods) < len(spec.methods) or len(settings) < len(spec.settings):
        raise SpecError(f"{spec.name}: two methods or two settings have the same name.")
    for quantity in spec.quantities:
        expect(quantity, QUANTITIES, "quantity")
    for method in spec.methods:
        for name in (*(method.settings or ()), *method.at):
            expect(name, names, f"setting of method {method.name}")
    for value in spec.published:
        expect(value.mark, MARKS, f"mark of {value.method}")
        expect(value.setting, settings, f"published setting of {value.method}")
        if value.mark == "measured":
            expect(value.method, methods, "a value marked as measured: method")
    for target in spec.targets:
        expect(target.method, methods, "target of method")
        expect(target.setting, settings, "target at setting")
    for ratio in spec.ratios:
        for name in (ratio.slow, ratio.fast):
            expect(name, methods, "ratio of method")
        expect(ratio.setting, settings, "ratio at setting")
