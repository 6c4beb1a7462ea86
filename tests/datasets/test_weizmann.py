from crosslabel.datasets import load_weizmann


def test_the_person_is_the_group(tmp_path):
    for action, person in [("walk", "denis"), ("walk", "lena"), ("jump", "denis"), ("jump", "ido")]:
        file = tmp_path / "weizmann" / action / f"{person}_{action}.avi"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x")
    data = load_weizmann(tmp_path)
    assert data.target_names.tolist() == ["jump", "walk"]
    assert data.target.tolist() == [0, 0, 1, 1]
    assert data.groups.tolist() == ["denis", "ido", "denis", "lena"]
