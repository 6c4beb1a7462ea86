"""
Rules, ridge and number of atoms
================================

The same dictionary can be read in several ways. The *local* rule codes a query over one class's
atoms at a time; the *global* one codes it over all atoms together. How they depend on the ridge β
and on the number of atoms: curves of five folds with a band of one standard deviation.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier
from crosslabel.displays import RulesDisplay

X, y = load_digits(return_X_y=True)
X, y = X[::2], y[::2]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
model = CrossLabelClassifier(atoms_per_class=15, ridge=0.1, random_state=0)
rules = ("global", "local", "global-length")
drawn = (
    (left, "ridge", [1e-3, 1e-2, 1e-1, 0.5, 2]),
    (right, "atoms_per_class", [1, 2, 4, 8, 15, 30]),
)
for ax, name, values in drawn:
    RulesDisplay.from_estimator(
        model, X, y, rules=rules, param_name=name, param_range=values, ax=ax
    )
plt.show()

# %%
# The default, ``rule="auto"``, need not be told: it chooses rule and ridge by the log loss of
# held-out training samples, joins them with a discriminant, and averages what is equally good.
model = CrossLabelClassifier(random_state=0).fit(X, y)
print(f"chosen: {model.rule_}; held-out samples that are recognised, by how samples are prepared:")
for lift, score in model.rule_scores_.items():
    print(f"    {lift}: {100 * score:.1f} %")
