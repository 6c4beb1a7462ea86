"""Formulas written out slowly, which the methods and their core are compared with; none is ours."""

import numpy as np


def slope(f, Z):
    """Gradient of a function that is quadratic in each entry: its central difference is exact."""
    found = np.empty_like(Z)
    for place in np.ndindex(Z.shape):
        ahead, behind = Z.copy(), Z.copy()
        ahead[place] += 1
        behind[place] -= 1
        found[place] = (f(ahead) - f(behind)) / 2
    return found


def lasso_fault(smooth, X, penalty):
    """How far X is from a minimum of a convex quadratic plus λ‖X‖₁, in units of λ."""
    g = slope(smooth, X)
    used = np.abs(g + penalty * np.sign(X))
    unused = np.maximum(np.abs(g) - penalty, 0)
    return np.where(X != 0, used, unused).max() / penalty


def lasso(H, b, penalty, n_sweeps=4000):
    """min xᵀHx − 2bᵀx + λ‖x‖₁, one coordinate at a time, until nothing moves."""
    x = np.zeros(len(b))
    for _ in range(n_sweeps):
        before = x.copy()
        for k in range(len(b)):
            rest = b[k] - H[k] @ x + H[k, k] * x[k]
            x[k] = np.sign(rest) * max(abs(rest) - penalty / 2, 0) / H[k, k] if H[k, k] else 0.0
        if np.abs(x - before).max() < 1e-15:
            break
    return x


def pursuit(D, y, sparsity):
    """Orthogonal matching pursuit of one signal, by least squares over the atoms taken."""
    taken, x = [], np.zeros(len(D))
    residual = y
    for _ in range(min(sparsity, len(D))):
        correlations = np.abs(D @ residual)
        if correlations.max() < 1e-13 * np.abs(D @ y).max(initial=0) or not correlations.any():
            break
        taken.append(int(correlations.argmax()))
        values = np.linalg.lstsq(D[taken].T, y, rcond=None)[0]
        residual = y - values @ D[taken]
    if taken:
        x[taken] = values
    return x


def pursuits(D, Y, sparsity):
    """The same for each row."""
    return np.array([pursuit(D, y, sparsity) for y in Y])


def ball_step(f, D, k, curvature):
    """One gradient step of atom k with this curvature, then back into the unit ball."""
    D = D.copy()

    def of_atom(d):
        other = D.copy()
        other[k] = d
        return f(other)

    d = D[k] - slope(of_atom, D[k]) / (2 * curvature)
    D[k] = d / max(1, np.sqrt(sum(d**2)))
    return D


def ridge(X, T, weight):
    """min over W of ‖T − XW‖² + ρ‖W‖², as the least squares of stacked rows."""
    n = X.shape[1]
    rows = np.concatenate([X, np.sqrt(weight) * np.eye(n)])
    return np.linalg.lstsq(rows, np.concatenate([T, np.zeros((n, T.shape[1]))]), rcond=None)[0]


def captured(monkeypatch, module, name):
    """Replace a function of a module by itself with a list of its arguments and results."""
    calls = []
    original = getattr(module, name)

    def wrapper(*args, **settings):
        result = original(*args, **settings)
        calls.append((args, settings, result))
        return result

    monkeypatch.setattr(module, name, wrapper)
    return calls


def blocks_in_turn(f, D, blocks, curvature, sweeps):
    """Atom by atom, so many sweeps over each block in turn; `curvature(D, k)` before the block."""
    for block in blocks:
        bounds = {k: curvature(D, k) for k in block}
        for _ in range(sweeps):
            for k in block:
                if bounds[k] > 0:
                    D = ball_step(f, D, k, bounds[k])
    return D


def eigenvalue_bound(F):
    """The least of three bounds of the largest eigenvalue: Frobenius, largest row sum, trace."""
    return min(np.sqrt((F**2).sum()), max(sum(abs(row)) for row in F), sum(np.diag(F)))


def problem(sizes=(5, 3, 4), n_features=6, seed=0):
    """Samples of unit norm, class by class, and their labels."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(sizes), n_features))[labels] + 0.7 * rng.normal(
        size=(sum(sizes), n_features)
    )
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True)), labels


def queries(n_features=6, seed=1):
    """Queries of unit norm, and one of zeros, to which all classes are alike."""
    Q = np.random.default_rng(seed).normal(size=(5, n_features))
    Q /= np.sqrt((Q**2).sum(axis=1, keepdims=True))
    return np.concatenate([Q, np.zeros((1, n_features))])


def learn(model, X, labels):
    """Fit to samples in the order of their classes, which stay as they are numbered."""
    model.classes_ = np.unique(labels)
    model._class_order = np.arange(len(model.classes_))
    model._learn(X, labels)
    return model


def newton_of_temperature(below, mass, target, a, limits):
    """Newton's steps to the a at which Σ mass·E[below] = target under the softmax of a·below.

    A step that is too far or leaves what holds the root is halved or doubled; says which were.
    """
    (most, far, tolerance), low, high, ways = limits, 0.0, np.inf, []
    for _ in range(most):
        chances = np.exp(a * below)
        chances /= chances.sum(axis=1, keepdims=True)
        mean, square = (chances * below).sum(axis=1), (chances * below**2).sum(axis=1)
        slope, bend = mass @ mean - target, mass @ (square - mean**2)
        low, high = (low, a) if slope > 0 else (a, high)
        step = a - slope / bend
        if abs(slope) < far * bend and low < step < high:
            ways.append("Newton")
        else:
            ways.append("doubled" if high == np.inf else "halved")
            step = 2 * a if high == np.inf else (low + high) / 2
        a, before = step, a
        if abs(a - before) <= tolerance * max(before, 1):
            break
    return a, ways
