"""
Several sites, one model, no samples sent
=========================================

Three hospitals, shops or laboratories each have some samples and may not send them. They send
statistics instead: counts, means and scatters of each class. The merged model is the model of all
samples together. (Statistics of a class with fewer samples than features still span those samples:
this is aggregation, not anonymity.)
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import ClassStatistics, CrossLabelClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.3, stratify=y, random_state=0)
sites = np.array_split(np.argsort(y + np.random.default_rng(0).normal(0, 2, len(y))), 3)


def learnt(statistics):
    """A model from statistics alone."""
    return CrossLabelClassifier(rule="local", ridge=0.1).fit_statistics(statistics)


# %%
# Each site has some digits often and others seldom.
local = [ClassStatistics.from_samples(X[site], y[site]) for site in sites]
merged = local[0].merge(local[1]).merge(local[2])
models = {
    **{f"site {number}": learnt(one) for number, one in enumerate(local, 1)},
    "merged": learnt(merged),
    "all samples": CrossLabelClassifier(rule="local", ridge=0.1).fit(X, y),
}
scores = {name: 100 * np.mean(m.predict(X_test) == y_test) for name, m in models.items()}

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
bottom = np.zeros(10)
for number, site in enumerate(sites, 1):
    counts = np.bincount(y[site], minlength=10)
    left.bar(np.arange(10), counts, bottom=bottom, label=f"site {number}")
    bottom += counts
left.set(xlabel="digit", ylabel="samples", xticks=range(10), ylim=(0, 72))
left.legend(loc="upper center", ncols=3)
bars = right.bar(list(scores), list(scores.values()), color=["C0", "C1", "C2", "C4", "C7"])
right.bar_label(bars, fmt="%.1f")
right.set(ylabel="test accuracy, %", ylim=(0, 108))
plt.show()

print(f"sent by each site: {max(one.nbytes for one in local) / 1e6:.2f} MB")
