"""Pictures are drawn without a screen, and closed."""

import matplotlib as mpl
import pytest
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture(scope="session")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="session")
def model(digits):
    X, y = digits
    settings = {"atoms_per_class": 4, "shared_atoms": 2, "ridge": 0.1, "rule": "local"}
    return CrossLabelClassifier(**settings).fit(X[:600], y[:600])
