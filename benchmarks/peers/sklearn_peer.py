"""scikit-learn: a learnt dictionary with a linear classifier on its codes."""

from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from benchmarks.peers.worker import run

CODES = {"transform_algorithm": "omp", "transform_n_nonzero_coefs": 10, "random_state": 0}
METHODS = {
    "dictionary + ridge": lambda atoms, classes: make_pipeline(
        DictionaryLearning(atoms * classes, alpha=0.1, max_iter=5, fit_algorithm="cd", **CODES),
        RidgeClassifier(),
    ),
    "mini-batch dictionary + ridge": lambda atoms, classes: make_pipeline(
        MiniBatchDictionaryLearning(atoms * classes, alpha=0.1, max_iter=5, **CODES),
        RidgeClassifier(),
    ),
}

if __name__ == "__main__":
    run(METHODS)
