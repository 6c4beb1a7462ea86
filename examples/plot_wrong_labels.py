"""
Finding wrong labels
====================

Labels are wrong more often than one thinks. :func:`~crosslabel.audit` has every sample judged by
models that have not seen it; those whose own label gets the least probability are to be looked at
first. Here one label in fifty was changed on purpose.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from crosslabel import audit

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
changed = rng.choice(len(y), len(y) // 50, replace=False)
given = y.copy()
given[changed] = (y[changed] + rng.integers(1, 10, len(changed))) % 10

# %%
found = audit(X, given)
hits = np.isin(found.order, changed)
n = len(changed)
print(f"{hits[:n].sum()} of the {n} most doubtful labels are among the {n} that were changed")
right = np.isin(found.suspects, changed).sum()
print(f"{right} of them stand on the list of {len(found.suspects)} suspects")

# %%
figure, ax = plt.subplots(layout="constrained")
ax.plot(np.arange(1, 3 * n + 1), np.cumsum(hits)[: 3 * n] / n, label="the most doubtful first")
ax.plot([0, n, 3 * n], [0, 1, 1], color="0.6", linestyle="--", label="best possible")
ax.set(xlabel="labels looked at", ylabel="part of the wrong labels found")
ax.legend()
plt.show()

# %%
# The most doubtful: the label that was given, and what the sample looks like.
figure, axes = plt.subplots(3, 8, figsize=(8, 3.8), layout="constrained")
for ax, sample in zip(axes.flat, found.order):
    ax.imshow(X[sample].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{given[sample]}, or {found.looks_like[sample]}?", fontsize="medium")
    ax.set_axis_off()
plt.show()
