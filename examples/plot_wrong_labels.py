"""
Finding wrong labels
====================

Labels are wrong more often than one thinks. Every sample is judged by models that have not seen it,
and those whose own label gets the least probability are looked at first. Here one label in fifty
was changed on purpose.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict

from crosslabel import CrossLabelClassifier

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
changed = rng.choice(len(y), len(y) // 50, replace=False)
given = y.copy()
given[changed] = (y[changed] + rng.integers(1, 10, len(changed))) % 10

# %%
model = CrossLabelClassifier(atoms_per_class=15, rule="local", random_state=0)
proba = cross_val_predict(model, X, given, cv=5, method="predict_proba")
suspicion = -np.log(proba[np.arange(len(given)), given])
order = np.argsort(-suspicion)
hits = np.isin(order, changed)
n = len(changed)
print(f"{hits[:n].sum()} of the {n} most suspicious labels are among the {n} that were changed")

# %%
figure, ax = plt.subplots(layout="constrained")
ax.plot(np.arange(1, 3 * n + 1), np.cumsum(hits)[: 3 * n] / n, label="by suspicion")
ax.plot([0, n, 3 * n], [0, 1, 1], color="0.6", linestyle="--", label="best possible")
ax.set(xlabel="labels looked at", ylabel="part of the wrong labels found")
ax.legend()
plt.show()

# %%
# The most suspicious, with the label that was given.
figure, axes = plt.subplots(3, 8, figsize=(8, 3.8), layout="constrained")
for ax, sample in zip(axes.flat, order):
    ax.imshow(X[sample].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"“{given[sample]}”")
    ax.set_axis_off()
plt.show()
