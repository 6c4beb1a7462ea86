"""Small real problems on disk: pictures, clips and features of a few classes."""

import numpy as np
import pytest
from PIL import Image

from crosslabel.app.fit import Parameters, fit
from crosslabel.files import save

CLASSES = ("ball", "böse Ecke", "x.cross")


def picture(kind, random, side=24):
    """A noisy drawing: a disc, a corner or a cross, at a random place."""
    rows, columns = np.mgrid[:side, :side] - random.integers(9, 15, (2, 1, 1))
    shapes = [
        rows**2 + columns**2 < 40,
        (np.abs(rows) < 2) & (columns > 0) | (np.abs(columns) < 2) & (rows > 0),
        (np.abs(rows) < 2) | (np.abs(columns) < 2),
    ]
    noisy = 180 * shapes[kind] + random.integers(0, 60, (side, side))
    return noisy.astype(np.uint8)


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    root = tmp_path_factory.mktemp("photos")
    random = np.random.default_rng(0)
    for kind, name in enumerate(CLASSES):
        (root / name).mkdir()
        for number in range(16):
            Image.fromarray(picture(kind, random)).save(root / name / f"{number}.png")
    return root


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    """Flicker, drift and stillness."""
    root = tmp_path_factory.mktemp("clips")
    random = np.random.default_rng(0)
    for kind, name in enumerate(("drift", "flicker", "still")):
        (root / name).mkdir()
        for number in range(8):
            base = random.integers(0, 256, (12, 30), dtype=np.uint8)
            frames = [
                [base[:, t : t + 12] for t in range(10)],
                [random.integers(0, 256, (12, 12), dtype=np.uint8) for _ in range(10)],
                [base[:, :12]] * 10,
            ][kind]
            np.save(root / name / f"{number}.npy", np.stack(frames))
    return root


@pytest.fixture(scope="session")
def table(tmp_path_factory):
    """A file of features whose classes lie along different directions."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = 4 * np.repeat(np.eye(3, 12), 20, axis=0) + random.standard_normal((60, 12))
    place = tmp_path_factory.mktemp("table") / "table.npz"
    np.savez(place, X=X, y=y)
    return place


GIVEN = Parameters(ridge=1e-2, suppression=2e3, grouping=2e-2, rule="global", atoms_per_class=5)


@pytest.fixture(scope="session")
def model_file(photos, tmp_path_factory):
    place = tmp_path_factory.mktemp("model") / "model.skops"
    save(fit(photos, features="pixels", parameters=GIVEN).model, place)
    return place
