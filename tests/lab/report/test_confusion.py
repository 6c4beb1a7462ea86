import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.lab.report.confusion import MOST_NAMED, _shade, draw, pairs, row_shares
from crosslabel.lab.report.content import Confusion

COUNTS = np.array([[8.0, 2, 0], [1, 3, 0], [0, 0, 0]])
NAMES = ("cat", "dog", "</script>")


def test_rows_are_shares_and_an_empty_class_stays_zero():
    assert_allclose(row_shares(COUNTS), [[0.8, 0.2, 0], [0.25, 0.75, 0], [0, 0, 0]])


def test_pairs_are_the_confusions_most_frequent_first():
    found = pairs(Confusion("t", NAMES, COUNTS))
    assert found == [("cat", "dog", 2, 0.2), ("dog", "cat", 1, 0.25)]


def test_the_script_gets_the_counts_and_no_name_can_end_it():
    text = draw(Confusion("t", NAMES, COUNTS))
    data = json.loads(re.search(r"<script[^>]*>(.*?)</script>", text).group(1))
    assert data["counts"] == COUNTS.tolist()
    assert tuple(data["names"]) == NAMES


@pytest.mark.parametrize("n_classes", [3, MOST_NAMED, MOST_NAMED + 1, 102])
def test_every_cell_that_counts_is_drawn(n_classes):
    rng = np.random.default_rng(0)
    counts = np.diag(rng.integers(5, 9, n_classes)) + rng.poisson(0.1, (n_classes, n_classes))
    text = draw(Confusion("t", tuple(f"c{i}" for i in range(n_classes)), counts.astype(float)))
    assert len(re.findall(r'class="(?:hit|miss)"', text)) == np.count_nonzero(counts)
    assert ('class="number' in text) == (n_classes <= MOST_NAMED)


def test_shades_grow_with_the_share_and_leave_numbers_readable():
    shares = np.linspace(0, 1, 201)
    for hit in (True, False):
        shades = np.array([_shade(share, hit) for share in shares])
        assert (np.diff(shades) >= 0).all()
        assert ((shades <= 0.42) | (shades >= 0.8)).all()
        assert shades.max() <= 1
