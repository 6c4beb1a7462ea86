"""The codes of our SupGraphDL beside those of its authors; `benchmarks.authors_code` calls it.

Yankelevsky and Elad published the code of the method without labels (DGRDL). Its codes, sparse and
smooth over a graph, are the step that both methods share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lines import Line
from crosslabel.core.graph import heat_laplacian, smooth_sparse_codes
from crosslabel.methods.sparse_linear import sparse_codes

SPARSITY, SMOOTHNESS, NEIGHBOURS, STEPS = 3, 0.3, 5, (1, 2, 5, 20)

# They ask for a pursuit before they look whether codes to start from are given.
SCRIPT = """
warning('off', 'all'); addpath('%(dictol)s');
file = fopen('%(folder)s/omp.m', 'w'); fprintf(file, 'function omp()\\nend\\n'); fclose(file);
addpath('%(folder)s'); rehash();
load('%(folder)s/problem.mat');
for n = 1:numel(steps)
  p = struct('D', D, 'Y', Y, 'T', T, 'L', L, 'beta', beta, 'iternum', steps(n), 'X', X, ...
             'runDebiasing', 0);
  codes(:, :, n) = full(GRSC_ADMM(p));
end
save('-v6', '%(folder)s/theirs.mat', 'codes');
"""


def compared_graph(
    code: Path, octave: Callable[..., dict[str, Any]], X: np.ndarray, D: Any
) -> Iterator[Line]:
    """The objective of codes, and how far they lie apart, after some steps of each side."""
    L, start = heat_laplacian(X, NEIGHBOURS), sparse_codes(X, D, SPARSITY)
    given = {
        "D": D.T, "Y": X.T, "T": SPARSITY, "L": L, "beta": SMOOTHNESS, "X": start.T,
        "steps": np.array(STEPS),
    }  # fmt: skip
    theirs = octave(code, given, script=SCRIPT)["codes"].transpose(2, 1, 0)

    def value(codes: np.ndarray) -> float:
        return float(((X - codes @ D) ** 2).sum() + SMOOTHNESS * np.vdot(codes, L @ codes))

    print(f"DGRDL: objective at the start {value(start):.9f}")
    for steps, other in zip(STEPS, theirs):
        ours = smooth_sparse_codes(
            D @ D.T, X @ D.T, [SMOOTHNESS * L], SPARSITY, start=start, n_iter=steps
        )
        apart = np.abs(ours - other).max()
        yield Line(f"graph codes | {steps} steps | ours", value(ours))
        yield Line(f"graph codes | {steps} steps | theirs", value(other))
        yield Line(f"graph codes | {steps} steps | codes apart, at most", apart)
