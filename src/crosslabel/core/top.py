"""The best few of very many scores, exactly, without sorting them all."""

from __future__ import annotations

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, is_tensor, namespace


def best(scores: ArrayOrTensor, k: int) -> tuple[ArrayOrTensor, ArrayOrTensor]:
    """Places and values of the k highest scores of each row, the highest first.

    Of equal scores the one that comes first is taken, and comes first.

    Parameters
    ----------
    scores : ndarray or tensor of shape (n_rows, n_columns)
    k : int
        From 1 to n_columns.

    Returns
    -------
    places : ndarray or tensor of int of shape (n_rows, k)
    values : ndarray or tensor of shape (n_rows, k)
    """
    xp, least = namespace(scores), _kth(scores, k)
    chosen = scores >= least
    crowded = chosen.sum(axis=1) > k
    if bool(crowded.any()):  # more scores equal the least of the best than there are places for
        rows, floor = scores[crowded], least[crowded]
        above, equal = rows > floor, rows == floor
        room = k - above.sum(axis=1)[:, None]
        chosen[crowded] = above | (equal & (xp.cumsum(equal, axis=1) <= room))
    if is_tensor(scores):
        places = chosen.nonzero()[:, 1].reshape(-1, k)
        values, order = scores.gather(1, places).sort(dim=1, descending=True, stable=True)
        return places.gather(1, order), values
    places = np.nonzero(chosen)[1].reshape(-1, k)
    values = np.take_along_axis(scores, places, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1), np.take_along_axis(values, order, axis=1)


def _kth(scores: ArrayOrTensor, k: int) -> ArrayOrTensor:
    """The k-th highest score of each row, (n_rows, 1)."""
    if is_tensor(scores):
        return scores.topk(k, dim=1, sorted=True).values[:, -1:]
    place = scores.shape[1] - k
    return np.partition(scores, place, axis=1)[:, place : place + 1]
