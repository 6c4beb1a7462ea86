import asyncio

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.serve.answering import load_answerer
from crosslabel.serve.batches import Batches
from crosslabel.serve.inference import MOST_IMAGES, checked_rows, classify, infer
from crosslabel.serve.refusal import Refusal
from crosslabel.serve.tensors import InferRequest, Tensor
from tests.serve.conftest import rows_model, rows_of


def run(work):
    async def inside():
        return await work(Batches())

    return asyncio.run(inside())


def outputs(answerer, values, wanted=(), inputs=1):
    shape = (len(values),) if isinstance(values, list) else values.shape
    request = InferRequest([Tensor("X", shape, values)] * inputs, dict.fromkeys(wanted, False))
    return {one.name: one for one in run(lambda batches: infer(answerer, request, batches))}


def test_label_and_probabilities_where_nothing_is_named(model_files):
    X, _ = rows_of(2)
    found = outputs(load_answerer(model_files[0]), X)
    assert list(found) == ["label", "probabilities"]
    assert found["label"].values == [label.encode() for label in rows_model().predict(X)]
    assert_allclose(found["probabilities"].values, rows_model().predict_proba(X))
    assert list(outputs(load_answerer(model_files[0]), X, ["novelty"])) == ["novelty"]


def test_what_a_model_does_not_take(model_files):
    rows, images = map(load_answerer, model_files)
    good = np.ones((1, 8))
    wrong = [
        (rows, good, ["nothing"], 1),
        (rows, good, [], 2),
        (rows, np.ones((1, 7)), [], 1),
        (rows, np.ones((1, 1, 8)), [], 1),
        (rows, np.full((1, 8), np.nan), [], 1),
        (rows, [b"x"], [], 1),
        (images, good, [], 1),
        (images, [b"no image"], [], 1),
        (images, [], [], 1),
        (images, [b"x"] * (MOST_IMAGES + 1), [], 1),
    ]
    for answerer, values, wanted, inputs in wrong:
        with pytest.raises(Refusal) as caught:
            outputs(answerer, values, wanted, inputs)
        assert caught.value.status in (400, 413)
        assert "/tmp" not in caught.value.reason


def test_one_row_may_be_flat_and_whole_numbers_are_numbers(model_files):
    rows = load_answerer(model_files[0])
    assert checked_rows(rows, np.arange(8)).shape == (1, 8)
    assert checked_rows(rows, np.ones((2, 8), np.float32)).dtype == np.float32
    assert checked_rows(rows, np.ones((2, 8), np.int8)).dtype == np.float64


def test_only_images_are_classified(model_files):
    with pytest.raises(Refusal, match="infer"):
        run(lambda batches: classify(load_answerer(model_files[0]), [b"x"], False, batches))
    (said,) = run(lambda batches: classify(load_answerer(model_files[1]), [b"x"], True, batches))
    assert said["problem"].startswith("The image cannot be read")
