import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.discriminant import Discriminant
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship import fitted as module
from crosslabel.flagship.fitted import Fitted, View, check_dictionary, layout_of
from crosslabel.intake.lift import Lift


def view(seed=0, rule="local", per_class=(3, 2, 3), shared=1, n_features=6, **more):
    rng = np.random.default_rng(seed)
    layout = AtomLayout(shared, per_class)
    D = unit_rows(rng.normal(size=(layout.n_atoms, n_features)))
    return View(Lift(), D, layout, rule, 0.1, **more)


def linear(n_classes=3, n_features=6):
    rng = np.random.default_rng(9)
    return Discriminant(rng.normal(size=(n_classes, n_features)), rng.normal(size=n_classes))


def model(*views, n_classes=3):
    classes = np.array(["fig", "pear", "plum", "kiwi"])[:n_classes]
    return Fitted(classes, views, np.array([3.0, 2.0]), np.array([1]))


@pytest.fixture
def queries():
    return np.random.default_rng(5).normal(size=(7, 6))


def naive_evidence(one, X):
    """a·log(best/r) + b·(g − mean of g), query by query."""
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = []
    for y, scores in zip(rows, RULES[one.rule](one.dictionary, one.layout, one.ridge).scores(rows)):
        e = one.share * np.log(min(-scores) / -scores)
        if one.discriminant is not None:
            g = one.discriminant.weights @ y + one.discriminant.offsets
            e = e + one.discriminant_share * (g - sum(g) / len(g))
        found.append(e)
    return np.array(found)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("with_linear", [False, True])
def test_the_evidence_of_a_view(queries, rule, with_linear):
    more = {"discriminant": linear(), "discriminant_share": 0.7} if with_linear else {}
    one = view(rule=rule, share=2.5, **more)
    assert_allclose(one.evidence(queries), naive_evidence(one, queries), atol=1e-12)


def test_views_add_up_and_their_probabilities_are_a_softmax(queries):
    one, two = view(share=2.5), view(3, "global", discriminant=linear(), discriminant_share=0.7)
    total = naive_evidence(one, queries) + naive_evidence(two, queries)
    both = model(one, two)
    assert both.is_joint
    assert_allclose(both.evidence(queries), total, atol=1e-12)
    assert_allclose(both.scores(queries), total, atol=1e-12)
    assert_allclose(both.decisions(queries), total, atol=1e-12)
    expected = np.exp(total) / np.exp(total).sum(axis=1, keepdims=True)
    assert_allclose(both.probabilities(queries), expected)


def test_a_single_rule_keeps_its_own_scores(queries):
    one = view(share=2.5)
    alone = model(one)
    assert not alone.is_joint
    assert model(view(discriminant=linear())).is_joint
    expected = RULES["local"](one.dictionary, one.layout, 0.1).scores(unit_rows(queries))
    assert_allclose(alone.scores(queries), expected)
    assert_allclose(alone.decisions(queries), expected)


def test_the_decision_of_two_classes_is_the_log_of_their_odds(queries):
    both = model(view(per_class=(3, 2), share=2.5), n_classes=2)
    p = both.probabilities(queries)
    assert_allclose(both.decisions(queries), np.log(p[:, 1] / p[:, 0]), atol=1e-12)


def test_the_decision_of_two_classes_counts_both(queries):
    both = model(
        view(per_class=(3, 2), discriminant=linear(2), discriminant_share=0.7), n_classes=2
    )
    e = naive_evidence(both.view, queries)
    assert_allclose(both.decisions(queries), e[:, 1] - e[:, 0], atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_residuals_with_little_ridge_are_at_hand_whichever_rule_predicts(queries, rule):
    one = view(rule=rule)
    expected = RULES["local"](one.dictionary, one.layout, 0.01).scores(queries)
    assert_allclose(one.own_residuals.scores(queries), expected)
    expected = RULES["global"](one.dictionary, one.layout, 0.01).scores(queries)
    assert_allclose(one.claims.scores(queries), expected)


def test_codes_are_ridge_codes_over_all_atoms(queries):
    one = view()
    D, Y = one.dictionary, unit_rows(queries)
    expected = np.linalg.solve(D @ D.T + 0.1 * np.eye(len(D)), D @ Y.T).T
    assert_allclose(model(one).codes(queries), expected, atol=1e-12)


def test_a_float32_dictionary_gives_float32(queries):
    one = view()
    small = View(Lift(), one.dictionary.astype(np.float32), one.layout, one.rule, one.ridge)
    assert model(small).probabilities(queries).dtype == np.float32


def test_what_is_stored_comes_back(queries):
    both = model(view(share=2.5), view(3, "global", discriminant=linear(), discriminant_share=0.7))
    again = Fitted.from_state(both.to_state())
    assert_allclose(again.evidence(queries), both.evidence(queries))
    assert again.classes.tolist() == both.classes.tolist()
    assert_array_equal(again.trace, both.trace)
    assert_array_equal(again.unused, both.unused)


def test_files_of_format_1_open(queries):
    one = view(share=2.5)
    state = {
        "classes_": np.array(["fig", "pear", "plum"]),
        "dictionary_": one.dictionary,
        "atom_labels_": one.layout.labels,
        "rule_": "local",
        "normalize": True,
        "ridge": 0.1,
        "objective_trace_": [3.0, 2.0],
        "unused_atoms_": np.array([1]),
        "temperature_": 2.5,
    }
    found = Fitted.from_earlier(state)
    assert_allclose(found.evidence(queries), one.evidence(queries))
    del state["temperature_"]
    assert Fitted.from_earlier(state).view.share == 1.0


@pytest.mark.parametrize("layout", [AtomLayout(2, (3, 1, 2)), AtomLayout(0, (1, 2, 0))])
def test_a_layout_is_read_from_the_labels_of_its_atoms(layout):
    assert layout_of(layout.labels, 3) == layout


@pytest.mark.parametrize(
    "labels",
    [
        [[0, 1]],
        [0.0, 1.0],
        [],
        [0, 2],
        [0, 0, 3],
        [1, 0],
        [-1, 0, 1, 0],
        [0, -1],
        [-1, 1, 0],
        [-2, 0],
    ],
)
def test_labels_that_no_layout_has_are_refused(labels):
    labels = np.array(labels, dtype=None if labels else int)
    with pytest.raises(ValueError, match="atom_labels_ does not list"):
        layout_of(labels, 2)


LAYOUT = AtomLayout(2, (3, 1, 2))


@pytest.mark.parametrize(
    "D", [np.zeros(8), np.zeros((7, 4)), np.zeros((8, 4), int), np.zeros((9, 4))]
)
def test_a_dictionary_that_is_none_of_the_layout_is_refused(D):
    with pytest.raises(ValueError, match="atom_labels_ has 8 atoms"):
        check_dictionary(D, LAYOUT, "local")


def test_a_rule_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="no rule 'other'"):
        check_dictionary(np.zeros((8, 4)), LAYOUT, "other")


