import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslabel.features import LBPTOP
from crosslabel.features.lbptop import uniform_codes

STORED = Path(os.environ.get("CROSSLABEL_DATA", "/nowhere")) / "reference" / "lbptop.npz"


def literal(volume, radii, interpolation):
    """Codes counted voxel by voxel; the last axis of radii is time."""
    rx, ry, rt = radii
    frames, height, width = volume.shape
    histograms = np.zeros((3, 256))
    for t in range(rt, frames - rt):
        for y in range(ry, height - ry):
            for x in range(rx, width - rx):
                centre = float(volume[t, y, x])
                for plane in range(3):
                    code = 0
                    for p in range(8):
                        cos, sin = np.cos(2 * np.pi * p / 8), np.sin(2 * np.pi * p / 8)
                        offset = [
                            (0, -ry * sin, rx * cos),
                            (rt * sin, 0, rx * cos),
                            (rt * cos, -ry * sin, 0),
                        ][plane]
                        value = sample(volume, t, y, x, offset, interpolation)
                        code |= int(value >= centre - 1e-6) << p
                    histograms[plane, code] += 1
    return histograms / histograms.sum(axis=1, keepdims=True)


def sample(volume, t, y, x, offset, interpolation):
    offset = np.round(offset, 9)
    if interpolation == "nearest":
        dt, dy, dx = np.floor(offset + 0.5).astype(int)
        return float(volume[t + dt, y + dy, x + dx])
    value = 0.0
    low = np.floor(offset).astype(int)
    for step in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(step, offset - low, 1 - (offset - low)))
        if weight > 0:
            value += weight * float(volume[tuple(low + step + [t, y, x])])
    return value


@given(st.integers(0, 10_000), st.sampled_from(["nearest", "bilinear"]), st.integers(1, 2))
@settings(max_examples=8, deadline=None)
def test_it_agrees_with_the_literal_definition(seed, interpolation, radius):
    volume = np.random.default_rng(seed).integers(0, 256, (6, 7, 8), dtype=np.uint8)
    radii = (radius, 1, radius)
    ours = LBPTOP(radii=radii, uniform=False, interpolation=interpolation).histograms(volume)
    np.testing.assert_allclose(ours.reshape(3, 256), literal(volume, radii, interpolation))


@pytest.mark.skipif(not STORED.exists(), reason="needs reference/lbptop.npz under CROSSLABEL_DATA")
def test_it_agrees_with_the_code_of_the_oulu_group():
    stored = np.load(STORED)
    compared = 0
    for name in stored:
        if not name.startswith("oulu_v"):
            continue
        _, volume, radii, interpolation, mapping = name.split("_")
        lbp = LBPTOP(
            radii=tuple(int(r) for r in radii[1:]),
            interpolation=interpolation,
            uniform=mapping == "u2",
        )
        ours = lbp.histograms(stored[volume].transpose(2, 0, 1)).reshape(3, -1)
        distance = np.abs(ours - stored[name]).sum(axis=1).max()
        assert distance <= (1e-12 if interpolation == "nearest" else 0.02), name
        compared += 1
    assert compared == 12


@pytest.mark.skipif(not STORED.exists(), reason="needs reference/lbptop.npz under CROSSLABEL_DATA")
def test_the_uniform_codes_are_those_of_the_oulu_group():
    code, mapped = np.load(STORED)["oulu_u2code"].astype(int).T
    np.testing.assert_array_equal(uniform_codes(8)[code], mapped)


def test_uniform_codes_of_eight_neighbours():
    table = uniform_codes(8)
    assert table.max() == 58
    assert (np.bincount(table)[:58] == 1).all()
    assert table[0b00000000] == 0
    assert table[0b01010101] == 58


def test_177_values_that_sum_to_three():
    clips = np.random.default_rng(0).integers(0, 256, (2, 9, 10, 11), dtype=np.uint8)
    lbp = LBPTOP()
    X = lbp.fit_transform(clips)
    assert X.shape == (2, 177) == (2, len(set(lbp.get_feature_names_out())))
    np.testing.assert_allclose(X.sum(axis=1), 3)
    np.testing.assert_allclose(LBPTOP(root=True).fit_transform(clips) ** 2, X)


@pytest.mark.parametrize("interpolation", ["nearest", "bilinear"])
def test_brightness_does_not_matter_and_flat_clips_have_one_code(interpolation):
    clip = np.random.default_rng(0).integers(0, 100, (6, 7, 8), dtype=np.uint8)
    lbp = LBPTOP(interpolation=interpolation)
    np.testing.assert_array_equal(lbp.histograms(clip), lbp.histograms(2 * clip + 7))
    flat = lbp.histograms(np.full((5, 5, 5), 77, np.uint8)).reshape(3, 59)
    np.testing.assert_array_equal(flat[:, uniform_codes(8)[255]], 1)


def test_cache_processes_and_pickling(tmp_path):
    clips = np.random.default_rng(0).integers(0, 256, (20, 6, 6, 6), dtype=np.uint8)
    expected = LBPTOP().fit_transform(clips)
    cached = LBPTOP(n_jobs=2, cache=tmp_path)
    np.testing.assert_array_equal(cached.fit_transform(clips), expected)
    again = pickle.loads(pickle.dumps(cached))
    np.testing.assert_array_equal(again.transform(clips), expected)


@pytest.mark.parametrize("shape", [(2, 9, 9), (9, 2, 9), (9, 9)])
def test_a_clip_must_hold_a_whole_circle(shape):
    with pytest.raises(ValueError, match="more than 2 frames"):
        LBPTOP().fit_transform([np.ones(shape)])


def test_bad_radii():
    with pytest.raises(ValueError, match="three positive"):
        LBPTOP(radii=(1, 0, 1)).fit([])


@pytest.mark.parametrize("dtype", [object, complex])
def test_clips_of_what_is_no_number_are_refused(dtype):
    with pytest.raises(ValueError, match="must hold numbers, but its type is"):
        LBPTOP().transform([np.zeros((5, 5, 5), dtype)])
