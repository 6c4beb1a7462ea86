import pytest

from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.flagship.parameters import CLASSIFIER, CROSS_VALIDATED


@pytest.mark.parametrize(
    ("estimator", "table"),
    [
        (CrossLabelClassifier, CLASSIFIER),
        (CrossLabelClassifierCV, {**CROSS_VALIDATED, "scoring": [callable]}),
    ],
)
def test_every_parameter_is_checked_and_every_default_passes(estimator, table):
    assert set(table) == set(estimator().get_params())
    estimator()._validate_params()


LEAST = {
    "atoms_per_class": 1, "shared_atoms": 0, "n_landmarks": 1, "max_iter": 1, "warm_iter": 0,
    "kept_samples": 1, "memory_limit": 1, "ridge": 0, "suppression": 0, "grouping": 0, "offset": 0,
    "tol": 0,
}  # fmt: skip


@pytest.mark.parametrize("name", LEAST)
def test_the_least_value_passes_and_one_less_does_not(name):
    CrossLabelClassifier(**{name: LEAST[name]})._validate_params()
    with pytest.raises(ValueError, match=name):
        CrossLabelClassifier(**{name: LEAST[name] - 1})._validate_params()


def test_a_shrinkage_may_be_small_but_not_zero():
    CrossLabelClassifier(shrinkage=1e-3)._validate_params()
    with pytest.raises(ValueError, match="shrinkage"):
        CrossLabelClassifier(shrinkage=0.0)._validate_params()
