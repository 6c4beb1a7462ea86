import pytest

from crosslabel.app.audit import Suspect
from crosslabel.app.audit_moves import Move, carry_out, proposed, read_moves, write_moves


@pytest.fixture
def root(tmp_path):
    for name in ("cats/1.png", "cats/2.png", "dogs/1.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def suspect(root, name, other, chance=0.9):
    return Suspect(str(root / name), name.split("/")[0], 0.05, other, chance)


def test_moves_are_proposed_where_another_class_is_clear_and_replace_nothing(root):
    doubts = [
        suspect(root, "cats/1.png", "dogs"),
        suspect(root, "cats/2.png", "dogs", 0.4),
        suspect(root, "cats/sub/1.png", "dogs"),
    ]
    assert proposed(doubts, root) == [
        Move(root / "cats/1.png", root / "dogs/1-2.png"),
        Move(root / "cats/sub/1.png", root / "dogs/1-3.png"),
    ]


def test_a_list_is_carried_out_as_it_was_written(root):
    moves = proposed(
        [suspect(root, "cats/1.png", "dogs"), suspect(root, "cats/2.png", "new, one")], root
    )
    write_moves(moves, root / "moves.csv")
    assert (root / "cats/1.png").is_file()
    assert read_moves(root / "moves.csv", root) == moves
    carry_out(moves)
    assert (root / "dogs/1-2.png").read_text() == "cats/1.png"
    assert (root / "new, one/2.png").read_text() == "cats/2.png"
    assert (root / "dogs/1.png").read_text() == "dogs/1.png"
    assert not (root / "cats/1.png").exists()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,b\n", "no list of moves"),
        ("", "no list of moves"),
        ("from,to\n{root}/cats/1.png\n", "no list of moves"),
        (
            "from,to\n{root}/cats/1.png,{root}/dogs/9.png\n{root}/cats/7.png,{root}/dogs/8.png\n",
            "not there",
        ),
        ("from,to\n{root}/cats/1.png,{root}/dogs/1.png\n", "where there is one"),
        (
            "from,to\n{root}/cats/1.png,{root}/dogs/9.png\n{root}/cats/2.png,{root}/dogs/9.png\n",
            "where",
        ),
        ("from,to\n{root}/cats/1.png,{root}/../9.png\n", "is not in"),
        ("from,to\n/etc/passwd,{root}/dogs/9.png\n", "is not in"),
    ],
)
def test_a_list_that_cannot_be_carried_out_moves_nothing(root, rows, message):
    (root / "moves.csv").write_text(rows.format(root=root))
    with pytest.raises(ValueError, match=message):
        read_moves(root / "moves.csv", root)
    assert (root / "cats/1.png").is_file()
