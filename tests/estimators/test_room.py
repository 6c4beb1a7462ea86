import os

import numpy as np
import pytest

from crosslabel import CRC, SRC, CrossLabelClassifier


@pytest.fixture
def small_machine(monkeypatch):
    """A machine with one page of memory."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (CRC(), "fewer samples"),
        (SRC(), "fewer samples"),
        (CrossLabelClassifier(atoms_per_class=20, rule="local"), "solver='class'"),
    ],
)
def test_what_no_memory_could_hold_is_refused_with_advice(model, advice, small_machine):
    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 2
    with pytest.raises(
        MemoryError, match=r"numbers, .* GB, but this machine has 0\.0 GB"
    ) as caught:
        model.fit(X, y)
    assert advice in str(caught.value)


def test_what_fits_is_learnt(small_machine):
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
    assert CRC().fit(X, y).predict(X).shape == (20,)
