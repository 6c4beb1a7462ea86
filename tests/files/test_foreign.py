"""Estimators of scikit-learn whose compiled code would follow any index."""

import numpy as np
import pytest
from benchmarks.loadable import LABELS, QUERIES, ROWS, loadable
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from crosslabel.files import ModelFileError, load, save
from crosslabel.files.foreign import FORMS
from crosslabel.files.model import encoded
from tests.files.problems import with_arrays, with_values

NEIGHBOURS = KNeighborsClassifier(algorithm="brute", metric="manhattan").fit(ROWS, LABELS)
VECTORS = SVC().fit(ROWS, LABELS)


def refuse(tmp_path, content, reason):
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match=reason):
        load(tmp_path / "m")


@pytest.mark.parametrize("label", [10**9, 3, -1])
def test_labels_of_neighbours_beyond_the_classes(tmp_path, label):
    content = with_arrays(encoded(NEIGHBOURS), _y=np.full(24, label))
    refuse(tmp_path, content, "_y has values from")


def test_support_vectors_that_only_sum_right(tmp_path):
    total = len(VECTORS.support_)
    wrong = np.array([10**6, -(10**6), total], np.int32)
    refuse(tmp_path, with_arrays(encoded(VECTORS), _n_support=wrong), "_n_support has values")
    wrong = np.array([0, 0, total + 1], np.int32)
    refuse(tmp_path, with_arrays(encoded(VECTORS), _n_support=wrong), "does not sum")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dual_coef_": lambda a: a[:, :-1]}, "dual_coef_ has shape"),
        ({"dual_coef_": lambda a: a * np.inf}, "_dual_coef_ has values|dual_coef_ has values"),
        ({"support_vectors_": lambda a: a.astype("f4")}, "not float64 in C order"),
        ({"support_vectors_": lambda a: a[:, :-1]}, "support_vectors_ has shape"),
        ({"intercept_": lambda a: a[:-1]}, "intercept_ has shape"),
        ({"classes_": np.array([0, 0, 1])}, "names a class twice"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, changes, reason):
    refuse(tmp_path, with_arrays(encoded(VECTORS), **changes), reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"n_samples_fit_": 10**6}, "does not keep as many samples"),
        ({"effective_metric_": "precomputed"}, "effective_metric_ is 'precomputed'"),
        ({"_fit_method": "kd_tree"}, "_fit_method is 'kd_tree'"),
        ({"n_neighbors": 25}, "does not keep as many samples"),
        ({"n_neighbors": 0}, "n_neighbors"),
    ],
)
def test_settings_that_do_not_fit(tmp_path, changes, reason):
    refuse(tmp_path, with_values(encoded(NEIGHBOURS), **changes), reason)


def test_a_scale_of_zero_divides_nothing(tmp_path):
    content = encoded(StandardScaler().fit(ROWS))
    refuse(tmp_path, with_arrays(content, scale_=np.zeros(30)), "scale_ has values from 0 to 0")


@pytest.mark.parametrize(
    "model",
    [
        RadiusNeighborsClassifier(radius=9.0, algorithm="brute"),
        RandomForestClassifier(2),
        KNeighborsClassifier(algorithm="kd_tree"),
    ],
)
def test_others_are_refused_before_anything_is_written(tmp_path, model):
    with pytest.raises(ModelFileError, match=r"not trusted|which a model file may not hold"):
        save(model.fit(ROWS, LABELS), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_honest_models_of_every_class_load_and_answer(tmp_path):
    sound = {each.name: each for each in loadable()}
    # A pipeline and what names the classes of a ridge classifier come with others.
    alone = {name.rpartition(".")[2] for name in FORMS} - {"Pipeline", "LabelBinarizer"}
    assert alone < sound.keys()
    for name in sound:
        (tmp_path / "m").write_bytes(sound[name].content)
        again = load(tmp_path / "m")
        ask = again.predict if hasattr(again, "predict") else again.transform
        assert len(ask(QUERIES[sound[name].asks])) == 1
