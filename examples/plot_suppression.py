"""
What suppression does
=====================

*Suppression* λ is the price of using another class's atoms in training. Without it (λ = 0) digits
borrow from each other; with more of it codes become block-diagonal; without limit, the default, no
training code leaves its class and the best dictionary has a closed form.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier
from crosslabel.displays import CodesDisplay, RulesDisplay

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)

# %%
# Codes of unseen digits. A code in prediction is free to use all atoms: that it keeps to its own
# class is what the dictionary has learnt.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True, layout="constrained")
for ax, suppression, title in zip(axes, (0.0, 1.0, float("inf")), ("0", "1", "∞")):
    model = CrossLabelClassifier(
        atoms_per_class=8, suppression=suppression, ridge=0.01, rule="global", random_state=0
    ).fit(X, y)
    display = CodesDisplay.from_estimator(model, X_test, y_test, ax=ax)
    ax.set_title(f"λ = {title}: accuracy {100 * model.score(X_test, y_test):.1f} %")
plt.show()

# %%
# Accuracy of both rules of the paper against λ, by five folds.
RulesDisplay.from_estimator(
    CrossLabelClassifier(atoms_per_class=8, ridge=0.01, max_iter=5, random_state=0), X, y,
    param_name="suppression", param_range=[0.01, 0.1, 1, 10, 100, float("inf")],
)  # fmt: skip
plt.show()
