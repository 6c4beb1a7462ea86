"""What must hold of every data set in `DATASETS`; its layout is tested in its own file."""

import os

import pytest

from crosslabel.datasets import DATASETS, MissingData

# Those that need no folder: they come with a package.
SHIPPED = {"digits", "orl"}


@pytest.mark.parametrize("name", sorted(set(DATASETS) - SHIPPED))
def test_absent_data_say_how_to_get_them(tmp_path, name):
    known = DATASETS[name]
    assert not known.is_present(tmp_path)
    with pytest.raises(MissingData, match=f"data fetch {name}"):
        known.loader(tmp_path)


@pytest.mark.parametrize("name", DATASETS)
def test_a_name_stands_for_one_loader_and_says_where_it_comes_from(name):
    known = DATASETS[name]
    assert known.name == name
    assert known.loader.__name__ == f"load_{name}"
    assert known.layout
    assert known.origin
    for source in known.sources:
        assert source.url.startswith("http")
        assert len(source.checksum.removeprefix("md5:")) == 32


@pytest.mark.parametrize("name", [name for name in DATASETS if DATASETS[name].counts])
def test_real_data(name):
    if name not in SHIPPED and "CROSSLABEL_DATA" not in os.environ:
        pytest.skip("needs the data under CROSSLABEL_DATA")
    try:
        data = DATASETS[name].loader()
    except MissingData as error:
        pytest.skip(str(error))
    assert (len(data.target), len(data.target_names)) == DATASETS[name].counts
    samples = next(data[key] for key in ("images", "filenames", "data") if key in data)
    assert len(samples) == len(data.target)
    assert set(data.target) == set(range(len(data.target_names)))
    assert data.DESCR
