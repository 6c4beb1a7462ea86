import numpy as np
import pytest
from sklearn.datasets import load_digits

from crosslabel.app.fit import Parameters, fit
from tests.app.command import run

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")


def test_the_command_exports_class_names(tmp_path):
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {label}" for label in y])
    np.savez(tmp_path / "d.npz", X=X[::5], y=names[::5])
    given = Parameters(8e-3, 2e3, 2e-2, "global", 4)
    fit(tmp_path / "d.npz", out=tmp_path / "m.skops", parameters=given)
    out = tmp_path / "m.onnx"
    done = run("export", tmp_path / "m.skops", "--out", out, "--dtype", "float32")
    assert done.exit_code == 0, done.output
    assert "rows X of 64 values" in done.stdout
    done = run("export", tmp_path / "m.skops", "--out", out)
    assert done.exit_code == 1
    assert "is there already. Give --force" in done.stderr
    assert (
        run("export", tmp_path / "m.skops", "--out", out, "--force", "--dtype", "float32").exit_code
        == 0
    )
    session = onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
    (label,) = session.run(["label"], {"X": X.astype(np.float32)})
    assert np.mean(label == names) > 0.8


def test_types_that_are_not_offered(tmp_path):
    done = run("export", tmp_path / "m.skops", "--dtype", "float16")
    assert done.exit_code == 2
    assert "'float16' is not one of float32, float64" in done.stderr
