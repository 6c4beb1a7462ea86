import asyncio

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.serve.answering import Answerer
from crosslabel.serve.batches import MOST_ROWS, Batches
from tests.serve.conftest import rows_model, rows_of


class Slow:
    """Doubles rows; notes how many it was given at once, and refuses a negative one."""

    def __init__(self):
        self.sizes = []

    def predict_proba(self, rows):
        self.sizes.append(len(rows))
        if (rows < 0).any():
            raise ValueError("negative")
        return 2 * rows


def together(answerer, requests, wanted=("probabilities",)):
    async def all_of_them():
        batches = Batches()
        asked = (batches.answers(answerer, rows, wanted) for rows in requests)
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(all_of_them())


def test_requests_that_come_together_are_one_product_and_get_their_own_rows():
    model = Slow()
    requests = [np.full((n, 2), float(n)) for n in (1, 3, 2, 1)]
    found = together(Answerer(model, ["a", "b"], "features"), requests)
    assert model.sizes == [7]
    for rows, answer in zip(requests, found):
        assert_allclose(answer["probabilities"], 2 * rows)


def test_one_that_cannot_be_answered_takes_no_other_with_it():
    requests = [np.ones((1, 2)), -np.ones((1, 2)), np.ones((2, 2))]
    good, bad, also = together(Answerer(Slow(), [], "features"), requests)
    assert isinstance(bad, ValueError)
    assert_allclose(good["probabilities"], 2)
    assert also["probabilities"].shape == (2, 2)


def test_batches_have_a_size_and_one_width():
    model = Slow()
    requests = [np.ones((300, 2)), np.ones((300, 2)), np.ones((5, 3)), np.ones((2 * MOST_ROWS, 2))]
    found = together(Answerer(model, [], "features"), requests)
    assert [len(answer["probabilities"]) for answer in found] == [300, 300, 5, 2 * MOST_ROWS]
    assert max(model.sizes) == 2 * MOST_ROWS
    assert sorted(model.sizes) == [5, 300, 300, 2 * MOST_ROWS]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_real_model_answers_the_same_alone_and_in_a_batch(dtype):
    model, (X, _) = rows_model(), rows_of(6)
    requests = [row[None].astype(dtype) for row in X]
    found = together(
        Answerer(model, ["a", "b", "c"], "features"), requests, ["label", "probabilities"]
    )
    assert [answer["label"][0] for answer in found] == model.predict(X).tolist()
    assert_allclose(
        np.concatenate([answer["probabilities"] for answer in found]),
        model.predict_proba(X.astype(dtype)),
        rtol=1e-4,
    )
