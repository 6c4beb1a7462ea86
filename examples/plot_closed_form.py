"""
The closed form
===============

With infinite suppression classes part, and the best dictionary of a class is known: along each
singular direction of its samples, with singular value s, put the energy q = max(0, s/ν − β), where
ν makes the energies add up to the number of atoms. There is no start and no iteration; iterating
from k-means comes down to it, and never below.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier

X, y = load_digits(return_X_y=True)
ridge, atoms = 0.1, 8

# %%
# The objective of iterations at λ = 1e6, from two starts, beside the closed form at λ = ∞.
figure, ax = plt.subplots(layout="constrained")
named = {"atoms_per_class": atoms, "ridge": ridge, "rule": "local", "random_state": 0}
for start, called in (("random", "random samples"), ("kmeans", "k-means")):
    model = CrossLabelClassifier(suppression=1e6, init=start, max_iter=30, tol=0, **named)
    ax.plot(np.arange(1, 31), model.fit(X, y).objective_trace_, label=f"iterated from {called}")
closed = CrossLabelClassifier(**named).fit(X, y)
ax.axhline(closed.objective_trace_[-1], color="black", linestyle="--", label="closed form")
ax.set(xlabel="iteration", ylabel="objective")
ax.legend()
plt.show()

# %%
# The energies of the atoms of one digit: singular values of its samples, and what each direction
# gets.
rows = X[y == 3] / np.linalg.norm(X[y == 3], axis=1, keepdims=True)
singular = np.linalg.svd(rows, compute_uv=False)
energies = np.linalg.svd(closed.dictionary_[closed.atom_labels_ == 3], compute_uv=False) ** 2
places = np.arange(1, 13)
figure, ax = plt.subplots(layout="constrained")
ax.bar(places - 0.2, singular[:12], 0.4, label="singular value s of the samples")
ax.bar(places[:atoms] + 0.2, energies, 0.4, label="energy q of the atoms")
ax.set(xlabel="direction", ylabel="s and q", yscale="log", xticks=places)
ax.set_title(f"digit 3: energies add up to {energies.sum():.6f}")
ax.legend()
plt.show()
