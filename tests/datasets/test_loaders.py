"""Loaders on small files of the published layout, made here; and on the real data where present."""

import gzip
import os
import struct
import zipfile

import numpy as np
import pytest
import scipy.io
from PIL import Image

from crosslabel.datasets import (
    DATASETS,
    MissingData,
    UnreadableFile,
    load_action_bank,
    load_caltech101,
    load_dyntexpp,
    load_extended_yale_b,
    load_fashion_mnist,
    load_mnist,
    load_orl,
    load_scene15,
    load_ucf50,
    load_yale,
)

FACE = np.arange(63, dtype=np.uint8).reshape(9, 7)


def save(path, pixels=FACE, kind=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, kind)


def test_yale_as_distributed(tmp_path):
    for name in ("subject01.glasses", "subject01.gif", "subject02.happy"):
        save(tmp_path / "yale" / "yalefaces" / name, kind="gif")
    (tmp_path / "yale" / "yalefaces" / "Readme.txt").write_text("read me")
    data = load_yale(tmp_path)
    assert data.images.shape == (3, 9, 7)
    assert data.target.tolist() == [0, 0, 1]
    assert sorted(data.conditions) == ["centerlight", "glasses", "happy"]


def test_yale_crops_zipped(tmp_path):
    save(tmp_path / "a.bmp")
    (tmp_path / "yale").mkdir()
    with zipfile.ZipFile(tmp_path / "yale" / "yalefaces_100x100.zip", "w") as archive:
        for name in ("yalefaces/01/s1.bmp", "yalefaces/02/s1.bmp"):
            archive.write(tmp_path / "a.bmp", name)
    data = load_yale(tmp_path, crops=True)
    assert data.target_names.tolist() == ["01", "02"]
    np.testing.assert_array_equal(data.images[0], FACE)


def test_extended_yale_b_leaves_out_ambient_and_bad(tmp_path):
    folder = tmp_path / "extended_yale_b" / "CroppedYale"
    for name in ("yaleB01_P00A+000E+00", "yaleB01_P00_Ambient", "yaleB01_P00A+005E+10"):
        save(folder / "yaleB01" / f"{name}.pgm")
    (folder / "yaleB01" / "yaleB01_P00A+110E+15.pgm.bad").write_bytes(b"")
    save(folder / "yaleB39" / "yaleB39_P00A+000E+00.pgm")
    data = load_extended_yale_b(tmp_path)
    assert data.target.tolist() == [0, 0, 1]


def test_caltech101_with_and_without_background(tmp_path):
    for name in ("BACKGROUND_Google", "Faces", "bass"):
        for number in (1, 2):
            save(tmp_path / "101_ObjectCategories" / name / f"image_{number:04}.jpg")
    assert len(load_caltech101(tmp_path).target_names) == 3
    data = load_caltech101(tmp_path, background=False)
    assert data.target_names[data.target[0]] == "Faces"
    assert len(data.filenames) == 4
    assert data.target.max() == 1


def idx(array):
    kind = {1: 0x08}[array.itemsize]
    head = struct.pack(f">HBB{array.ndim}I", 0, kind, array.ndim, *array.shape)
    return head + array.tobytes()


@pytest.mark.parametrize(
    ("name", "load"), [("mnist", load_mnist), ("fashion_mnist", load_fashion_mnist)]
)
@pytest.mark.parametrize("zipped", [False, True])
def test_idx_files(tmp_path, name, load, zipped):
    folder = tmp_path / name
    folder.mkdir()
    pack, suffix = (gzip.compress, ".gz") if zipped else (bytes, "")
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (5, 28, 28), dtype=np.uint8)
    labels = np.arange(5, dtype=np.uint8)
    for part in ("train", "t10k"):
        (folder / f"{part}-images-idx3-ubyte{suffix}").write_bytes(pack(idx(images)))
        (folder / f"{part}-labels-idx1-ubyte{suffix}").write_bytes(pack(idx(labels)))
    data = load(tmp_path)
    np.testing.assert_array_equal(data.images[data.test], images)
    assert data.target.tolist() == [*range(5), *range(5)]
    broken = folder / f"t10k-images-idx3-ubyte{suffix}"
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"truncated|damaged"):
        load(tmp_path)
    broken.unlink()
    with pytest.raises(MissingData, match=f"data fetch {name}"):
        load(tmp_path)


