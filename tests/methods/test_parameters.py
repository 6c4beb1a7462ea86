import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from crosslabel.methods import parameters

RANGES = {
    "COUNT": ([1, np.int64(7)], [0, -1, 1.5, None]),
    "COUNT_OR_ZERO": ([0, 3], [-1, 0.5]),
    "POSITIVE": ([1e-300, 2, np.float32(0.5)], [0, -1.0, "1"]),
    "POSITIVE_OR_ZERO": ([0, 0.5], [-1e-9, None]),
    "SEED": ([None, 0, np.random.RandomState(0)], [-1, "a"]),
    "DEVICE": ([None, "cpu"], [0]),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_takes_what_it_says_and_refuses_the_rest(name):
    constraints = {"p": getattr(parameters, name)}
    taken, refused = RANGES[name]
    for value in taken:
        validate_parameter_constraints(constraints, {"p": value}, "a method")
    for value in refused:
        with pytest.raises(InvalidParameterError):
            validate_parameter_constraints(constraints, {"p": value}, "a method")
