"""Our methods, at the settings the peers are given."""

from benchmarks.peers.worker import run
from crosslabel import DKSVD, DPL, LCKSVD, SRC, CrossLabelClassifier

METHODS = {
    # The rule is chosen by cross-validation, as a user gets it.
    "flagship": lambda atoms, classes: CrossLabelClassifier(atoms_per_class=atoms, random_state=0),
    "flagship, global rule": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="global", random_state=0
    ),
    "flagship, local rule": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="local", random_state=0
    ),
    "flagship, class solver": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="global", solver="class", random_state=0
    ),
    "flagship, GPU": lambda atoms, classes: CrossLabelClassifier(
        atoms_per_class=atoms, rule="global", random_state=0
    ).set_params(device="cuda"),
    "D-KSVD": lambda atoms, classes: DKSVD(
        atoms, sparsity=10, init_iter=10, max_iter=10, random_state=0
    ),
    "LC-KSVD": lambda atoms, classes: LCKSVD(
        atoms, sparsity=10, init_iter=10, max_iter=10, random_state=0
    ),
    "DPL": lambda atoms, classes: DPL(atoms, max_iter=20, random_state=0),
    "SRC, OMP": lambda atoms, classes: SRC(sparsity=10),
}

if __name__ == "__main__":
    run(METHODS)
