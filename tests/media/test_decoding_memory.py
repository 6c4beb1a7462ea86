import threading

import pytest

from crosslabel.files.budget import OverBudget
from crosslabel.media.decoding_memory import room_for


def test_what_is_too_large_alone_is_refused():
    with pytest.raises(OverBudget, match="A picture takes 600 M bytes"), room_for(6e8, "A picture"):
        pass


def test_two_that_do_not_fit_together_come_one_after_the_other():
    order, entered = [], threading.Event()

    def second():
        entered.set()
        with room_for(3e8, "Second"):
            order.append("second")

    with room_for(3e8, "First"):
        thread = threading.Thread(target=second)
        thread.start()
        assert entered.wait(10)
        thread.join(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_small_ones_are_held_together():
    with room_for(2e8, "A"), room_for(2e8, "B"):
        pass


def test_room_is_given_back_when_decoding_fails():
    for _ in range(3):
        with pytest.raises(RuntimeError), room_for(5e8, "A"):
            raise RuntimeError
