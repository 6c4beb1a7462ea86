import platform

import numpy as np
import sklearn

import crosslabel


def test_versions_of_all_that_runs_here_are_printed(capsys):
    crosslabel.show_versions()
    lines = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    facts = {name: value.strip() for name, value in lines.items()}
    assert facts["crosslabel"] == crosslabel.__version__
    assert facts["python"] == platform.python_version()
    assert facts["numpy"] == np.__version__
    assert facts["scikit-learn"] == sklearn.__version__
    assert "pytest" not in facts


def test_a_package_that_is_absent_is_said_to_be(capsys, monkeypatch):
    from importlib import metadata

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("crosslabel.versions.version", absent)
    crosslabel.show_versions()
    assert "numpy:" in (out := capsys.readouterr().out)
    assert out.count("not installed") > 5
