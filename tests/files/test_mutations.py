"""A sample of `python -m benchmarks.mutate`, with the same watch and limits."""

import sys

import pytest

pytest.importorskip("resource", reason="limits of memory need a Unix system")

from benchmarks.mutate import SECONDS, SOUND, outcomes, sound_files
from benchmarks.mutations import MUTATIONS


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_mutated_files_are_refused_or_load_with_a_checksum_that_holds():
    found = list(outcomes(range(20_000, 20_000 + 8 * len(MUTATIONS)), sound_files()))
    assert {outcome.mutation for outcome in found} == set(MUTATIONS)
    assert [outcome for outcome in found if outcome.ending not in SOUND] == []
    assert max(outcome.seconds for outcome in found) < SECONDS
    # Libraries alone take a gigabyte where torch is built for GPUs: what the files add is bounded.
    peaks = [outcome.peak for outcome in found]
    assert max(peaks) - peaks[0] < 3e8
    assert {outcome.ending for outcome in found} == set(SOUND)
