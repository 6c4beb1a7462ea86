"""Write a model file of the current format, from drawn shapes, with what it predicts.

Run once for each version of the format, when it is released, and never again for the same:
python -m tests.files.stored.make
"""

from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from crosslabel import CrossLabelClassifier, Model, save
from crosslabel.features import Eigenfaces, Pixels
from crosslabel.files.manifest import VERSION
from tests.app.conftest import CLASSES, picture


def main():
    random = np.random.default_rng(0)
    images = [picture(kind, random) for kind in range(3) for _ in range(10)]
    y = np.repeat(np.arange(3), 10)
    classifier = CrossLabelClassifier(atoms_per_class=3, shared_atoms=1, random_state=0)
    steps = [("pixels", Pixels((8, 8))), ("pca", Eigenfaces(12)), ("classifier", classifier)]
    model = Model(
        Pipeline(steps).fit(images, y), list(CLASSES), "images", "eigenfaces", {"seed": 0}
    )
    place = Path(__file__).parent / f"format_{VERSION}.skops"
    if place.exists():
        raise SystemExit(f"{place} is there already, and stays as it is.")
    save(model, place)
    queries = np.stack([picture(kind, random) for kind in (0, 1, 2, 2, 1, 0)])
    np.savez(
        place.with_suffix(".npz"),
        images=queries,
        scores=model.pipeline.decision_function(list(queries)),
        names=[CLASSES[label] for label in model.pipeline.predict(list(queries))],
    )


if __name__ == "__main__":
    main()
