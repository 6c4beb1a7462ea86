"""A model's arrays on a device: moved once for each state, the model itself left as it is."""

import gc

import numpy as np
import torch

from crosslabel.core.gpu import moving
from crosslabel.core.gpu.moving import moved

CPU, META = torch.device("cpu"), torch.device("meta")


class Model:
    def __init__(self):
        self.atoms = np.array([[1.0, 2.0]])
        self.parts = [np.array([3.0], np.float32), [np.array([4.0])]]
        self.classes = np.array(["fig", "pear"])
        self.numbers = np.array([1, 2])
        self.name = "model"


def test_arrays_of_floats_become_tensors_also_in_lists():
    model = Model()
    there = moved(model, CPU)
    assert isinstance(there, Model)
    assert torch.equal(there.atoms, torch.tensor([[1.0, 2.0]], dtype=torch.float64))
    assert torch.equal(there.parts[0], torch.tensor([3.0], dtype=torch.float32))
    assert torch.equal(there.parts[1][0], torch.tensor([4.0], dtype=torch.float64))


def test_all_else_is_shared_and_the_model_is_left_as_it_is():
    model = Model()
    there = moved(model, CPU)
    assert there.classes is model.classes
    assert there.numbers is model.numbers
    assert there.name == "model"
    assert isinstance(model.atoms, np.ndarray)
    assert isinstance(model.parts[1][0], np.ndarray)


def test_a_model_is_moved_once_for_each_device_and_state():
    model, first, second = Model(), np.ones(2), np.ones(2)
    there = moved(model, CPU, first)
    assert moved(model, CPU, first) is there
    again = moved(model, CPU, second)  # equal, but another array: a new fit
    assert again is not there
    elsewhere = moved(model, META, second)
    assert elsewhere is not again
    assert elsewhere.atoms.device == META


def test_a_copy_lives_no_longer_than_its_model():
    model = Model()
    moved(model, CPU)
    before = len(moving._MOVED)
    del model
    gc.collect()
    assert len(moving._MOVED) == before - 1
