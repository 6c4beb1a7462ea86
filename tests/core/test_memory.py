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
    ("model", "sentence"),
    [
        (CRC(), "CRC needs 1 matrix of 60 × 60 samples, 0.0 GB, .* Use fewer"),
        (SRC(), "SRC needs 1 matrix of 60 × 60 samples, 0.0 GB, .* Use fewer"),
        (
            CrossLabelClassifier(atoms_per_class=20),
            "solver='exact' needs 3 matrices of 40 × 40 atoms, 0.0 GB, .* Use solver='class'",
        ),
    ],
)
def test_what_no_memory_could_hold_is_refused_with_advice(model, sentence, small_machine):
    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 2
    with pytest.raises(MemoryError, match=sentence):
        model.fit(X, y)


def test_what_fits_is_learnt(small_machine):
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
    assert CRC().fit(X, y).predict(X).shape == (20,)
