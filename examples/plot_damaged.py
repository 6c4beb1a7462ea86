"""
Damaged queries
===============

What happens to a model that was trained on clean faces when a part of a picture is noise? ORL
faces, five training pictures of each person, and pixels of the queries replaced by noise. Atoms are
few, so that noise is hard to piece together from them; CRC, whose atoms are all the training
pictures, suffers first. Which of our rules holds longer depends on the data and on the ridge.
"""

import numpy as np
from matplotlib import pyplot as plt

from crosslabel import CRC, CrossLabelClassifier
from crosslabel.datasets import load_orl
from crosslabel.datasets.splits import per_class
from crosslabel.features import Pixels

faces = load_orl()
X, y = Pixels((28, 23)).fit_transform(faces.images), faces.target
train, test = next(per_class(y, 5, repeats=1, seed=0))
rng = np.random.default_rng(0)


def damaged(rows, part):
    """Rows with a part of their pixels replaced by uniform noise."""
    hit = rng.random(rows.shape) < part
    return np.where(hit, rng.uniform(0, rows.max(), rows.shape), rows)


# %%
parts = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
queries = {part: damaged(X[test], part) for part in parts}
models = {
    "local rule": CrossLabelClassifier(rule="local"),
    "global rule": CrossLabelClassifier(rule="global"),
    "CRC": CRC(),
}
figure, ax = plt.subplots(layout="constrained")
for name, model in models.items():
    model.fit(X[train], y[train])
    ax.plot(parts, [model.score(queries[part], y[test]) for part in parts], "o-", label=name)
ax.set(xlabel="part of the pixels that is noise", ylabel="accuracy")
ax.legend()
plt.show()

# %%
figure, axes = plt.subplots(1, len(parts), figsize=(10, 2), layout="constrained")
for ax, part in zip(axes, parts):
    ax.imshow(queries[part][0].reshape(28, 23), cmap="gray", vmin=0, vmax=X.max())
    ax.set_axis_off()
    ax.set_title(f"{100 * part:.0f} %")
plt.show()
