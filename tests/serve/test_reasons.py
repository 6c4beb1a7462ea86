import numpy as np
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression

from crosslabel.serve.answering import Answerer, load_answerer
from crosslabel.serve.reasons import reasons
from tests.app.conftest import picture
from tests.serve.conftest import rows_of


def test_the_winner_comes_first_with_its_residual(model_files, tmp_path):
    place = tmp_path / "query.png"
    Image.fromarray(picture(2, np.random.default_rng(8))).save(place)
    answerer = load_answerer(model_files[1])
    found = reasons(answerer, place)
    assert found[0]["name"] == answerer.answers([place], ["label"])["label"][0]
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    for one in found:  # the local rule compares what each class leaves of the query
        assert one["score"] == pytest.approx(-(one["residual"] ** 2), rel=1e-3)
    assert f"{found[0]['residual']:.3f}" in found[0]["reason"]


def test_a_model_without_a_dictionary_has_no_reasons():
    model = LogisticRegression().fit(*rows_of())
    assert reasons(Answerer(model, ["a", "b", "c"], "features"), rows_of()[0][:1]) == []
