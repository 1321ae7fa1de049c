"""From arrays in any form to the four that are stored: grid, input, low fidelity, high fidelity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from . import _xarray
from ._arrays import Floats, drop_channel, fields, finite, numbers, same
from ._grid import NAMES, Domain, Grid, counted
from ._quantities import Quantity, Texts, of_attributes, of_texts

#: Solves one input: an array without an axis for a single channel.
Solver = Callable[[Floats], Any]

LEADING = {"low": ["input"], "high": ["input", "realization"]}


@dataclass
class Parts:
    """What a dataset is stored from: input and low [input, channel, grid...], high with realizations."""

    grid: Grid
    input: Floats
    low: Optional[Floats]
    high: Floats
    quantities: dict[str, list[Quantity]]
    low_solver: Optional[Solver] = None
    high_solver: Optional[Solver] = None


def of_arrays(
    input: Any,
    low: Any,
    high: Any,
    coords: Optional[Mapping[str, Any]],
    dims: Optional[Sequence[str]],
    domains: Optional[Mapping[str, Domain]],
    names: Mapping[str, Texts],
    units: Mapping[str, Texts],
) -> Parts:
    """Of plain arrays, whose axes are known by their order."""
    values = numbers("input", input)
    axes = _axis_names(values, coords, dims)
    known = coords if coords is not None else counted(axes, values.shape[-len(axes) :])
    for what, told, allowed in (("names", names, ()), ("units", units, axes)):
        unknown = [key for key in told if key not in ("input", "high", *allowed)]
        if unknown:
            listed = ", ".join(["input", "high", *allowed])
            raise ValueError(f"{what}: {unknown[0]!r} is none of {listed}")
    grid = Grid.of(known, domains, {axis: str(units[axis]) for axis in axes if axis in units})
    parts = of_fields(grid, values, low, high)
    counts = {"input": parts.input.shape[1], "high": parts.high.shape[2]}
    of = [of_texts(w, n, names.get(w), units.get(w)) for w, n in counts.items()]
    parts.quantities = {"input": of[0], "solution": of[1]}
    return parts


def of_data_arrays(given: Mapping[str, Any], domains: Optional[Mapping[str, Domain]]) -> Parts:
    """Of xarray's arrays, whose axes are known by their names."""
    for name, value in given.items():
        if not (value is None or callable(value) or _xarray.is_array(value)):
            raise ValueError(f"{name} is no xarray.DataArray, but others are; give all as one kind")
    if not _xarray.is_array(given["input"]):
        raise ValueError("input is no xarray.DataArray, but others are; give all as one kind")
    dims = _xarray.grid_dims(given["input"])
    array = _xarray.turned(given["input"], dims)
    known = _xarray.coords(array, dims)
    bare = [dim for dim in dims if dim not in known]
    if bare:
        known.update(counted(bare, [array.sizes[dim] for dim in bare]))
    grid = Grid.of({dim: known[dim] for dim in dims}, domains, _xarray.units(array, dims))
    others = {}
    for name, leading in LEADING.items():
        value = given[name]
        if _xarray.is_array(value):
            value = _xarray.turned(value, dims)
            grid.check_same(name, _xarray.coords(value, dims))
            value = _xarray.ordered(name, value, leading, dims)
        others[name] = value
    values = _xarray.ordered("input", array, ["input"], dims)
    parts = of_fields(grid, values, others["low"], others["high"])
    parts.quantities = _told(given, parts)
    return parts


def _told(given: Mapping[str, Any], parts: Parts) -> dict[str, list[Quantity]]:
    """What attributes tell of the channels of input and solution."""
    input = of_attributes(given["input"].attrs, parts.input.shape[1])
    low, high = (
        of_attributes(array.attrs if _xarray.is_array(array) else {}, parts.high.shape[2])
        for array in (given["low"], given["high"])
    )
    for ours, theirs in zip(high, low):
        for key in ("units", "name"):
            if ours.get(key, theirs.get(key)) != theirs.get(key, ours.get(key)):
                raise ValueError(
                    f"low has the {key} {theirs[key]!r}, but high has {ours[key]!r}; both need the same"
                )
    solution = [{**theirs, **ours} for ours, theirs in zip(high, low)]
    return {"input": input, "solution": solution}


