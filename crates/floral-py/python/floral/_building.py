"""Converts arrays of any form to those that are stored: grid, input, low and high fidelity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _floral, _labels
from . import _masks as masks
from ._alignment import common_grid, on_grid, whole
from ._arrays import Floats, drop_channel, fields, finite, numbers, same
from ._grid import NAMES, Domain, Grid, counted
from ._labels import Labelled
from ._masks import Points
from ._notes import note
from ._parameters import with_parameters
from ._quantities import Quantity, Texts, of_texts

#: Maps one input to its solution (low), or to realizations of it (high). A single channel has no axis.
Solver = Callable[[Floats], Any]

#: The names of the grid axes, slowest first; or all dimensions of every array, as in
#: ``{"input": ("input", "x"), "high": ("input", "realization", "x", "y")}``.
Dims = Union[Sequence[str], Mapping[str, Sequence[str]]]

LEADING = {"input": ["input"], "low": ["input"], "high": ["input", "realization"]}


@dataclass
class Parts:
    """The contents of a dataset: input and low [input, channel, grid...], and for every input the
    realizations of high [realization, channel, grid...]; none for a pool of inputs to predict."""

    grid: Grid
    input: Floats
    low: Optional[Floats]
    high: list[Floats]
    quantities: dict[str, list[Quantity]]
    low_solver: Optional[Solver] = None
    high_solver: Optional[Solver] = None
    sensors: bool = False
    #: Whether each point [grid...] is outside of the domain.
    outside: Optional[Points] = None
    title: Optional[str] = None

    @property
    def channels(self) -> int:
        """The number of channels of the solution, as far as known."""
        known = self.high[0] if self.high else self.low
        return 1 if known is None else int(known.shape[1])


def of_arrays(
    given: Mapping[str, Any],
    coords: Optional[Mapping[str, Any]],
    dims: Optional[Dims],
    domains: Optional[Mapping[str, Domain]],
    names: Mapping[str, Texts],
    units: Mapping[str, Texts],
    sensors: bool,
    parameters: Mapping[str, Floats],
    mesh: Optional[_floral.Mesh],
) -> Parts:
    """The parts of a dataset from plain arrays, whose axes are in order or named by `dims`."""
    given = dict(given)
    if coords is not None and not isinstance(coords, Mapping):
        raise ValueError(f"coords is a {type(coords).__name__}; give a dict from axis names to coordinates")
    if mesh is not None:
        other = "coords" if coords is not None else "dims" if dims is not None else None
        if other is not None:
            raise ValueError(f"{other} and points exclude each other: {other} defines a grid, points a mesh")
        parts = _on(Grid.of_mesh(mesh), given, parameters, sensors)
    elif given["input"] is None and parameters and coords is None and dims is None:
        parts = _scalars(given, parameters)
    elif isinstance(dims, Mapping):
        if parameters:
            raise ValueError("parameters need coords={...}; leave out dims, or name the axes alone there")
        named = {name: _named(name, value, dims, coords or {}) for name, value in given.items()}
        parts = of_labelled(named, domains, sensors)
    else:
        like = given["high"] if given["input"] is None and parameters else given["input"]
        parts = _on(Grid.of(_known_axes(like, coords, dims), domains), given, parameters, sensors)
    return _described(parts, names, units, list(parameters))


def _on(
    grid: Grid, given: Mapping[str, Any], parameters: Mapping[str, Floats], sensors: bool
) -> Parts:
    """Fields on a grid or mesh, with parameters after the channels of the input."""
    input = given["input"]
    if parameters:
        input = with_parameters(input, parameters, grid.dims, grid.shape)
    if input is None:
        raise ValueError("input or parameters are needed; give one of them, or both")
    return of_fields(grid, numbers("input", input), given["low"], given["high"], sensors)


def _scalars(given: Mapping[str, Any], parameters: Mapping[str, Floats]) -> Parts:
    """Scalar outputs [input] or [input, realization], on a grid of one point."""
    if given["high"] is None:
        return _on(Grid.single(), given, parameters, False)
    high = numbers("high", given["high"])
    if high.ndim not in (1, 2):
        raise ValueError(
            f"high has the shape {high.shape} and no grid; give coords={{...}} or points=..., or [input] or "
            "[input, realization] for scalar outputs"
        )
    if high.ndim == 2 and high.shape[1] > 1:
        note(
            f"high is taken as {len(high)} scalar outputs of {high.shape[1]} realizations each; give "
            "coords={...} if its last axis is a grid"
        )
    low = given["low"]
    if low is not None and not callable(low):
        low = numbers("low", low).reshape(-1, 1, 1)
    scalars = {"input": None, "low": low, "high": high.reshape(len(high), -1, 1, 1)}
    return _on(Grid.single(), scalars, parameters, False)


def _named(name: str, value: Any, dims: Mapping[str, Sequence[str]], coords: Mapping[str, Any]) -> Any:
    """Labels an array with its dimensions from `dims`; a function or None is returned unchanged."""
    if value is None or callable(value):
        return value
    if name not in dims:
        raise ValueError(f"dims has {', '.join(dims)}; name the dimensions of {name} too")
    values, own = numbers(name, value), tuple(str(dim) for dim in dims[name])
    if values.ndim != len(own):
        raise ValueError(f"{name} has the shape {values.shape}, but dims names {own}")
    return Labelled(name, values, own, {dim: coords[dim] for dim in own if dim in coords})


def _described(
    parts: Parts, names: Mapping[str, Texts], units: Mapping[str, Texts], parameters: Sequence[str]
) -> Parts:
    """The parts with the given names and units of channels and axes."""
    axes = (*parts.grid.dims, *parameters)
    for what, given, allowed in (("names", names, ()), ("units", units, axes)):
        unknown = [key for key in given if key not in ("input", "high", *allowed)]
        if unknown:
            listed = ", ".join(["input", "high", *allowed])
            raise ValueError(f"{what}: {unknown[0]!r} is unknown; choose among {listed}")
    counts = {"input": parts.input.shape[1] - len(parameters), "high": parts.channels}
    of = [of_texts(w, n, names.get(w), units.get(w)) for w, n in counts.items()]
    for name in parameters:
        known = {"units": str(units[name])} if units.get(name) else {}
        of[0].append({"name": name, **known, "parameter": True})
    grid = parts.grid.in_units({axis: str(units[axis]) for axis in parts.grid.dims if axis in units})
    return replace(parts, grid=grid, quantities={"input": of[0], "solution": of[1]})


def of_data_arrays(given: Mapping[str, Any]) -> dict[str, Any]:
    """xarray's arrays with their names of axes; functions and None are returned unchanged."""
    named: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or callable(value):
            named[name] = value
        elif hasattr(value, "coords"):
            named[name] = _labels.of_data_array(name, value)
        else:
            raise ValueError(f"{name} is not an xarray.DataArray, but others are; give all as the same type")
    return named


