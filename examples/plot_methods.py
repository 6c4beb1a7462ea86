"""
Methods side by side
====================

The methods that the paper compares with are estimators too. Their defaults on digits, 30 training
samples of each: accuracy against time of training. One split of a small problem says little about a
method; ``crosslabel compare`` does this on your data, with several splits.
"""

import time

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from crosslabel import CRC, DKSVD, DLSI, DPL, KSVD, LCKSVD, LRC, SRC, CrossLabelClassifier
from crosslabel.datasets.splits import per_class

X, y = load_digits(return_X_y=True)
train, test = next(per_class(y, 30, repeats=1, seed=0))
test = test[::3]
models = [
    CrossLabelClassifier(random_state=0),
    CRC(),
    LRC(),
    SRC(),
    DPL(random_state=0),
    DLSI(random_state=0),
    KSVD(atoms_per_class=15, random_state=0),
    DKSVD(atoms_per_class=15, random_state=0),
    LCKSVD(atoms_per_class=15, random_state=0),
]

# %%
figure, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
for number, model in enumerate(models):
    start = time.perf_counter()
    model.fit(X[train], y[train])
    seconds = time.perf_counter() - start
    accuracy = 100 * model.score(X[test], y[test])
    name = type(model).__name__
    print(f"{name:<22} {accuracy:5.1f} %  fit {seconds:.3f} s")
    ax.plot(seconds, accuracy, "o", color="C3" if number == 0 else "C0")
    ax.annotate(name, (seconds, accuracy), xytext=(6, 4), textcoords="offset points")
ax.set(xscale="log", xlabel="seconds to fit", ylabel="accuracy, %")
ax.margins(x=0.25, y=0.15)
plt.show()