def of_fields(grid: Grid, input: Floats, low: Any, high: Any) -> Parts:
    """Of arrays whose axes are in their order; functions are called for every input."""
    input = fields("input", input, ["input"], grid.dims)
    if len(input) == 0:
        raise ValueError("input is empty; at least one is needed")
    check_grid(input, grid)
    finite("input", input, ["input"])
    solvers = {f"{n}_solver": v for n, v in (("low", low), ("high", high)) if callable(v)}
    arrays: dict[str, Optional[Floats]] = {}
    for name, values in (("low", low), ("high", high)):
        if callable(values):
            values = solved(name, values, input)
        if values is not None:
            values = fields(name, numbers(name, values), LEADING[name], grid.dims)
            same(name, values, "input", input, len(grid.dims))
            finite(name, values, LEADING[name])
        arrays[name] = values
    if arrays["high"] is None:
        raise ValueError("high is needed: realizations of the true solutions to learn from")
    return Parts(grid, input, arrays["low"], arrays["high"], {"input": [], "solution": []}, **solvers)


def extended(parts: Parts, input: Any, low: Any, high: Any) -> Parts:
    """The same with one more input, its last; its functions compute what is left out."""
    dims = parts.grid.dims
    added = fields("input", numbers("input", input), [], dims)[None]
    check_grid(added, parts.grid)
    low = parts.low_solver if low is None and parts.low is not None else low
    high = parts.high_solver if high is None else high
    if high is None or (low is None and parts.low is not None):
        missing = "high" if high is None else "low"
        raise ValueError(f"{missing} is needed: all other inputs have it")
    more = of_fields(parts.grid, added, _first(low), _first(high))
    low = None
    if parts.low is not None and more.low is not None:
        low = _joined("low", parts.low, more.low)
    return Parts(
        parts.grid,
        _joined("input", parts.input, more.input),
        low,
        _joined("high", parts.high, more.high),
        parts.quantities,
        parts.low_solver,
        parts.high_solver,
    )


def solved(name: str, solver: Solver, inputs: Floats) -> Floats:
    """What a function makes of each input of [input, channel, grid...], one after another."""
    axes = inputs.ndim - 2
    each = [numbers(name, solver(drop_channel(one, axes))) for one in inputs]
    shapes = {one.shape for one in each}
    if len(shapes) > 1:
        raise ValueError(
            f"{name} returned fields of the shapes {' and '.join(map(str, sorted(shapes)))}; all "
            "inputs need the same"
        )
    return np.stack(each)


def check_grid(input: Floats, grid: Grid) -> None:
    """Refuses an input with other numbers of points than the coordinates."""
    found = input.shape[-len(grid.dims) :]
    if found != grid.shape:
        raise ValueError(
            f"input has {found} points but the coordinates of {', '.join(grid.dims)} have "
            f"{grid.shape}; is the order of axes that of coords?"
        )


def _axis_names(
    values: Floats,
    coords: Optional[Mapping[str, Any]],
    dims: Optional[Sequence[str]],
) -> tuple[str, ...]:
    if coords is not None and not isinstance(coords, Mapping):
        raise ValueError(f"coords is a {type(coords).__name__}; a dict by the names of axes is needed")
    names = tuple(coords) if coords is not None else dims
    if names is None:
        # One axis of channels at most: what is left over is the grid.
        return NAMES[: min(max(values.ndim - 1, 1), len(NAMES))]
    if not names:
        raise ValueError("coords is empty; name the axes of the grid with their coordinates")
    if dims is not None and tuple(dims) != tuple(names):
        raise ValueError(f"dims are {tuple(dims)} but coords are of {names}; leave dims out")
    return tuple(names)


def _first(value: Any) -> Any:
    """One input's field with the axis of inputs; a function is left alone."""
    return value if value is None or callable(value) else np.asarray(value)[None]


def _joined(name: str, old: Floats, new: Floats) -> Floats:
    if old.shape[1:] != new.shape[1:]:
        raise ValueError(
            f"{name} of the new input has the shape {new.shape[1:]}, of all others {old.shape[1:]}"
        )
    return np.concatenate([old, new])
