"""A small table on real data: the digits that come with scikit-learn."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from crosslabel.lab.spec_files import load_spec

SMALL = """
item = 1
title = "Digits"
quantities = ["accuracy", "fit_seconds"]
keep = ["trace", "confusion", "codes", "dictionary"]

[data]
name = "digits"

[[features]]
step = "Pixels"

[[features]]
step = "Eigenfaces"
n_components = 20

[protocol]
kind = "per_class"
repeats = 3
seed = 0

[[setting]]
name = "5"
n_train = 5

[[setting]]
name = "10"
n_train = 10

[[method]]
name = "global"
label = "Ours"
estimator = "CrossLabelClassifier"
ours = true
same_size = true
parameters = { rule = "global", atoms_per_class = 5 }
at = { "5" = { atoms_per_class = 3 } }

[[method]]
name = "CRC"
estimator = "CRC"
features = [{ step = "Pixels" }]

[published.global]
accuracy = { "10" = 90.0 }
deviation = { "10" = 1.5 }

[published.K-SVD]
quoted = true
accuracy = { "10" = 80.0 }

[[ratio]]
quantity = "fit_seconds"
slow = "global"
fast = "CRC"
setting = "10"

[[reason]]
method = "global"
text = "Few pixels."
"""


def read_text(text):
    """The spec of a text."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "small.toml"
        place.write_text(text, "utf-8")
        return load_spec(str(place))


@pytest.fixture
def write_spec(tmp_path):
    """From the text of a spec to the spec, with what is replaced in it."""

    def write(*replaced, text=SMALL, name="small"):
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        place = tmp_path / f"{name}.toml"
        place.write_text(text, "utf-8")
        return load_spec(str(place))

    return write


@pytest.fixture
def spec(write_spec):
    """Two methods, two settings, three splits."""
    return write_spec()
