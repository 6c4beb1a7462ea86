"""A model from a file fits together, and its preparation is counted before it begins."""

from dataclasses import replace

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.core.atoms import AtomLayout
from crosslabel.files.budget import OverBudget
from crosslabel.flagship.plausible import check_fitted, check_summary
from crosslabel.intake.lift import Lift
from tests.methods.test_methods import faces


def model(**settings):
    return CrossLabelClassifier(random_state=0, keep_summary=True, **settings).fit(*faces())


@pytest.fixture
def fitted():
    return model(atoms_per_class=3, shared_atoms=2, rule="local").fitted_


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf"}, {"offset": True}, {"scale": "none"}])
def test_what_was_learnt_is_plausible(settings):
    known = {k: v for k, v in settings.items() if k in CrossLabelClassifier().get_params()}
    found = model(**known)
    check_fitted(found.fitted_, 30)
    check_summary(found.kept_summary())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ridge": -1.0}, "ridge is -1"),
        ({"share": float("nan")}, "share is nan"),
        ({"rule": "other"}, "its rule"),
        ({"layout": AtomLayout(2, (3, 3, 3, 2))}, "layout"),
        ({"lift": Lift(center=np.zeros(30), spread=np.zeros(30))}, "spread has values"),
        ({"lift": Lift(center=np.zeros(30))}, "alone"),
        ({"lift": Lift(center=np.zeros(29), spread=np.ones(29))}, "29 should be 30"),
        ({"lift": Lift(offset=0.5)}, "instead of 31"),
        ({"lift": Lift(offset=float("inf"))}, "offset is inf"),
    ],
)
def test_views_that_do_not_fit(fitted, changes, reason):
    broken = replace(fitted, views=(replace(fitted.view, **changes),))
    with pytest.raises(ValueError, match=reason):
        check_fitted(broken, 30)


@pytest.mark.parametrize("factor", [np.nan, np.inf, 3.0])
def test_atoms_have_unit_norm(fitted, factor):
    with np.errstate(invalid="ignore"):
        broken = replace(fitted.view, dictionary=fitted.view.dictionary * factor)
    with pytest.raises(ValueError, match=r"unit norm|dictionary has values"):
        check_fitted(replace(fitted, views=(broken,)), 30)


def test_padding_to_the_largest_class_is_counted(fitted):
    sizes = (3000, *(1 for _ in range(2999)))
    view = replace(
        fitted.view,
        layout=AtomLayout(0, sizes),
        dictionary=np.zeros((sum(sizes), 30), np.float32),
    )
    with pytest.raises(OverBudget, match="Preparing 1 views of 3000 classes takes"):
        check_fitted(replace(fitted, classes=np.arange(3000), views=(view,)), 30)


def test_views_that_share_an_array_are_counted_each(fitted):
    view = replace(
        fitted.view, layout=AtomLayout(0, (500,) * 4), dictionary=np.zeros((2000, 30), np.float32)
    )
    check_fitted(replace(fitted, views=(view,)), 30)
    with pytest.raises(OverBudget):
        check_fitted(replace(fitted, views=(view,) * 500), 30)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("labels", np.full(32, 9), "labels has values"),
        ("weights", np.full(32, -1.0), "weights has values"),
        ("X", np.zeros((32, 5)), "X has shape"),
        ("limits", np.zeros(1, np.uint64), "limits has shape"),
    ],
)
def test_a_kept_sample_fits_its_classes(name, value, reason):
    summary = model(atoms_per_class=3).kept_summary()
    with pytest.raises(ValueError, match=reason):
        check_summary(replace(summary, sample=replace(summary.sample, **{name: value})))
