"""Small problems that the tests of the core share."""

import numpy as np
from hypothesis import strategies as st

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows


def samples(rng, sizes, n_features):
    """Unit-norm samples scattered around one direction per class, and their labels."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = 2 * rng.normal(size=(len(sizes), n_features))[labels]
    return unit_rows(X + rng.normal(size=X.shape)), labels


def problem(seed=0, sizes=(6, 6, 6), per_class=(3, 3, 3), shared=2, n_features=12):
    """Samples, labels, layout and a random unit-norm dictionary."""
    rng = np.random.default_rng(seed)
    X, labels = samples(rng, sizes, n_features)
    layout = AtomLayout(shared, tuple(per_class))
    return X, labels, layout, unit_rows(rng.normal(size=(layout.n_atoms, n_features)))


@st.composite
def problems(draw):
    """Balanced and unbalanced classes, single samples, few and many atoms and features."""
    n_classes = draw(st.integers(2, 5))
    sizes = draw(st.lists(st.integers(1, 9), min_size=n_classes, max_size=n_classes))
    per_class = draw(st.lists(st.integers(1, 4), min_size=n_classes, max_size=n_classes))
    shared, n_features = draw(st.integers(0, 3)), draw(st.integers(2, 15))
    return problem(draw(st.integers(0, 10**6)), sizes, per_class, shared, n_features)


def penalties(min_ridge=1e-3):
    """Weights over the range that the paper uses, zero included for λ and γ."""
    positive = st.floats(-3, 4).map(lambda e: 10.0**e)
    return st.builds(
        Penalties,
        st.floats(np.log10(min_ridge), 1).map(lambda e: 10.0**e),
        st.one_of(st.just(0.0), positive),
        st.one_of(st.just(0.0), positive),
    )


def shuffled_fruit(sizes, n_features):
    """Samples of three named classes, in no order."""
    X, y = samples(np.random.default_rng(0), sizes, n_features)
    shuffle = np.random.default_rng(1).permutation(len(X))
    return X[shuffle], np.array(["fig", "apple", "pear"])[y[shuffle]]