def of_labelled(
    given: Mapping[str, Any],
    domains: Optional[Mapping[str, Domain]],
    sensors: bool,
    parameters: Optional[Mapping[str, Floats]] = None,
    mesh: Optional[Grid] = None,
    is_masked: bool = False,
) -> Parts:
    """The parts of a dataset from arrays with named dimensions: inputs are aligned by label, low fidelity takes
    the channels and units of high fidelity, and all arrays are brought to one grid. Parameters come after the
    channels of the input."""
    arrays = _labels.same_inputs({n: v for n, v in given.items() if isinstance(v, Labelled)})
    if "input" not in arrays and not parameters:
        raise ValueError("input is not an xarray.DataArray, but others are; give all as the same type")
    if "low" in arrays and "high" in arrays:
        arrays["low"] = _labels.same_channels(arrays["low"], arrays["high"].quantities, "high")
    grid = common_grid(arrays, domains) if mesh is None else mesh
    values: dict[str, Any] = dict(given)
    for name, array in arrays.items():
        array = on_grid(array, grid, name == "low")
        _note_constant(array, grid)
        values[name] = whole(array.ordered(LEADING[name], grid.dims), grid)
    if parameters:
        values["input"] = with_parameters(values["input"], parameters, grid.dims, grid.shape)
    parts = of_fields(grid, values["input"], values["low"], values["high"], sensors, is_masked)
    return replace(parts, quantities=_known(arrays, parts))


def _known(arrays: Mapping[str, Labelled], parts: Parts) -> dict[str, list[Quantity]]:
    """The channels of input and solution, described by both fidelities."""
    known = {name: array.quantities for name, array in arrays.items()}
    solution: list[Quantity] = known.get("high", [{} for _ in range(parts.channels)])
    low = known.get("low", [])
    if len(low) == len(solution):
        solution = [{**theirs, **ours} for theirs, ours in zip(low, solution)]
    return {"input": known.get("input", []), "solution": solution}


def _note_constant(array: Labelled, grid: Grid) -> None:
    """Notes the axes along which an array is taken as constant; high fidelity must have every axis."""
    missing = [dim for dim in grid.dims if dim not in array.dims and not grid.is_single]
    if missing and array.name == "high":
        raise ValueError(
            f"high has the dimensions {array.dims}, but the grid is {grid.dims}: it lacks {missing[0]!r}"
        )
    if missing:
        listed = ", ".join(missing)
        note(f"{array.name} has no axis {listed}; it is taken as constant along it")


