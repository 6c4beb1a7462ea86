import numpy as np
from PIL import Image
from sklearn.pipeline import make_pipeline

from crosslabel import CrossLabelClassifier
from crosslabel.features import Pixels
from crosslabel.files import Model, load, save


def test_a_model_answers_with_names(tmp_path):
    """Class numbers of the pipeline become names, whatever subset of them it knows."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 2, 3], 8)
    X = 3 * np.eye(4, 6)[y] + random.normal(size=(24, 6))
    names = ["ant", "bee", "cat", "dog"]
    pipeline = make_pipeline(CrossLabelClassifier(random_state=0)).fit(X, y)
    save(Model(pipeline, names, "features", "none"), tmp_path / "m.skops")
    model = load(tmp_path / "m.skops")
    assert model.classes_.tolist() == ["ant", "cat", "dog"]
    assert model.predict(X).tolist() == [names[n] for n in pipeline.predict(X)]
    np.testing.assert_allclose(model.predict_proba(X), pipeline.predict_proba(X))
    explained = model.explain(X)
    assert [one.label for one in explained] == model.predict(X).tolist()
    assert len(explained[0].views) == 3


def test_pictures_are_asked_about_by_their_paths(tmp_path):
    random = np.random.default_rng(0)
    files = []
    for number in range(12):
        files.append(tmp_path / f"{number}.png")
        level = 40 + 170 * (np.arange(16) < 8 if number % 2 else np.arange(16) >= 8)
        picture = level + random.integers(0, 20, (16, 16))
        Image.fromarray(picture.astype(np.uint8)).save(files[-1])
    pipeline = make_pipeline(Pixels((8, 8)), CrossLabelClassifier(random_state=0))
    model = Model(pipeline.fit(files, np.arange(12) % 2), ["right", "left"], "images", "pixels")
    assert model.predict(files[:4]).tolist() == ["right", "left", "right", "left"]
    assert model.predict(str(files[1])).tolist() == ["left"]
    assert model.predict_proba(files[1]).shape == (1, 2)
    assert model.explain([str(files[0])])[0].sentence("It").startswith("It is labelled right")
