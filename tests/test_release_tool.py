import pytest
from tools import release

import crosslabel


def test_package_changelog_and_citation_state_one_version_and_one_date():
    stated = release.versions()
    assert set(stated.values()) == {(crosslabel.__version__, stated["CHANGELOG.md"][1])}


def project(
    root,
    version="0.2.0",
    changelog="0.2.0] - 2027-01-02",
    cited="0.2.0",
    day="2027-01-02",
    readme="",
):
    (root / "README.md").write_text(readme)
    (root / "src" / "crosslabel").mkdir(parents=True)
    (root / "src" / "crosslabel" / "_version.py").write_text(f'__version__ = "{version}"\n')
    (root / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## [{changelog}\n\n- New.\n\n## [0.1.0] - 2026-12-01\n\n- Old.\n"
    )
    released = f"date-released: {day}\n" if day else ""
    (root / "CITATION.cff").write_text(f"version: {cited}\n{released}")
    return root


def test_a_tag_with_which_all_agree_is_a_release(tmp_path):
    assert release.complaints("v0.2.0", project(tmp_path)) == []
    assert release.notes("0.2.0", tmp_path) == "- New."
    assert release.notes("0.1.0", tmp_path) == "- Old."


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": "0.3.0"}, "_version.py says 0.3.0, the tag v0.2.0"),
        ({"cited": "0.1.0"}, "CITATION.cff says 0.1.0"),
        ({"changelog": "0.1.9] - 2027-01-02"}, "CHANGELOG.md says 0.1.9"),
        ({"day": "2027-01-03"}, "differ in the date: 2027-01-02, 2027-01-03"),
        ({"changelog": "0.2.0] - unreleased", "day": ""}, "must state the date"),
        ({"readme": "a\n<!-- status -->\nNot yet.\n"}, "still says that nothing is released"),
    ],
)
def test_what_does_not_agree_is_said(tmp_path, change, words):
    said = " ".join(release.complaints("v0.2.0", project(tmp_path, **change)))
    assert words in said


def test_a_version_without_notes_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"no section of version 9\.9\.9"):
        release.notes("9.9.9", project(tmp_path))
