import json

import numpy as np
import pytest
from PIL import Image

from crosslabel.core.scaling import unit_rows
from crosslabel.lab import pyramids
from crosslabel.lab.pyramids import components, coordinates, span_coordinates


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return unit_rows(np.abs(random.standard_normal((30, 200))))


def test_coordinates_keep_inner_products_with_training_rows_and_norms(rows):
    train = np.arange(0, 30, 3)
    found = span_coordinates(rows, train).astype(float)
    assert found.shape == (30, 11)
    # What is added to the Gram matrix against rounding, 1e-6, gives training rows a rest of 1e-3.
    np.testing.assert_allclose(found @ found[train].T, rows @ rows[train].T, atol=1e-3)
    np.testing.assert_allclose((found**2).sum(axis=1), 1, atol=1e-4)
    # A training row has nothing outside of the span.
    np.testing.assert_allclose(found[train, -1], 0, atol=2e-3)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
def test_components_have_the_inner_products_of_their_kernel(rows, gamma):
    train = np.arange(0, 30, 3)
    found = components(rows, train, gamma).astype(float)
    assert found.shape == (30, 10)
    distances = ((rows[:, None] - rows[train][None]) ** 2).sum(axis=2)
    kernel = np.exp(-gamma * distances) if gamma else rows @ rows[train].T
    np.testing.assert_allclose(found @ found[train].T, kernel, atol=1e-3)


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Nine small pictures, and a codebook small enough for them."""
    monkeypatch.setattr(pyramids, "SpatialPyramid", lambda **k: _small(**k))
    monkeypatch.setattr(pyramids, "BATCH", 4)
    random = np.random.default_rng(0)
    names = []
    for number in range(9):
        name = tmp_path / f"{number}.png"
        Image.fromarray(random.integers(0, 256, (48, 48), dtype=np.uint8)).save(name)
        names.append(str(name))
    return names


def _small(**options):
    from crosslabel.features.spatial_pyramid import SpatialPyramid

    return SpatialPyramid(words=8, levels=(1, 2), **options)


SPLITS = [(np.array([0, 3, 6]), np.array([1, 2])), (np.array([1, 4, 7]), np.array([0, 2]))]


def test_each_split_has_its_file_and_nothing_unfinished_is_left(photos, tmp_path):
    places = coordinates(photos, SPLITS, tmp_path / "kept", 1)
    assert [np.load(place).shape for place in places] == [(9, 4), (9, 4)]
    assert not np.array_equal(np.load(places[0]), np.load(places[1]))
    left = {file.name for file in (tmp_path / "kept").iterdir()}
    forms = {f"{form}{number}.npy" for form in ("coordinates", "roots") for number in (0, 1)}
    assert left == {*forms, "samples.npz"}


def test_roots_are_the_coordinates_of_the_square_roots_of_the_same_pyramids(
    photos, tmp_path, monkeypatch
):
    seen = []
    monkeypatch.setattr(
        pyramids,
        "span_coordinates",
        lambda F, t: seen.append(np.array(F)) or span_coordinates(F, t),
    )
    coordinates(photos, SPLITS, tmp_path / "kept", 1)
    values = seen[0].astype(float)
    assert values.min() == 0
    roots = np.sqrt(values) / np.sqrt(values.sum(axis=1, keepdims=True))
    found = np.load(tmp_path / "kept" / "roots0.npy").astype(float)
    train, _ = SPLITS[0]
    products = roots @ roots[train].T
    assert np.abs(products - values @ values[train].T).max() > 1e-2
    # The shift of the Gram matrix by 1e-6 leaves training rows a rest of 1e-3.
    np.testing.assert_allclose(found @ found[train].T, products, atol=1e-3)
    np.testing.assert_allclose((found**2).sum(axis=1), 1, atol=1e-5)


def test_an_interrupted_extraction_goes_on_to_the_same_files(photos, tmp_path, monkeypatch):
    whole = [np.load(place) for place in coordinates(photos, SPLITS, tmp_path / "whole", 1)]
    taken = []

    def interrupted(function, items, **options):
        taken.append(len(items))
        if len(taken) == 3:  # the samples, the first batch, and then the power is gone
            raise KeyboardInterrupt
        return extract(function, items, **options)

    extract = pyramids.extract
    monkeypatch.setattr(pyramids, "extract", interrupted)
    with pytest.raises(KeyboardInterrupt):
        coordinates(photos, SPLITS, tmp_path / "cut", 1)
    for number in (0, 1):
        assert json.loads((tmp_path / "cut" / f"done{number}.json").read_text()) == 4
    again = coordinates(photos, SPLITS, tmp_path / "cut", 1)
    assert taken[3:] == [4, 1]
    for place, expected in zip(again, whole):
        np.testing.assert_array_equal(np.load(place), expected)


def test_a_run_that_goes_on_codes_the_rest_under_the_same_codebook(photos, tmp_path, monkeypatch):
    """Though k-means would end elsewhere now, as it does with another BLAS."""
    whole = [np.load(place) for place in coordinates(photos, SPLITS, tmp_path / "whole", 1)]
    folder = tmp_path / "cut"
    cut_off(photos, folder, monkeypatch)
    for number in (0, 1):
        assert (folder / f"codebook{number}.npy").exists()
    learn = pyramids.kmeans_codebook
    monkeypatch.setattr(pyramids, "kmeans_codebook", lambda *given: learn(*given)[::-1])
    for place, expected in zip(coordinates(photos, SPLITS, folder, 1), whole):
        np.testing.assert_array_equal(np.load(place), expected)


def test_what_was_coded_under_a_codebook_that_is_lost_does_not_count(photos, tmp_path, monkeypatch):
    folder = tmp_path / "cut"
    cut_off(photos, folder, monkeypatch)
    for number in (0, 1):
        (folder / f"codebook{number}.npy").unlink()
    learn = pyramids.kmeans_codebook
    monkeypatch.setattr(pyramids, "kmeans_codebook", lambda *given: learn(*given)[::-1])
    other = [np.load(place) for place in coordinates(photos, SPLITS, tmp_path / "other", 1)]
    for place, expected in zip(coordinates(photos, SPLITS, folder, 1), other):
        np.testing.assert_array_equal(np.load(place), expected)


def cut_off(photos, folder, monkeypatch):
    """Two splits whose first batch is coded."""
    extract, left = pyramids.extract, [2]  # the samples, and one batch

    def interrupted(*given, **options):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return extract(*given, **options)

    with monkeypatch.context() as patched:
        patched.setattr(pyramids, "extract", interrupted)
        with pytest.raises(KeyboardInterrupt):
            coordinates(photos, SPLITS, folder, 1)


def test_progress_of_files_that_are_gone_does_not_count(photos, tmp_path):
    folder = tmp_path / "kept"
    whole = [np.load(place) for place in coordinates(photos, SPLITS, folder, 1)]
    (folder / "done1.json").write_text("9")
    (folder / "coordinates1.npy").unlink()
    for place, expected in zip(coordinates(photos, SPLITS, folder, 1), whole):
        np.testing.assert_array_equal(np.load(place), expected)


def test_a_split_asked_for_alone_has_the_file_that_it_has_among_all(photos, tmp_path):
    whole = [np.load(place) for place in coordinates(photos, SPLITS, tmp_path / "whole", 1)]
    (place,) = coordinates(photos, SPLITS, tmp_path / "one", 1, only=[1])
    assert {file.name for file in (tmp_path / "one").iterdir()} == {
        "coordinates1.npy",
        "roots1.npy",
        "samples.npz",
    }
    np.testing.assert_array_equal(np.load(place), whole[1])


def test_splits_that_were_cut_at_different_places_both_go_on_to_their_files(
    photos, tmp_path, monkeypatch
):
    whole = [np.load(place) for place in coordinates(photos, SPLITS, tmp_path / "whole", 1)]
    folder, extract, left = tmp_path / "cut", pyramids.extract, [0]

    def interrupted(function, items, **options):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return extract(function, items, **options)

    monkeypatch.setattr(pyramids, "extract", interrupted)
    for number, calls in ((0, 3), (1, 1)):  # the samples are drawn once; then batches of four
        left[0] = calls
        with pytest.raises(KeyboardInterrupt):
            coordinates(photos, SPLITS, folder, 1, only=[number])
    done = [json.loads((folder / f"done{number}.json").read_text()) for number in (0, 1)]
    assert done == [8, 4]
    left[0] = len(photos)
    for place, expected in zip(coordinates(photos, SPLITS, folder, 1), whole):
        np.testing.assert_array_equal(np.load(place), expected)


def test_finished_files_are_not_made_again(photos, tmp_path, monkeypatch):
    coordinates(photos, SPLITS, tmp_path / "kept", 1)
    monkeypatch.setattr(pyramids, "codebooks", lambda *_: pytest.fail("they are there"))
    coordinates(photos, SPLITS, tmp_path / "kept", 1)
