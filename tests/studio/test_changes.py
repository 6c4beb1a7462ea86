import pytest

from crosslabel.studio.changes import CHANGES, Counter
from crosslabel.studio.folder import UNSORTED
from tests.studio.conftest import drawing


@pytest.fixture
def counter(studio):
    return Counter(studio.folder, studio.stock, studio.uploads)


def staged(studio, *seeds):
    return [studio.stage(drawing(0, 100 + seed))["staged"] for seed in seeds]


def test_pictures_of_a_dropped_folder_make_their_classes_in_one_change(studio, root):
    names = staged(studio, 1, 2, 3, 4)
    shelves = ["new", "new", "ball", ""]
    pictures = [
        {"staged": name, "name": "0.png", "to": shelf} for name, shelf in zip(names, shelves)
    ]
    said = studio.change({"do": "add", "pictures": pictures})
    assert said["what"] == "Added 4 pictures to 3 classes"
    assert sorted(p.name for p in (root / "new").iterdir()) == ["0 (2).png", "0.png"]
    assert (root / "ball" / "0 (2).png").exists()
    assert studio.stock.shelves[UNSORTED][0].name == "0.png"
    assert studio.uploads == {}
    studio.undo()
    assert not (root / "new").exists()
    assert len(studio.stock.shelves["ball"]) == 6


def test_move_remove_rename_and_confirm(counter, studio):
    one = {"class": "ball", "name": "1.png"}
    move = counter.change({"do": "move", "to": "cross", "pictures": [one]})
    assert move.moves == [("ball/1.png", "cross/1 (2).png")]
    assert move.what == "Moved 1 picture to cross"
    twice = counter.change({"do": "remove", "pictures": [one, one]})
    assert [here for here, _ in twice.moves] == ["ball/1.png"]
    rename = counter.change({"do": "rename", "class": "ball", "name": "Ball"})
    assert rename.moves == [("ball", "Ball")]
    confirm = counter.change({"do": "confirm", "pictures": [one]})
    assert confirm.moves == []
    assert confirm.confirmed == [studio.stock.find("ball", "1.png").key]
    gone = counter.change({"do": "remove-class", "class": "ball"})
    assert gone.what == "Removed ball with 6 pictures"


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"do": "burn"},
        {"do": ["add"]},
        {"do": "add"},
        {"do": "add", "pictures": []},
        {"do": "add", "pictures": [7]},
        {"do": "add", "pictures": [{"staged": "../../x", "name": "a", "to": "ball"}]},
        {"do": "add", "pictures": [{"staged": None, "to": "../up"}]},
        {"do": "move", "to": "..", "pictures": [{"class": "ball", "name": "0.png"}]},
        {"do": "move", "to": "BALL", "pictures": [{"class": "ball", "name": "0.png"}]},
        {"do": "move", "to": "cross", "pictures": [{"class": "..", "name": "shapes/ball/0.png"}]},
        {"do": "remove", "pictures": [{"class": "ball", "name": "../cross/0.png"}]},
        {"do": "remove", "pictures": [{"class": ".crosslabel", "name": "journal.jsonl"}]},
        {"do": "new-class", "name": "ball"},
        {"do": "new-class", "name": ".crosslabel"},
        {"do": "new-class", "name": "a/b"},
        {"do": "rename", "class": "ball", "name": "cross"},
        {"do": "rename", "class": "ball", "name": "ball"},
        {"do": "rename", "class": "nothing", "name": "x"},
        {"do": "rename", "class": ".crosslabel", "name": "x"},
        {"do": "remove-class", "class": ""},
        {"do": "remove-class", "class": "../shapes"},
    ],
)
def test_what_cannot_be_done_changes_nothing(studio, root, request_):
    before = sorted(
        str(place) for place in root.rglob("*") if ".crosslabel/staged" not in str(place)
    )
    with pytest.raises((ValueError, KeyError)):
        studio.change(request_)
    after = sorted(
        str(place) for place in root.rglob("*") if ".crosslabel/staged" not in str(place)
    )
    assert after == before


def test_every_change_is_in_the_list():
    assert set(CHANGES) == {
        *("add", "move", "remove", "new-class", "rename", "remove-class", "confirm")
    }
