"""Observations: readings of one realization of a new case."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ._files import PathLike
from ._plural import counted


class Observations:
    """Readings of one realization of an input's solution, for :meth:`Model.sample`.

    points: coordinates [reading, axis] in the order of the model's axes, or [reading] on one axis.
    values: a value per point, in the model's units.
    std: standard deviation of the noise, one number or one per point; 0 for exact readings.
    channel: name or number of the channel that is read, one for all points or one per point, if the solution has
        several.
    quantities: readings of linear quantities of interest, each a value or a pair of value and standard deviation, as
        in ``{"mean(u)": (0.3, 0.01)}``.

    >>> Observations([0.2, 0.7], [1.3, 0.9], std=0.05)
    Observations of 2 readings
    >>> Observations(quantities={"mean(u)": 0.3})
    Observations of 1 reading
    """

    def __init__(
        self,
        points: Any = (),
        values: Any = (),
        std: Any = 0.0,
        *,
        channel: Union[None, str, int, Sequence[Union[str, int]]] = None,
        quantities: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self.values = np.atleast_1d(np.asarray(values, dtype=float))
        if self.values.ndim != 1:
            raise ValueError(f"values have the shape {self.values.shape}; one number per point is needed")
        places = np.asarray(points, dtype=float)
        self.points = np.atleast_1d(places)[:, None] if places.ndim < 2 else places
        if self.points.ndim != 2 or len(self.points) != len(self.values):
            raise ValueError(
                f"there are {len(self.values)} values, but points have the shape {places.shape}; "
                "[reading, axis] is needed"
            )
        self.std = np.broadcast_to(np.asarray(std, dtype=float), self.values.shape)
        one = channel is None or isinstance(channel, (str, int))
        self.channels = None if channel is None else [channel] * len(self.values) if one else list(channel)  # type: ignore[arg-type]
        self.quantities = dict(quantities or {})

    def __len__(self) -> int:
        return len(self.values) + len(self.quantities)

    def __repr__(self) -> str:
        return f"Observations of {counted(len(self), 'reading')}"


def to_plain(observe: Union[None, Observations, PathLike]) -> Optional[dict[str, Any]]:
    """Readings, or the path of a CSV file, as the extension expects them."""
    if observe is None:
        return None
    if isinstance(observe, (str, os.PathLike)):
        return {"file": os.fspath(observe)}
    if not isinstance(observe, Observations):
        raise TypeError("observe has to be floral.Observations or the path of a CSV file")
    numbers = np.concatenate([observe.points.ravel(), observe.values, observe.std])
    if not np.isfinite(numbers).all():
        raise ValueError("a coordinate, value or std of the readings is not finite; leave that reading out")
    return {
        "points": observe.points.tolist(),
        "values": observe.values.tolist(),
        "std": observe.std.tolist(),
        "channels": observe.channels and [str(channel) for channel in observe.channels],
        "quantities": [_text(name, reading) for name, reading in observe.quantities.items()],
    }


def _text(expression: str, reading: Any) -> str:
    value, *std = np.atleast_1d(np.asarray(reading, dtype=float)).tolist()
    return f"{expression} = {value!r}" + "".join(f" +- {s!r}" for s in std)
