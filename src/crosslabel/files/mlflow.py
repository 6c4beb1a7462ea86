"""Models in MLflow's form: pyfunc around our own loader, which runs nothing that a file carries.

MLflow's scikit-learn flavour unpickles. Here the artifact is a `.skops` file of `crosslabel.save`,
and MLflow is told to open it by this module. Needs the extra `mlflow`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from crosslabel._version import __version__
from crosslabel.core.scaling import Array
from crosslabel.files.model import Model, load, save

FILE = "model.skops"
METHODS = ("predict", "predict_proba", "decision_function", "novelty_score", "transform")
"""What a loaded model may be asked for; the first is the default."""


class Labeller:
    """A loaded model as MLflow's pyfunc asks for it.

    Parameters
    ----------
    model : estimator
        As `crosslabel.load` gives it.
    """

    def __init__(self, model: BaseEstimator) -> None:
        self.model = model

    def predict(self, data: ArrayLike, params: Mapping[str, Any] | None = None) -> Array:
        """Labels of rows, or what `params["method"]` names.

        Parameters
        ----------
        data : array-like or data frame of shape (n_queries, n_features)
        params : mapping, optional
            `method` is one of `METHODS`.
        """
        method = (params or {}).get("method", METHODS[0])
        if method not in METHODS:
            raise ValueError(f"There is no method {method!r}: ask for one of {', '.join(METHODS)}.")
        return getattr(self.model, method)(data)


def save_model(
    model: BaseEstimator | Model, path: str | os.PathLike[str], **settings: object
) -> None:
    """Write a model as a folder that `mlflow.pyfunc.load_model` opens.

    Parameters
    ----------
    model : estimator, pipeline or Model
        Whatever `crosslabel.save` takes.
    path : path
        Of the folder, which must not exist.
    **settings
        Of `mlflow.pyfunc.save_model`, as `input_example` or `metadata`.

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> from crosslabel.files.mlflow import save_model
    >>> save_model(model, "mlruns/pets")  # doctest: +SKIP
    >>> mlflow.pyfunc.load_model("mlruns/pets").predict(X)  # doctest: +SKIP
    """
    with tempfile.TemporaryDirectory() as folder:
        _pyfunc().save_model(path=str(path), **_flavour(model, Path(folder)), **settings)


def log_model(model: BaseEstimator | Model, name: str, **settings: object) -> object:
    """Log a model to the current run of MLflow.

    Parameters
    ----------
    model : estimator, pipeline or Model
        Whatever `crosslabel.save` takes.
    name : str
        Of the model in the run.
    **settings
        Of `mlflow.pyfunc.log_model`, as `registered_model_name`.

    Returns
    -------
    mlflow.models.model.ModelInfo

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> from crosslabel.files.mlflow import log_model
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     log_model(model, name="pets")
    """
    with tempfile.TemporaryDirectory() as folder:
        return _pyfunc().log_model(name=name, **_flavour(model, Path(folder)), **settings)


def _load_pyfunc(data_path: str) -> Labeller:
    """Called by MLflow with the path of the artifact."""
    return Labeller(load(data_path))


def _flavour(model: BaseEstimator | Model, folder: Path) -> dict[str, object]:
    """The file, who opens it, and what that needs; the method is a parameter of prediction."""
    from mlflow.models import infer_signature

    save(model, folder / FILE)
    return {
        "loader_module": __name__,
        "data_path": str(folder / FILE),
        "pip_requirements": [f"crosslabel=={__version__}"],
        "signature": infer_signature(params={"method": METHODS[0]}),
    }


def _pyfunc() -> ModuleType:
    try:
        from mlflow import pyfunc
    except ModuleNotFoundError as error:
        raise ImportError(
            "MLflow's form needs the package mlflow. Install it: pip install 'crosslabel[mlflow]'."
        ) from error
    return pyfunc
