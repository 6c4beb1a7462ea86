"""
Patches of two photographs
==========================

Which of two photographs is a patch of 12 × 12 pixels from? The two that come with scikit-learn: a
temple and a flower. Atoms of patches look like edges and gradients, and a map of the answers shows
what a patch alone can tell. The left half of each photograph trains, the right half tests.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_sample_images
from sklearn.feature_extraction.image import extract_patches_2d

from crosslabel import CrossLabelClassifier
from crosslabel.displays import AtomsDisplay

SIDE = 12
photos = {
    name: image[::2, ::2].mean(axis=2) / 255
    for name, image in zip(("temple", "flower"), load_sample_images().images)
}


def patches(image, size, seed):
    """Some patches, as rows."""
    return extract_patches_2d(image, (SIDE, SIDE), max_patches=size, random_state=seed).reshape(
        size, -1
    )


def halves(column):
    """Patches of one half of each photograph, with their names."""
    cut = {name: image[:, column] for name, image in photos.items()}
    rows = [patches(image, 1500, seed) for seed, image in enumerate(cut.values())]
    return np.concatenate(rows), np.repeat(list(cut), 1500)


X, y = halves(slice(0, 160))
X_test, y_test = halves(slice(160, 320))

# %%
model = CrossLabelClassifier(kernel="linear", random_state=0).fit(X, y)
print(f"accuracy on patches of the other halves: {model.score(X_test, y_test):.3f}")
AtomsDisplay.from_estimator(model, shape=(SIDE, SIDE), most_atoms=12)
plt.show()

# %%
# How sure the model is that a patch is of the flower, all over both photographs.
figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
flower = list(model.classes_).index("flower")
for (picture, map_), (name, image) in zip(axes.T, photos.items()):
    windows = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE))[::4, ::4]
    proba = model.predict_proba(windows.reshape(-1, SIDE * SIDE))[:, flower]
    picture.imshow(image, cmap="gray")
    picture.set_title(name)
    map_.imshow(proba.reshape(windows.shape[:2]), cmap="coolwarm", vmin=0, vmax=1)
    map_.set_title("blue: temple, red: flower")
    for ax in (picture, map_):
        ax.set_axis_off()
plt.show()
