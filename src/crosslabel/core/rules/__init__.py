"""How a query gets its scores: every rule by its name.

A new rule is its file, which brings scores, explanation and ONNX graph (`rule.py` says how), an
entry in `RULES`, and its test. All that lists rules reads `RULES`.
"""

from crosslabel.core.rules.global_length import GlobalLengthRule
from crosslabel.core.rules.global_residual import GlobalResidualRule
from crosslabel.core.rules.global_rule import GlobalRule
from crosslabel.core.rules.local_rule import LocalRule
from crosslabel.core.rules.rule import Rule

__all__ = ["RULES", "GlobalLengthRule", "GlobalResidualRule", "GlobalRule", "LocalRule", "Rule"]

# Of rules that do equally well the first is taken: the paper's better one on most of its data sets.
RULES: dict[str, type[Rule]] = {
    "global": GlobalRule,
    "local": LocalRule,
    "global-length": GlobalLengthRule,
    "global-residual": GlobalResidualRule,
}
