import pickle

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_get_params_invariance,
    check_parameters_default_constructible,
)

from crosslabel import NearestClassMean
from crosslabel.features import DenseSIFT, SpatialPyramid
from crosslabel.features.assignment import ASSIGNMENTS, Codebook


@pytest.fixture(scope="module")
def images():
    random = np.random.default_rng(0)
    return [random.random(shape).astype(np.float32) for shape in [(40, 50), (48, 40), (36, 36)]]


def small(**changes):
    settings = {"words": 10, "longest_side": None, "descriptor": DenseSIFT(5, (16,))} | changes
    return SpatialPyramid(**({"random_state": 0} | settings))


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("pooling", ["max", "sum", "absolute"])
def test_it_pools_codes_over_cells(images, assignment, pooling):
    pyramid = small(assignment=assignment, pooling=pooling, levels=(1, 2, 3), neighbours=3)
    vector = pyramid.fit(images).transform(images[:1])[0]

    values, centres = DenseSIFT(5, (16,)).describe(images[0])
    words, codes = ASSIGNMENTS[assignment](values, Codebook.of(pyramid.codebook_), 3)
    dense = np.zeros((len(values), 10))
    np.put_along_axis(dense, words, codes, axis=1)
    expected = []
    for cells in (1, 2, 3):
        for row, column in np.ndindex(cells, cells):
            inside = (centres[:, 0] * cells // 40 == row) & (centres[:, 1] * cells // 50 == column)
            members = np.vstack([np.zeros(10), dense[inside]])
            pooled = {"max": members, "sum": members, "absolute": np.abs(members)}[pooling]
            expected.append(pooled.sum(axis=0) if pooling == "sum" else pooled.max(axis=0))
    expected = np.concatenate(expected)
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-5)


def test_shape_names_and_norm(images):
    pyramid = small(levels=(1, 2, 4, 8)).fit(images)
    X = pyramid.transform(images)
    assert X.shape == (3, 10 * (1 + 4 + 16 + 64))
    assert len(set(pyramid.get_feature_names_out())) == X.shape[1]
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-5)


def test_it_does_not_depend_on_processes_or_the_cache(images, tmp_path):
    expected = small().fit(images).transform(images)
    pyramid = small(n_jobs=2, cache=tmp_path).fit(images)
    computed = pyramid.transform(images)
    # Workers may have other numbers of threads, which round otherwise.
    np.testing.assert_allclose(computed, expected, rtol=1e-4, atol=1e-6)
    assert len(list(tmp_path.rglob("*.npy"))) == 3
    np.testing.assert_array_equal(pyramid.transform(images), computed)


def test_another_codebook_does_not_meet_the_cache_of_the_first(images, tmp_path):
    first = small(cache=tmp_path).fit(images).transform(images)
    second = small(cache=tmp_path, random_state=1).fit(images).transform(images)
    assert len(list(tmp_path.rglob("*.npy"))) == 6
    assert np.abs(first - second).max() > 0.01


def test_the_codebook_sees_training_images_only(images):
    a = small().fit(images[:2])
    b = small().fit(images[:2])
    b.transform(images)
    np.testing.assert_array_equal(a.codebook_, b.codebook_)


def test_it_is_a_transformer(images):
    pyramid = small()
    check_get_params_invariance("SpatialPyramid", pyramid)
    check_parameters_default_constructible("SpatialPyramid", SpatialPyramid())
    assert clone(pyramid).get_params()["descriptor__step"] == 5
    fitted = pyramid.fit(images)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.codebook_, fitted.codebook_)
    np.testing.assert_allclose(again.transform(images), fitted.transform(images), rtol=1e-4)


def test_a_thing_is_the_same_at_any_scale(tmp_path):
    """One picture as a thumbnail, as it is, and as a large JPEG."""
    random = np.random.default_rng(1)
    blobs = gaussian_filter(random.normal(size=(120, 160)), 5)
    picture = ((blobs - blobs.min()) / np.ptp(blobs) * 255).astype(np.uint8)
    others = [np.roll(picture, shift, (0, 1)) for shift in (20, 50)]
    views = [Image.fromarray(picture).resize(size) for size in ((80, 60), (160, 120), (1600, 1200))]
    views[2].save(tmp_path / "large.jpg", quality=95)
    same = [np.asarray(views[0]), np.asarray(views[1]), str(tmp_path / "large.jpg")]
    likeness = {}
    for side in (160, None):
        X = small(words=30, longest_side=side).fit([picture, *others]).transform(same)
        likeness[side] = (X @ X.T).min()
    assert likeness[160] > 0.9
    assert likeness[None] < 0.8  # what the one scale is for


def test_a_model_of_an_earlier_version_sees_images_as_they_come(images):
    pyramid = small().fit(images)
    expected = pyramid.transform(images)
    pyramid.longest_side = 256  # what a file without it is given
    del pyramid.longest_side_
    np.testing.assert_allclose(pyramid.transform(images), expected, rtol=1e-4)


def test_too_few_descriptors_are_an_error(images):
    with pytest.raises(ValueError, match=r"1000 words needs as many descriptors, but .* have \d+"):
        small(words=1000).fit(images)


@pytest.mark.parametrize("changes", [{"words": 0}, {"assignment": "soft"}, {"pooling": "mean"}])
def test_bad_parameters(images, changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        small(**changes).fit(images)


def test_sparse_coded_pyramids_tell_stripes_from_dots():
    rng = np.random.default_rng(0)
    r, c = np.mgrid[:40, :40]
    stripes = [0.5 + 0.5 * np.sin(0.9 * r + phase) for phase in range(6)]
    dots = [0.5 + 0.5 * np.sin(0.9 * r + p) * np.sin(0.9 * c + p) for p in range(6)]
    images = [image + 0.05 * rng.normal(size=image.shape) for image in (*stripes, *dots)]
    pyramid = small(assignment="lasso", pooling="absolute", codebook="sparse", neighbours=10)
    X, y = pyramid.fit_transform(images), np.repeat([0, 1], 6)
    assert NearestClassMean().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) == 1
