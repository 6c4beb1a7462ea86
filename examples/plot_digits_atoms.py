"""
Atoms, and who uses them
========================

A model is a dictionary: a few *atoms* for each class. This is the picture in the README: the atoms
learnt from half of scikit-learn's digits, and which atoms the other half uses. Bright blocks on
the diagonal are *cross-label suppression*: samples of a class hardly use the atoms of others.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier
from crosslabel.displays import AtomsDisplay, CodesDisplay

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)

# %%
# Eight atoms for each digit. With the lift named (unit norm, no offset, no kernel) atoms live in
# the space of the pixels and can be looked at.
model = CrossLabelClassifier(
    atoms_per_class=8, rule="joint", scale="unit", offset=0, kernel="linear", random_state=0
).fit(X, y)
print(f"accuracy {model.score(X_test, y_test):.3f} with the {model.rule_} rule")

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4.8), width_ratios=[1, 1.4], layout="constrained"
)
AtomsDisplay.from_estimator(model, shape=(8, 8), cmap="gray_r", ax=left)
left.set_title("learnt atoms, a row for each digit")
CodesDisplay.from_estimator(model, X_test, y_test, ax=right)
right.set_title("which atoms unseen digits use")
plt.show()

# %%
# The codes are features like any others; their names carry the class.
print(model.get_feature_names_out()[:3], model.transform(X_test).shape)
