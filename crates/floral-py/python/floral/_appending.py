"""Appends an input with its solutions to the contents of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import _labels, _xarray
from ._alignment import on_grid, whole
from ._arrays import Floats, fields, numbers
from ._building import LEADING, Parts, check_grid, of_data_arrays, of_fields
from ._grid import Grid
from ._labels import Labelled
from ._quantities import Quantity


def extended(parts: Parts, input: Any, low: Any, high: Any) -> Parts:
    """Appends one input. The solvers of `parts` compute omitted solutions."""
    grid = parts.grid
    added = fields("input", numbers("input", input), [], grid.dims)[None]
    check_grid(added, grid)
    low = parts.low_solver if low is None and parts.low is not None else low
    high = parts.high_solver if high is None else high
    if high is None or (low is None and parts.low is not None):
        missing = "high" if high is None else "low"
        raise ValueError(f"{missing} is missing; all other inputs have it")
    more = of_fields(grid, added, _first(low), _first(high), parts.sensors, known=parts.outside)
    joined = None
    if parts.low is not None and more.low is not None:
        joined = _joined("low", parts.low, more.low)
    _check_shape("high", parts.high[0], more.high[0])
    inputs = _joined("input", parts.input, more.input)
    return replace(parts, input=inputs, low=joined, high=[*parts.high, *more.high])


def plain(given: Mapping[str, Any], parts: Parts) -> dict[str, Any]:
    """The fields of one input in the order, units and places of a dataset: xarray's arrays are matched by name."""
    if not any(_xarray.is_array(value) for value in given.values()):
        return dict(given)
    named = of_data_arrays(given)
    arrays = _labels.same_inputs({name: one for name, one in named.items() if isinstance(one, Labelled)})
    for name, array in arrays.items():
        known = parts.quantities["input" if name == "input" else "solution"]
        own = [quantity for quantity in known if not quantity.get("parameter")]
        named[name] = _one(array, parts.grid, own)
    return named


def one_of(name: str, array: Any, grid: Grid) -> Floats:
    """One input of an ``xarray.DataArray`` on a grid, without the axis of inputs."""
    return _one(_labels.of_data_array(name, array), grid, [])


def _one(array: Labelled, grid: Grid, known: Sequence[Quantity]) -> Floats:
    """One input of a labelled array on a grid, in the channels and units that are known, without the axis of inputs."""
    array = on_grid(_labels.same_channels(array, known, "the dataset"), grid, array.name == "low")
    values = whole(array.ordered(LEADING[array.name], grid.dims), grid)
    if len(values) != 1:
        raise ValueError(f"{array.name} has {len(values)} inputs; one is added at a time")
    return np.asarray(values[0])


def _first(value: Any) -> Any:
    """Adds an axis of inputs to the field of one input; a function is returned unchanged."""
    return value if value is None or callable(value) else np.asarray(value)[None]


def _joined(name: str, old: Floats, new: Floats) -> Floats:
    _check_shape(name, old, new)
    return np.concatenate([old, new])


def _check_shape(name: str, old: Floats, new: Floats) -> None:
    if old.shape[1:] != new.shape[1:]:
        raise ValueError(f"{name} of the new input has the shape {new.shape[1:]}, but the other inputs have {old.shape[1:]}")
