"""The estimators of scikit-learn that a model file may hold, and the form of each.

Compiled code of scikit-learn trusts the arrays of a fitted estimator: one wrong index ends the
process. So only estimators are loaded whose every attribute is checked here; a new one is a new
entry, and all others are refused.
"""

from __future__ import annotations

import numpy as np

from crosslabel.files.forms import (
    Attributes,
    Axes,
    Either,
    Elsewhere,
    Field,
    Form,
    Labels,
    Rule,
    Words,
    numbers,
    positive,
    whole,
)

COUNT = Field((), "fiu", low=0, high=1e18)  # scikit-learn counts in either type
NOTHING = Words((None,))
SPEED: dict[str, Rule] = {"n_iter_": Field((), "iu", low=0, high=1e18, optional=True)}
METRICS = ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "cosine")


def _is_plain(state: Attributes, axes: Axes) -> None:
    """A function without arguments of the file's choice."""
    if state.get("kw_args") or state.get("inv_kw_args"):
        raise ValueError("its function has arguments")


def _steps(state: Attributes, axes: Axes) -> None:
    steps = state.get("steps")
    if not isinstance(steps, list) or not steps:
        raise ValueError("it has no steps")
    if not all(isinstance(s, tuple) and len(s) == 2 and isinstance(s[0], str) for s in steps):
        raise ValueError("its steps are no pairs of a name and an estimator")
    names = [name for name, _ in steps]
    if len(set(names)) < len(names) or any("__" in name or not name for name in names):
        raise ValueError("the names of its steps are not distinct, empty, or hold '__'")


def _iterations(state: Attributes, axes: Axes) -> None:
    found = state.get("n_iter_")
    if found is not None and (not isinstance(found, np.ndarray) or found.dtype.kind != "i"):
        raise ValueError("n_iter_ is no array of whole numbers")


def _neighbours(state: Attributes, axes: Axes) -> None:
    if "_fit_X" not in state:
        return
    if {"_y", "classes_", "n_samples_fit_", "_fit_method", "effective_metric_"} - set(state):
        raise ValueError("it is only half fitted")
    if state["n_samples_fit_"] != axes["samples"] or state["n_neighbors"] > axes["samples"]:
        raise ValueError(f"it does not keep as many samples as it says: {axes['samples']}")
    if not state["_fit_X"].flags.c_contiguous:
        raise ValueError("_fit_X is not in C order")
    power = state["effective_metric_params_"]
    if not isinstance(power, dict) or set(power) - {"p"} or not 1 <= power.get("p", 2) <= 1e3:
        raise ValueError("effective_metric_params_ holds other than a power p")


def _support(state: Attributes, axes: Axes) -> None:
    if "support_vectors_" not in state:
        return
    needed = {"_n_support", "dual_coef_", "_dual_coef_", "intercept_", "_intercept_", "support_"}
    if (needed | {"classes_", "_gamma", "_probA", "_probB", "shape_fit_"}) - set(state):
        raise ValueError("it is only half fitted")
    if state["_n_support"].sum(dtype=np.int64) != axes["vectors"] or axes["classes"] < 2:
        raise ValueError("_n_support does not sum to the number of support vectors")
    for name in ("_probA", "_probB"):
        found = state[name]
        if not isinstance(found, np.ndarray) or found.shape not in ((0,), (axes["pairs"],)):
            raise ValueError(f"{name} does not have one value for each pair of classes")
        Field((len(found),)).check(name, found, axes)
    if len(state["_probA"]) != len(state["_probB"]):
        raise ValueError("_probA and _probB differ in length")
    if state["probability"] is True and len(state["_probA"]) == 0:
        raise ValueError("it has no probabilities")
    shape = state["shape_fit_"]
    if not isinstance(shape, tuple) or len(shape) != 2 or shape[1] != axes["features"]:
        raise ValueError("shape_fit_ is not the shape of its samples")
    doubles = ("support_vectors_", "dual_coef_", "_dual_coef_", "intercept_", "_intercept_")
    for name in (*doubles, "support_", "_n_support"):
        expected = np.float64 if name in doubles else np.int32
        if state[name].dtype != expected or not state[name].flags.c_contiguous:
            raise ValueError(f"{name} is not {np.dtype(expected)} in C order")


def _binarizer(state: Attributes, axes: Axes) -> None:
    """What names the classes is an estimator of its own, checked as one."""
    found = state.get("_label_binarizer")
    if found is not None and type(found).__name__ != "LabelBinarizer":
        raise ValueError("its classes are not named by a LabelBinarizer")
    if found is None and "coef_" in state:
        raise ValueError("it does not name its classes")


COMPONENTS: dict[str, Rule] = {
    "components_": numbers("components", "features"),
    "mean_": numbers("features"),
    "var_": numbers("features", low=0),
    "explained_variance_": numbers("components", low=0),
    "explained_variance_ratio_": numbers("components"),
    "singular_values_": numbers("components", low=0),
    "noise_variance_": numbers(low=0),
    "n_components_": whole(high=1e9),
    "n_samples_": COUNT,
    "n_samples_seen_": COUNT,
    "batch_size_": COUNT,
    "_n_features_out": whole(high=1e9),
    "_fit_svd_solver": Words(
        ("full", "arpack", "randomized", "covariance_eigh", "covariance_eigh_qr")
    ),
}
LINEAR: dict[str, Rule] = {
    "coef_": numbers("scores", "features"),
    "intercept_": Either(numbers("scores"), numbers()),
}
RIDGE = Form(
    {
        **LINEAR,
        **SPEED,
        "_label_binarizer": Elsewhere(),
        "solver_": Words(("svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")),
        "alpha_": numbers(),
        "best_score_": numbers(),
        "gcv_mode": Words((None, "auto", "svd", "eigen")),
        "alpha_per_target": Words((False, True)),
    },
    also=_binarizer,
)

