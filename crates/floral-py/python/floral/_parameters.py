"""Parameters: numbers that belong to an input as a whole, each a constant channel of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import Floats, fields, numbers

#: Numbers by name, one per input.
Parameters = Mapping[str, Any]


def with_parameters(
    input: Any, parameters: Parameters, dims: Sequence[str], shape: Optional[Sequence[int]]
) -> Floats:
    """Inputs [input, channel, grid...] with a constant channel for each parameter after their own.

    input: [input, grid...] or with channels; None if there are only parameters.
    shape: the numbers of points per axis, needed without input.
    """
    each = {name: np.atleast_1d(numbers(name, values)) for name, values in parameters.items()}
    if input is not None:
        array = fields("input", numbers("input", input), ["input"], dims)
    elif shape is not None:
        array = np.empty((len(next(iter(each.values()))), 0, *shape))
    else:
        raise ValueError("params alone have no grid; give coords={...}")
    channels = []
    for name, values in each.items():
        if values.shape != (len(array),):
            raise ValueError(
                f"params: {name} has the shape {values.shape}; give one number for each of {len(array)} "
                "inputs"
            )
        constant = values.reshape(-1, *[1] * (array.ndim - 1))
        channels.append(np.broadcast_to(constant, (len(array), 1, *array.shape[2:])))
    return np.concatenate([array, *channels], axis=1)
