import json

import pytest

from crosslabel.lab.report.card_metadata import front_matter


def fields(text):
    first, *lines, last = text.splitlines()
    assert first == last == "---"
    return {name: json.loads(value) for name, value in (line.split(": ", 1) for line in lines)}


def test_a_hub_finds_library_task_file_licence_and_accuracy():
    summary = {"held_out": {"accuracy": 0.9}, "licence": "CC BY 4.0"}
    found = fields(front_matter("pets.skops", {"kind": "images", "summary": summary}))
    assert found["library_name"] == "crosslabel"
    assert found["tags"] == ["sklearn", "skops", "crosslabel", "image-classification"]
    assert (found["model_format"], found["model_file"]) == ("skops", "pets.skops")
    assert (found["license"], found["license_name"]) == ("other", "CC BY 4.0")
    (result,) = found["model-index"][0]["results"]
    assert result["metrics"] == [{"type": "accuracy", "value": 0.9}]


def test_what_the_file_does_not_state_is_left_out():
    for summary in ({}, {"held_out": "much"}, {"held_out": {"accuracy": "all"}}, "none"):
        found = fields(front_matter("m.skops", {"kind": "features", "summary": summary}))
        assert not {"license", "license_name", "model-index"} & set(found)


def test_yaml_reads_the_same_and_hostile_text_stays_text():
    yaml = pytest.importorskip("yaml")
    licence = "x\n---\n<script>alert(1)</script>: [a, {b"
    text = front_matter("<m>.skops", {"summary": {"licence": licence}})
    assert "<" not in text
    assert text.count("\n---") == 1
    read = yaml.safe_load(text.strip("-"))
    assert read["license_name"] == licence
    assert read == fields(text)