def of_fields(
    grid: Grid,
    input: Floats,
    low: Any,
    high: Any,
    sensors: bool = False,
    is_masked: bool = False,
    known: Optional[Points] = None,
) -> Parts:
    """The parts of a dataset from arrays with axes in order; functions are called for every input.

    is_masked: whether points where every input has NaN are outside of the domain; `known` are such points.
    """
    input = fields("input", input, ["input"], grid.dims)
    if len(input) == 0:
        raise ValueError("input is empty; give at least one input")
    check_grid(input, grid)
    if not is_masked:
        finite("input", input, ["input"], known)
    solvers = {f"{n}_solver": v for n, v in (("low", low), ("high", high)) if callable(v)}
    if callable(low):
        low = solved("low", low, input)
    if low is not None:
        low = fields("low", numbers("low", low), ["input"], grid.dims)
        same("low", low, "input", input, len(grid.dims))
    runs = solved("high", high, input) if callable(high) else high
    each = [] if runs is None else _realizations(runs, input, grid)
    points = masks.outside(input, low, each) if is_masked else known
    each = [masks.hidden(one, points) for one in each]
    finite("input", input, ["input"], points)
    if low is not None:
        finite("low", low, ["input"], points)
    _check_finite(each, sensors, points)
    return Parts(grid, input, low, each, {"input": [], "solution": []}, sensors=sensors, outside=points, **solvers)


def _realizations(high: Any, input: Floats, grid: Grid) -> list[Floats]:
    """An array [realization, channel, grid...] for every input. The number of realizations may differ between
    inputs: `high` is then a list with one array per input, or has all-NaN realizations, which are dropped."""
    if isinstance(high, (list, tuple)) and len({np.shape(one) for one in high}) > 1:
        if len(high) != len(input):
            raise ValueError(f"high has {len(high)} inputs but input has {len(input)}; both need the same")
        own = [
            fields(f"high of input {i}", numbers("high", one), ["realization"], grid.dims)
            for i, one in enumerate(high)
        ]
    else:
        array = fields("high", numbers("high", high), LEADING["high"], grid.dims)
        same("high", array, "input", input, len(grid.dims))
        own = list(array)
    kept = []
    for i, one in enumerate(own):
        same(f"high of input {i}", one[None], "input", input[:1], len(grid.dims))
        there = ~np.isnan(one).all(axis=tuple(range(1, one.ndim)))
        if not there.any():
            raise ValueError(f"high of input {i} has no realization; leave out this input")
        kept.append(one[there])
    return kept


def _check_finite(high: Sequence[Floats], sensors: bool, outside: Optional[Points] = None) -> None:
    bad = [np.isinf(one) if sensors else ~np.isfinite(one) for one in high]
    if outside is not None:
        bad = [one & ~outside for one in bad]
    for i, one in enumerate(bad):
        if one.any():
            place = int(np.argmax(one.any(axis=tuple(range(1, one.ndim)))))
            advice = "" if sensors else "; if they are points that were not measured, give sensors=True"
            raise ValueError(
                f"high: {sum(int(b.sum()) for b in bad)} values are NaN or infinite, the first in input {i}, realization "
                f"{place}; correct them, or leave out that input{advice}"
            )


def solved(name: str, solver: Solver, inputs: Floats) -> Floats:
    """Calls a function for each input of [input, channel, grid...]."""
    axes = inputs.ndim - 2
    # Copies both ways: a function may work in place, or return the same buffer again.
    each = [
        np.array(numbers(name, solver(np.array(drop_channel(one, axes))))) for one in inputs
    ]
    shapes = {one.shape for one in each}
    if len(shapes) > 1:
        raise ValueError(
            f"{name} returned fields of the shapes {' and '.join(map(str, sorted(shapes)))}; they must be "
            "the same for all inputs"
        )
    return np.stack(each)


def check_grid(input: Floats, grid: Grid) -> None:
    """Refuses inputs whose shape differs from that of the coordinates."""
    found = input.shape[-len(grid.dims) :]
    if found != grid.shape:
        if grid.mesh is not None:
            raise ValueError(f"input has {found[0]} points but the mesh has {grid.shape[0]}; they must be the same")
        advice = "check that coords are in the order of the array's axes"
        if sorted(found) == sorted(grid.shape):
            advice = "give coords in the order of the array's axes"
        raise ValueError(
            f"input has {found} points but the coordinates of {', '.join(grid.dims)} have "
            f"{grid.shape}; {advice}"
        )


def _known_axes(
    like: Any, coords: Optional[Mapping[str, Any]], dims: Optional[Sequence[str]]
) -> Mapping[str, Any]:
    """The coordinates of axes by name; without any, points of `like` are numbered."""
    if like is None and coords is None:
        raise ValueError("parameters alone have no grid; give coords={...} or points=...")
    values = numbers("input", np.empty(0) if like is None else like)
    axes = _axis_names(values, coords, dims)
    return coords if coords is not None else counted(axes, values.shape[-len(axes) :], values.shape)


def _axis_names(
    values: Floats,
    coords: Optional[Mapping[str, Any]],
    dims: Optional[Sequence[str]],
) -> tuple[str, ...]:
    names = tuple(coords) if coords is not None else dims
    if names is None:
        # Up to two axes after that of the inputs belong to the grid; of three, the first holds channels.
        return NAMES[: min(max(values.ndim - 1, 1), len(NAMES))]
    if not names:
        raise ValueError("coords is empty; give the coordinates of every grid axis by its name")
    if dims is not None and tuple(dims) != tuple(names):
        raise ValueError(f"dims are {tuple(dims)} but coords are of {names}; leave out dims")
    return tuple(names)
