from dataclasses import replace

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier
from crosslabel.app.fit import fit
from crosslabel.app.keepsakes import MOST, atom_sources, strangers

from .conftest import CLASSES, GIVEN


@pytest.fixture(scope="module")
def problem():
    random = np.random.default_rng(0)
    y = np.arange(60) % 4
    return 4 * np.eye(4, 9)[y] + random.standard_normal((60, 9)), y


@pytest.mark.parametrize("settings", [{}, {"shared_atoms": 2, "rule": "local", "ridge": 0.1}])
def test_the_source_of_an_atom_is_the_sample_of_its_class_most_like_it(problem, settings):
    X, y = problem
    view = (
        CrossLabelClassifier(random_state=0, atoms_per_class=3, **settings).fit(X, y).fitted_.view
    )
    lifted = view.lifted(X)
    for atom, label, found in zip(view.dictionary, view.layout.labels, atom_sources(view, X, y)):
        likeness = [
            abs(atom @ row) / np.linalg.norm(row) if label in (-1, own) else -1
            for row, own in zip(lifted, y)
        ]
        assert found == np.argmax(likeness)


def test_strangers_are_samples_of_classes_left_out(problem):
    X, y = problem
    model = CrossLabelClassifier(random_state=0).fit(X, y)
    scores = strangers(model, X, y)
    assert len(scores) == 60
    assert scores == sorted(scores)
    assert np.median(scores) > np.quantile(model.novelty_score(X), 0.9)
    assert strangers(model, X[y < 2], y[y < 2]) == []


def test_many_strangers_are_thinned_out_evenly(problem):
    X, y = problem
    random = np.random.default_rng(1)
    many = np.vstack([X + 0.1 * random.standard_normal(X.shape) for _ in range(25)])
    labels = np.tile(y, 25)
    model = CrossLabelClassifier(rule="local", ridge=0.1, random_state=0).fit(many, labels)
    scores = strangers(model, many, labels)
    assert len(scores) == MOST


def test_a_model_of_pictures_knows_where_its_atoms_come_from(photos):
    report = fit(photos, features="pixels", parameters=replace(GIVEN, atoms_per_class=2))
    summary, model = report.model.summary, report.model
    assert summary["folder"] == str(photos)
    assert summary["shortest_side"] == 24
    assert len(summary["atom_files"]) == len(model.pipeline[-1].dictionary_)
    for file, label in zip(summary["atom_files"], model.pipeline[-1].atom_labels_):
        assert file.split("/")[0] == CLASSES[label]
        assert (photos / file).is_file()


def test_rows_of_features_have_no_files(table):
    summary = fit(table, parameters=GIVEN).model.summary
    assert "atom_files" not in summary
    assert len(summary["strangers"]) > 0
