import json

import numpy as np
import pytest
from PIL import Image
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from crosslabel.app.evaluate import evaluate
from crosslabel.app.fit import fit
from crosslabel.app.predict import novelty_threshold, predict
from crosslabel.datasets import UnreadableFile
from crosslabel.files import Model, load
from tests.app.command import run
from tests.files.problems import LABELS, PIPELINES

from .conftest import CLASSES, GIVEN


def test_files_and_folders_in_order(model_file, photos):
    files = [photos / CLASSES[2] / "3.png", photos / CLASSES[0]]
    predictions = list(predict(model_file, files))
    assert len(predictions) == 17
    assert predictions[0].file.endswith("3.png")
    model = load(model_file)
    expected = model.pipeline.predict([p.file for p in predictions])
    assert [p.label for p in predictions] == [CLASSES[number] for number in expected]
    chances = model.predict_proba([p.file for p in predictions])
    np.testing.assert_allclose([p.probability for p in predictions], chances.max(axis=1))
    seconds = np.sort(chances, axis=1)[:, -2]
    np.testing.assert_allclose([p.runner_up_probability for p in predictions], seconds)
    assert all(p.runner_up != p.label for p in predictions)


def test_a_bad_file_is_reported_between_good_ones(model_file, photos, tmp_path):
    (tmp_path / "bad.png").write_text("words")
    good = photos / CLASSES[0] / "1.png"
    first, bad, last = predict(model_file, [good, tmp_path / "bad.png", good])
    assert first == last
    assert "no image of a known format" in bad.problem
    assert bad.label is None
    with pytest.raises(UnreadableFile, match=r"bad\.png"):
        list(predict(model_file, [tmp_path / "bad.png"], strict=True))


