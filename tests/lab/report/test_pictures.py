import base64
from io import BytesIO

import numpy as np
from numpy.testing import assert_array_equal
from PIL import Image

from crosslabel.lab.report import pictures


def faces(seed=0):
    rng = np.random.default_rng(seed)
    return 0.3 + rng.random((6, 5, 4))


def test_atoms_and_their_negatives_look_the_same_and_are_bright():
    atoms = faces()
    signs = np.array([1, -1, 1, -1, -1, 1])[:, None, None]
    assert_array_equal(pictures.turned(signs * atoms), atoms)


def test_a_dark_face_is_turned_as_the_others_are():
    # More shade than light, but the pattern of the others: a negative by its sum alone.
    common = faces()[0]
    dark = common - 1.05 * common.mean()
    turned = pictures.turned(np.array([common, common + 0.1, dark]))
    assert_array_equal(turned[2], dark)


def test_contrast_is_stretched_and_a_flat_atom_is_gray():
    stretched = pictures.gray(faces()[0])
    assert stretched.min() == 0
    assert stretched.max() == 255
    assert (pictures.gray(np.ones((3, 3))) == 128).all()


def test_the_address_holds_the_picture():
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    head, _, body = pictures.png_address(pixels).partition(",")
    assert head == "data:image/png;base64"
    assert_array_equal(np.asarray(Image.open(BytesIO(base64.b64decode(body)))), pixels)
