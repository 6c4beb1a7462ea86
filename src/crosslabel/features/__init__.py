"""Features of the paper's experiments as scikit-learn transformers, one per file.

Each is loaded when it is first asked for: a model of pixels need not wait for dense SIFT.
"""

from typing import TYPE_CHECKING

from crosslabel.lazy import loader

if TYPE_CHECKING:
    from crosslabel.features.dense_sift import DenseSIFT
    from crosslabel.features.eigenfaces import Eigenfaces
    from crosslabel.features.lbptop import LBPTOP
    from crosslabel.features.pixels import Pixels
    from crosslabel.features.random_faces import RandomFaces
    from crosslabel.features.spatial_pyramid import SpatialPyramid

_FILES = {
    "DenseSIFT": "dense_sift",
    "Eigenfaces": "eigenfaces",
    "LBPTOP": "lbptop",
    "Pixels": "pixels",
    "RandomFaces": "random_faces",
    "SpatialPyramid": "spatial_pyramid",
}

__all__ = ["LBPTOP", "DenseSIFT", "Eigenfaces", "Pixels", "RandomFaces", "SpatialPyramid"]


__getattr__ = loader(__name__, _FILES)


def __dir__() -> list[str]:
    return __all__
