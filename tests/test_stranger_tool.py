import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tools import stranger


def test_the_first_page_installs_trains_asks_and_looks_in_this_order():
    commands = stranger.steps(stranger.PAGE.read_text("utf-8"))
    words = [command.split()[:2] for command in commands]
    assert words == [
        ["pip", "install"],
        ["crosslabel", "fit"],
        ["crosslabel", "predict"],
        ["crosslabel", "explain"],
    ]


def test_the_wheel_takes_the_place_of_the_name_and_extras_stay():
    command = stranger.with_wheel("pip install 'crosslabel[embed,plot]'", Path("/x/a.whl"))
    assert command == "pip install '/x/a.whl[embed,plot]'"


def test_the_label_is_told_from_the_runner_up():
    head = "file       label     probability  runner-up\n"
    assert stranger.label(head + "new.jpg    triangle        98.3%  circle (1.1%)\n") == "triangle"
    assert stranger.label(head + "new.jpg    circle          51.0%  triangle (40%)\n") == "circle"
    assert stranger.label("nothing\n") == ""


def test_the_folder_is_as_the_page_says(tmp_path):
    stranger.own_folder(tmp_path, each=2)
    assert len(list(tmp_path.glob("photos/*/*.jpg"))) == 2 * len(stranger.SHAPES)
    with Image.open(tmp_path / "new.jpg") as image:
        assert image.size == (160, 120)


def test_shapes_differ_in_how_much_they_cover():
    def covered(shape):
        pictures = [stranger.picture(shape, np.random.default_rng(seed)) for seed in range(8)]
        return np.mean([np.mean(np.asarray(one.convert("L")) < 130) for one in pictures])

    assert covered("square") > covered("circle") > covered("triangle") > 0


def test_seconds_and_output_of_a_command(tmp_path):
    seconds, said = stranger.run(f"{sys.executable} -c 'print(5)'", tmp_path, tmp_path)
    assert seconds > 0
    assert said == "5\n"


def test_a_step_that_fails_ends_everything(tmp_path):
    with pytest.raises(SystemExit, match="It failed:\nno such thing"):
        stranger.run("echo no such thing; exit 3", tmp_path, tmp_path)
