"""The command starts without what it does not need, and misses nothing of it."""

import subprocess
import sys

COMMAND = "from crosslabel.app.entry import main; main()"


def python(code, *words):
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_what_is_put_off_comes_when_it_is_asked_for():
    code = """
import sys
from crosslabel.app.start import start_quickly
start_quickly()
import sklearn.base, scipy, scipy.stats
assert "scipy.stats._stats_py" not in sys.modules and "pandas" not in sys.modules
from sklearn.utils.fixes import _mode
assert _mode([1, 2, 2]).mode == 2
from scipy.stats import norm
import scipy.stats._stats_py as inner
assert sys.modules["scipy.stats"].norm is norm and scipy.stats.norm is norm
assert scipy.stats.mode is inner.mode
import pandas
from sklearn.preprocessing import StandardScaler
frame = StandardScaler().set_output(transform="pandas").fit_transform([[1.0], [2.0]])
print(type(frame).__name__)
"""
    assert python(code) == ["DataFrame"]


def test_a_process_that_has_scikit_learn_already_is_left_alone():
    code = """
import sys, sklearn.base
before = dict(sys.modules)
from crosslabel.app.start import Later, start_quickly
start_quickly()
print(any(isinstance(module, Later) for module in sys.modules.values()))
print(all(sys.modules[name] is module for name, module in before.items()))
"""
    assert python(code) == ["False", "True"]


def test_predict_loads_neither_skops_nor_what_only_training_needs(model_file, photos):
    image = next(photos.rglob("*.png"))
    code = f"""
import atexit, sys
names = ("skops", "pandas", "scipy.stats._stats_py", "scipy.ndimage", "matplotlib", "torch")
atexit.register(lambda: print("loaded", *(name for name in names if name in sys.modules)))
{COMMAND}
"""
    assert python(code, "predict", str(model_file), str(image))[-1] == "loaded"


def test_the_writer_comes_without_all_of_scikit_learn_and_writes_the_same(model_file):
    code = f"""
import sys
from crosslabel.app.start import import_writer
import_writer()
assert "sklearn.gaussian_process" not in sys.modules and "torch" not in sys.modules
import sklearn.utils
assert len(sklearn.utils.all_estimators()) > 100
import crosslabel
from crosslabel.files.model import encoded
print(encoded(crosslabel.load({str(model_file)!r})).hex())
"""
    import crosslabel
    from crosslabel.files.model import encoded

    assert python(code) == [encoded(crosslabel.load(model_file)).hex()]
