"""Our LC-KSVD beside the authors' own code, from one start; `benchmarks.authors_code` calls it.

Their rounds are MATLAB, but the pursuit and three small products are compiled for another system.
A copy in a temporary folder gets plain versions of these, written here from their descriptions.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.lines import Line
from crosslabel import LCKSVD
from crosslabel.core.ksvd import ksvd
from crosslabel.methods.sparse_linear import ridge_regression, sparse_codes
from crosslabel.methods.start import one_hot

SPARSITY, CONSISTENCY, LABELS = 5, 0.1, 0.1

PLAIN = {
    "OMPbox/private/ompmex": """
function codes = ompmex(D, X, DtX, G, T, varargin)
  if isempty(DtX), DtX = D'*X; end
  if isempty(G), G = D'*D; end
  codes = zeros(size(DtX));
  for n = 1:size(DtX, 2)
    chosen = []; left = DtX(:, n);
    for t = 1:T
      [largest, next] = max(abs(left));
      if largest < 1e-12, break; end
      chosen(end+1) = next; x = G(chosen, chosen) \\ DtX(chosen, n);
      left = DtX(:, n) - G(:, chosen)*x; left(chosen) = 0;
    end
    codes(chosen, n) = x;
  end
  codes = sparse(codes);
end
""",
    "ksvdbox/private/sprow": """
function [values, places] = sprow(A, row)
  places = find(A(row, :)); values = full(A(row, places));
end
""",
    "ksvdbox/private/collincomb": """
function y = collincomb(A, varargin)
  if numel(varargin) == 2, y = A(:, varargin{1})*varargin{2}(:);
  else, y = A(varargin{1}, varargin{2})*varargin{3}(:); end
end
""",
    "ksvdbox/private/rowlincomb": """
function y = rowlincomb(x, A, rows, columns)
  if nargin < 4, columns = 1:size(A, 2); end
  y = x(:)'*A(rows, columns);
end
""",
}

SCRIPT = """
warning('off', 'all');
for f = {'', 'OMPbox', 'ksvdbox'}, addpath(fullfile('%(dictol)s', f{1})); end
load('%(folder)s/problem.mat');
[D, X, T, W] = labelconsistentksvd2(Y, D_start, target, T_start, H, W_start, rounds, ...
                                    sparsity, sqrt(alpha), sqrt(beta));
[said, accuracy] = classification(D, W, Q, H_test, sparsity); codes = full(X);
save('-v6', '%(folder)s/theirs.mat', 'D', 'codes', 'T', 'W', 'said', 'accuracy');
"""


def theirs(code: Path, octave: Callable[..., dict[str, Any]], given: dict[str, Any]) -> Any:
    """What their rounds find for the problem given."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "code")
        shutil.copytree(code, copy)
        for name, text in PLAIN.items():
            Path(copy, f"{name}.m").write_text(text)
        return octave(copy, given, script=SCRIPT)


def compared_lcksvd(
    code: Path,
    octave: Callable[..., dict[str, Any]],
    problem: tuple[np.ndarray, np.ndarray, np.ndarray],
    learnt: Callable[..., Any],
    atoms: int,
    rounds: int,
) -> Iterator[Line]:
    """Objective, dictionary, classifier and decisions after some rounds of each side."""
    X, labels, Q = problem
    model = LCKSVD(
        atoms, consistency=CONSISTENCY, label_weight=LABELS, sparsity=SPARSITY, max_iter=rounds,
        random_state=0,
    )  # fmt: skip
    learnt(model, X, labels)
    D, layout = model._start(X, labels)
    _, codes = ksvd(X, D, SPARSITY, n_iter=model.start_iter)
    H = one_hot(labels)
    target = H[:, layout.labels]
    start = ridge_regression(codes, np.concatenate([target, H], axis=1), model.ridge)
    given = {
        "Y": X.T, "Q": Q.T, "H": H.T, "H_test": np.ones((H.shape[1], len(Q))),
        "D_start": D.T, "target": target.T, "T_start": start[:, : len(D)].T,
        "W_start": start[:, len(D) :].T, "rounds": rounds, "sparsity": SPARSITY,
        "alpha": CONSISTENCY, "beta": LABELS,
    }  # fmt: skip
    found = theirs(code, octave, given)
    for name, ours, other in (
        ("the dictionary", model.dictionary_, found["D"].T),
        ("the transform", model.transform_, found["T"].T),
        ("the classifier", model.classifier_, found["W"].T),
    ):
        print(f"LC-KSVD: {name} differs by at most {np.abs(ours - other).max():.2g}")
    for whose, (D, A, W) in {
        f"ours after {rounds} rounds": (model.dictionary_, model.transform_, model.classifier_),
        "theirs": (found["D"].T, found["T"].T, found["W"].T),
    }.items():
        codes = sparse_codes(X, D, SPARSITY)
        value = ((X - codes @ D) ** 2).sum() + CONSISTENCY * ((target - codes @ A) ** 2).sum()
        value += LABELS * ((H - codes @ W) ** 2).sum()
        yield Line(f"authors | LC-KSVD2 | {whose}", value)  # at codes of the samples alone
    said = found["said"].astype(int) - 1
    agree = 100 * np.mean(model._scores(Q).argmax(axis=1) == said)
    yield Line("authors | LC-KSVD2 | decisions alike by its own dictionary, %", agree)
    model.__dict__.pop("_gram", None)
    model.dictionary_, model.classifier_ = found["D"].T, found["W"].T
    agree = 100 * np.mean(model._scores(Q).argmax(axis=1) == said)
    yield Line("authors | LC-KSVD2 | decisions alike by their dictionary, %", agree)
