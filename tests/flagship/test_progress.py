import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits

from crosslabel import CrossLabelClassifier
from crosslabel.flagship.progress import Progress


class Context:
    """Writes down what scikit-learn's callbacks are told; a task named `stop` asks to stop."""

    def __init__(self, log, stop=()):
        self.log, self.stop = log, stop

    def subcontext(self, task_name):
        self.log.append(task_name)
        return Context(self.log, self.stop)

    def call_on_fit_task_begin(self, estimator, X, y):
        self.log.append(f"begin {X} {y}")

    def call_on_fit_task_end(self, estimator, X, y, reconstruction_attributes=None):
        learnt = f" {reconstruction_attributes}" if reconstruction_attributes else ""
        self.log.append(f"end {X} {y}{learnt}")
        return len(self.log) in self.stop


class Model:
    def __init__(self, verbose=False):
        self.max_iter, self.verbose = 20, verbose


class Complete(BaseEstimator):
    """A parameter, what was learnt, and scikit-learn's own."""

    def __init__(self, max_iter=3):
        self.max_iter = max_iter
        self.dictionary_, self._skl_callbacks = 5, []


class Watched(Model):
    """An estimator with callbacks."""

    _skl_callbacks = ()

    def __init__(self, stop=()):
        super().__init__()
        self.log, self.stop = [], stop

    def _init_callback_context(self, max_subtasks):
        self.log.append(max_subtasks)
        return Context(self.log, self.stop)


def test_lines_number_iterations_from_one(capsys):
    with Progress(Model(verbose=True), "X", "y", n_trials=5) as progress:
        assert not progress.iteration(0, 1234567.0)
        assert not progress.iteration(7, 0.125)
    assert capsys.readouterr().out.splitlines() == [
        "[Model] iteration 1, objective 1.23457e+06",
        "[Model] iteration 8, objective 0.125",
    ]


def test_nothing_is_printed_unless_asked_for(capsys):
    with Progress(Model(), "X", "y", n_trials=5) as progress:
        progress.iteration(0, 1.0)
    assert capsys.readouterr().out == ""


def test_a_complete_estimator_is_shown_at_the_end_of_the_fit_alone():
    model = Watched()
    with Progress(model, "X", "y", n_trials=5) as progress:
        progress.iteration(0, 1.0)
        assert progress.done(Complete()).max_iter == 3
    assert model.log[-2:] == ["end X y", "end X y {'dictionary_': 5}"]


def test_scikit_learns_monitor_scores_the_fitted_model():
    callback = pytest.importorskip("sklearn.callback")
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(suppression=10.0, ridge=0.1, rule="local", max_iter=2)
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model.set_callbacks(monitor).fit(X[:300], y[:300])
    (entry,) = monitor.get_logs().data
    assert entry["accuracy"] == model.score(X[:300], y[:300])


def test_callbacks_are_told_of_tasks_and_their_number():
    model = Watched()
    with Progress(model, "X", "y", n_trials=5) as progress:
        progress.iteration(0, 1.0)
        progress.trial()
    trial = ["choosing by held-out samples", "begin X y", "end X y"]
    tasks = ["iteration", "begin X y", "end X y", *trial]
    assert model.log == [25, "begin X y", *tasks, "end X y"]


def test_a_callback_can_stop():
    model = Watched(stop=(8,))
    with Progress(model, "X", "y", n_trials=0) as progress:
        assert not progress.iteration(0, 1.0)
        assert progress.iteration(1, 1.0)


def test_after_an_error_the_end_is_not_told():
    model = Watched()
    with pytest.raises(ZeroDivisionError), Progress(model, "X", "y", n_trials=0):
        raise ZeroDivisionError
    assert model.log == [20, "begin X y"]


def test_trials_are_tasks_without_a_line(capsys):
    model = Watched()
    model.verbose = True
    with Progress(model, "X", "y", n_trials=15, n_iter=1) as progress:
        progress.trial()
    assert model.log[0] == 16
    assert "choosing by held-out samples" in model.log
    assert capsys.readouterr().out == ""


def test_more_trials_than_were_announced_are_not_told():
    model = Watched()
    with Progress(model, "X", "y", n_trials=2, n_iter=1) as progress:
        for _ in range(5):
            progress.trial()
        progress.iteration(0, 1.0)
    assert model.log[0] == 3
    assert model.log.count("choosing by held-out samples") == 2
    assert model.log.count("iteration") == 1
