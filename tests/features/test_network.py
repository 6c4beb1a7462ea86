import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from crosslabel.features.network import opened  # noqa: E402
from tests.features.networks import network  # noqa: E402

PICTURES = np.random.default_rng(1).normal(size=(5, 6, 6, 3)).astype(np.float32)


@pytest.mark.parametrize("shape", [("n", 3, "h", "w"), ("n", "h", "w", 3), ("n", 3, 6, 6)])
@pytest.mark.parametrize("layer", [None, "mixed", "vector"])
def test_vectors_and_the_means_of_maps(shape, layer):
    content, mix = network(shape)
    found = opened(content, layer, 6)
    assert found.channels_last == (shape[-1] == 3)
    assert_allclose(found(PICTURES), PICTURES.mean(axis=(1, 2)) @ mix.T, atol=1e-5)


def test_the_side_is_the_networks_own_or_224():
    assert opened(network(("n", 3, 64, 64))[0], None, None).side == 64
    assert opened(network()[0], None, None).side == 224
    assert opened(network()[0], None, 32).side == 32


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"shape": (1, 3, "h", "w")}, r"batch is fixed at 1; .* Inputs: pixels float 1×3×any×any"),
        ({"outputs": ("vector", "mixed")}, r"2 outputs; name one .* outputs: vector float .*mixed"),
        ({"shape": ("n", "c", "h", "w")}, "no batch of colour pictures"),
        ({"shape": ("n", 3, 64, 32)}, "square pictures of side 224"),
        ({"shape": ("n", 3, 64, 64), "size": 32}, "square pictures of side 32"),
        ({"element": 11}, "not in single precision.*Inputs: pixels double"),
        ({"inputs": ("pixels", "more")}, "2 inputs instead of one.*more float"),
    ],
)
def test_what_does_not_fit_is_told_with_inputs_and_outputs(settings, message):
    size = settings.pop("size", None)
    with pytest.raises(ValueError, match=message):
        opened(network(**settings)[0], None, size)


def test_files_that_are_no_networks():
    for layer in (None, "vector"):
        for content in (b"nonsense", network()[0][:-30]):
            with pytest.raises(ValueError, match="This is no network"):
                opened(content, layer, None)


def test_a_layer_that_is_not_there():
    with pytest.raises(ValueError, match=r"no layer 'fc'. The last ones are: .*mixed, pooled"):
        opened(network()[0], "fc", None)


def test_weights_in_another_file_are_not_followed(tmp_path):
    """A network is its bytes: it cannot make the runtime read a file of its choice."""
    model = onnx.load_model_from_string(network()[0])
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=str(tmp_path / "weights"))
    (tmp_path / "weights").write_bytes(bytes(48))
    with pytest.raises(ValueError, match="This is no network"):
        opened(model.SerializeToString(), None, None)


def test_what_is_no_vector_for_each_picture():
    content, _ = network(outputs=("mix",))
    with pytest.raises(ValueError, match=r"shape \(4, 3, 1, 1\) for 5 pictures"):
        opened(content, None, None)(PICTURES)
