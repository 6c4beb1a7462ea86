import pytest

pytest.importorskip("torch", reason="these tests need PyTorch: pip install 'crosslabel[gpu]'")
