import json

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from crosslabel.lab.choice import FOLDS, chosen, climbed
from crosslabel.lab.inputs import Inputs
from crosslabel.lab.records import Store, key_of
from crosslabel.lab.run import build, chosen_cells, run_cells
from crosslabel.lab.spec import SpecError

SEARCH = (
    'estimator = "CRC"\n',
    'estimator = "KNeighborsClassifier"\nparameters = { n_neighbors = 4 }\n'
    "search = { n_neighbors = 2.0 }\n",
)


@pytest.fixture
def searching(write_spec):
    """The spec with nearest neighbours, whose number training samples choose."""
    return write_spec(SEARCH)


def test_a_choice_is_by_folds_of_the_training_samples_of_the_first_split(searching, tmp_path):
    inputs = Inputs(tmp_path)
    cell = chosen_cells(searching, ["CRC"])[0]
    given = inputs.of(cell)
    found = climbed(cell, given, build(cell), cell.start)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for values, score in found.tried:
        model = KNeighborsClassifier(values["n_neighbors"])
        right = [
            (model.fit(given.X_train[a], given.y_train[a]).predict(given.X_train[b])
             == given.y_train[b]).mean()
            for a, b in folds.split(given.X_train, given.y_train)
        ]  # fmt: skip
        assert score == pytest.approx(np.mean(right))
    assert found.settled
    scores = {values["n_neighbors"]: score for values, score in found.tried}
    assert scores[found.values["n_neighbors"]] == max(scores.values())


def test_a_choice_is_made_once_for_all_splits_and_kept(searching, tmp_path):
    asked = []

    def inputs(cell):
        asked.append(cell.split)
        return Inputs(tmp_path).of(cell)

    cells = [c for c in chosen_cells(searching, ["CRC"]) if c.setting.name == "5"]
    found = [chosen(cell, inputs, build, tmp_path / "choices") for cell in reversed(cells)]
    assert asked == [0]
    assert found[0] == found[1] == found[2]
    (file,) = (tmp_path / "choices").iterdir()
    content = json.loads(file.read_text())
    assert content["values"] == found[0]
    assert content["place"] == ["small", "CRC", "5"]


def test_a_climb_starts_from_what_the_setting_before_has_chosen(searching, tmp_path):
    five, ten = chosen_cells(searching, ["CRC"], 1)
    inputs = Inputs(tmp_path)
    chosen(ten, inputs.of, build, tmp_path)
    tried = {
        content["place"][2]: [values for values, _ in content["tried"]]
        for content in (json.loads(file.read_text()) for file in tmp_path.glob("*.json"))
    }
    assert tried["5"][0] == five.start == {"n_neighbors": 4}
    assert tried["10"][0] == chosen(five, inputs.of, build, tmp_path) != five.start


def test_a_climb_has_the_start_that_its_setting_names(write_spec, tmp_path):
    named = (SEARCH[0], SEARCH[1] + 'at = { "10" = { n_neighbors = 16 } }\n')
    cell = chosen_cells(write_spec(named), ["CRC"], 1)[1]
    chosen(cell, Inputs(tmp_path).of, build, tmp_path)
    (file,) = tmp_path.glob("*.json")
    assert json.loads(file.read_text())["tried"][0][0] == {"n_neighbors": 16}


def test_records_tell_what_was_chosen(searching, tmp_path):
    cells = [c for c in chosen_cells(searching, ["CRC"], 1) if c.setting.name == "10"]
    store = Store(tmp_path)
    (outcome,) = run_cells(cells, store)
    values = chosen(cells[0], Inputs(tmp_path).of, build, store.choices)
    assert outcome.record.parameters == values


def test_what_is_searched_is_part_of_the_key(searching, write_spec):
    other = write_spec((SEARCH[0], SEARCH[1].replace("= 2.0", "= 3.0")))
    keys = [{key_of(c) for c in chosen_cells(spec, ["CRC"])} for spec in (searching, other)]
    assert not keys[0] & keys[1]


def test_a_search_needs_a_start(write_spec):
    with pytest.raises(SpecError, match="search of method CRC 'ridge' is none of"):
        write_spec(('estimator = "CRC"\n', 'estimator = "CRC"\nsearch = { ridge = 2.0 }\n'))
