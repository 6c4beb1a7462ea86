from pathlib import Path

import numpy as np
import pytest
import scipy.io

from crosslabel import CrossLabelClassifier
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
    first, second = (fit(photos, features="pixels", parameters=GIVEN, seed=3) for _ in range(2))
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
        (
            {"settings": FeatureSettings({"words": 3}), "features": "pixels"},
            "have no option 'words'",
        ),
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
    report = fit(tmp_path / "few.npz", refit=False)
    assert report.model.summary["training_samples"] == 2
    assert report.held_out.total == 2


def test_the_stored_model_is_trained_on_all_samples_unless_it_is_not_wanted(table):
    """What is measured is the same; the dictionary is that of all samples, or of three quarters."""
    again, measured = (fit(table, parameters=GIVEN, refit=refit) for refit in (True, False))
    assert again.held_out == measured.held_out
    data = np.load(table)
    y = np.unique(data["y"], return_inverse=True)[1]
    given = {name: value for name, value in vars(GIVEN).items() if value is not None}
    every = CrossLabelClassifier(random_state=0, **given).fit(data["X"], y)
    expected = every.predict_proba(data["X"])
    np.testing.assert_allclose(again.model.predict_proba(data["X"]), expected, rtol=1e-6)
    assert np.abs(measured.model.predict_proba(data["X"]) - expected).max() > 1e-6
    told = [one.model.summary for one in (again, measured)]
    assert [one["training_samples"] for one in told] == [60, 45]
    assert "then trained in the same way on all 60 samples" in told[0]["protocol"]
    assert "The stored model is the one that was measured" in told[1]["protocol"]


def test_an_existing_model_is_replaced_only_by_force_and_nothing_is_read_before(table, tmp_path):
    place = tmp_path / "m.skops"
    place.write_text("precious")
    with pytest.raises(FileExistsError, match="--force"):
        fit("/absent", out=place)
    assert place.read_text() == "precious"
    fit(table, out=place, force=True, parameters=GIVEN)
    assert load(place).class_names == ["a", "b", "c"]


def test_each_picture_is_looked_at_once_though_two_models_are_trained(photos, monkeypatch):
    from crosslabel.features import spatial_pyramid

    asked, extract = [], spatial_pyramid.extract

    def noted(function, items, **settings):
        asked.extend([settings["cache"]] if "cache" in settings else [])
        return extract(function, items, **settings)

    monkeypatch.setattr(spatial_pyramid, "extract", noted)
    settings = FeatureSettings({"words": 16}, n_jobs=1)
    model = fit(photos, features="spm", settings=settings, parameters=GIVEN).model
    assert len(asked) > 2
    assert None not in asked
    assert not Path(asked[0]).exists()
    assert model.pipeline[0].cache is None


def test_a_line_says_which_features_were_chosen(clips):
    told = []
    fit(clips, parameters=GIVEN, tell=told.append)
    assert told == ["Features: lbptop, for clips."]
