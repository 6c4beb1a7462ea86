import io
import os
import pickle
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.files import torch_weights
from crosslabel.files.torch_weights import WeightFileError, read_torch_weights

torch = pytest.importorskip("torch")


@pytest.fixture
def tensors():
    rng = np.random.default_rng(0)
    return OrderedDict(
        kernel=torch.tensor(rng.normal(size=(4, 3, 2)), dtype=torch.float32),
        turned=torch.tensor(rng.normal(size=(5, 3)), dtype=torch.float64).T,
        part=torch.arange(12)[4:9],
        count=torch.tensor(7),
    )


@pytest.fixture
def file(tensors, tmp_path):
    torch.save(tensors, tmp_path / "w.pth", _use_new_zipfile_serialization=False)
    return tmp_path / "w.pth"


def test_the_arrays_are_the_tensors(tensors, file):
    found = read_torch_weights(file)
    assert list(found) == list(tensors)
    for name, tensor in tensors.items():
        assert found[name].shape == tuple(tensor.shape)
        np.testing.assert_array_equal(found[name], tensor.numpy())
        assert found[name].dtype == tensor.numpy().dtype


class Attack:
    """A pickle that makes a file when it is opened."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


@pytest.mark.parametrize("place", range(4))
def test_a_hostile_pickle_runs_nothing(file, tmp_path, place):
    """An attack in the place of each of the pickles before the storages."""
    content, parts = file.read_bytes(), []
    with open(file, "rb") as opened:
        for _ in range(3):
            start = opened.tell()
            pickle.load(opened)
            parts.append(content[start : opened.tell()])
        rest = content[opened.tell() :]
    attack = pickle.dumps(Attack(tmp_path / "run"), protocol=2)
    parts = [*parts, rest]
    parts[place] = attack
    file.write_bytes(b"".join(parts))
    with pytest.raises(WeightFileError, match="only tensors are read"):
        read_torch_weights(file)
    assert not (tmp_path / "run").exists()


def test_no_function_of_ours_or_pythons_can_be_named(file, tmp_path):
    for module, name in [("builtins", "eval"), ("torch", "load"), ("collections", "deque")]:
        file.write_bytes(f"c{module}\n{name}\n.".encode())
        with pytest.raises(WeightFileError, match=rf"{module}.{name}"):
            read_torch_weights(file)


@pytest.mark.parametrize(
    "place",
    [
        *[(0, (13,), (1,)), (3, (10,), (1,)), (0, (2**40,), (0,)), (0, (4, 4), (4, 4))],
        *[(-1, (2,), (1,)), (5, (3,), (-1,)), (0, (2, 2), (1,)), (0, (0,), (1,))],
    ],
)
def test_a_tensor_that_reaches_beyond_its_storage(tmp_path, monkeypatch, place):
    torch.save({"t": torch.arange(12)}, tmp_path / "w", _use_new_zipfile_serialization=False)
    placed = torch_weights._tensor
    monkeypatch.setattr(torch_weights, "_tensor", lambda storage, *_: placed(storage, *place))
    with pytest.raises(WeightFileError):
        read_torch_weights(tmp_path / "w")


def test_other_files(tensors, tmp_path):
    torch.save(tensors, tmp_path / "zip.pth")
    torch.save([1, 2], tmp_path / "list.pth", _use_new_zipfile_serialization=False)
    torch.save({"a": 1}, tmp_path / "number.pth", _use_new_zipfile_serialization=False)
    (tmp_path / "empty.pth").touch()
    for name in ("zip", "list", "number", "empty"):
        with pytest.raises(WeightFileError, match=f"{name}.pth is no weight file"):
            read_torch_weights(tmp_path / f"{name}.pth")


@pytest.fixture(scope="module")
def whole():
    """Saved once: the name of a storage is an address, so that files differ in length."""
    file = io.BytesIO()
    torch.save({"a": torch.arange(6.0)}, file, _use_new_zipfile_serialization=False)
    return file.getvalue()


@given(st.data())
def test_damage_gives_our_error_or_arrays(tmp_path_factory, whole, data):
    place = tmp_path_factory.getbasetemp() / "damaged.pth"
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    place.write_bytes(bytes(content[: data.draw(st.integers(0, len(content)))]))
    try:
        found = read_torch_weights(place)
    except WeightFileError:
        return
    assert all(isinstance(value, np.ndarray) for value in found.values())
