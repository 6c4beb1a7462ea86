"""Work is recorded at its second time, and replayed from then on; without a GPU, never."""

from contextlib import contextmanager

import pytest
import torch

from crosslabel.core.gpu.recording import Recording


class Graph:
    """A stand-in for a CUDA graph: replaying does the recorded work into the same result."""

    replays = 0

    def replay(self):
        self.replays += 1
        self.result.copy_(self.work())


@pytest.fixture
def cuda(monkeypatch):
    """A torch that can record: yields the graphs made."""
    made = []

    @contextmanager
    def recorded(graph):
        made.append(graph)
        yield

    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", recorded)
    return made


class Counter:
    def __init__(self):
        self.calls, self.state = 0, torch.zeros(())

    def __call__(self):
        self.calls += 1
        self.state += 1
        return self.state * 10


def test_without_a_gpu_the_work_is_done_each_time(cuda):
    work = Counter()
    run = Recording(work, on_gpu=False)
    assert [float(run()) for _ in range(4)] == [10.0, 20.0, 30.0, 40.0]
    assert work.calls == 4
    assert cuda == []


def test_the_first_time_is_plain_the_second_records_and_all_later_replay(cuda):
    work = Counter()
    run = Recording(work, on_gpu=True)
    assert float(run()) == 10.0
    assert cuda == []
    run._record()
    [graph] = cuda
    graph.work, graph.result = work, run._result
    first = run()
    second = run()
    assert graph.replays == 2
    assert len(cuda) == 1
    assert float(second) == float(first) + 10
    assert second.data_ptr() != run._result.data_ptr()  # the caller's own


def test_recording_begins_by_itself_at_the_second_time(cuda, monkeypatch):
    monkeypatch.setattr(Graph, "replay", lambda self: None)
    run = Recording(Counter(), on_gpu=True)
    run()
    assert run._graph is None
    run()
    run()
    assert run._graph is cuda[0]
    assert len(cuda) == 1


def test_what_cannot_be_recorded_is_launched_each_time(cuda, monkeypatch):
    @contextmanager
    def refused(graph):
        raise RuntimeError("operation not permitted when stream is capturing")
        yield

    monkeypatch.setattr(torch.cuda, "graph", refused)
    work = Counter()
    run = Recording(work, on_gpu=True)
    assert [float(run()) for _ in range(3)] == [10.0, 20.0, 30.0]
    assert not run.on_gpu
