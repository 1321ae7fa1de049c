"""Points outside of the domain, such as land beside an ocean: those where every input has NaN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from ._arrays import Floats

Points = NDArray[np.bool_]


def outside(input: Optional[Floats], low: Optional[Floats], high: Sequence[Floats]) -> Optional[Points]:
    """Whether each point [grid...] is outside of the domain; None if all are inside.

    input, low: [input, channel, grid...]; high: [realization, channel, grid...] of each input.
    """
    found: Optional[Points] = None
    for index, runs in enumerate(high):
        fields = [one[index][None] for one in (input, low) if one is not None]
        own = np.any([_missing(channel) for array in (*fields, runs) for channel in _channels(array)], axis=0)
        found = own if found is None else found & own
    return found if found is not None and found.any() else None


def _channels(array: Floats) -> Iterator[Floats]:
    return (array[:, channel] for channel in range(array.shape[1]))


def _missing(fields: Floats) -> Points:
    """Where all fields [field, grid...] have NaN; a field of nothing but NaN is a missing realization."""
    known = [field for field in np.isnan(fields) if not field.all()]
    shape = fields.shape[1:]
    return np.logical_and.reduce(known) if known else np.zeros(shape, bool)


def hidden(array: Floats, points: Optional[Points]) -> Floats:
    """The array [..., grid...] with NaN at the points outside."""
    return array if points is None else np.where(points, np.nan, array)
