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
figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 3.8), width_ratios=[1, 1.3], layout="constrained"
)
left.plot(np.arange(1, 3 * n + 1), np.cumsum(hits)[: 3 * n] / n)
left.plot([0, n, 3 * n], [0, 1, 1], color="0.6", linestyle="--", label="best possible")
left.set(xlabel="labels looked at", ylabel="part of the wrong labels found")
left.legend()
mosaic = X[order[:24]].reshape(3, 8, 8, 8)
right.imshow(np.pad(mosaic, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=8)
             .transpose(0, 2, 1, 3).reshape(30, 80), cmap="gray_r")  # fmt: skip
for rank, sample in enumerate(order[:24]):
    right.text(10 * (rank % 8) + 1, 10 * (rank // 8) + 2, given[sample], color="C3", va="center")
right.set_axis_off()
right.set_title("the most suspicious, with the label that was given")
plt.show()
