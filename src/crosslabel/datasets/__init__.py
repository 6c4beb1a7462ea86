"""Data sets of the paper's experiments, one loader per file, and any folder or file of features."""

from crosslabel.datasets.action_bank import load_action_bank
from crosslabel.datasets.caltech101 import load_caltech101
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.dyntex import load_dynamic_textures, load_dyntexpp
from crosslabel.datasets.extended_yale_b import load_extended_yale_b
from crosslabel.datasets.fetch import fetch
from crosslabel.datasets.folder import load_clip_folder, load_image_folder
from crosslabel.datasets.idx import load_digits, load_fashion_mnist, load_mnist
from crosslabel.datasets.mat import load_features
from crosslabel.datasets.orl import load_orl
from crosslabel.datasets.root import MissingData
from crosslabel.datasets.scene15 import load_scene15
from crosslabel.datasets.ucf50 import load_ucf50
from crosslabel.datasets.weizmann import load_weizmann
from crosslabel.datasets.yale import load_yale
from crosslabel.media.reading import UnreadableFile, read_clip, read_image

__all__ = [
    "DATASETS",
    "MissingData",
    "UnreadableFile",
    "fetch",
    "load_action_bank",
    "load_caltech101",
    "load_clip_folder",
    "load_digits",
    "load_dynamic_textures",
    "load_dyntexpp",
    "load_extended_yale_b",
    "load_fashion_mnist",
    "load_features",
    "load_image_folder",
    "load_mnist",
    "load_orl",
    "load_scene15",
    "load_ucf50",
    "load_weizmann",
    "load_yale",
    "read_clip",
    "read_image",
]
