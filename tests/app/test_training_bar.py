from types import SimpleNamespace

import numpy as np
import pytest

from crosslabel import CrossLabelClassifier, progress_bar
from crosslabel.app.training_bar import training_bar


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(progress_bar, "PATIENCE", 0)


class Watched:
    """What scikit-learn does with callbacks, for a fit of three iterations."""

    def set_callbacks(self, *callbacks):
        self.callback = callbacks[0] if callbacks else None

    def fit(self):
        root = SimpleNamespace(max_subtasks=3, task_name="fit", parent=None)
        self.callback.setup(self, root)
        for _ in range(3):
            task = SimpleNamespace(max_subtasks=0, task_name="iteration", parent=root)
            self.callback.on_fit_task_begin(self, task)
            assert not self.callback.on_fit_task_end(self, task)
        assert not self.callback.on_fit_task_end(self, root)
        self.callback.teardown(self, root)


def test_the_bar_follows_the_fit_on_standard_error(capsys):
    model = Watched()
    with training_bar(False, "training on 9 pictures") as watch:
        watch(model)
        model.fit()
        (task,) = model.callback.progress.tasks
        assert (task.completed, task.total) == (3, 3)
        assert task.description == "training on 9 pictures: iteration"
    told = capsys.readouterr()
    assert told.out == ""
    assert "training on 9 pictures: done" in told.err
    assert model.callback is None


def test_quiet_shows_nothing(capsys):
    with training_bar(quiet=True) as watch:
        assert watch is None
    assert capsys.readouterr().err == ""


def test_a_classifier_without_callbacks_is_left_alone(capsys):
    with training_bar(quiet=False) as watch:
        watch(object())


def test_folds_of_the_choice_and_the_training_move_the_bar():
    """The bar of a default fit knows how much there is to do, and gets there step by step."""
    random = np.random.default_rng(0)
    y = np.arange(60) // 20
    X = 4 * np.eye(3, 5)[y] + random.normal(size=(60, 5))
    model, seen = CrossLabelClassifier(), []
    with training_bar(False) as watch:
        watch(model)
        (bar,) = model._skl_callbacks
        ended = bar.on_fit_task_end

        def noted(estimator, context):
            (task,) = bar.progress.tasks
            seen.append((context.task_name, task.completed, task.total))
            return ended(estimator, context)

        bar.on_fit_task_end = noted
        model.fit(X, y)
    folds = [one for one in seen if one[0] == "choosing by held-out samples"]
    assert len(folds) > 5
    assert all(total is not None and done <= total for _, done, total in seen)
    assert not hasattr(model, "_skl_callbacks")
