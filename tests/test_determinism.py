"""One seed, one result: to the bit in every run, and to rounding for any number of threads."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """What fresh processes learn: twice with one thread, once with two."""
    results = []
    for number, threads in enumerate((1, 1, 2)):
        place = tmp_path_factory.mktemp("fitted") / f"{number}.npz"
        count = {f"{name}_NUM_THREADS": str(threads) for name in ("OPENBLAS", "OMP", "MKL")}
        # Strings must not decide anything either: their hashes differ between the two runs.
        environment = {**os.environ, **count, "PYTHONHASHSEED": str(number)}
        command = [sys.executable, "-m", "tests.determinism", str(place)]
        subprocess.run(command, check=True, cwd=ROOT, env=environment)
        results.append(dict(np.load(place)))
    return results


def test_every_estimator_with_a_seed_is_there(fitted):
    names = {key.split()[0] for key in fitted[0]}
    assert {"CrossLabelClassifier", "CrossLabelClassifierCV", "KSVD", "LLC", "RandomFaces"} <= names
    assert len(names) >= 15


def test_two_runs_are_equal_to_the_bit(fitted):
    first, second, _ = fitted
    for name, value in first.items():
        assert_array_equal(second[name], value, err_msg=name, strict=True)


def test_the_number_of_threads_changes_rounding_only(fitted):
    one, _, two = fitted
    for name, value in one.items():
        scale = max(1.0, np.abs(value).max(initial=0.0))
        assert_allclose(two[name], value, rtol=0, atol=1e-10 * scale, err_msg=name)
