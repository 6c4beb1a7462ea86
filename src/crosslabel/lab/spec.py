"""A table or figure of the paper as a value: what is run, and what was published.

A spec names its data set, features, protocol, methods and settings. Its cells are method × setting
× split. It also holds every published value that is known, so that ours can be put beside it, and
the reasons that are known where ours differs. `spec_files` reads one from TOML. Nothing here loads
data or estimators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NotRequired, TypedDict, cast

from crosslabel.lab.numerics import versions
from crosslabel.lab.published import Published, Ratio, Reason

KINDS = ("table", "figure")
Options = Mapping[str, object]  # as TOML gives them: numbers, strings, lists, nested mappings


FIRST_CLASSES = (1, 2, 3)


class ProtocolOptions(TypedDict):
    """A protocol: its `kind` of `inputs.PROTOCOLS`, how many splits it draws, and their seed."""

    kind: str
    repeats: int
    seed: NotRequired[int]


class SpecError(ValueError):
    """A spec that cannot be run as it is written; the message says where and why."""


@dataclass(frozen=True)
class TableSetting:
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
    parameters: Options = field(default_factory=dict)
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
        Name of a class in `crosslabel.lab.estimators`.
    parameters : dict
    at : dict of str to dict
        Further parameters at single settings, by their name or series.
    features : tuple of dict or None
        In place of the spec's.
    ours : bool
        Whether this is the flagship.
    same_size : bool
        Whether its dictionary has the flagship's size, so that the two are ranked together.
    settings : tuple of str or None
        Names or series of the settings it is run at; None for all.
    note : str
    paper : str
        The paper's row that it is put beside; where empty, the one of its name or label.
    parameters_of : str
        The section of `published.toml` whose ridge, suppression and grouping it has.
    search : dict of str to float
        Parameters that training data choose (`choice`): each starts from its value in `parameters`
        and climbs by this factor.
    """

    name: str
    label: str
    estimator: str
    parameters: Options = field(default_factory=dict)
    at: Mapping[str, Options] = field(default_factory=dict)
    features: tuple[Options, ...] | None = None
    ours: bool = False
    same_size: bool = False
    settings: tuple[str, ...] | None = None
    note: str = ""
    paper: str = ""
    parameters_of: str = ""
    search: Mapping[str, float] = field(default_factory=dict)

    def runs_at(self, setting: TableSetting) -> bool:
        """Whether the method has a cell at this setting."""
        return self.settings is None or bool({setting.name, setting.series} & set(self.settings))

    def parameters_at(self, setting: TableSetting) -> dict[str, object]:
        """Its own parameters, then the setting's, then its own for this setting."""
        own = {**self.at.get(setting.series, {}), **self.at.get(setting.name, {})}
        return {**self.parameters, **setting.parameters, **own}

    def stands_beside(self, row: str) -> bool:
        """Whether the paper's row of this name is the one it is compared with."""
        return row == self.paper if self.paper else row in (self.name, self.label)


@dataclass(frozen=True, eq=False)
class Cell:
    """One method at one setting on one split; equal where the three names and the split are.

    Attributes
    ----------
    spec : Spec
    method : Method
    setting : TableSetting
    split : int
    indices : str
        A hash of the training and test indices, where they were given and not drawn by the
        protocol.
    """

    spec: Spec = field(repr=False)
    method: Method
    setting: TableSetting
    split: int
    indices: str = ""

    @property
    def place(self) -> tuple[str, str, str, int]:
        """Names of its table, method and setting, and its split."""
        return self.spec.name, self.method.name, self.setting.name, self.split

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    @property
    def parameters(self) -> dict[str, object]:
        """What the estimator is given."""
        return self.method.parameters_at(self.setting)

    @property
    def start(self) -> dict[str, float]:
        """Where the parameters that training data choose begin."""
        return {name: cast(float, self.parameters[name]) for name in self.method.search}

    @property
    def features(self) -> tuple[Options, ...]:
        """Steps from the raw data to rows."""
        return self.spec.features if self.method.features is None else self.method.features

    @property
    def seed(self) -> int:
        """Seeds the features and the method: another one for each split."""
        return self.spec.seed + self.split

    @property
    def identity(self) -> dict[str, object]:
        """All that the result depends on by declaration."""
        given: dict[str, object] = {"indices": self.indices} if self.indices else {}
        if self.spec.codes_of != FIRST_CLASSES:
            given["codes_of"] = self.spec.codes_of
        if self.method.search:
            given["search"] = dict(self.method.search)
        steps = [str(step["step"]) for step in self.features]
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
            "numerics": versions([self.method.estimator, *steps]),
            **given,
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
        `step`, the name of a transformer of `inputs`, and its parameters.
    protocol : ProtocolOptions
    quantities : tuple of str
        What the table shows, the first foremost.
    keep : tuple of str
        What a record keeps beside its numbers: names in `figure_data.EXTRAS`.
    serial : bool
        Whether cells run alone, one at a time and on one thread, so that times can be compared;
        a query is then timed by itself, as the paper's are.
    axis : str
        Of a figure: the parameter on its axis.
    codes_of : tuple of int
        Where codes are kept: of which classes, counted from one.
    indices : tuple of str
        Of a comparison on given splits: a hash of each.
    methods, settings, published, ratios, reasons : tuple
    """

    name: str
    title: str
    data: Options
    protocol: ProtocolOptions
    methods: tuple[Method, ...]
    settings: tuple[TableSetting, ...]
    item: int = 0
    kind: str = "table"
    caption: str = ""
    features: tuple[Options, ...] = ()
    quantities: tuple[str, ...] = ("accuracy",)
    keep: tuple[str, ...] = ()
    serial: bool = False
    axis: str = ""
    codes_of: tuple[int, ...] = FIRST_CLASSES
    indices: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    reasons: tuple[Reason, ...] = ()

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def splits(self) -> int:
        """How many splits the protocol has."""
        return self.protocol["repeats"]

    @property
    def seed(self) -> int:
        """Of the protocol's random choices."""
        return self.protocol.get("seed", 0)

    @cached_property
    def method(self) -> dict[str, Method]:
        """Methods by name."""
        return {method.name: method for method in self.methods}

    @cached_property
    def setting(self) -> dict[str, TableSetting]:
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
            indices = self.indices[split] if self.indices else ""
            for setting in self.settings:
                for method in self.methods:
                    if method.runs_at(setting):
                        yield Cell(self, method, setting, split, indices)

    def said(self, quantity: str) -> dict[tuple[str, str], Published]:
        """Published values of a quantity by method and setting."""
        return {(p.method, p.setting): p for p in self.published if p.quantity == quantity}

    def reason(self, method: str, setting: str) -> str:
        """Why a value at this place differs from the published one, as far as it is known."""
        fitting = [
            reason.text
            for reason in self.reasons
            if reason.method in ("", method) and reason.setting in ("", setting)
        ]
        return " ".join(fitting)
