"""
How sure is sure?
=================

Probabilities come with the model and are calibrated on held-out training samples: of the answers
given with 80 %, four in five should be right. Eight samples of each digit train; the curves compare
what was said with what came, and the log loss sums it up. Above the dashed line a model is more
often right than it says, below it less often.
"""

from matplotlib import pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from crosslabel import CrossLabelClassifier
from crosslabel.datasets.splits import per_class

X, y = load_digits(return_X_y=True)
train, test = next(per_class(y, 8, repeats=1, seed=0))
models = {
    "crosslabel": CrossLabelClassifier(random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "shrinkage LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
}

# %%
figure, ax = plt.subplots(layout="constrained")
ax.plot([0.1, 1], [0.1, 1], color="0.6", linestyle="--", label="as sure as right")
for name, model in models.items():
    proba = model.fit(X[train], y[train]).predict_proba(X[test])
    right = proba.argmax(axis=1) == y[test]
    came, said = calibration_curve(right, proba.max(axis=1), n_bins=8, strategy="quantile")
    loss = log_loss(y[test], proba)
    ax.plot(said, came, marker="o", label=f"{name}: log loss {loss:.2f}")
ax.set(xlabel="probability that was said", ylabel="part that was right")
ax.legend()
plt.show()
