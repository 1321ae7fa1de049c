"""Metrics of predictions against the truth, on arrays.

Members are [member, ...] and observations [observation, ...] or a single [...], on the same points.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> members, truth = rng.normal(size=(500, 40)), rng.normal(size=40)
>>> bool(crps(members, truth) < crps(members + 1.0, truth))
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _floral
from ._arrays import Floats, numbers

__all__ = [
    "coverage",
    "crps",
    "energy_score",
    "interval_width",
    "mean_l2",
    "nrmse",
    "rank_histogram",
    "reliability_index",
    "rmse",
    "spread_skill",
    "variance_error",
]


def crps(members: ArrayLike, observations: ArrayLike, *, fair: bool = True) -> float:
    """Continuous ranked probability score, averaged over points and observations; 0 is perfect.

    The fair score (Ferro 2014) estimates that of the underlying distribution, without a bias that depends on the
    number of members. ``fair=False`` scores the members themselves.

    >>> crps([[0.0], [1.0]], [0.0], fair=False)
    0.25
    """
    return float(_scores(members, observations)["crps" if fair else "standard_crps"])


def energy_score(members: ArrayLike, observations: ArrayLike) -> float:
    """The fair energy score: the CRPS of whole fields, whose distance is the root mean square over points.

    Of more than about 65 members, not all pairs enter the distances between members but those of 32 lags, in a shuffled
    order that is always the same. Gneiting & Raftery (2007), section 4.3.
    """
    many, seen = _compared(members, observations)
    # Neighbours in a sorted list would be closer to each other than members are.
    order = np.random.default_rng(0).permutation(len(many))
    return _floral.energy_score(np.ascontiguousarray(many[order]), seen)


def coverage(
    members: ArrayLike, observations: ArrayLike, level: Union[float, Sequence[float]] = 0.9
) -> Union[float, Floats]:
    """The share of observations inside the central interval of a level; equal to the level if calibrated."""
    return _intervals(members, observations, level, "coverage")


def interval_width(
    members: ArrayLike, observations: ArrayLike, level: Union[float, Sequence[float]] = 0.9
) -> Union[float, Floats]:
    """The mean width of the central interval of a level; of two calibrated ensembles, the one with the
    narrower interval is sharper."""
    return _intervals(members, observations, level, "width")


def spread_skill(members: ArrayLike, observations: ArrayLike) -> float:
    """The ratio of ensemble spread to the error of the mean: 1 if calibrated, less if overconfident.
    Fortin et al. (2014)."""
    return float(_scores(members, observations)["spread_skill"])


def rank_histogram(members: ArrayLike, observations: ArrayLike) -> Floats:
    """The share of observations by rank among the members, in twenty bins: flat if calibrated, high at
    both ends if overconfident. Hamill (2001)."""
    return np.array(_scores(members, observations)["rank_histogram"])


def reliability_index(members: ArrayLike, observations: ArrayLike) -> float:
    """The sum of the rank histogram's absolute deviations from a flat one; 0 is perfect. Delle Monache et al. (2006)."""
    return float(_scores(members, observations)["reliability_index"])


def rmse(predicted: ArrayLike, truth: ArrayLike) -> float:
    """Root mean square error over all values.

    >>> rmse([1.0, 3.0], [1.0, 1.0]) == 2**0.5
    True
    """
    return float(_errors(predicted, truth)["rmse"])


def nrmse(predicted: ArrayLike, truth: ArrayLike) -> float:
    """RMSE divided by the root mean square of the truth; infinite if the truth is zero everywhere and the
    prediction is not."""
    found = _errors(predicted, truth)["nrmse"]
    return math.inf if found is None else float(found)


def mean_l2(predicted: ArrayLike, truth: ArrayLike) -> float:
    """The Euclidean norm of the error per input, [input, ...], averaged over inputs: the first column of the
    paper's tables."""
    return float(_errors(predicted, truth)["mean_l2"])


def variance_error(predicted: ArrayLike, truth: ArrayLike) -> float:
    """The norms of the errors of variance fields, [input, ...], divided by the norms of the true fields, each summed
    over inputs; 1 means no skill."""
    return _floral.variance_errors(*_pair(predicted, truth))[1]


def _compared(
    members: ArrayLike, observations: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    many, seen = numbers("members", members), numbers("observations", observations)
    if many.ndim == 0 or many.size == 0:
        raise ValueError(f"members have the shape {many.shape}; it should be [member, ...]")
    if seen.ndim == many.ndim - 1:
        seen = seen[None]
    if seen.shape[1:] != many.shape[1:] or seen.ndim != many.ndim or seen.size == 0:
        raise ValueError(
            f"observations have the shape {np.shape(observations)} but members {many.shape}; both "
            "need the same points after their first axis"
        )

    # An offset of both does not change the scores; removing it keeps the spread in float32.
    offset = seen.mean(0)

    def flat(array: Floats) -> NDArray[np.float32]:
        return np.ascontiguousarray((array - offset).reshape(len(array), -1), dtype=np.float32)

    return flat(many), flat(seen)


def _scores(members: ArrayLike, observations: ArrayLike) -> dict[str, Any]:
    scores: dict[str, Any] = json.loads(_floral.ensemble_scores(*_compared(members, observations)))
    return scores


def _intervals(
    members: ArrayLike, observations: ArrayLike, level: Union[float, Sequence[float]], key: str
) -> Union[float, Floats]:
    levels = np.atleast_1d(np.asarray(level, dtype=float))
    if not ((levels > 0) & (levels < 1)).all():
        raise ValueError(f"level is {level}; it must be between 0 and 1")
    found = json.loads(_floral.coverage(*_compared(members, observations), levels.tolist()))
    values = np.array([interval[key] for interval in found])
    return float(values[0]) if np.ndim(level) == 0 else values


def _pair(predicted: ArrayLike, truth: ArrayLike) -> tuple[Floats, Floats]:
    one, other = numbers("predicted", predicted), numbers("truth", truth)
    if one.shape != other.shape or one.size == 0:
        raise ValueError(f"predicted has the shape {one.shape} but truth {other.shape}")
    for name, array in (("predicted", one), ("truth", other)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: {int((~np.isfinite(array)).sum())} values are NaN or infinite; leave them out")
    rows = len(one) if one.ndim > 1 else 1
    return one.reshape(rows, -1), other.reshape(rows, -1)


def _errors(predicted: ArrayLike, truth: ArrayLike) -> dict[str, Any]:
    errors: dict[str, Any] = json.loads(_floral.mean_errors(*_pair(predicted, truth)))
    return errors
