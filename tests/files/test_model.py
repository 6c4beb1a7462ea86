import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import crosslabel
from crosslabel import LLC, CrossLabelClassifier, CrossLabelClassifierCV, RejectingClassifier
from crosslabel.files import Model, ModelFileError, load, load_model, save
from crosslabel.files.model import encoded
from crosslabel.lab import estimators
from tests.files.problems import (
    LABELS,
    PIPELINES,
    members,
    small_file,
    small_model,
    with_json,
    with_member,
)
from tests.methods.test_methods import CLASSES, faces, method

GRID = {"ridges": [0.01], "suppressions": [10.0], "groupings": [0.1], "atoms_per_class": [2, 3]}
MODELS = [
    *(method(cls) for cls in CLASSES),
    CrossLabelClassifier(atoms_per_class=3, random_state=0),
    CrossLabelClassifier(shared_atoms=2, rule="local", random_state=np.random.RandomState(3)),
    CrossLabelClassifierCV(**GRID, random_state=0),
    make_pipeline(StandardScaler(), PCA(5), SVC()),
    make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
    KNeighborsClassifier(),
]


# What is stored is equal to the bit, and what is computed from it only to rounding: a loaded array
# can lie otherwise in memory. Images are float32; the residuals that scores come from are small
# differences, which costs two or three of its seven digits.
ROUNDING = 1e-4


@pytest.mark.parametrize("name", PIPELINES)
def test_what_was_saved_predicts_the_same(tmp_path, name):
    pipeline, items = PIPELINES[name]
    pipeline.fit(items, LABELS)
    kind = "clips" if name == "lbptop" else "images"
    model = Model(pipeline, ["a", "b", "ü"], kind, name, {"note": "first", "accuracy": 0.5})
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    assert again.class_names == ["a", "b", "ü"]
    assert again.summary == {"note": "first", "accuracy": 0.5}
    assert (again.kind, again.features, again.version) == (kind, name, crosslabel.__version__)
    assert encoded(again) == encoded(model)
    scores = pipeline.decision_function(items)
    assert_allclose(again.pipeline.decision_function(items), scores, rtol=ROUNDING)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_method_loads_as_skops_itself_loads_it(tmp_path, model):
    X, y = faces()
    X, y = np.abs(X), np.array(["a", "b", "c", "d"])[y]
    model, place = clone(model).fit(X, y), tmp_path / "m.skops"
    crosslabel.save(model, place)
    ours = crosslabel.load(place)
    theirs = skops.io.load(place, trusted=skops.io.get_untrusted_types(file=place))
    ask = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    for again in (ours, theirs):
        assert type(again) is type(model)
        assert_allclose(getattr(again, ask)(X), getattr(model, ask)(X), rtol=1e-6, atol=1e-9)
        assert_array_equal(again.predict(X), model.predict(X))
    assert place.read_bytes() == encoded(model) == encoded(ours) == encoded(theirs)


def test_all_methods_are_here():
    tested = {type(model).__name__ for model in MODELS}
    # A transformer and a wrapper, tested below.
    assert set(estimators.NAMES) - tested == {"LLC", "RejectingClassifier"}


def test_a_wrapper_is_saved_with_what_it_wraps(tmp_path):
    X, y = faces()
    model = RejectingClassifier(CrossLabelClassifier(random_state=0, rule="local"), threshold=0.9)
    save(model.fit(X, y), tmp_path / "m")
    assert_array_equal(load(tmp_path / "m").predict(X), model.predict(X))


def test_transformers_and_models_before_fit(tmp_path):
    X, _ = faces()
    codes = LLC(codebook=5, random_state=0).fit(X)
    save(codes, tmp_path / "m")
    assert_array_equal(load(tmp_path / "m").codebook_, codes.codebook_)
    assert_allclose(load(tmp_path / "m").transform(X), codes.transform(X), atol=1e-9)
    save(CrossLabelClassifier(ridge=0.5), tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.ridge == 0.5
    assert not hasattr(again, "dictionary_")


def test_what_is_shared_stays_shared(tmp_path):
    X, y = faces()
    save(CrossLabelClassifierCV(**GRID, random_state=0).fit(X, y), tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.dictionary_ is again.best_estimator_.dictionary_
    assert again.dictionary_.flags.writeable


def test_the_file_tells_what_it_is(tmp_path):
    manifest = json.loads(members(small_file())["manifest.json"])
    assert manifest["format"] == "crosslabel model"
    assert manifest["format_version"] == 1
    assert manifest["crosslabel"] == crosslabel.__version__
    assert manifest["class_names"] == ["a", "b", "ü"]
    assert [step["name"] for step in manifest["steps"]] == ["pixels", "crosslabelclassifier"]
    assert manifest["steps"][0]["parameters"] == {"log": True, "normalize": True, "size": [8, 8]}
    assert manifest["summary"] == {"note": "x"}


def test_the_rule_is_prepared_again_instead_of_stored():
    stored = members(small_file())
    assert b'_rule"' not in stored["schema.json"]
    assert b"AtomLayout" not in stored["schema.json"]


@pytest.mark.parametrize("keep", [0, 10, 500, -1])
def test_truncated_files(tmp_path, keep):
    place = tmp_path / "m"
    place.write_bytes(small_file()[:keep])
    with pytest.raises(ModelFileError, match="m cannot be loaded as a model"):
        load(place)


def test_absent_files_and_folders(tmp_path):
    for place in (tmp_path / "absent", tmp_path):
        with pytest.raises(FileNotFoundError, match="There is no model file"):
            load(place)


class Foreign(CrossLabelClassifier):
    """A type that is neither ours nor scikit-learn's."""


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Foreign(), r"not trusted: tests\.files\.test_model\.Foreign"),
        (make_pipeline(FunctionTransformer(json.dumps)), r"not trusted: json\.dumps"),
        (CrossLabelClassifier(init=small_model), r"not trusted: tests.*small_model"),
        (RandomForestClassifier(2).fit([[0], [1]], [0, 1]), r"tree\._tree\.Tree by way of"),
        (CrossLabelClassifier(init=small_model().pipeline.fit), "by way of MethodNode"),
        ({"a": 1}, "neither a Model nor an estimator"),
    ],
    ids=["type", "function", "own function", "tree", "method", "dictionary"],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, model, reason):
    place = tmp_path / "m"
    save(small_model(), place)
    before = place.read_bytes()
    with pytest.raises(ModelFileError, match=reason):
        save(model, place)
    assert place.read_bytes() == before


