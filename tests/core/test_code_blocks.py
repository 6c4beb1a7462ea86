"""How rows of classes share systems and factorisations."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from crosslabel.core.code_blocks import (
    Block,
    UndeterminedCodesError,
    consecutive,
    joined,
    n_rows_of,
    neumann_steps,
    shared_factorisations,
)


def test_slices_that_follow_each_other_are_one():
    assert joined([slice(2, 4), slice(4, 7)]) == slice(2, 7)
    assert joined([slice(2, 4), slice(4, 7), slice(7, 9)]) == slice(2, 9)
    assert_array_equal(joined([slice(0, 2), slice(3, 5)]), [0, 1, 3, 4])
    assert_array_equal(joined([slice(0, 2), slice(2, 3), slice(4, 5)]), [0, 1, 2, 4])
    assert_array_equal(joined([slice(3, 5), slice(0, 2)]), [3, 4, 0, 1])


def test_blocks_are_numbered_anew_in_their_order():
    blocks = [Block(1, slice(5, 9), 0.1), Block(0, slice(1, 2), 0.2)]
    assert [n_rows_of(block) for block in blocks] == [4, 1]
    assert [block.rows for block in consecutive(blocks)] == [slice(0, 4), slice(4, 5)]
    assert [block.label for block in consecutive(blocks)] == [1, 0]


@pytest.mark.parametrize(("offset", "shift"), [(0.1, 1.0), (-0.3, 1.0), (0.5, 2.0)])
def test_a_series_of_so_many_terms_is_exact_to_rounding(offset, shift):
    """1/(τ + δ) by the series Σ (−δ/τ)^k/τ."""
    steps = int(np.ceil(neumann_steps(offset, shift)))
    ratio = -offset / shift
    series = sum(ratio**k for k in range(steps + 1)) / shift
    assert series == pytest.approx(1 / (shift + offset), rel=1e-14)
    short = sum(ratio**k for k in range(steps // 2)) / shift
    assert short != pytest.approx(1 / (shift + offset), rel=1e-14)


def test_every_block_belongs_to_one_factorisation():
    shifts = [0.1, 0.1, 0.1001, 5.0]
    blocks = [Block(c, slice(4 * c, 4 * c + 4), shift) for c, shift in enumerate(shifts)]
    groups = list(shared_factorisations(blocks, 2.0, 1000))
    assert sorted(b.label for _, group in groups for b in group) == [0, 1, 2, 3]
    first_tau, first = groups[0]
    assert first_tau == pytest.approx(2.1)
    assert {0, 1, 2} <= {block.label for block in first}


def test_the_error_takes_the_name_that_the_user_gave():
    error = UndeterminedCodesError(3, 7, 0.5)
    assert "class 3" in str(error)
    assert "class 'fig' are not determined: its 7 own" in str(error.named("fig"))
    assert "ridge is 0.5" in str(error)


EPS = np.finfo(float).eps


@pytest.mark.parametrize("offset", [0.01, -0.01, 0.1, -0.2, 0.24])
def test_as_many_terms_of_the_series_as_rounding_asks_for(offset):
    steps = neumann_steps(offset, 0.5)
    assert (abs(offset) / 0.5) ** steps <= EPS < (abs(offset) / 0.5) ** (steps - 1)


def test_no_term_for_no_offset_and_no_series_that_would_be_long():
    assert neumann_steps(0.0, 0.5) == 0
    assert neumann_steps(0.25, 0.5) == np.inf
    assert neumann_steps(0.1, 0.0) == np.inf


def groups(sizes, suppression, n_atoms):
    """Under which τ which shifts go, for blocks of (shift, number of rows)."""
    ends = np.cumsum([n for _, n in sizes]).tolist()
    of_class = [Block(0, slice(b - n, b), s) for (s, n), b in zip(sizes, ends)]
    found = shared_factorisations(of_class, suppression, n_atoms)
    return [(tau, [block.shift for block in alike]) for tau, alike in found]


def test_blocks_are_refined_where_that_is_cheaper_than_to_factor_again():
    # At a ratio of 0.1 the series has 16 terms: 48 products of rows, against 3 of all atoms.
    sizes = [(1.0, 3), (0.9, 4), (0.0, 3), (0.9, 2)]
    assert groups(sizes, 0.1, 16) == [(1.0, [1.0, 0.9, 0.9]), (0.1, [0.0])]
    assert groups(sizes, 0.1, 15) == [(1.0, [0.9, 0.9]), (1.1, [1.0]), (0.1, [0.0])]


def test_the_shift_of_most_rows_is_the_centre():
    assert groups([(1.0, 5), (2.0, 3), (2.0, 3)], 1.0, 1) == [(3.0, [2.0, 2.0]), (2.0, [1.0])]
    assert groups([(1.0, 3), (2.0, 1)], 1.0, 1) == [(2.0, [1.0]), (3.0, [2.0])]
