"""dictlearn 1.0: its supervised classifiers."""

from dictlearn.classification import DDLClassifier, DPLClassifier, LCDLClassifier, SRCClassifier

from benchmarks.peers.worker import run

SPARSE = {
    "n_nonzero_coefs": 10,
    "init_method": "trained",
    "init_iter": 10,
    "max_iter": 10,
    "random_state": 0,
}
METHODS = {
    "D-KSVD": lambda atoms, classes: DDLClassifier(atoms * classes, alpha=1e-2, **SPARSE),
    "LC-KSVD": lambda atoms, classes: LCDLClassifier(atoms, alpha=1e-2, beta=1e-2, **SPARSE),
    "DPL": lambda atoms, classes: DPLClassifier(atoms, max_iter=20, random_state=0),
    "SRC, OMP": lambda atoms, classes: SRCClassifier(n_nonzero_coefs=10),
}

if __name__ == "__main__":
    run(METHODS)
