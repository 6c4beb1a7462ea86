import sys

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.files.trusted import is_trusted, trusted_class, trusted_function

REFUSED = [
    ("os", "system"),
    ("posix", "system"),
    ("builtins", "eval"),
    ("builtins", "object"),
    ("subprocess", "Popen"),
    ("numpy", "load"),
    ("numpy", "fromfile"),
    ("numpy.ma", "MaskedArray"),
    ("sklearn", "base"),
    ("sklearn.base", "clone"),
    ("sklearn.datasets._base", "load_files"),
    ("sklearn.externals.array_api_compat", "numpy"),
    ("sklearn.svm.tests.test_svm", "test_libsvm"),
    ("sklearn.tree._tree", "Tree"),
    ("sklearnx.svm", "SVC"),
    ("sklearn.svm._classes.SVC", "fit.__globals__"),
    ("crosslabel.app.entry", "main"),
    ("crosslabel.files.model", "load"),
    ("crosslabel.app.fit", "fit"),
    ("crosslabel.core", "x"),
    ("", ""),
]


@pytest.mark.parametrize("pair", REFUSED, ids=".".join)
def test_names_outside_the_table_are_refused_and_not_imported(pair):
    before = set(sys.modules)
    assert not is_trusted(*pair)
    for ask in (trusted_class, trusted_function):
        with pytest.raises(TypeError):
            ask(*pair)
    assert set(sys.modules) == before


def test_types_are_found_where_they_are_defined():
    module = "crosslabel.flagship.crosslabel"
    assert trusted_class(module, "CrossLabelClassifier") is CrossLabelClassifier
    assert trusted_class("numpy", "float64") is np.float64
    assert trusted_class("builtins", "dict") is dict
    assert trusted_function("numpy", "log1p") is np.log1p
    for module, name in [
        ("crosslabel.flagship.crosslabel", "TransformerMixin"),  # imported there
        ("crosslabel.flagship.crosslabel", "Absent"),
        ("crosslabel.core.coding", "ridge_coder"),  # no type
        ("sklearn.pipeline", "make_pipeline"),
    ]:
        with pytest.raises(TypeError):
            trusted_class(module, name)


def test_scikit_learns_functions_are_no_values():
    with pytest.raises(TypeError, match="not trusted"):
        trusted_function("sklearn.feature_extraction.text", "strip_tags")


def test_modules_of_earlier_versions_lead_to_where_their_types_are_now():
    assert trusted_class("crosslabel.core.relaxed", "FeatureGroup").__module__ == (
        "crosslabel.core.tied_codes"
    )
    assert trusted_class("crosslabel.estimators.rcr", "RCR").__module__ == "crosslabel.methods.rcr"
