import numpy as np
import pytest
import scipy.io

from crosslabel.app.fit import Parameters, fit
from crosslabel.core.rules import RULES
from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import RECIPES
from crosslabel.files import load

from .conftest import CLASSES, GIVEN


@pytest.mark.parametrize("features", [n for n, r in RECIPES.items() if r.kind == "images"])
def test_every_feature_of_images_learns(photos, tmp_path, features):
    few = {"words": 32, "dimension": 30}
    options = {o.name: few[o.name] for o in RECIPES[features].options if o.name in few}
    report = fit(
        photos,
        out=tmp_path / "m.skops",
        features=features,
        settings=FeatureSettings(options, n_jobs=1),
        parameters=GIVEN,
    )
    assert report.held_out.overall > 0.6
    assert report.held_out.total == 12
    again = load(tmp_path / "m.skops")
    assert again.class_names == list(CLASSES)
    assert again.features == features
    items = report.data.samples[::5]
    np.testing.assert_array_equal(
        again.pipeline.predict(items), report.model.pipeline.predict(items)
    )


def test_clips(clips):
    report = fit(clips, parameters=GIVEN)
    assert report.model.features == "lbptop"
    assert report.held_out.overall == 1


def test_what_is_not_given_is_chosen_on_training_samples(table):
    report = fit(table, parameters=Parameters(ridge=0.05))
    classifier = report.model.pipeline[-1]
    assert classifier.ridge == 0.05
    assert classifier.rule_ in {"joint", *RULES}
    assert report.held_out.overall > 0.85
    assert report.model.summary["parameters"]["ridge"] == 0.05


def test_the_split_of_a_file_is_kept(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 12)
    X = 4 * np.eye(3, 8)[y] + random.standard_normal((36, 8))
    order = random.permutation(36)
    train, test = order[:24], order[24:]
    one_hot = np.eye(3)[y].T
    place = tmp_path / "split.mat"
    parts = {"training_feats": X[train].T, "H_train": one_hot[:, train]}
    scipy.io.savemat(place, parts | {"testing_feats": X[test].T, "H_test": one_hot[:, test]})
    report = fit(place, parameters=GIVEN)
    assert report.held_out.total == 12
    assert report.model.summary["training_samples"] == 24


def test_a_model_does_not_carry_this_machines_settings(photos, tmp_path):
    settings = FeatureSettings({"words": 16}, str(tmp_path / "cache"), n_jobs=2, verbose=True)
    model = fit(photos, features="spm", settings=settings, parameters=GIVEN).model
    assert list((tmp_path / "cache").rglob("*.npy"))
    pyramid = model.pipeline[0]
    assert (pyramid.cache, pyramid.n_jobs, pyramid.verbose) == (None, None, False)


def test_the_seed_decides(photos):
    first, second = (fit(photos, parameters=GIVEN, seed=3) for _ in range(2))
    assert first.held_out == second.held_out
    np.testing.assert_array_equal(
        first.model.pipeline[-1].dictionary_, second.model.pipeline[-1].dictionary_
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": "lbptop"}, "are for clips, but the data are images"),
        ({"features": "wavelets"}, "no features 'wavelets'"),
        ({"held_out": 1.5}, "between 0 and 1"),
        ({"settings": FeatureSettings({"words": 3})}, "'pixels' have no option 'words'"),
    ],
)
def test_mistakes_are_explained(photos, changes, message):
    with pytest.raises(ValueError, match=message):
        fit(photos, parameters=GIVEN, **changes)


def test_a_folder_for_the_model_must_exist(photos, tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        fit(photos, out=tmp_path / "absent" / "m.skops")


def test_one_training_sample_of_each_class_is_enough(tmp_path):
    np.savez(tmp_path / "few.npz", X=np.eye(4), y=[0, 0, 1, 1])
    report = fit(tmp_path / "few.npz")
    assert report.model.summary["training_samples"] == 2
    assert report.held_out.total == 2
