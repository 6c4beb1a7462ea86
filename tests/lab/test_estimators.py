from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import crosslabel
from crosslabel.lab.estimators import NAMES, WELL_KNOWN, all_methods, estimator_class


def test_names_are_classes_of_the_library():
    assert {"CrossLabelClassifier", "CrossLabelClassifierCV", "SRC", "LRSDL"} <= set(NAMES)
    assert sorted(set(NAMES)) == NAMES
    for name in NAMES:
        assert estimator_class(name) is getattr(crosslabel, name)
        assert estimator_class(name).__name__ == name


def test_well_known_classifiers_are_those_of_scikit_learn():
    assert estimator_class("LinearSVC") is LinearSVC
    assert estimator_class("KNeighborsClassifier") is KNeighborsClassifier
    for name in WELL_KNOWN:
        assert estimator_class(name).__name__ == name


def test_all_methods_have_short_names_and_no_wrapper_is_among_them():
    found = all_methods(7)
    assert {"crosslabel", "crosslabelcv", "src", "lrsdl", "svm", "knn", "ridge"} <= set(found)
    assert "llc" not in found  # a transformer
    assert not [name for name in found if "reject" in name]
    assert found["knn"].n_neighbors == 1
    assert found["crosslabel"].random_state == found["svm"].random_state == 7
    assert len({type(model) for model in found.values()}) == len(found)
