import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")

from crosslabel.core.gpu.chunk import CHUNK, Steps  # noqa: E402


def test_the_results_of_a_chunk_go_where_they_belong():
    norms, agreements = torch.zeros(3 * CHUNK), torch.zeros(3 * CHUNK)
    steps = Steps.into(norms, agreements, slice(CHUNK, 2 * CHUNK))
    steps.norms.fill_(2)
    steps.agreements.fill_(3)
    assert steps.changes.shape == (CHUNK, 2 * CHUNK)
    assert norms.tolist() == [0] * CHUNK + [2] * CHUNK + [0] * CHUNK
    assert agreements.tolist() == [0] * CHUNK + [3] * CHUNK + [0] * CHUNK
