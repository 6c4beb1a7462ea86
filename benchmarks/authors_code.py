"""Our methods beside the authors' own code, on one small problem from one start.

DICTOL (Vu and Monga's toolbox of LRSDL; not copied here) is run by Octave: SRC, DLSI, COPAR, FDDL
and LRSDL. Compared are the objective at the same dictionary and codes, the objective and the
dictionary after some rounds of each side's own updates, and decisions with one dictionary.

The own codes of DPL, of LC-KSVD and of SupGraphDL's authors (DGRDL) are folders beside it.

Run: python -m benchmarks.authors_code PATH_OF_DICTOL [--dpl PATH] [--lcksvd PATH] [--dgrdl PATH]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, savemat
from sklearn.datasets import load_digits

from benchmarks.authors_graph import compared_graph
from benchmarks.authors_lcksvd import compared_lcksvd
from benchmarks.command import command
from benchmarks.lines import Line
from crosslabel import COPAR, DLSI, DPL, FDDL, LRSDL, SRC
from crosslabel.core.fisher import FisherModel
from crosslabel.core.scaling import unit_rows
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import coherence
from crosslabel.methods.start import class_layout, class_parts, start_atoms

CLASSES, SAMPLES, ATOMS, SHARED, ROUNDS = 4, 20, 5, 3, 5
LAMBDA, ETA, FISHER, NUCLEAR = 0.05, 0.02, 0.1, 0.02
ASKED, STEP = 40, 16  # queries of LRSDL: their function tells one decision at a time

SCRIPT = """
warning('off', 'all'); page_screen_output(0);
for f = {'utils', 'ODL', 'SRC', 'DLSI', 'COPAR', 'LRSDL_FDDL'}
  addpath(fullfile('%(dictol)s', f{1}));
end
load('%(folder)s/problem.mat');
Y_range = double(Y_range); D_range = double(D_range); C = numel(Y_range) - 1;
base = initOpts(struct('verbose', false, 'max_iter', 500, 'tol', 1e-12, 'lambda', lambda));
[src_pred, ~] = SRC_pred(Q, Y, Y_range, base);