def test_what_concerns_one_machine_alone_is_left_behind(tmp_path):
    pipeline = clone(PIPELINES["spm"][0]).set_params(
        memory=str(tmp_path), spatialpyramid__cache=str(tmp_path), spatialpyramid__n_jobs=2
    )
    save(pipeline, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.memory is None
    assert (again[0].cache, again[0].n_jobs) == (None, None)
    assert pipeline[0].n_jobs == 2


def set_later(manifest):
    manifest |= {"format_version": 99, "crosslabel": "9.0"}


MANIFESTS = {
    "later": (set_later, r"written by crosslabel 9\.0 in version 99.*Update crosslabel"),
    "other": (lambda m: m.update(format="other"), "not marked as"),
    "version": (lambda m: m.update(format_version="1"), "no version: '1'"),
    "names": (lambda m: m.update(class_names=[1]), "no usable 'class_names'"),
    "kind": (lambda m: m.pop("kind"), "no usable 'kind'"),
    "steps": (lambda m: m.update(steps=[{}]), "no usable 'steps'"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests_that_cannot_be_used(tmp_path, name):
    change, reason = MANIFESTS[name]
    place = tmp_path / "m"
    place.write_bytes(with_json(small_file(), "manifest.json", change))
    with pytest.raises(ModelFileError, match=reason):
        load(place)


def test_numbers_that_json_does_not_know(tmp_path):
    place = tmp_path / "m"
    place.write_bytes(with_member(small_file(), "manifest.json", b'{"format": NaN}'))
    with pytest.raises(ModelFileError, match="the number NaN"):
        load(place)


def test_a_later_scikit_learn_is_told_of_where_its_own_parts_are_inside(tmp_path):
    def age(manifest):
        manifest["libraries"]["scikit-learn"] = "0.99.1"

    place = tmp_path / "m"
    place.write_bytes(with_json(small_file(), "manifest.json", age))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(place)  # a pipeline of our own steps
    scaled = Pipeline([("scale", StandardScaler()), ("last", CrossLabelClassifier())])
    place.write_bytes(with_json(encoded(scaled), "manifest.json", age))
    with pytest.warns(UserWarning, match=r"scikit-learn 0\.99\.1 and holds its StandardScaler"):
        load(place)


def test_a_parameter_that_a_later_version_adds_has_its_default(tmp_path):
    def forget(schema):
        del schema["content"]["content"]["tol"]
        del schema["content"]["key_types"]["content"][-1]

    place = tmp_path / "m"
    place.write_bytes(with_json(encoded(CrossLabelClassifier(tol=0.5)), "schema.json", forget))
    assert load(place).tol == CrossLabelClassifier().tol


def test_commands_need_more_than_an_estimator(tmp_path):
    save(small_model().pipeline, tmp_path / "m")
    assert isinstance(load(tmp_path / "m"), Pipeline)
    with pytest.raises(ModelFileError, match=r"holds an estimator alone.*crosslabel\.Model"):
        load_model(tmp_path / "m")


STORED = sorted((Path(__file__).parent / "stored").glob("format_*.skops"))


def test_a_file_of_each_format_is_stored():
    from crosslabel.files.manifest import VERSION

    assert [place.stem.split("_")[1] for place in STORED] == [str(v + 1) for v in range(VERSION)]


@pytest.mark.parametrize("place", STORED, ids=lambda place: place.stem)
def test_files_of_earlier_versions_open_and_predict_as_they_did(place):
    model = load(place)
    expected = np.load(place.with_suffix(".npz"))
    images = list(expected["images"])
    scores = model.pipeline.decision_function(images)
    assert_allclose(scores, expected["scores"], rtol=ROUNDING, atol=1e-6)
    first, second = -np.sort(-expected["scores"], axis=1)[:, :2].T
    assert (first - second > 0.1).all()  # so that rounding cannot change a name
    names = [model.class_names[label] for label in model.pipeline.predict(images)]
    assert names == expected["names"].tolist()
