import numpy as np
from numpy.testing import assert_allclose

from crosslabel import CRC, CrossLabelClassifier
from crosslabel.core.coding import ridge_codes
from tests import naive
from tests.methods.faces import faces

X, LABELS = naive.problem()


def test_decisions_are_those_of_the_paper():
    model = naive.learn(CRC(0.05), X, LABELS)
    queries = naive.queries()[:-1]
    scores = model._scores(queries)
    for y, found in zip(queries, scores):
        rho = np.linalg.inv(X @ X.T + 0.05 * np.eye(12)) @ X @ y
        for c in range(3):
            own = c == LABELS
            residual = np.sqrt(((y - X[own].T @ rho[own]) ** 2).sum())
            assert_allclose(found[c], -residual / np.sqrt((rho[own] ** 2).sum()))
    assert_allclose(queries @ model.coder_.T, ridge_codes(queries, X, 0.05), atol=1e-10)


def test_a_query_without_direction_ties():
    scores = naive.learn(CRC(0.05), X, LABELS)._scores(np.zeros((1, 6)))
    assert_allclose(scores, 0)


def test_a_class_that_takes_no_part_in_the_code_scores_by_the_least_mass_that_counts():
    model = CRC(1.0, normalize=False).fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    found = model._class_scores(np.array([[2.0, 0.0]]))
    eps = np.finfo(float).eps
    # The code is (1, 0): half of the query; the other class has the floor eps·‖code‖² as mass.
    assert_allclose(found, [[-1 / 1, -2 / np.sqrt(eps)]])


def test_its_code_over_the_flagships_dictionary_is_that_of_the_global_rule():
    X, y = faces()
    flagship = CrossLabelClassifier(
        atoms_per_class=4, ridge=0.05, rule="global", random_state=0
    ).fit(X, y)
    atoms = flagship.dictionary_
    crc = CRC(0.05).fit(atoms, flagship.atom_labels_)
    order = [int(np.abs(atoms - row).sum(axis=1).argmin()) for row in crc.dictionary_]
    assert_allclose(flagship.transform(X)[:, order], X @ crc.coder_.T, atol=1e-9)


def test_a_query_orthogonal_to_all_samples_has_equal_and_finite_scores():
    model = CRC(normalize=False).fit([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 1])
    found = model._class_scores(np.array([[0.0, 0.0, 1e100]]))
    assert_allclose(found, -1e100 / np.sqrt(np.finfo(float).tiny))
