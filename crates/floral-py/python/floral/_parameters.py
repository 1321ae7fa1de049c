"""Scalar parameters of an input, each stored as a constant channel of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import Floats, fields, numbers

#: Parameters by name, a number per input each; or an array [input, parameter].
Parameters = Any


def named(parameters: Parameters, known: Sequence[str] = ()) -> dict[str, Floats]:
    """Parameters by name, each an array with one number per input, or a single number.

    known: names in order, for an array without names; by default p0, p1, ...
    """
    if hasattr(parameters, "columns"):
        parameters = {str(name): parameters[name].to_numpy() for name in parameters.columns}
    if isinstance(parameters, Mapping):
        # A single number stays a scalar, which marks a single input.
        each = {
            str(name): numbers(f"parameters: {name}", values).reshape(np.shape(values))
            for name, values in parameters.items()
        }
    else:
        array = numbers("parameters", parameters)
        if array.ndim == 1 and len(known) != 1 and not (known and len(array) == len(known)):
            array = array[:, None]
        if array.ndim == 0 or array.ndim > 2:
            raise ValueError(f"parameters has the shape {array.shape}; give [input, parameter], or a dict by name")
        if array.ndim == 1 and len(known) == 1:
            array = array[:, None]
        count = array.shape[-1]
        names = list(known) if len(known) == count else [f"p{i}" for i in range(count)]
        each = {name: np.array(array[..., i]) for i, name in enumerate(names)}
    if not each:
        raise ValueError("parameters is empty; give numbers by name, as in {'load': 0.3}")
    for name, values in each.items():
        if values.ndim > 1:
            raise ValueError(f"parameters: {name} has the shape {values.shape}; give one number per input")
        bad = ~np.isfinite(np.atleast_1d(values))
        if bad.any():
            place = f" of input {int(np.argmax(bad))}" if values.ndim else ""
            value = float(np.atleast_1d(values)[bad][0])
            raise ValueError(f"parameters: {name}{place} is {value}; give finite numbers")
    return each


def matched(each: Mapping[str, Floats], known: Sequence[str]) -> dict[str, Floats]:
    """Parameters in the order of the model's names; unknown and missing ones are refused."""
    unknown = [name for name in each if name not in known]
    missing = [name for name in known if name not in each]
    if unknown or missing:
        what = f"{unknown[0]!r} is unknown" if unknown else f"{missing[0]!r} is missing"
        raise ValueError(f"parameters: {what}; the model has {', '.join(known)}")
    return {name: each[name] for name in known}


def with_parameters(
    input: Any, each: Mapping[str, Floats], dims: Sequence[str], shape: Optional[Sequence[int]]
) -> Floats:
    """Inputs [input, channel, grid...] with a constant channel for each parameter appended.

    input: [input, grid...] or [input, channel, grid...]; None if there are only parameters.
    shape: the numbers of points per axis, needed without input.
    """
    each = {name: np.atleast_1d(values) for name, values in each.items()}
    if input is not None:
        array = fields("input", numbers("input", input), ["input"], dims)
    elif shape is not None:
        array = np.empty((len(next(iter(each.values()))), 0, *shape))
    else:
        raise ValueError("parameters alone have no grid; give coords={...} or points=...")
    channels = []
    for name, values in each.items():
        if values.shape != (len(array),):
            raise ValueError(
                f"parameters: {name} has the shape {values.shape}; give one number for each of {len(array)} "
                "inputs"
            )
        constant = values.reshape(-1, *[1] * (array.ndim - 1))
        channels.append(np.broadcast_to(constant, (len(array), 1, *array.shape[2:])))
    return np.concatenate([array, *channels], axis=1)
