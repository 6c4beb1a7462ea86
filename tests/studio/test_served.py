import pytest

from crosslabel.studio.served import ask_served, checked_address
from tests.app.conftest import CLASSES
from tests.serve.conftest import address, model_files  # noqa: F401
from tests.studio.conftest import drawing


def test_what_a_served_model_says(address):  # noqa: F811
    place = checked_address(f"{address}/v2/models/shapes/")
    said = ask_served(place, drawing(1, 5))
    assert said["classes"][0]["name"] == CLASSES[1]
    with pytest.raises(ValueError, match="known format"):
        ask_served(place, b"no picture")
    with pytest.raises(ValueError, match="refuses"):
        ask_served(f"{address}/v2/models/nothing", drawing(1, 5))


def test_no_address():
    for said in ("file:///etc/passwd", "pets", "http://127.0.0.1/pets", "ftp://x/v2/models/y"):
        with pytest.raises(ValueError, match="is no served model"):
            checked_address(said)
    with pytest.raises(ValueError, match="does not answer"):
        ask_served("http://127.0.0.1:9/v2/models/x", b"x")
