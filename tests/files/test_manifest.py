import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from crosslabel import CRC
from crosslabel.files.manifest import CHECKS, plain, settings_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.arange(3), [0, 1, 2]),
        (np.zeros(65), "array of float64 (65,)"),
        ((1, [True, None]), [1, [True, None]]),
        ({1: np.int64(2)}, {"1": 2}),
        (float("nan"), "nan"),
        (-np.inf, "-inf"),
        (np.array([np.inf]), ["inf"]),
        (StandardScaler(), "StandardScaler"),
    ],
)
def test_values_as_json_knows_them(value, expected):
    assert plain(value) == expected
    json.dumps(plain(value), allow_nan=False)


def test_each_step_tells_its_type_and_parameters():
    scaler, classifier = settings_of(make_pipeline(StandardScaler(with_std=False), CRC(ridge=0.5)))
    assert scaler["name"] == "standardscaler"
    assert scaler["parameters"]["with_std"] is False
    assert classifier["type"] == "crosslabel.methods.crc.CRC"
    assert classifier["parameters"]["ridge"] == 0.5
    (alone,) = settings_of(CRC())
    assert alone["name"] == "estimator"


GOOD = {
    "holds": "model",
    "crosslabel": "1.0",
    "libraries": {"numpy": "2.0"},
    "kind": "images",
    "features": "pixels",
    "class_names": ["a", "b"],
    "steps": [{"name": "crc", "type": "CRC", "parameters": {}}],
    "summary": {},
}
BAD = {
    "holds": "pickle",
    "crosslabel": 1,
    "libraries": {"numpy": 2},
    "kind": "sounds",
    "features": None,
    "class_names": ["a", 1],
    "steps": [{"name": "crc", "type": "CRC", "parameters": []}],
    "summary": [],
}


@pytest.mark.parametrize("name", CHECKS)
def test_every_entry_that_readers_use_is_checked(name):
    assert CHECKS[name](GOOD[name])
    assert not CHECKS[name](BAD[name])
