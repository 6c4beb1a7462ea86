"""Features of the paper's experiments as scikit-learn transformers, one per file."""

from crosslabel.features.dense_sift import DenseSIFT
from crosslabel.features.eigenfaces import Eigenfaces
from crosslabel.features.lbptop import LBPTOP
from crosslabel.features.pixels import Pixels
from crosslabel.features.random_faces import RandomFaces
from crosslabel.features.spatial_pyramid import SpatialPyramid

__all__ = ["LBPTOP", "DenseSIFT", "Eigenfaces", "Pixels", "RandomFaces", "SpatialPyramid"]
