import pytest

from crosslabel.studio.folder import UNSORTED, Folder
from crosslabel.studio.stock import Stock
from tests.studio.conftest import drawing


@pytest.fixture
def stock(root):
    folder = Folder(root)
    made = Stock(folder)
    made.look()
    yield made
    folder.close()


def test_a_renamed_class_keeps_its_label_and_its_pictures_their_keys(stock, root):
    before = stock.sorted_pictures()
    (root / "ball").rename(root / "disc")
    assert stock.look((("ball", "disc"),)) == []
    assert stock.sorted_pictures() == before
    assert stock.names[stock.labels["disc"]] == "disc"
    assert "ball" not in stock.labels


def test_what_others_change_is_seen(stock, root):
    assert stock.look() == []
    (root / "ball" / "new.png").write_bytes(drawing(0, 99))
    (root / "loose.png").write_bytes(drawing(0, 98))
    (root / "cross" / "0.png").unlink()
    assert set(stock.look()) == {"ball", "cross", UNSORTED}
    (root / "ball" / "new.png").write_bytes(drawing(1, 97))
    assert stock.look() == ["ball"]
    key = stock.find("ball", "new.png").key
    assert stock.path(key) == root / "ball" / "new.png"


def test_a_class_that_goes_and_comes_is_a_new_one(stock, root):
    label = stock.labels["ball"]
    (root / "ball").rename(root / ".away")
    stock.look()
    assert label not in stock.names
    (root / ".away").rename(root / "ball")
    stock.look()
    assert stock.labels["ball"] != label


def test_what_is_not_there_is_not_found(stock):
    for shelf, name in [
        ("ball", "9.png"),
        ("no", "0.png"),
        (None, None),
        (["ball"], "0.png"),
        ("..", "x"),
    ]:
        with pytest.raises(KeyError, match="no picture"):
            stock.find(shelf, name)
