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
