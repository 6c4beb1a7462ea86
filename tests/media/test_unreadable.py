import pickle
from pathlib import Path

from crosslabel.media.unreadable import UnreadableFile


def test_the_message_names_the_file_and_the_reason():
    error = UnreadableFile("a/b.png", "it is empty")
    assert str(error) == f"{Path('a/b.png')}: it is empty"
    assert (error.path, error.reason) == (Path("a/b.png"), "it is empty")
    assert isinstance(error, ValueError)


def test_it_comes_back_from_another_process():
    error = pickle.loads(pickle.dumps(UnreadableFile("a", "it is empty")))
    assert (error.path, error.reason) == (Path("a"), "it is empty")
