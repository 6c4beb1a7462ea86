"""Arrays from a weight file of torch's old format, without torch and without trusting the file.

The format is four pickles (a magic number, the version, the machine, and the tensors, which name
their storages by keys), a fifth with the order of the keys, and the storages as raw bytes. Pickles
can name any function of any module and call it; here they can name tensors and nothing else.
"""

from __future__ import annotations

import math
import os
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

MAGIC = 0x1950A86A20F9469CFC6C
STORAGES = {
    "FloatStorage": np.dtype("<f4"),
    "DoubleStorage": np.dtype("<f8"),
    "HalfStorage": np.dtype("<f2"),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
}
LARGEST = 2**30  # bytes of a weight file; more is no network that is meant here


class WeightFileError(ValueError):
    """A weight file that is damaged, or holds what is no tensor."""


@dataclass(frozen=True)
class _Storage:
    key: str
    dtype: np.dtype
    length: int


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read_torch_weights(path: str | os.PathLike[str]) -> dict[str, NDArray[np.generic]]:
    """The tensors of a weight file by their names.

    Parameters
    ----------
    path : path
        As `torch.save(network.state_dict(), path)` wrote it before torch 1.6.

    Returns
    -------
    dict of str to ndarray

    Raises
    ------
    WeightFileError
        If the file is damaged, of another format, or names anything but tensors.
    """
    try:
        if Path(path).stat().st_size > LARGEST:
            _refuse(f"it is larger than {LARGEST // 2**30} GiB")
        with open(path, "rb") as file:
            return _read(file)
    except WeightFileError as error:
        raise WeightFileError(f"{path} is no weight file that can be read: {error}.") from None
    # A damaged pickle can raise almost anything.
    except (
        *(pickle.UnpicklingError, EOFError, ValueError, TypeError, KeyError, IndexError),
        *(AttributeError, MemoryError, OverflowError, UnicodeError, RecursionError),
    ) as error:
        raise WeightFileError(
            f"{path} is no weight file that can be read: it is damaged ({error})."
        ) from None


def _read(file: BinaryIO) -> dict[str, NDArray[np.generic]]:
    if _Tensors(file).load() != MAGIC:
        _refuse("it does not begin as torch's old format does")
    _Tensors(file).load()  # the version of the format
    _Tensors(file).load()  # byte order and sizes of the machine that wrote
    named, keys = _Tensors(file).load(), _Tensors(file).load()
    if not isinstance(named, dict) or not isinstance(keys, list):
        _refuse("it does not hold tensors by name")
    strange = [name for name, value in named.items() if not isinstance(value, _Tensor)]
    if strange:
        _refuse(f"{strange[0]!r} in it is no tensor")
    lengths = {tensor.storage.key: tensor.storage for tensor in named.values()}
    stored = {key: _stored(file, lengths[key]) for key in keys}
    return {str(name): _array(tensor, stored) for name, tensor in named.items()}


def _stored(file: BinaryIO, storage: _Storage) -> NDArray[np.generic]:
    """The numbers of a storage: how many, then the numbers themselves."""
    length = int.from_bytes(file.read(8), "little")
    if length != storage.length:
        _refuse(f"a storage has {length} numbers where {storage.length} are announced")
    content = file.read(length * storage.dtype.itemsize)
    return np.frombuffer(content, storage.dtype, length)


def _array(tensor: _Tensor, stored: dict[str, NDArray[np.generic]]) -> NDArray[np.generic]:
    numbers = stored[tensor.storage.key]
    steps = list(zip(tensor.shape, tensor.strides, strict=True))
    last = tensor.offset + sum((size - 1) * stride for size, stride in steps)
    inside = 0 <= tensor.offset <= last < len(numbers) and all(min(pair) >= 0 for pair in steps)
    # Strides of 0 would make a small file stand for any number of numbers.
    if not inside or not 0 < math.prod(tensor.shape) <= len(numbers):
        _refuse(f"a tensor of shape {tensor.shape} does not lie in its storage")
    width = numbers.itemsize
    bytes_apart = [stride * width for stride in tensor.strides]
    view = np.lib.stride_tricks.as_strided(numbers[tensor.offset :], tensor.shape, bytes_apart)
    return np.array(view)


class _Tensors(pickle.Unpickler):
    """Opens pickles that name tensors alone: nothing of torch, nothing that a file chooses."""

    def find_class(self, module: str, name: str) -> object:
        """What stands for a name of the file."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        return _refuse(f"it names {module}.{name}, and only tensors are read")

    def persistent_load(self, identity: object) -> _Storage:
        """A storage, whose numbers follow after the pickles."""
        if not isinstance(identity, tuple) or len(identity) != 6 or identity[0] != "storage":
            _refuse("it refers to something that is no storage")
        _, dtype, key, _, length, view = identity
        if not isinstance(dtype, np.dtype) or view is not None:
            _refuse("it holds a storage of an unknown kind")
        return _Storage(str(key), dtype, int(length))


def _tensor(storage: object, offset: int, shape: object, strides: object, *_: object) -> _Tensor:
    if not isinstance(storage, _Storage):
        _refuse("it holds a tensor without a storage")
    sizes = [tuple(int(number) for number in each) for each in (shape, strides)]  # type: ignore[attr-defined]
    return _Tensor(storage, int(offset), *sizes)


def _refuse(reason: str) -> NoReturn:
    raise WeightFileError(reason)
