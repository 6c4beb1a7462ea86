import numpy as np
from numpy.testing import assert_allclose

from crosslabel import CRC, CrossLabelClassifier
from crosslabel.core.coding import ridge_codes
from tests.methods.faces import faces


def test_scores_are_those_of_the_definition():
    X, y = faces()
    A, labels, queries = X[::2], y[::2], X[1::2]
    rho = queries @ A.T @ np.linalg.inv(A @ A.T + 0.01 * np.eye(len(A)))
    ratios = [
        np.linalg.norm(queries - rho[:, labels == c] @ A[labels == c], axis=1)
        / np.linalg.norm(rho[:, labels == c], axis=1)
        for c in range(3)
    ]
    scores = CRC(0.01).fit(A, labels).decision_function(queries)
    assert_allclose(scores, -np.stack(ratios, axis=1), rtol=1e-6)


def test_its_code_over_the_flagships_dictionary_is_that_of_the_global_rule():
    X, y = faces()
    flagship = CrossLabelClassifier(
        atoms_per_class=4, ridge=0.05, rule="global", random_state=0
    ).fit(X, y)
    atoms = flagship.dictionary_
    crc = CRC(0.05).fit(atoms, flagship.atom_labels_)
    order = [int(np.abs(atoms - row).sum(axis=1).argmin()) for row in crc.dictionary_]
    assert_allclose(X @ crc.coder_.T, ridge_codes(X, atoms, 0.05)[:, order], atol=1e-9)
    assert_allclose(flagship.transform(X)[:, order], X @ crc.coder_.T, atol=1e-9)


def test_a_query_orthogonal_to_all_samples_has_equal_and_finite_scores():
    model = CRC(normalize=False).fit([[1.0, 0.0, 0.0], [0.0, 100.0, 0.0]], [0, 1])
    scores = model.decision_function([[0.0, 0.0, 1e100]])
    assert np.isfinite(scores).all()
