"""A model from a file fits together, and its preparation is counted before it begins."""

from dataclasses import replace

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.discriminant import Discriminant
from crosslabel.files.budget import OverBudget
from crosslabel.flagship import plausible
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.plausible import check_fitted, check_summary
from crosslabel.intake.lift import KernelMap, Lift
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


def asked(monkeypatch, *views, n_features):
    """Bytes and operations that a budget is asked for."""
    told = {}

    class Recorder:
        def check(self, unit, amount, what):
            told[unit] = amount

        def check_work(self, amount, what):
            told["work"] = amount

    monkeypatch.setattr(plausible, "budget", Recorder)
    classes = np.arange(views[0].layout.n_classes)
    check_fitted(Fitted(classes, views, np.zeros(1), np.zeros(0, int)), n_features)
    return told["bytes"], told["work"]


def preparing(shared, sizes, features, side):
    """What the rules hold, array by array, and the products and factors that they take."""
    classes, largest = len(sizes), max(sizes, default=0)
    padded = shared + classes * largest
    arrays = 8 * [(padded, features)] + 3 * [(padded, shared)] + 3 * [(side, side)]
    arrays += 2 * [(classes, largest, largest)] + [(classes, shared, shared)]
    factors = [(shared + largest,) * 3] * classes + [(side,) * 3]
    products = 2 * [(padded, features, shared + largest)]
    in_bytes = sum(8 * np.prod(one) for one in arrays)
    return in_bytes, sum(np.prod(one) for one in factors + products)


@pytest.mark.parametrize(
    ("shared", "sizes", "features", "ridge", "side"),
    [
        (3, (3, 5, 4), 30, 0.1, 15),
        (3, (3, 5, 4), 6, 0.1, 6),
        (3, (3, 5, 4), 6, 0.0, 15),
        (3, (), 6, 0.1, 3),
        (0, (7, 1), 5, 0.5, 5),
        (0, (7, 1), 5, 2.0, 5),
    ],
)
def test_what_preparing_takes_is_counted_array_by_array(
    monkeypatch, shared, sizes, features, ridge, side
):
    layout = AtomLayout(shared, sizes)
    D = np.zeros((layout.n_atoms, features))
    view = View(Lift(), D, layout, "local", ridge)
    in_bytes, work = preparing(shared, sizes, features, side)
    found = asked(monkeypatch, view, n_features=features)
    np.testing.assert_allclose(found, (in_bytes - 128 * D.size, work - 1e5 * D.size))
    # Two views of one array pay for it once, two arrays are paid for twice.
    found = asked(monkeypatch, view, view, n_features=features)
    np.testing.assert_allclose(found, (2 * in_bytes - 128 * D.size, 2 * work - 1e5 * D.size))
    other = replace(view, dictionary=D.copy())
    found = asked(monkeypatch, view, other, n_features=features)
    np.testing.assert_allclose(found, (2 * in_bytes - 256 * D.size, 2 * work - 2e5 * D.size))


@pytest.mark.parametrize(("norm", "fits"), [(1.0, True), (1.0008, True), (1.0012, False)])
@pytest.mark.parametrize("atom", [0, 13])
def test_an_atom_is_of_unit_norm_up_to_a_thousandth(fitted, norm, fits, atom):
    D = np.zeros((14, 30))
    D[:, 0] = 1
    D[atom] = norm / np.sqrt(30)
    broken = replace(fitted, views=(replace(fitted.view, dictionary=D),))
    if fits:
        check_fitted(broken, 30)
    else:
        with pytest.raises(ValueError, match="unit norm"):
            check_fitted(broken, 30)


def test_a_single_entry_is_as_long_as_its_atom(fitted):
    D = np.zeros((14, 30))
    D[3, 4] = -1.0005
    check_fitted(replace(fitted, views=(replace(fitted.view, dictionary=D),)), 30)


def test_zero_is_a_ridge_and_no_view_is_none(fitted):
    check_fitted(replace(fitted, views=(replace(fitted.view, ridge=0.0),)), 30)
    with pytest.raises(ValueError, match="no views"):
        check_fitted(replace(fitted, views=()), 30)


def with_kernel(fitted, **changes):
    """The model with a kernel at five landmarks, of which the dictionary has four coordinates."""
    parts = {"kernel": "rbf", "gamma": 0.5, "landmarks": np.ones((5, 30)), "basis": np.ones((5, 4))}
    lift = Lift(kernel=KernelMap(**{**parts, **changes}))
    return replace(fitted, views=(replace(fitted.view, dictionary=np.zeros((14, 4)), lift=lift),))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"gamma": 0.0},
        {"landmarks": np.full((5, 30), -1e150)},
        {"basis": np.full((5, 4), -1e150)},
        {"landmarks": np.full((5, 30), 1e150)},
        {"basis": np.full((5, 4), 1e150)},
        {"kernel": "precomputed", "landmarks": np.ones((5, 7))},
    ],
)
def test_kernels_that_fit(fitted, changes):
    check_fitted(with_kernel(fitted, **changes), 30)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kernel": "other"}, "no kernel"),
        ({"gamma": -0.1}, "no kernel"),
        ({"gamma": float("inf")}, "no kernel"),
        ({"gamma": float("nan")}, "no kernel"),
        ({"landmarks": np.full((5, 30), -1.1e150)}, "landmarks has values"),
        ({"landmarks": np.full((5, 30), 1.1e150)}, "landmarks has values"),
        ({"basis": np.full((5, 4), -1.1e150)}, "basis has values"),
        ({"basis": np.full((5, 4), 1.1e150)}, "basis has values"),
        ({"landmarks": np.ones((5, 29))}, "29 features instead of 30"),
    ],
)
def test_kernels_that_do_not_fit(fitted, changes, reason):
    with pytest.raises(ValueError, match=reason):
        check_fitted(with_kernel(fitted, **changes), 30)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("part", ["center", "weights", "offsets"])
def test_what_is_squared_is_squarable(fitted, sign, part):
    for size, fits in [(1e150, True), (1.1e150, False)]:
        values = {"center": np.zeros(30), "weights": np.zeros((4, 30)), "offsets": np.zeros(4)}
        values[part].flat[1] = sign * size
        view = replace(
            fitted.view,
            lift=Lift(values["center"], np.full(30, 2e-300)),
            discriminant=Discriminant(values["weights"], values["offsets"]),
        )
        changed = replace(fitted, views=(view,))
        if fits:
            check_fitted(changed, 30)
            continue
        with pytest.raises(ValueError, match="has values"):
            check_fitted(changed, 30)


def test_zero_is_a_weight_a_hash_a_limit_and_a_key():
    summary = model(atoms_per_class=3).kept_summary()
    sample = summary.sample
    X, weights, hashes = sample.X.copy(), sample.weights.copy(), sample.hashes.copy()
    X[0, :2], weights[0], hashes[0] = (-1e150, 1e150), 0, 0
    nothing = replace(
        sample, X=X, weights=weights, hashes=hashes, limits=np.zeros_like(sample.limits)
    )
    check_summary(replace(summary, sample=nothing, keys=np.zeros_like(summary.keys)))
    for broken in ({"X": -1.1 * np.abs(X)}, {"X": 1.1 * np.abs(X)}, {"labels": sample.labels - 1}):
        with pytest.raises(ValueError, match="has values"):
            check_summary(replace(summary, sample=replace(nothing, **broken)))
