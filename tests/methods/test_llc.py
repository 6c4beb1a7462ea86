import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import LLC
from crosslabel.core.locality import locality_codes
from tests.methods.faces import faces


def test_codes_are_those_of_the_core_over_a_codebook_learnt_or_given():
    X, _ = faces()
    learnt = LLC(6, n_neighbors=3, random_state=0).fit(X)
    assert learnt.codebook_.shape == (6, 20)
    codes = learnt.transform(X)
    assert_allclose(codes, locality_codes(X, learnt.codebook_, 3, 1e-4))
    given = LLC(learnt.codebook_, n_neighbors=3).fit(X)
    assert_allclose(given.transform(X), codes, atol=1e-12)
    assert_allclose(codes.sum(axis=1), 1)
    assert len(learnt.get_feature_names_out()) == 6


def test_a_codebook_of_another_width_is_refused():
    X, _ = faces()
    with pytest.raises(ValueError, match="same features"):
        LLC(np.eye(7)).fit(X)
