"""
Strangers
=========

A classifier answers with one of its classes whatever it is shown. The *novelty score* says how far
a query is from all of them, and :class:`~crosslabel.RejectingClassifier` refuses an answer beyond a
threshold that it finds from the training samples alone. Here the digits 8 and 9 are strangers.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier, RejectingClassifier

X, y = load_digits(return_X_y=True)
known = y < 8
X_train, X_known, y_train, y_known = train_test_split(
    X[known], y[known], train_size=0.5, stratify=y[known], random_state=0
)
model = RejectingClassifier(
    CrossLabelClassifier(random_state=0), false_accept_rate=0.05, random_state=0
).fit(X_train, y_train)

# %%
ours, theirs = model.novelty_score(X_known), model.novelty_score(X[~known])
truth = np.repeat([0, 1], [len(ours), len(theirs)])
figure, ax = plt.subplots(layout="constrained")
bins = np.linspace(0, max(ours.max(), theirs.max()), 40)
ax.hist(ours, bins, alpha=0.7, label="digits 0 to 7, unseen", density=True)
ax.hist(theirs, bins, alpha=0.7, label="digits 8 and 9, strangers", density=True)
ax.axvline(model.threshold_, color="black", linestyle="--", label="threshold")
ax.set(xlabel="novelty score", ylabel="density")
ax.set_title(f"AUROC {roc_auc_score(truth, np.concatenate([ours, theirs])):.3f}")
ax.legend()
plt.show()

# %%
# What was asked for, and what came.
accepted = np.mean(model.predict(X[~known]) != -1)
refused = np.mean(model.predict(X_known) == -1)
print(f"strangers accepted: {accepted:.3f}, asked for: {model.false_accept_rate}")
print(f"known digits refused: {refused:.3f}, expected: {model.false_reject_rate_:.3f}")