def test_the_work_of_a_rule_is_bounded_by_the_size_of_the_dictionary(monkeypatch):
    """3 classes · (2 + 3)³ = 375 operations."""
    monkeypatch.setattr(module, "WORK_PER_VALUE", 2.0)
    monkeypatch.setattr(module, "WORK", 103.0)
    check_dictionary(np.zeros((8, 17)), LAYOUT, "local")  # 103 + 2 · 8 · 17 = 375
    monkeypatch.setattr(module, "WORK", 102.0)
    with pytest.raises(ValueError, match="2 shared atoms and up to 3 of each class"):
        check_dictionary(np.zeros((8, 17)), LAYOUT, "local")


def test_a_small_file_cannot_ask_for_hours_of_work():
    with pytest.raises(ValueError, match="too small"):
        check_dictionary(np.zeros((3000, 1)), AtomLayout(0, (3000,)), "local")
    check_dictionary(np.zeros((2000, 1)), AtomLayout(0, (2000,)), "local")


@pytest.mark.parametrize("with_linear", [False, True])
def test_a_constant_of_each_class_is_added_to_its_log_probability(queries, with_linear):
    more = {"discriminant": linear(), "discriminant_share": 0.7} if with_linear else {}
    both = model(view(share=2.5, **more), view(3, "global"))
    offsets = np.array([0.0, 1.5, -0.5])
    expected = both.evidence(queries) + offsets
    found = both.raised(offsets)
    assert_allclose(softmax(expected, axis=1), found.probabilities(queries))
    assert found.views[1] is both.views[1]
    assert len(found.views) == 2
    if not with_linear:
        linear_part = found.view.discriminant
        assert linear_part.weights.shape == (3, 6)
        assert_allclose(linear_part.offsets, offsets)


def test_no_constant_leaves_the_model_as_it_is():
    alone = model(view())
    assert alone.raised(np.zeros(3)) is alone


def test_logits_of_one_rule_are_its_evidence_times_its_share(queries):
    one = model(view(share=2.5))
    scores = one.scores(queries)
    best = scores.max(axis=1, keepdims=True)
    found = one.logits(scores)
    assert_allclose(found - found.max(axis=1, keepdims=True), 2.5 * np.log(best / scores))


@pytest.mark.parametrize("rule", ["local", "global"])
def test_tensors_are_scored_where_they_are(queries, rule):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    one = view(rule=rule)
    found = one.scores(torch.as_tensor(queries))
    assert isinstance(found, torch.Tensor)
    assert torch.device("cpu") in one._elsewhere  # prepared there
    assert_allclose(found, one.scores(queries))


@pytest.mark.parametrize(
    ("dtype", "halves", "is_half", "opens"),
    [
        (np.float32, True, True, True),
        (np.float64, True, True, False),
        (np.float32, False, True, False),
        (np.float64, False, True, False),
        (np.float64, False, False, True),
    ],
)
def test_a_state_in_bfloat16_has_a_rule_and_a_dictionary_that_know_it(
    dtype, halves, is_half, opens, monkeypatch
):
    monkeypatch.setattr(RULES["local"], "halves", halves)
    state = model(view()).to_state()
    (one,) = state["views"]
    one["dictionary"], one["is_half"] = one["dictionary"].astype(dtype), is_half
    if opens:
        assert Fitted.from_state(state).view.is_half == is_half
        return
    with pytest.raises(ValueError, match="rule 'local' of this dictionary has no form in bfloat16"):
        Fitted.from_state(state)


def test_probabilities_of_tensors_are_those_of_arrays(queries):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    both = model(view(share=2.5), view(3, "global", discriminant=linear(), discriminant_share=0.7))
    found = both.probabilities(torch.as_tensor(queries))
    assert isinstance(found, torch.Tensor)
    assert_allclose(found, both.probabilities(queries), rtol=1e-9)
