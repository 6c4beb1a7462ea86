"""
A stream, and taking it back
============================

Training sees each class's count, mean and scatter alone. So samples can come in batches, new
classes can appear in any batch, and samples can be taken back: each time the dictionary is that of
one ``fit`` on what is left, not an approximation.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.6, stratify=y, random_state=0)
settings = {"atoms_per_class": 15, "rule": "local", "ridge": 0.1, "random_state": 0}

# %%
# Ten batches; the digits 7, 8 and 9 appear only in the second half.
late = y >= 7
order = np.concatenate([np.flatnonzero(~late), np.flatnonzero(late)])
model, seen, right = CrossLabelClassifier(**settings), [], []
for batch in np.array_split(order, 10):
    model.partial_fit(X[batch], y[batch])
    seen.append(seen[-1] + len(batch) if seen else len(batch))
    right.append(model.score(X_test, y_test))

figure, ax = plt.subplots(layout="constrained")
ax.plot(seen, right, marker="o")
ax.axvline(np.sum(~late), color="0.6", linestyle="--", label="7, 8 and 9 appear")
ax.set(xlabel="samples seen", ylabel="test accuracy")
ax.legend()
plt.show()

# %%
# The stream gave the model of one fit.
whole = CrossLabelClassifier(**settings).fit(X, y)
print("largest difference of an atom:", np.abs(model.dictionary_ - whole.dictionary_).max())

# %%
# Someone asks for their samples to be deleted: the model is the one that never saw them.
model.forget(X[:100], y[:100])
without = CrossLabelClassifier(**settings).fit(X[100:], y[100:])
print("after forgetting:", np.abs(model.dictionary_ - without.dictionary_).max())
