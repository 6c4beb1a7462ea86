"""Learn a dictionary of digits and draw it: the picture in the README.

Run: python examples/digits_atoms.py [docs/images/digits.png]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier
from crosslabel.lab.report.figures import mean_absolute_codes, new_figure

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
model = CrossLabelClassifier(
    atoms_per_class=8, rule="joint", scale="unit", offset=0, kernel="linear", random_state=0
).fit(X, y)

figure = new_figure(figsize=(10, 4.8))
left, right = figure.subplots(1, 2, width_ratios=[1, 1.5])
atoms = model.dictionary_.reshape(10, 8, 8, 8)
atoms = atoms * np.sign(atoms.sum(axis=(2, 3), keepdims=True))
atoms = atoms / np.abs(atoms).max(axis=(2, 3), keepdims=True)
framed = np.pad(atoms, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=np.nan)
left.imshow(framed.transpose(0, 2, 1, 3).reshape(100, 80), cmap="gray_r", vmin=-0.6)
left.set(xticks=[], yticks=np.arange(10) * 10 + 4.5, yticklabels=model.classes_)
left.set_title("learnt atoms, a row for each digit")
left.spines[:].set_visible(False)
codes = mean_absolute_codes(model.transform(X_test), y_test, 10)
right.imshow(codes, aspect="auto", cmap="viridis", vmax=np.quantile(codes, 0.99))
right.set(yticks=np.arange(10), xlabel="atom, by class", ylabel="digit of the test samples")
right.set_title("which atoms unseen digits use")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "digits.png", dpi=110)
print(f"accuracy {model.score(X_test, y_test):.3f} with the {model.rule_} rule")
