"""What is taught and forgotten again leaves no trace."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel import CrossLabelClassifier
from crosslabel.studio.lesson import ATOMS, RULE, first_lesson, settled, strangeness, taught

WIDTH = 12


def rows(seed, labels):
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((26, WIDTH))
    return [2 * centres[ord(label) - 97] + random.standard_normal(WIDTH) for label in labels]


def lesson_of(batch):
    return settled(taught(first_lesson(WIDTH), batch))


QUERIES = np.stack(rows(99, "abcd"))


@settings(max_examples=12)
@given(
    st.text("abc", min_size=2, max_size=14), st.text("abcd", min_size=1, max_size=6), st.booleans()
)
def test_forgotten_equals_never_seen(kept, extra, by_one):
    if len(set(kept)) < 2:
        kept += "ab"
    never = lesson_of((rows(1, kept), list(kept)))
    lesson = lesson_of((rows(1, kept), list(kept)))
    more = rows(2, extra)
    lesson = settled(taught(lesson, (more, list(extra))))
    if by_one:
        for row, label in zip(more, extra):
            lesson = taught(lesson, removed=([row], [label]))
    else:
        lesson = taught(lesson, removed=(more, list(extra)))
    lesson = settled(lesson)
    assert lesson.fitted.classes.tolist() == never.fitted.classes.tolist()
    # Projections, since the atoms themselves may be rotated.
    for found, expected in ((lesson.quick, never.quick), (lesson.full, never.full)):
        for c in range(len(never.fitted.classes)):
            one, other = (m.view.dictionary[m.view.layout.own(c)] for m in (found, expected))
            assert_allclose(one.T @ one, other.T @ other, atol=1e-8)
        p = found.probabilities(QUERIES)
        assert_allclose(p, expected.probabilities(QUERIES), atol=1e-8)


def test_a_picture_more_is_the_model_of_all():
    labels = "aaabbbccc"
    lesson = lesson_of((rows(1, labels), list(labels)))
    more = taught(lesson, (rows(2, "b"), ["b"]))
    whole = taught(first_lesson(WIDTH), (rows(1, labels) + rows(2, "b"), [*labels, "b"]))
    ridge = lesson.quick.view.ridge
    assert more.quick.view.ridge == ridge
    assert more.full is None
    direct = CrossLabelClassifier(
        rule=RULE, ridge=ridge, atoms_per_class=ATOMS, scale="unit", kernel="linear", offset=0
    ).fit(np.stack(rows(1, labels) + rows(2, "b")), [*labels, "b"])
    assert_allclose(more.fitted.scores(QUERIES), direct.decision_function(QUERIES), atol=1e-8)
    assert whole.summary.statistics.counts.tolist() == [3, 4, 3]


def test_classes_that_nothing_changed_keep_their_atoms():
    labels = "aaabbbccc"
    lesson = lesson_of((rows(1, labels), list(labels)))
    more = taught(lesson, (rows(2, "b"), ["b"]))
    for c in (0, 2):
        own = [m.quick.view.dictionary[m.quick.view.layout.own(c)] for m in (lesson, more)]
        assert np.array_equal(*own)


def test_the_full_model_is_the_classifiers_own_choice():
    labels = "aaaaabbbbbccccc"
    full = lesson_of((rows(1, labels), list(labels))).full
    own = CrossLabelClassifier(
        atoms_per_class=ATOMS, scale="unit", kernel="linear", offset=0, keep_summary=True
    )
    own = own.set_params(random_state=0).fit(np.stack(rows(1, labels)), list(labels))
    assert full.is_joint == own.fitted_.is_joint
    assert full.probabilities(QUERIES).argmax(1).tolist() == (
        own.predict_proba(QUERIES).argmax(1).tolist()
    )


def test_there_is_no_model_of_fewer_than_two_classes():
    lesson = taught(first_lesson(WIDTH), (rows(1, "aa"), ["a", "a"]))
    assert lesson.fitted is None
    assert settled(lesson) is lesson
    two = taught(lesson, (rows(2, "b"), ["b"]))
    assert two.fitted.classes.tolist() == ["a", "b"]
    one = taught(two, removed=(rows(2, "b"), ["b"]))
    assert one.fitted is None
    none = taught(one, removed=(rows(1, "aa"), ["a", "a"]))
    assert len(none.summary.classes) == 0
    assert taught(none, (rows(1, "ab"), ["a", "b"])).fitted is not None


def test_strangeness_is_the_best_residual_beside_the_others():
    labels = "aaabbbccc"
    fitted = lesson_of((rows(1, labels), list(labels))).fitted
    found = strangeness(fitted, QUERIES)
    for query, value in zip(QUERIES, found):
        y = query / np.linalg.norm(query)
        residuals = []
        for c in range(3):
            D = fitted.view.dictionary[fitted.view.layout.own(c)].T
            x = np.linalg.solve(D.T @ D + 0.01 * np.eye(D.shape[1]), D.T @ y)
            residuals.append(np.sum((y - D @ x) ** 2))
        best, *others = sorted(residuals)
        assert value == pytest.approx(best / np.mean(others) ** (1 / 3), rel=1e-6)
