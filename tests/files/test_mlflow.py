import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from crosslabel import CrossLabelClassifier
from crosslabel.files.mlflow import METHODS, Labeller, _load_pyfunc, save_model
from crosslabel.files.model import save

X, y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    return CrossLabelClassifier(rule="local", ridge=0.1).fit(X, y)


def test_a_loaded_model_gives_labels_or_what_is_asked_for(model, tmp_path):
    save(model, tmp_path / "m.skops")
    loaded = _load_pyfunc(str(tmp_path / "m.skops"))
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    for method in METHODS:
        assert_allclose(loaded.predict(X, {"method": method}), getattr(model, method)(X))


def test_another_method_is_refused_by_name(model):
    with pytest.raises(ValueError, match="no method 'fit': ask for one of predict, "):
        Labeller(model).predict(X, {"method": "fit"})


def test_without_mlflow_the_error_names_the_extra(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r"pip install 'crosslabel\[mlflow\]'"):
        save_model(model, tmp_path / "folder")


@pytest.mark.filterwarnings("ignore")
def test_mlflow_opens_the_folder_without_a_pickle(model, tmp_path):
    pyfunc = pytest.importorskip("mlflow.pyfunc")
    save_model(model, tmp_path / "folder")
    files = [place for place in (tmp_path / "folder").rglob("*") if place.is_file()]
    assert not [place for place in files if place.suffix in (".pkl", ".pickle", ".joblib")]
    loaded = pyfunc.load_model(str(tmp_path / "folder"))
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert_allclose(loaded.predict(X, params={"method": "predict_proba"}), model.predict_proba(X))
