import os

import numpy as np
import pytest

from crosslabel import CRC, SRC, CrossLabelClassifier
from crosslabel.core.memory import check_room


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
            CrossLabelClassifier(atoms_per_class=20, suppression=2.0, rule="local", ridge=0.1),
            "A finite suppression needs 3 matrices of 40 × 40 atoms, .* Use suppression=inf",
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


@pytest.mark.parametrize(("matrices", "size"), [(1, 64), (4, 32)])
def test_what_takes_all_the_memory_fits_and_one_page_less_does_not(matrices, size, monkeypatch):
    """Doubles of `matrices` squares: 8 · matrices · size² bytes, eight pages of 4096."""
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 8}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    check_room(matrices, size, "atoms", "A test", "Use fewer.")
    pages["SC_PHYS_PAGES"] = 7
    noun = "matrix" if matrices == 1 else "matrices"
    with pytest.raises(
        MemoryError, match=f"A test needs {matrices} {noun} of {size} × {size} atoms"
    ):
        check_room(matrices, size, "atoms", "A test", "Use fewer.")


def test_the_refusal_says_what_is_needed_and_what_there_is(monkeypatch):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1_000_000}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    with pytest.raises(MemoryError, match=r"16\.0 GB, but this machine has 4\.1 GB\. Use fewer\."):
        check_room(2, 31_623, "samples", "A test", "Use fewer.")
