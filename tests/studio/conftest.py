"""Folders of small drawings, and studios that see them as pixels."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests.app.conftest import picture

pytest.importorskip("starlette", reason="the extra studio is not installed")

NAMES = ("ball", "corner", "cross")


def drawing(kind, seed, form="PNG"):
    """The bytes of an image file: a disc, a corner or a cross."""
    file = BytesIO()
    Image.fromarray(picture(kind, np.random.default_rng([kind, seed]))).save(file, form)
    return file.getvalue()


def write_pictures(root, each=6, names=NAMES):
    for kind, name in enumerate(names):
        (root / name).mkdir(parents=True)
        for seed in range(each):
            (root / name / f"{seed}.png").write_bytes(drawing(kind, seed))
    return root


@pytest.fixture
def root(tmp_path):
    return write_pictures(tmp_path / "shapes")


@pytest.fixture
def studio(root):
    """A studio that has looked at all pictures."""
    from crosslabel.studio.studio import Studio

    told = []
    made = Studio(root, "pixels", told.append)
    made.told = told
    look_at_all(made)
    yield made
    made.folder.close()


def look_at_all(studio):
    """What the worker does first, at once."""
    for key, place in studio.teacher.unseen(studio.stock):
        studio.teacher.look_at(key, place)
    studio.teacher.follow(studio.stock)


def added(studio, kind, seed, to, name="new.png"):
    """Bring one drawing and put it on a shelf."""
    staged = studio.stage(drawing(kind, seed))["staged"]
    return studio.change({"do": "add", "pictures": [{"staged": staged, "name": name, "to": to}]})
