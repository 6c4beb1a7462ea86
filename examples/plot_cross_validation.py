"""
A grid for the price of one fit
===============================

With infinite suppression one eigendecomposition for each class and fold serves every number of
atoms, every ridge and every rule. :class:`~crosslabel.CrossLabelClassifierCV` uses that: the same
grid as :class:`sklearn.model_selection.GridSearchCV`, the same scores, a fraction of the time.
"""

import time

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from crosslabel import CrossLabelClassifier, CrossLabelClassifierCV

X, y = load_digits(return_X_y=True)
X, y = X[:900], y[:900]
atoms, ridges = [2, 4, 8, 15, 30], [1e-3, 1e-2, 1e-1, 0.5, 2.0]
folds = StratifiedKFold(5)

# %%
start = time.perf_counter()
ours = CrossLabelClassifierCV(
    atoms_per_class=atoms, ridges=ridges, rules=["local"], cv=folds, random_state=0
).fit(X, y)
middle = time.perf_counter()
grid = GridSearchCV(
    CrossLabelClassifier(rule="local", random_state=0),
    {"atoms_per_class": atoms, "ridge": ridges},
    cv=folds,
).fit(X, y)
end = time.perf_counter()
print(f"ours {middle - start:.2f} s, grid search {end - middle:.2f} s")
print("the same best score:", np.isclose(ours.best_score_, grid.best_score_))

# %%
found = {
    (one["atoms_per_class"], one["ridge"]): score
    for one, score in zip(ours.cv_results_["params"], ours.cv_results_["mean_test_score"])
}
table = np.array([[found[size, ridge] for ridge in ridges] for size in atoms])
figure, ax = plt.subplots(layout="constrained")
image = ax.imshow(100 * table, cmap="viridis", vmin=100 * np.quantile(table, 0.2))
ax.set(xlabel="ridge β", ylabel="atoms of each class")
ax.set_xticks(range(len(ridges)), ridges)
ax.set_yticks(range(len(atoms)), atoms)
for row, column in np.ndindex(table.shape):
    score = 100 * table[row, column]
    ink = "black" if image.norm(score) > 0.6 else "white"
    ax.text(column, row, f"{score:.1f}", ha="center", va="center", color=ink)
figure.colorbar(image, label="accuracy of five folds, %")
plt.show()
