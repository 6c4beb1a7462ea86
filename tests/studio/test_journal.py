import pytest

from crosslabel.studio.journal import DO, REDO, UNDO, Entry, Journal

FIRST = Entry("first", (("a", "b"), ("c", "d")))
SECOND = Entry("böse", (("e", "f"),), confirmed=("key",))


def test_entries_come_back_and_the_moves_backwards_take_them_back(tmp_path):
    journal = Journal(tmp_path / "j")
    journal.append(FIRST)
    journal.append(SECOND)
    again = Journal(tmp_path / "j")
    assert again.entries == [FIRST, SECOND]
    assert FIRST.backwards == (("d", "c"), ("b", "a"))
    assert again.confirmed == {"key"}


def test_undo_and_redo_are_two_stacks(tmp_path):
    journal = Journal(tmp_path / "j")
    for entry in (FIRST, SECOND, Entry("böse", SECOND.backwards, UNDO)):
        journal.append(entry)
    done, undone = journal.stacks
    assert [entry.what for entry in done] == ["first"]
    assert undone[-1].backwards == SECOND.moves
    assert journal.confirmed == set()
    journal.append(Entry("böse", SECOND.moves, REDO))
    done, undone = journal.stacks
    assert done[-1].backwards == SECOND.backwards
    assert journal.confirmed == {"key"}
    assert undone == []
    journal.append(Entry("böse", SECOND.backwards, UNDO))
    journal.append(Entry("third", kind=DO))
    assert [entry.what for entry in journal.stacks[0]] == ["first", "third"]
    assert journal.stacks[1] == []  # a new change ends what could be done again


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_half_an_entry_is_cut_off_and_the_next_one_follows_the_whole_ones(tmp_path, cut):
    place = tmp_path / "j"
    journal = Journal(place)
    journal.append(FIRST)
    whole = place.read_bytes()
    journal.append(SECOND)
    place.write_bytes(place.read_bytes()[:-cut])
    assert Journal(place).entries == [FIRST]
    assert place.read_bytes() == whole
    Journal(place).append(SECOND)
    assert Journal(place).entries == [FIRST, SECOND]


def test_a_line_that_was_changed_is_no_entry(tmp_path):
    place = tmp_path / "j"
    Journal(place).append(FIRST)
    place.write_bytes(place.read_bytes().replace(b"first", b"fIrst"))
    assert Journal(place).entries == []
