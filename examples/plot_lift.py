"""
Offset and kernel: how samples are prepared
===========================================

With unit norm a class is a bundle of directions from the origin, which is right for pictures and
wrong for points in a plane. The *offset* gives samples one more, constant coordinate: classes may
then lie anywhere. A *kernel* bends the space. By default the choice is made from held-out samples.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from crosslabel import CrossLabelClassifier

X, y = make_moons(200, noise=0.2, random_state=0)
X_test, y_test = make_moons(2000, noise=0.2, random_state=1)
settings = {
    "unit norm (directions)": {"scale": "unit", "offset": 0, "kernel": "linear"},
    "with an offset": {"scale": "standard", "offset": 1.0, "kernel": "linear"},
    "with an RBF kernel": {"scale": "standard", "offset": 1.0, "kernel": "rbf"},
    "chosen": {},
}

# %%
figure, axes = plt.subplots(2, 2, figsize=(8, 6.5), sharex=True, sharey=True, layout="constrained")
for ax, (title, given) in zip(axes.flat, settings.items()):
    model = CrossLabelClassifier(rule="auto", random_state=0, **given).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict", alpha=0.25, ax=ax, cmap="coolwarm"
    )
    ax.scatter(*X.T, c=y, s=8, cmap="coolwarm")
    accuracy = np.mean(model.predict(X_test) == y_test)
    ax.set_title(f"{title}: accuracy {accuracy:.3f}")
plt.show()