o = base; o.eta = eta; o.D_range = D_range; D = D_start; dlsi_cost = zeros(1, rounds);
for c = 1:C, X{c} = zeros(D_range(c+1) - D_range(c), Y_range(c+1) - Y_range(c)); end
for r = 1:rounds
  for c = 1:C
    X{c} = lasso_fista(get_block_col(Y, c, Y_range), get_block_col(D, c, D_range), X{c}, lambda, o);
  end
  for c = 1:C
    own = D_range(c)+1:D_range(c+1); others = D; others(:, own) = [];
    Yc = get_block_col(Y, c, Y_range);
    D(:, own) = DLSI_updateD(D(:, own), Yc*X{c}', X{c}*X{c}', others', %(eta_factor)g*eta, o);
  end
  dlsi_cost(r) = DLSI_cost(Y, Y_range, D, D_range, X, o);
end
dlsi_D = D; dlsi_X = blkdiag(X{:}); dlsi_pred = DLSI_pred(Q, D, o);

o = base; o.eta = 2*eta; o.lambda = 2*lambda; o.gamma = lambda; o.k = k; o.k0 = k0;
extended = [D_range D_range(end)+k0]; o.D_range_ext = extended; D = copar_start;
X = zeros(size(D, 2), size(Y, 2)); copar_cost = zeros(1, rounds);
for r = 1:rounds
  X = COPAR_updateX2(Y, Y_range, D, X, o);
  D = COPAR_updateD(Y, Y_range, D, X, o);
  copar_cost(r) = COPAR_cost(Y, Y_range, D, extended, X, o);
end
copar_D = D; copar_X = X; o.classify_mode = 'GC'; copar_pred = COPAR_pred(Q, D, extended, o);

o = base; o.lambda1 = lambda; o.lambda2 = fisher; o.lambda3 = 0; o.k0 = 0; o.D_range = D_range;
D = D_start; X = zeros(size(D, 2), size(Y, 2)); X0 = zeros(0, size(Y, 2));
D0 = zeros(size(D, 1), 0);
fddl_cost = zeros(1, rounds);
for r = 1:rounds
  [X, X0] = LRSDL_updateXX0(Y, Y_range, D, D_range, D0, X, X0, o);
  %% LRSDL_updateD_fast, which their loop calls, computes this and drops the result.
  D = FDDL_updateD_fast(Y, Y_range, D, D_range, X, o);
  fddl_cost(r) = LRSDL_cost(Y, Y_range, D, D0, D_range, X, X0, o);
end
fddl_D = D; fddl_X = X; for c = 1:C, M(:, c) = mean(get_block_col(X, c, Y_range), 2); end
fddl_M = M; o.gamma = lambda; o.weight = 0.5; fddl_pred = FDDL_pred(Q, D, M, o);

o.lambda3 = nuclear; o.k0 = k0; o.k = k; D = lrsdl_start(:, 1:end-k0);
D0 = lrsdl_start(:, end-k0+1:end);
X = zeros(size(D, 2), size(Y, 2)); X0 = zeros(k0, size(Y, 2)); lrsdl_cost = zeros(1, rounds);
for r = 1:rounds
  [X, X0] = LRSDL_updateXX0(Y, Y_range, D, D_range, D0, X, X0, o);
  D = FDDL_updateD_fast(Y - D0*X0, Y_range, D, D_range, X, o);
  D0 = LRSDL_updateD0(Y, Y_range, D, D_range, D0, X, X0, o);
  %% LRSDL_cost leaves the nuclear norm out where there are shared atoms.
  lrsdl_cost(r) = LRSDL_cost(Y, Y_range, D, D0, D_range, X, X0, o) + nuclear*nuclearnorm(D0);
end
lrsdl_D = [D D0]; lrsdl_X = [X; X0]; lrsdl_M0 = mean(X0, 2); lrsdl_pred = zeros(1, asked);
for c = 1:C, M(:, c) = mean(get_block_col(X, c, Y_range), 2); end
lrsdl_M = M;
for n = 1:asked
  for c = 1:C
    if LRSDL_pred_GC(Q(:, n*step), D, D0, M, lrsdl_M0, o, c) == 1, lrsdl_pred(n) = c; end
  end
end
save('-v6', '%(folder)s/theirs.mat', 'src_pred', 'dlsi_cost', 'dlsi_D', 'dlsi_X', 'dlsi_pred', ...
     'copar_cost', 'copar_D', 'copar_X', 'copar_pred', 'fddl_cost', 'fddl_D', 'fddl_X', ...
     'fddl_M', 'fddl_pred', 'lrsdl_cost', 'lrsdl_D', 'lrsdl_X', 'lrsdl_M', 'lrsdl_M0', ...
     'lrsdl_pred');
"""


DPL_SCRIPT = """
warning('off', 'all'); addpath('%(dictol)s'); load('%(folder)s/problem.mat');
C = numel(Y_range) - 1;
for c = 1:C
  rows = Y_range(c)+1:Y_range(c+1); own = Y(:, rows); others = Y; others(:, rows) = [];
  Data{c} = own; D{c} = D_start(:, D_range(c)+1:D_range(c+1)); P{c} = zeros(k, size(Y, 1));
  inverse{c} = inv(tau*own*own' + leak*others*others' + small*eye(size(Y, 1)));
end
A = UpdateA(D, Data, P, tau, k);
for r = 1:rounds
  P = UpdateP(A, inverse, P, Data, tau); D = UpdateD(A, Data, D); A = UpdateA(D, Data, P, tau, k);
end
P = UpdateP(A, inverse, P, Data, tau); encoder = cat(1, P{:});
dpl_pred = ClassificationDPL(Q, D, encoder, k); dpl_D = cat(2, D{:}); dpl_A = cat(3, A{:});
save('-v6', '%(folder)s/theirs.mat', 'dpl_pred', 'dpl_D', 'encoder', 'dpl_A');
"""


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Digits of unit norm, class by class, their labels, and queries."""
    X, y = load_digits(return_X_y=True)
    train = np.concatenate([np.flatnonzero(y == c)[:SAMPLES] for c in range(CLASSES)])
    rest = np.concatenate([np.flatnonzero(y == c)[SAMPLES:] for c in range(CLASSES)])
    return unit_rows(X[train]), y[train].astype(np.intp), unit_rows(X[rest])


def learnt(model: ComparisonMethod, X: np.ndarray, labels: np.ndarray) -> Any:
    """Fit to samples in the order they have: classes keep their numbers on both sides."""
    model.classes_ = np.unique(labels)
    model._class_order = np.arange(len(model.classes_))
    model._learn(X, labels)
    return model


def octave(
    code: Path, given: dict[str, Any], eta_factor: float = 1.0, script: str = SCRIPT
) -> dict[str, Any]:
    """What the authors' code finds for the problem given."""
    with tempfile.TemporaryDirectory() as folder:
        savemat(Path(folder, "problem.mat"), given)
        words = {"dictol": code.resolve(), "folder": folder, "eta_factor": eta_factor}
        Path(folder, "run.m").write_text(script % words)
        # Some of their functions print what they return.
        quiet = subprocess.DEVNULL
        subprocess.run(["octave-cli", "-q", str(Path(folder, "run.m"))], check=True, stdout=quiet)
        return loadmat(Path(folder, "theirs.mat"), squeeze_me=True)


def _dlsi(model: Any, X: Any, labels: Any, D: Any, codes: Any) -> float:
    fit = ((X - codes @ D) ** 2).sum() + model.penalty * np.abs(codes).sum()
    return float(fit + model.incoherence * coherence(D, model._layout))


def _copar(model: Any, X: Any, labels: Any, D: Any, codes: Any) -> float:
    return model._objective(X, class_parts(labels), D, codes)


def _fddl(model: Any, X: Any, labels: Any, D: Any, codes: Any) -> float:
    fisher = FisherModel(model._layout, class_parts(labels), model.penalty, model.fisher)
    return fisher.objective(X, D, codes)


def _lrsdl(model: Any, X: Any, labels: Any, D: Any, codes: Any) -> float:
    weights = (2 * model.penalty, model.fisher, 2 * model.nuclear)
    return FisherModel(model._layout, class_parts(labels), *weights).objective(X, D, codes)


OBJECTIVES = {"DLSI": _dlsi, "COPAR": _copar, "FDDL": _fddl, "LRSDL": _lrsdl}


def compared(name: str, model: Any, theirs: dict[str, Any], scale: float) -> Iterator[Line]:
    """Objectives, the dictionaries' difference, and decisions with each side's and with theirs."""
    X, labels, Q = problem()
    learnt(model, X, labels)
    key = name.lower()
    cost = scale * theirs[f"{key}_cost"]
    D, codes = theirs[f"{key}_D"].T, theirs[f"{key}_X"].T
    if name in ("COPAR", "LRSDL"):  # their shared atoms come last
        D, codes = np.roll(D, SHARED, axis=0), np.roll(codes, SHARED, axis=1)
    value = OBJECTIVES[name](model, X, labels, D, codes)
    yield Line(f"authors | {name} | our objective at their dictionary and codes", value)
    yield Line(f"authors | {name} | theirs", cost[-1])
    yield Line(f"authors | {name} | ours after {ROUNDS} rounds", model.objective_trace_[-1])
    for whose, trace in {"ours": model.objective_trace_, "theirs": cost}.items():
        print(f"{name}: objective by round, {whose:6} {np.array2string(trace, precision=4)}")
    print(f"{name}: dictionaries differ by at most {np.abs(model.dictionary_ - D).max():.2g}")
    if name == "LRSDL":  # their rule has these penalties, whatever was learnt with
        Q = Q[STEP - 1 : ASKED * STEP : STEP]
        model.penalty, model.fisher = 1e-3, 1e-2
    decided = {"its own": model._scores(Q).argmax(axis=1)}
    model.__dict__.pop("_gram", None)
    model.dictionary_ = D
    if name == "FDDL":
        model.means_ = theirs["fddl_M"].T
    if name == "LRSDL":
        none = np.zeros((CLASSES, SHARED))  # the rule looks at the means of the class atoms alone
        model.means_ = np.concatenate([none, theirs["lrsdl_M"].T], axis=1)
        model._shared_mean = theirs["lrsdl_M0"]
    decided["their"] = model._scores(Q).argmax(axis=1)
    said = theirs[f"{key}_pred"].astype(int) - 1
    for whose, labels_ in decided.items():
        what = f"authors | {name} | decisions alike by {whose} dictionary, %"
        yield Line(what, 100 * np.mean(labels_ == said))


def compared_dpl(code: Path, given: dict[str, Any]) -> Iterator[Line]:
    """DPL: atoms, analysis dictionaries and decisions after some rounds of each side."""
    X, labels, Q = problem()
    model = learnt(DPL(ATOMS, max_iter=ROUNDS, random_state=0), X, labels)
    weights = {"tau": model.fidelity, "leak": model.suppression, "small": model.ridge}
    theirs = octave(code, given | weights, script=DPL_SCRIPT)
    print(f"DPL: objective by round, ours   {np.array2string(model.objective_trace_, precision=6)}")
    D, P, A = theirs["dpl_D"].T, theirs["encoder"], theirs["dpl_A"]
    value = 0.0
    for c, part in enumerate(class_parts(labels)):
        own, atoms = X[part], slice(c * ATOMS, (c + 1) * ATOMS)
        others = np.delete(X, part, axis=0)
        value += ((own - A[:, :, c].T @ D[atoms]) ** 2).sum()
        value += model.fidelity * ((own @ P[atoms].T - A[:, :, c].T) ** 2).sum()
        value += model.suppression * ((others @ P[atoms].T) ** 2).sum()
        value += model.ridge * (P[atoms] ** 2).sum()
    yield Line("authors | DPL | theirs", value)
    yield Line(f"authors | DPL | ours after {ROUNDS} rounds", model.objective_trace_[-1])
    apart = [np.abs(a - b).max() for a, b in ((model.dictionary_, D), (model.projection_, P))]
    print(f"DPL: dictionaries differ by at most {apart[0]:.2g}, analysis ones by {apart[1]:.2g}")
    said = theirs["dpl_pred"].astype(int) - 1
    agree = 100 * np.mean(model._scores(Q).argmax(axis=1) == said)
    yield Line("authors | DPL | decisions alike by its own dictionary, %", agree)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dictol", type=Path)
    parser.add_argument("--dpl", type=Path)
    parser.add_argument("--lcksvd", type=Path)
    parser.add_argument("--dgrdl", type=Path)
    return command("authors_code", "Beside the authors' own code", lines, parser)


def lines(paths: argparse.Namespace) -> Iterator[Line]:
    """Objectives, and how many decisions are alike."""
    X, labels, Q = problem()
    few = {"max_iter": ROUNDS, "tol": 0.0, "random_state": 0}
    models = {
        "DLSI": DLSI(ATOMS, penalty=2 * LAMBDA, incoherence=ETA, **few),
        "COPAR": COPAR(ATOMS, shared_atoms=SHARED, penalty=2 * LAMBDA, incoherence=ETA, **few),
        "FDDL": FDDL(ATOMS, penalty=2 * LAMBDA, fisher=FISHER, **few),
        "LRSDL": LRSDL(
            ATOMS, shared_atoms=SHARED, penalty=LAMBDA, fisher=FISHER, nuclear=NUCLEAR, **few
        ),
    }
    starts = {name: start(model, X, labels) for name, model in models.items()}
    given = {
        "Y": X.T, "Q": Q.T, "D_start": starts["DLSI"].T, "lambda": LAMBDA, "eta": ETA,
        "lrsdl_start": np.roll(starts["LRSDL"], -SHARED, axis=0).T, "nuclear": NUCLEAR,
        "asked": ASKED, "step": STEP, "copar_start": np.roll(starts["COPAR"], -SHARED, axis=0).T,
        "Y_range": SAMPLES * np.arange(CLASSES + 1), "D_range": ATOMS * np.arange(CLASSES + 1),
        "rounds": ROUNDS, "k": ATOMS, "k0": SHARED, "fisher": FISHER,
    }  # fmt: skip
    theirs = octave(paths.dictol, given)
    src = learnt(SRC(2 * LAMBDA), X, labels)
    for name, model in models.items():
        yield from compared(name, model, theirs, 1.0 if name == "COPAR" else 2.0)
    agree = 100 * np.mean(src._scores(Q).argmax(axis=1) == theirs["src_pred"].astype(int) - 1)
    yield Line("authors | SRC | decisions alike by its own dictionary, %", agree)
    if paths.dpl is not None:
        yield from compared_dpl(paths.dpl, given)
    if paths.lcksvd is not None:
        yield from compared_lcksvd(paths.lcksvd, octave, problem(), learnt, ATOMS, ROUNDS)
    if paths.dgrdl is not None:
        yield from compared_graph(paths.dgrdl, octave, X, starts["DLSI"])
    doubled = octave(paths.dictol, given, 2.0)
    print(f"DLSI, their update with 2η: {np.array2string(2 * doubled['dlsi_cost'], precision=5)}")


def start(model: Any, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where a method's atoms start."""
    layout = class_layout(labels, ATOMS, getattr(model, "shared_atoms", 0))
    return start_atoms(X, labels, layout, 0)


if __name__ == "__main__":
    sys.exit(main())
