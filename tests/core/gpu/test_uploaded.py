import numpy as np
import torch
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.gpu.uploaded import Uploaded
from tests.core.gpu.test_solver import problem


def test_rows_are_those_of_the_host():
    statistics, _, _ = problem(20, [9, 1, 30], [4, 1, 3], 0)
    found, expected = Uploaded.of(statistics, torch.device("cpu")), statistics.targets()
    assert_allclose(found.rows, expected.rows, atol=1e-12)
    assert_array_equal(found.starts, expected.starts)
    assert_array_equal(found.counts, [9, 1, 30])


def test_energy_is_that_of_all_samples():
    statistics, _, _ = problem(20, [9, 1, 30], [4, 1, 3], 0, np.float32)
    found = Uploaded.of(statistics, torch.device("cpu"))
    assert found.rows.dtype == torch.float32
    assert found.energy.dtype == torch.float64
    assert_allclose(found.energy, 40, rtol=1e-6)  # of samples of unit norm
