import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import LocalRule, local_rule
from tests.core.problems import problem, problems
from tests.core.rules.numpy_graph import NumpyGraph


def literal_local(Y, D, layout, ridge):
    scores = np.empty((len(Y), layout.n_classes))
    for c in range(layout.n_classes):
        atoms = D[layout.free(c)]
        codes = np.linalg.solve(atoms @ atoms.T + ridge * np.eye(len(atoms)), atoms @ Y.T).T
        scores[:, c] = -((Y - codes @ atoms) ** 2).sum(axis=1)
    return scores


@given(data=problems(), ridge=st.floats(-3, 1).map(lambda e: 10.0**e))
def test_scores_equal_the_papers_definition(data, ridge):
    X, _, layout, D = data
    expected = literal_local(X, D, layout, ridge)
    assert_allclose(LocalRule(D, layout, ridge).scores(X), expected, rtol=1e-6, atol=1e-9)


def test_the_explanation_is_the_code_over_own_and_shared_atoms():
    X, _, layout, D = problem(per_class=(2, 4, 3))
    for c, share in enumerate(LocalRule(D, layout, 0.1).explanation(X[0])):
        atoms = D[layout.free(c)]
        code = np.linalg.solve(atoms @ atoms.T + 0.1 * np.eye(len(atoms)), atoms @ X[0])
        assert_allclose(share.coefficients, code, rtol=1e-9)
        assert_allclose(-share.score, share.residual**2, rtol=1e-9)


def test_dependent_atoms_without_ridge_are_reported():
    _, _, layout, D = problem(n_features=20)
    D[4] = D[3]
    with pytest.raises(np.linalg.LinAlgError, match="ridge > 0"):
        LocalRule(D, layout, 0.0)


@pytest.mark.parametrize("shared", [0, 2])
def test_the_graph_computes_the_scores(shared):
    X, _, layout, D = problem(shared=shared, per_class=(2, 4, 3))
    rule = LocalRule(D, layout, 0.1)
    queries = np.concatenate([X, 0 * X[:1]])
    assert_allclose(rule.onnx_scores(NumpyGraph(), queries), rule.scores(queries), atol=1e-12)


def test_atoms_of_any_scale_are_told_from_dependent_ones():
    X, _, layout, D = problem(n_features=20)
    found = LocalRule(1e-12 * D, layout, 0.1e-24).scores(X)
    assert_allclose(found, LocalRule(D, layout, 0.1).scores(X), rtol=1e-9)


@pytest.mark.parametrize("together", [1, 60, 200])
def test_classes_are_decomposed_some_at_a_time(monkeypatch, together):
    X, _, layout, D = problem(shared=2, per_class=(2, 4, 4, 2, 4, 4, 4))
    monkeypatch.setattr(local_rule, "_TOGETHER", together)
    assert_allclose(LocalRule(D, layout, 0.1).scores(X), literal_local(X, D, layout, 0.1))


@pytest.mark.parametrize("shared", [0, 2])
def test_tensors_are_scored_as_arrays_are(shared):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    X, _, layout, D = problem(shared=shared, per_class=(2, 4, 3))
    found = LocalRule(torch.as_tensor(D), layout, 0.1).scores(torch.as_tensor(X))
    assert_allclose(found, literal_local(X, D, layout, 0.1), atol=1e-10)


def test_no_score_is_above_zero_where_nothing_is_left():
    """Scaled atoms, of which rounding may explain more than there is."""
    _, _, layout, D = problem(per_class=(2, 4, 3))
    rule = LocalRule(D, layout, 1e-14)
    queries = np.random.default_rng(0).uniform(1, 3, (len(D), 1)) * D
    for scores in (rule.scores(queries), rule.onnx_scores(NumpyGraph(), queries)):
        assert (scores <= 0).all()
        assert (scores.max(axis=1) > -1e-9).all()


@pytest.mark.parametrize(("part", "fits"), [(3.0, False), (5.0, True)])
def test_atoms_are_dependent_up_to_a_rounding_for_each(part, fits):
    D = np.diag([1.0, 1.0, 1.0, np.sqrt(part * np.finfo(float).eps)])
    layout = AtomLayout(0, (4,))
    if fits:
        assert np.isfinite(LocalRule(D, layout, 0.0).scores(np.ones((1, 4)))).all()
    else:
        with pytest.raises(np.linalg.LinAlgError, match="linearly dependent"):
            LocalRule(D, layout, 0.0)