FORMS: dict[str, Form] = {
    "sklearn.pipeline.Pipeline": Form(
        parameters={"transform_input": NOTHING, "memory": NOTHING}, also=_steps
    ),
    "sklearn.preprocessing._data.StandardScaler": Form(
        {
            "n_samples_seen_": COUNT,
            "mean_": numbers("features", optional=True),
            "var_": numbers("features", low=0, optional=True),
            "scale_": positive("features", optional=True),
        }
    ),
    "sklearn.preprocessing._data.MinMaxScaler": Form(
        {
            "n_samples_seen_": COUNT,
            **{n: numbers("features") for n in ("min_", "data_min_", "data_max_", "data_range_")},
            "scale_": numbers("features"),
        }
    ),
    "sklearn.preprocessing._data.MaxAbsScaler": Form(
        {
            "n_samples_seen_": COUNT,
            "max_abs_": numbers("features", low=0),
            "scale_": positive("features"),
        }
    ),
    "sklearn.preprocessing._data.RobustScaler": Form(
        {
            "center_": numbers("features", optional=True),
            "scale_": positive("features", optional=True),
        }
    ),
    "sklearn.preprocessing._data.Normalizer": Form(),
    "sklearn.preprocessing._function_transformer.FunctionTransformer": Form(also=_is_plain),
    "sklearn.preprocessing._label.LabelBinarizer": Form(
        {
            "y_type_": Words(("binary", "multiclass")),
            "sparse_input_": Words((False,)),
        }
    ),
    "sklearn.decomposition._pca.PCA": Form(COMPONENTS),
    "sklearn.decomposition._incremental_pca.IncrementalPCA": Form(COMPONENTS),
    "sklearn.decomposition._truncated_svd.TruncatedSVD": Form(COMPONENTS),
    "sklearn.feature_selection._variance_threshold.VarianceThreshold": Form(
        {"variances_": numbers("features", low=0)}
    ),
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": Form(
        {
            **LINEAR,
            "priors_": positive("classes"),
            "_max_components": whole(high=1e9),
            "_n_features_out": whole(high=1e9),
            "means_": numbers("classes", "features"),
            "xbar_": numbers("features"),
            "covariance_": numbers("features", "features"),
            "explained_variance_ratio_": numbers("kept"),
            "scalings_": numbers("features", "directions"),
        },
        {"covariance_estimator": NOTHING},
    ),
    "sklearn.linear_model._logistic.LogisticRegression": Form(
        {**LINEAR, "n_iter_": whole("fits")}, also=_iterations
    ),
    "sklearn.linear_model._ridge.RidgeClassifier": RIDGE,
    "sklearn.linear_model._ridge.RidgeClassifierCV": RIDGE,
    "sklearn.svm._classes.LinearSVC": Form({**LINEAR, **SPEED}),
    "sklearn.svm._classes.SVC": Form(
        {
            "nu": numbers(),
            "epsilon": numbers(),
            "_sparse": Words((False,)),
            "_effective_probability": Words((False, True)),
            # A polynomial kernel takes products of these to the fifth power.
            "_gamma": numbers(low=0, high=1e9),
            "class_weight_": numbers("classes", low=0),
            "support_": whole("vectors", high=1e9),
            "support_vectors_": numbers("vectors", "features", low=-1e15, high=1e15),
            "_n_support": whole("classes", high=1e9),
            "dual_coef_": numbers("others", "vectors"),
            "_dual_coef_": numbers("others", "vectors"),
            "intercept_": numbers("pairs"),
            "_intercept_": numbers("pairs"),
            "_probA": Elsewhere(),
            "_probB": Elsewhere(),
            "fit_status_": whole(high=1),
            "_num_iter": whole("pairs"),
            "n_iter_": whole("pairs"),
            "shape_fit_": Elsewhere(),
        },
        {
            "kernel": Words(("linear", "poly", "rbf", "sigmoid")),
            "degree": whole(high=5),
            "coef0": Field((), "fi", low=-1e15, high=1e15),
        },
        also=_support,
    ),
    "sklearn.neighbors._classification.KNeighborsClassifier": Form(
        {
            "radius": NOTHING,
            "outputs_2d_": Words((False,)),
            "_y": whole("samples", high="classes"),
            "_fit_X": Field(("samples", "features"), "fiu"),
            "n_samples_fit_": whole(high=1e9),
            "effective_metric_": Words(METRICS),
            "effective_metric_params_": Elsewhere(),
            "_fit_method": Words(("brute",)),
            "_tree": NOTHING,
        },
        {
            "metric": Words(METRICS),
            "metric_params": NOTHING,
            "weights": Words((None, "uniform", "distance")),
        },
        also=_neighbours,
    ),
    "sklearn.neighbors._nearest_centroid.NearestCentroid": Form(
        {
            "class_prior_": positive("classes"),
            "centroids_": numbers("classes", "features"),
            "true_classes_": Labels("classes"),
            "within_class_std_dev_": positive("features"),
            "deviations_": numbers("classes", "features"),
        },
        {"metric": Words(("euclidean", "manhattan"))},
    ),
    "sklearn.naive_bayes.GaussianNB": Form(
        {
            "epsilon_": numbers(low=0),
            "theta_": numbers("classes", "features"),
            "var_": positive("classes", "features"),
            "class_count_": numbers("classes", low=0),
            "class_prior_": positive("classes"),
        }
    ),
}
"""By module and name, as files of scikit-learn 1.7 and later hold them."""
