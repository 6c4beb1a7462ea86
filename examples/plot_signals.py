"""
Signals
=======

Nothing here is about pictures: a sample is a vector. Four kinds of generated oscillations with
random phase and much noise; the atoms that stand for each kind come out cleaner than any sample,
because the noise has no direction in common.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy import signal
from sklearn.metrics import ConfusionMatrixDisplay

from crosslabel import CrossLabelClassifier
from crosslabel.displays import AtomsDisplay

rng = np.random.default_rng(0)
t = np.linspace(0, 1, 200)
SHAPES = {
    "sine": lambda phase: np.sin(2 * np.pi * (5 * t + phase)),
    "square": lambda phase: signal.square(2 * np.pi * (5 * t + phase)),
    "sawtooth": lambda phase: signal.sawtooth(2 * np.pi * (5 * t + phase)),
    "chirp": lambda phase: np.sin(2 * np.pi * (2 * t + 6 * t**2 + phase)),
}


def samples(size):
    """So many signals of each kind, with their names."""
    rows = [make(rng.uniform()) for make in SHAPES.values() for _ in range(size)]
    return np.array(rows) + rng.normal(0, 0.6, (len(rows), len(t))), np.repeat(list(SHAPES), size)


X, y = samples(250)
X_test, y_test = samples(200)

# %%
figure, axes = plt.subplots(2, 2, figsize=(9, 4), sharex=True, sharey=True, layout="constrained")
for ax, name in zip(axes.flat, SHAPES):
    ax.plot(t, X[y == name][0], linewidth=0.7)
    ax.set_title(name)
plt.show()

# %%
# Four atoms of each kind.
model = CrossLabelClassifier(atoms_per_class=4, rule="local", random_state=0).fit(X, y)
print(f"accuracy {model.score(X_test, y_test):.3f}")
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
AtomsDisplay.from_estimator(model, ax=ax)
ax.set_aspect("auto")
plt.show()

# %%
ConfusionMatrixDisplay.from_estimator(model, X_test, y_test, colorbar=False)
plt.show()
