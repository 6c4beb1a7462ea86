from types import SimpleNamespace

from crosslabel.app.training_bar import training_bar


class Watched:
    """What scikit-learn does with callbacks, for a fit of three iterations."""

    def set_callbacks(self, callback):
        self.callback = callback

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
    with training_bar(quiet=False) as watch:
        watch(model)
        model.fit()
        (task,) = model.callback.progress.tasks
        assert (task.completed, task.total) == (3, 3)
        assert task.description == "training: iteration"
    told = capsys.readouterr()
    assert told.out == ""
    assert "done" in told.err


def test_quiet_shows_nothing(capsys):
    with training_bar(quiet=True) as watch:
        assert watch is None
    assert capsys.readouterr().err == ""


def test_a_classifier_without_callbacks_is_left_alone(capsys):
    with training_bar(quiet=False) as watch:
        watch(object())
