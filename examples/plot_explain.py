"""
Why this label?
===============

A rule compares how well each class's atoms rebuild a query. So an answer can be looked at: the
query, what the best classes make of it, the coefficients, and the numbers that are compared. First
a digit that is labelled rightly, then the mistake that the model is surest of.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from crosslabel import CrossLabelClassifier
from crosslabel.displays import ExplanationDisplay

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
model = CrossLabelClassifier(atoms_per_class=8, rule="local", random_state=0).fit(X, y)
found, sure = model.predict(X_test), model.predict_proba(X_test).max(axis=1)

# %%
ExplanationDisplay.from_estimator(model, X_test[found == y_test][0], shape=(8, 8))
plt.show()

# %%
# The mistake: the two best costs are nearly the same, and the reconstructions show why.
wrong = found != y_test
worst = sure[wrong].argmax()
print(f"{wrong.sum()} of {len(wrong)} are wrong; the true label here is {y_test[wrong][worst]}")
ExplanationDisplay.from_estimator(model, X_test[wrong][worst], shape=(8, 8))
plt.show()