def test_rows_of_features(table):
    model = fit(table, parameters=GIVEN).model
    predictions = list(predict(model, [table]))
    assert len(predictions) == 60
    assert predictions[7].file.endswith("[7]")
    assert np.mean([p.label == "abc"[i // 20] for i, p in enumerate(predictions)]) > 0.8


def test_the_best_classes_are_listed_where_they_are_asked_for(table, tmp_path):
    model = fit(table, parameters=GIVEN).model
    plain = list(predict(model, [table]))
    assert all(p.top is None for p in plain)
    for k in (1, 3):
        for one, before in zip(predict(model, [table], top=k), plain):
            assert len(one.top) == k
            assert one.top[0] == {"label": before.label, "probability": before.probability}
            assert k == 1 or one.top[1]["label"] == before.runner_up
    for k in (0, 4):
        with pytest.raises(ValueError, match=rf"3 classes: --top lies from 1 to 3, not {k}"):
            list(predict(model, [table], top=k))
    with np.load(table) as data:
        numbers = np.unique(data["y"], return_inverse=True)[1]
        svm = make_pipeline(LinearSVC()).fit(data["X"], numbers)
    other = Model(svm, list("abc"), "features", "none")
    with pytest.raises(ValueError, match="LinearSVC does not rank classes: leave --top out"):
        list(predict(other, [table], top=2))


def test_a_file_without_features(table, tmp_path):
    np.savez(tmp_path / "odd.npz", other=np.ones(3))
    model = fit(table, parameters=GIVEN).model
    with pytest.raises(ValueError, match=r"holds none of featureMat.*it holds other"):
        list(predict(model, [tmp_path / "odd.npz"]))


def test_two_classes_have_scores_too(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 20)
    X = 3 * np.eye(2, 6)[(y == "yes").astype(int)] + random.standard_normal((40, 6))
    np.savez(tmp_path / "two.npz", X=X, y=y)
    report = fit(tmp_path / "two.npz", parameters=GIVEN)
    labels = [p.label for p in predict(report.model, [tmp_path / "two.npz"])]
    names = np.array(report.model.class_names)
    np.testing.assert_array_equal(labels, names[report.model.pipeline.predict(X)])


def test_ties_are_decided_as_evaluate_decides_them(tmp_path):
    """A row of zeros is as near to every class: both commands take the first."""
    random = np.random.default_rng(0)
    y = np.repeat(["b", "a", "c"], 10)
    X = 3 * np.eye(3, 6)[np.arange(30) // 10] + random.standard_normal((30, 6))
    np.savez(tmp_path / "three.npz", X=X, y=y)
    model = fit(tmp_path / "three.npz", parameters=GIVEN).model
    np.savez(tmp_path / "zeros.npz", X=np.zeros((6, 6)), y=np.repeat(["a", "c"], 3))
    labels = [p.label for p in predict(model, [tmp_path / "zeros.npz"])]
    assert labels == ["a"] * 6
    accuracy, _ = evaluate(model, tmp_path / "zeros.npz")
    assert accuracy.correct == 3


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """A model of four of five classes, and a file of all five."""
    random = np.random.default_rng(1)
    y = np.repeat(list("abcde"), 25)
    X = 5 * np.eye(5, 30)[np.arange(125) // 25] + random.standard_normal((125, 30))
    folder = tmp_path_factory.mktemp("four")
    np.savez(folder / "known.npz", X=X[:100], y=y[:100])
    np.savez(folder / "all.npz", X=X, y=y)
    return fit(folder / "known.npz").model, folder / "all.npz"


def test_what_looks_like_no_class_is_unknown(four):
    model, place = four
    labelled = [p.label for p in predict(model, [place])]
    assert set(labelled) == set("abcd")
    found = [p.label for p in predict(model, [place], reject=0.1)]
    assert np.mean([label == "unknown" for label in found[100:]]) > 0.7
    assert np.mean([label == "unknown" for label in found[:100]]) < 0.3
    # What is not refused keeps its label; a rate of one refuses nothing.
    assert all(a == b for a, b in zip(found, labelled) if a != "unknown")
    assert [p.label for p in predict(model, [place], reject=1.0)] == labelled


def test_the_rate_is_that_of_strangers_left_out_in_training(four):
    scores = np.array(four[0].summary["strangers"])
    assert (np.diff(scores) >= 0).all()
    for rate in (0.02, 0.2, 0.5):
        assert np.mean(scores < novelty_threshold(four[0], rate)) == pytest.approx(rate, abs=0.02)


def test_models_that_know_no_strangers(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 9)
    X = 3 * np.eye(2, 6)[np.arange(18) // 9] + random.standard_normal((18, 6))
    np.savez(tmp_path / "two.npz", X=X, y=y)
    model = fit(tmp_path / "two.npz", parameters=GIVEN).model
    with pytest.raises(ValueError, match="fewer than three classes"):
        list(predict(model, [tmp_path / "two.npz"], reject=0.05))
    with pytest.raises(ValueError, match="lies in"):
        novelty_threshold(model, 2.0)


def test_a_classifier_without_probabilities(table):
    data = np.load(table)
    names, y = np.unique(data["y"], return_inverse=True)
    pipeline = make_pipeline(LinearSVC(random_state=0)).fit(data["X"], y)
    first = next(predict(Model(pipeline, names.tolist(), "features", "none"), [table]))
    assert (first.label, first.probability, first.runner_up) == ("a", None, None)


def test_the_command_says_what_is_unknown_and_what_shows_nothing(model_file, photos, tmp_path):
    Image.new("L", (24, 24)).save(tmp_path / "night.png")
    done = run("predict", model_file, tmp_path, "--reject", 0.05)
    assert done.exit_code == 0
    assert "night.png: it is black all over, so its label means nothing" in done.stderr
    head, row = done.stdout.splitlines()
    assert head.split() == ["file", "label", "probability", "runner-up"]
    assert "unknown" in row
    (told,) = json.loads(run("predict", model_file, tmp_path, "--format", "json").stdout)
    assert told["warning"].startswith("it is black")
    assert run("predict", model_file, tmp_path, "--quiet").stderr == ""
    (tmp_path / "empty").mkdir()
    done = run("predict", model_file, tmp_path / "empty")
    assert done.exit_code == 1
    assert "There are no images in" in done.stderr


def test_one_clip_that_no_feature_can_be_taken_of_does_not_end_the_others(tmp_path):
    pipeline, clips = PIPELINES["lbptop"]
    model = Model(pipeline.fit(clips, LABELS), ["a", "b", "c"], "clips", "lbptop")
    for number, clip in enumerate([clips[0], clips[1][:2], clips[2]]):
        np.save(tmp_path / f"{number}.npy", clip)
    files = sorted(tmp_path.glob("*.npy"))
    found = list(predict(model, files))
    assert [each.problem is None for each in found] == [True, False, True]
    assert "more than 2 frames" in found[1].problem
    with pytest.raises(ValueError, match="more than 2 frames"):
        list(predict(model, files, strict=True))
