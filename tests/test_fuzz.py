"""Every public estimator, given anything: a correct result, or a sentence about what is wrong.

Never a crash, a warning from inside NumPy, a result that is not a number, or a changed input. By
default a few examples each; `make fuzz` draws 5,000.
"""

import os
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from crosslabel import (
    LLC,
    CrossLabelClassifier,
    CrossLabelClassifierCV,
    RejectingClassifier,
    features,
)
from crosslabel.features import (
    LBPTOP,
    ClipSubspace,
    DenseSIFT,
    Eigenfaces,
    Embedding,
    MatrixRows,
    Pixels,
    RandomFaces,
    RegionCovariance,
    SignalCovariance,
    SpatialPyramid,
)
from crosslabel.features.clip_subspace import SPANS
from crosslabel.lab import estimators

from .fuzz_inputs import pictures, problems

EXAMPLES = int(os.environ.get("CROSSLABEL_FUZZ", "25"))
FEW = {"max_iter": 3, "init_iter": 2, "atoms_per_class": 3, "sparsity": 2, "random_state": 0}
fuzzed = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)


def small(cls):
    """A model that is soon fitted."""
    if cls is CrossLabelClassifierCV:
        grids = {"ridges": (8e-3,), "suppressions": (2.0,), "groupings": (2e-2,)}
        return cls(atoms_per_class=(2,), cv=2, max_iter=2, random_state=0, **grids)
    if cls is RejectingClassifier:
        return cls(CrossLabelClassifier(rule="global", max_iter=2, random_state=0), cv=2)
    model = cls()
    return model.set_params(**{k: v for k, v in FEW.items() if k in model.get_params()})


CLASSIFIERS = [
    small(estimators.estimator_class(name)) for name in estimators.NAMES if name != "LLC"
]
CLASSIFIERS += [
    CrossLabelClassifier(shared_atoms=2, suppression=1.0, max_iter=2, rule="local", random_state=0),
    CrossLabelClassifier(kernel="rbf", rule="global", random_state=0),
]
TABLES = [Pixels(), Pixels(log=True), Eigenfaces(3), Eigenfaces(3, center=True)]
TABLES += [RandomFaces(4, random_state=0), LLC(codebook=3, random_state=0)]
IMAGES = [
    Pixels((5, 4)),
    DenseSIFT(),
    SpatialPyramid(3, longest_side=None, random_state=0, n_jobs=1),
    RegionCovariance(),
    SignalCovariance(),
]
CLIPS = [LBPTOP(), RegionCovariance("clips"), *(ClipSubspace(2, span) for span in SPANS)]
MATRICES = [MatrixRows(), MatrixRows("matrix")]


def named(models):
    return [pytest.param(model, id=re.sub(r"\s+", "", repr(model))[:60]) for model in models]


def content(value):
    """What must not change: the bytes behind an input."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if hasattr(value, "data") and hasattr(value, "indptr"):
        return value.data.tobytes(), value.indices.tobytes()
    if isinstance(value, np.ma.MaskedArray):
        return value.data.tobytes(), value.mask.tobytes()
    if isinstance(value, np.ndarray):
        return repr(value.tolist()) if value.dtype == object else value.tobytes()
    return repr(value)


def outcome(function, *inputs):
    """The result of a call, or None where it refuses its inputs in a sentence."""
    before = [content(value) for value in inputs]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return function(*inputs)
    except (ValueError, TypeError) as error:
        if len(str(error).split()) < 4:
            raise AssertionError(f"no sentence: {error!r}") from error
        return None
    finally:
        assert [content(value) for value in inputs] == before, "an input was changed"


def assert_numbers(values, rows):
    assert len(values) == rows
    assert np.isfinite(values).all()


def plain(queries):
    """The same queries as an ordinary array; None where they are none."""
    if type(queries) is np.ndarray and queries.dtype.kind == "f":
        return np.array(queries, order="C", dtype=queries.dtype.newbyteorder("="))
    return None


@pytest.mark.parametrize("model", named(CLASSIFIERS))
@fuzzed
@given(problem=problems(), normalize=st.booleans())
def test_classifiers(model, problem, normalize):
    model = clone(model)
    if "normalize" in model.get_params():
        model.set_params(normalize=normalize)
    fitted = outcome(model.fit, problem.X, problem.y)
    if fitted is None:
        return
    labels = outcome(fitted.predict, problem.queries)
    if labels is None:
        return
    n_queries = len(labels)
    # As Python compares them: a label that no longer fits its type is another number.
    known = {*np.asarray(problem.y).tolist(), getattr(fitted, "reject_label_", None)}
    assert set(labels.tolist()) <= known
    for method in ("decision_function", "transform", "novelty_score"):
        if hasattr(fitted, method):
            assert_numbers(outcome(getattr(fitted, method), problem.queries), n_queries)
    ordinary = plain(problem.queries)
    if ordinary is not None:
        assert_array_equal(fitted.predict(ordinary), labels)


@pytest.mark.parametrize("model", named(TABLES))
@fuzzed
@given(problem=problems())
def test_transformers_of_tables(model, problem):
    fitted = outcome(clone(model).fit, problem.X)
    rows = None if fitted is None else outcome(fitted.transform, problem.queries)
    if rows is not None:
        assert_numbers(rows, len(rows))


@pytest.mark.parametrize("model", named(IMAGES))
@fuzzed
@given(images=pictures(), queries=pictures())
def test_transformers_of_images(model, images, queries):
    fitted = outcome(clone(model).fit, images)
    rows = None if fitted is None else outcome(fitted.transform, queries)
    if rows is not None:
        for row in rows:
            assert np.isfinite(np.asarray(row[0] if isinstance(row, tuple) else row)).all()


@pytest.mark.parametrize("model", named(CLIPS))
@fuzzed
@given(clips=pictures(frames=9))
def test_transformers_of_clips(model, clips):
    fitted = outcome(clone(model).fit, clips)
    rows = None if fitted is None else outcome(fitted.transform, clips)
    if rows is not None:
        assert_numbers(rows, len(clips))


@pytest.mark.parametrize("model", named(MATRICES))
@fuzzed
@given(factors=pictures())
def test_transformers_of_matrices(model, factors):
    with np.errstate(all="ignore"):
        matrices = [factor @ factor.T for factor in factors]
    fitted = outcome(clone(model).fit, matrices)
    rows = None if fitted is None else outcome(fitted.transform, matrices)
    if rows is not None:
        assert_numbers(rows, len(matrices))


@pytest.fixture(scope="module")
def embedding(tmp_path_factory):
    """Embeddings by a network that is soon asked."""
    pytest.importorskip("onnxruntime")
    from tests.features.networks import network

    place = tmp_path_factory.mktemp("network") / "net.onnx"
    place.write_bytes(network()[0])
    return Embedding(place, size=8, n_jobs=1)


@fuzzed
@given(images=pictures())
def test_embeddings(embedding, images):
    fitted = outcome(clone(embedding).fit, images)
    rows = None if fitted is None else outcome(fitted.transform, images)
    if rows is not None:
        assert_numbers(rows, len(images))


def test_no_public_estimator_is_left_out():
    tried = {type(model).__name__ for model in CLASSIFIERS + TABLES + IMAGES + CLIPS + MATRICES}
    assert tried | {"Embedding"} == {*estimators.NAMES, *dir(features)}
