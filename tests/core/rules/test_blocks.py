import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import coding
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import RULES, blocks
from crosslabel.core.rules.blocks import ClassBlock, class_blocks, in_blocks
from tests.core.problems import problem


def test_zeros_follow_the_atoms_of_small_classes():
    rows = np.arange(1.0, 11).reshape(5, 2)
    wide = ClassBlock(slice(0, 3), slice(0, 5), (1, 3, 1)).padded(rows, 3)
    zero = [0.0, 0.0]
    expected = [[[1, 2], zero, zero], [[3, 4], [5, 6], [7, 8]], [[9, 10], zero, zero]]
    assert_array_equal(wide, expected)


def test_every_class_is_in_one_block_with_all_of_its_atoms(monkeypatch):
    monkeypatch.setattr(blocks, "CLASS_BLOCK", 24)
    layout = AtomLayout(2, (1, 3, 0, 2, 3))
    found = list(class_blocks(layout, 4))
    assert [block.sizes for block in found] == [(1, 3), (0, 2), (3,)]
    for block in found:
        labels = layout.labels[block.atoms]
        expected = np.repeat(np.arange(5)[block.classes], block.sizes)
        assert_array_equal(labels, expected)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("n_features", [6, 30])
def test_rules_are_the_same_when_prepared_in_small_blocks(monkeypatch, name, shared, n_features):
    """Also where the dictionary comes to float64 two rows at a time."""
    X, _, layout, D = problem(per_class=(2, 4, 3), shared=shared, n_features=n_features)
    whole, once = RULES[name](D, layout, 0.1).scores(X), RULES[name].scores_once(X, D, layout, 0.1)
    monkeypatch.setattr(blocks, "CLASS_BLOCK", 1)
    monkeypatch.setattr(coding, "_IN_FLOAT64", 2 * n_features)
    assert_allclose(RULES[name](D, layout, 0.1).scores(X), whole, rtol=1e-10)
    assert_allclose(RULES[name].scores_once(X, D, layout, 0.1), once, rtol=1e-10)
    assert_allclose(whole, once, rtol=1e-8)


def test_every_query_is_scored_once_and_in_order():
    seen = []

    def score(rows):
        seen.append(len(rows))
        return 2 * rows[:, :1] + [0.0, 1.0]

    Y = np.arange(150.0)[:, None]
    assert_array_equal(in_blocks(score, Y, 2**19, 2), 2 * Y + [0.0, 1.0])
    assert seen == [64, 64, 22]
    seen.clear()
    in_blocks(score, Y, 2**10, 2)
    assert seen == [150]
