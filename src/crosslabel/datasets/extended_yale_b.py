"""Extended Yale B: 38 people under 64 lights, the `CroppedYale` distribution."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from crosslabel.datasets.data_set import DataSet
from crosslabel.datasets.root import Root, find
from crosslabel.media.images import read_image


def load_extended_yale_b(root: Root = None) -> Bunch:
    """The 2414 usable images of the cropped Extended Yale B (Lee, Ho and Kriegman, 2005).

    Parameters
    ----------
    root : path, default=None
        Folder of data sets; `extended_yale_b/CroppedYale/yaleB01/*.pgm` … lie in it. Ambient images
        and files marked `.bad` are left out.

    Returns
    -------
    Bunch
        `images` (n_images, height, width), `target`, `target_names`, `filenames` and `DESCR`.

    Examples
    --------
    >>> from crosslabel.datasets import load_extended_yale_b
    >>> data = load_extended_yale_b()  # doctest: +SKIP
    >>> len(data.target) > 0  # doctest: +SKIP
    True
    """
    folder = find("extended_yale_b", root, "extended_yale_b/CroppedYale", "CroppedYale")
    files = sorted(f for f in folder.glob("yaleB*/*.pgm") if not f.stem.endswith("_Ambient"))
    names, target = np.unique([f.parent.name for f in files], return_inverse=True)
    return Bunch(
        images=np.stack([read_image(f) for f in files]),
        target=target,
        target_names=names,
        filenames=[str(f) for f in files],
        DESCR=f"Extended Yale B, cropped: {len(files)} images of {len(names)} people.",
    )


DATA_SET = DataSet(
    "extended_yale_b",
    load_extended_yale_b,
    "extended_yale_b",
    "CroppedYale/yaleB01/yaleB01_P00A+000E+00.pgm …",
    "the page of the Extended Yale Face Database B (UCSD vision); take the cropped images",
    counts=(2414, 38),
)
