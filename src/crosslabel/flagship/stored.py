"""What of a flagship goes into files and pickles: parameters, the model as arrays, its summary.

The rule that predicts is several times as large as the dictionary, may lie on a GPU, and is an
implementation's own affair. It is left out and prepared again where the model is loaded: files
stay small, and open in versions that prepare it in another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crosslabel.flagship.fitted import Fitted
from crosslabel.intake.lift import Lift, State
from crosslabel.intake.summary import Summary

Attributes = dict[str, Any]
"""Of an estimator, by name."""

EARLIER = (
    *("dictionary_", "atom_labels_", "classes_", "objective_trace_", "n_iter_", "unused_atoms_"),
    *("rule_", "rule_scores_", "temperature_", "_solved_classes", "_declared", "_grown"),
    *("_seen", "_seed", "_chosen_at", "_stream", "_traces", "_settled"),
)
"""Attributes of models in files of format 1."""


def to_state(attributes: State) -> Attributes:
    """The attributes of an estimator in a form that files hold."""
    state = dict(attributes)
    if "_fitted" in state:
        state["_fitted"] = state["_fitted"].to_state()
    if "_summary" in state:
        summary = state["_summary"]
        state["_summary"] = {"lift": summary.lift.to_state(), "arrays": summary.to_arrays()}
    return state


def from_state(state: State) -> Attributes:
    """The attributes of an estimator from what `to_state` gave, now or in an earlier version."""
    attributes = dict(state)  # in its order, so that a model stored again is the same file
    attributes.setdefault("class_weight", None)  # which earlier versions do not have
    if "dictionary_" in attributes:
        attributes = _of_format_1(attributes)
    elif "_fitted" in attributes:
        attributes["_fitted"] = Fitted.from_state(attributes["_fitted"])
    if isinstance(attributes.get("_summary"), Mapping):
        kept = attributes["_summary"]
        attributes["_summary"] = Summary.from_arrays(kept["arrays"], Lift.from_state(kept["lift"]))
    return attributes


def _of_format_1(state: Attributes) -> Attributes:
    """What was called `normalize` is `scale`, the class solver is infinite suppression."""
    fitted = Fitted.from_earlier(state)
    attributes = {name: value for name, value in state.items() if name not in EARLIER}
    attributes["_fitted"] = fitted
    if "_stream" in state:
        attributes["_summary"] = Summary.from_arrays(state["_stream"], fitted.view.lift)
    attributes["scale"] = "unit" if attributes.pop("normalize", True) else "none"
    attributes.pop("probability", None)
    if attributes.get("solver") == "class":
        attributes |= {"solver": "exact", "suppression": float("inf")}
    return attributes
