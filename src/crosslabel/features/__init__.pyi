from crosslabel.features.dense_sift import DenseSIFT as DenseSIFT
from crosslabel.features.eigenfaces import Eigenfaces as Eigenfaces
from crosslabel.features.embedding import Embedding as Embedding
from crosslabel.features.lbptop import LBPTOP as LBPTOP
from crosslabel.features.pixels import Pixels as Pixels
from crosslabel.features.random_faces import RandomFaces as RandomFaces
from crosslabel.features.spatial_pyramid import SpatialPyramid as SpatialPyramid
