"""Speed of the features, as ratios measured in one run.

Run: python -m benchmarks.features            the ratios, in a minute
     python -m benchmarks.features --scene15  and the whole of Scene15 on two cores
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.command import command
from benchmarks.lines import Line, lines_of
from crosslabel.datasets import load_scene15, read_image
from crosslabel.datasets.splits import per_class
from crosslabel.features import LBPTOP, DenseSIFT, SpatialPyramid


def seconds(function: Callable[[], object], repeats: int = 3) -> float:
    """Processor time, the best of several runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        function()
        best = min(best, time.process_time() - started)
    return best


def dense_sift() -> Iterator[Line]:
    """Ours and OpenCV's SIFT at the same places and sizes."""
    import cv2

    data = load_scene15()
    images = [read_image(name) for name in data.filenames[::500]]
    sift, rival = DenseSIFT(), cv2.SIFT_create()
    grids = []
    for image in images:
        # OpenCV's bins are 1.5 times the size it is given: a patch of 4 bins is 6 times it.
        points = []
        for size in sift.patch_sizes:
            centres = DenseSIFT(sift.step, (size,)).describe(image).centres
            points += [cv2.KeyPoint(float(c), float(r), size / 6, 0) for r, c in centres]
        grids.append(points)
    count = np.mean([len(points) for points in grids])
    # Processor time, one thread each, in turns: a busy machine slows both alike.
    cv2.setNumThreads(1)
    ours, theirs = np.inf, np.inf
    for _ in range(5):
        ours = min(ours, seconds(lambda: [sift.describe(image) for image in images]))
        theirs = min(theirs, seconds(lambda: [rival.compute(i, p) for i, p in zip(images, grids)]))
    yield Line("dense SIFT: descriptors of an image", float(count))
    yield Line("dense SIFT: ms of an image", 1e3 * ours / len(images))
    yield Line("dense SIFT: OpenCV's SIFT at the same places / ours, time", theirs / ours)


def lbptop() -> Iterator[Line]:
    """Ours and the literal definition, voxel by voxel, on a random volume."""
    from tests.features.test_lbptop import literal

    volume = np.random.default_rng(0).integers(0, 256, (12, 24, 24), dtype=np.uint8)
    patterns = LBPTOP(uniform=False)
    ours = seconds(lambda: patterns.histograms(volume))
    theirs = seconds(lambda: literal(volume, (1, 1, 1), "nearest"), 1)
    same = np.allclose(
        patterns.histograms(volume).reshape(3, -1), literal(volume, (1, 1, 1), "nearest")
    )
    yield Line("LBP-TOP: the literal definition / ours, time", theirs / ours)
    yield Line("LBP-TOP: equal to the literal definition", same, ">=", 1)


def scene15() -> Iterator[Line]:
    """Codebook from one split's training images, then all 4485 images, in two processes."""
    data = load_scene15()
    train, _ = next(per_class(data.target, 100, seed=0))
    pyramid = SpatialPyramid(n_jobs=2, random_state=0, verbose=True)
    started = time.perf_counter()
    pyramid.fit([data.filenames[i] for i in train])
    learnt = time.perf_counter()
    pyramid.transform(data.filenames)
    done = time.perf_counter()
    yield Line("Scene15 in two processes: seconds of the codebook", learnt - started)
    yield Line("Scene15 in two processes: seconds of codebook and all images", done - started)
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    spent = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    print(f"    processor time of this process and its ended children: {spent:.0f} s")


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--scene15", action="store_true")
    sys.exit(
        command(
            "features",
            "Features, one thread",
            lambda given: lines_of([dense_sift, lbptop, *([scene15] if given.scene15 else [])]),
            options,
        )
    )