def test_ucf50_has_groups(tmp_path):
    for name in ("v_Biking_g01_c01", "v_Biking_g25_c02"):
        (tmp_path / "UCF50" / "Biking").mkdir(parents=True, exist_ok=True)
        (tmp_path / "UCF50" / "Biking" / f"{name}.avi").write_bytes(b"x")
    assert load_ucf50(tmp_path).groups.tolist() == [1, 25]
    (tmp_path / "UCF50" / "Biking" / "strange.avi").write_bytes(b"x")
    with pytest.raises(ValueError, match="_g<group>"):
        load_ucf50(tmp_path)


def test_dyntexpp_turns_time_to_the_front(tmp_path):
    clip = np.random.default_rng(0).integers(0, 256, (6, 7, 5), dtype=np.uint8)
    for name in ("c01", "c02"):
        (tmp_path / "dyntexpp" / name).mkdir(parents=True)
        scipy.io.savemat(tmp_path / "dyntexpp" / name / "1.mat", {"fg": clip})
    data = load_dyntexpp(tmp_path)
    assert data.images.shape == (2, 5, 6, 7)
    assert data.target.tolist() == [0, 1]


def test_action_bank(tmp_path):
    folder = tmp_path / "action_bank" / "Biking"
    folder.mkdir(parents=True)
    row = np.arange(6, dtype=np.float32)
    np.save(tmp_path / "row.npy", row.reshape(2, 3))
    content = (tmp_path / "row.npy").read_bytes()
    (folder / "v_Biking_g03_c01_bank.npy.gz").write_bytes(gzip.compress(content))
    (folder / "v_Biking_g04_c01_bank.npy").write_bytes(content)
    scipy.io.savemat(folder / "v_Biking_g05_c01_bank.mat", {"bank": row})
    data = load_action_bank(tmp_path)
    np.testing.assert_array_equal(data.data, [row] * 3)
    assert data.groups.tolist() == [3, 4, 5]
    (folder / "broken_bank.npy.gz").write_bytes(b"text")
    with pytest.raises(UnreadableFile, match="broken_bank"):
        load_action_bank(tmp_path)


def test_orl_in_numerical_order(tmp_path):
    for person in ("s1", "s2", "s10"):
        for number in (1, 2, 10):
            save(tmp_path / "orl" / person / f"{number}.pgm")
    data = load_orl(tmp_path)
    assert data.target_names.tolist() == ["s1", "s2", "s10"]
    assert data.filenames[2].endswith("10.pgm")


@pytest.mark.parametrize("name", sorted(set(DATASETS) - {"digits", "orl"}))
def test_absent_data_say_how_to_get_them(tmp_path, name):
    entry = DATASETS[name]
    assert not entry.is_present(tmp_path)
    with pytest.raises(MissingData, match=f"data fetch {name}"):
        entry.loader(tmp_path)


REAL = {
    "yale": (165, 15),
    "extended_yale_b": (2414, 38),
    "caltech101": (9144, 102),
    "scene15": (4485, 15),
    "weizmann": (90, 10),
    "dynamic_textures": (210, 15),
    "orl": (400, 40),
    "digits": (1797, 10),
}


@pytest.mark.parametrize("name", REAL)
def test_real_data(name):
    if name not in ("orl", "digits") and "CROSSLABEL_DATA" not in os.environ:
        pytest.skip("needs the data under CROSSLABEL_DATA")
    try:
        data = DATASETS[name].loader()
    except MissingData as error:
        pytest.skip(str(error))
    assert (len(data.target), len(data.target_names)) == REAL[name]
    assert len(data.get("images", data.get("filenames"))) == len(data.target)


def test_scene15_is_an_image_folder(tmp_path):
    for name in ("Bedroom", "Coast"):
        for number in (1, 2):
            save(tmp_path / "scene15" / name / f"image_{number:04}.jpg")
    assert load_scene15(tmp_path).target.tolist() == [0, 0, 1, 1]
