"""Our methods, at the settings the peers are given."""

from benchmarks.peers.worker import run
from crosslabel import DKSVD, DPL, LCKSVD, SRC, CrossLabelClassifier

PAPER = {"ridge": 8e-3, "scale": "unit", "offset": 0.0, "kernel": "linear", "random_state": 0}
FINITE = {**PAPER, "rule": "global", "suppression": 2e3, "grouping": 2e-2}

METHODS = {
    # Lift, rule and ridge are chosen by held-out samples, as a user gets it.
    "flagship": lambda atoms, classes: CrossLabelClassifier(atoms_per_class=atoms, random_state=0),
    "flagship, global rule": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="global", **PAPER
    ),
    "flagship, local rule": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="local", **PAPER
    ),
    "flagship, finite suppression": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, **FINITE
    ),
    "flagship, GPU": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, device="cuda", **FINITE
    ),
    "D-KSVD": lambda atoms, classes: DKSVD(
        atoms, sparsity=10, init_iter=10, max_iter=10, random_state=0
    ),
    "LC-KSVD": lambda atoms, classes: LCKSVD(
        atoms, sparsity=10, init_iter=10, start_iter=0, max_iter=10, random_state=0
    ),
    "DPL": lambda atoms, classes: DPL(atoms, max_iter=20, random_state=0),
    "SRC, OMP": lambda atoms, classes: SRC(sparsity=10),
}

if __name__ == "__main__":
    run(METHODS)
