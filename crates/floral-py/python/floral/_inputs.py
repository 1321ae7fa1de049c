"""New inputs for a model, in any form, with their low-fidelity solutions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _floral, _labels, _xarray
from ._alignment import on_grid, whole
from ._arrays import Floats, fields, numbers, same
from ._building import Solver, solved
from ._dataset import Dataset, opened
from ._grid import Grid
from ._labels import Labelled
from ._notes import note
from ._parameters import Parameters, matched, named, with_parameters
from ._quantities import Quantity


@dataclass
class Expected:
    """What a model expects of an input: grid, channels, parameters and low fidelity."""

    grid: Grid
    input_channels: int
    solution_channels: int
    needs_low: bool
    low_solver: Optional[Solver]
    #: Names of the model's parameters.
    parameters: Sequence[str] = ()


@dataclass
class NewInputs:
    """Inputs [input, channel, grid...] on a grid, with low fidelity of the same form if given."""

    grid: Grid
    fields: Floats
    low: Optional[Floats]
    quantities: Mapping[str, Sequence[Quantity]]
    #: The number of each input, which selects its random draws.
    indices: Sequence[int]
    #: Whether a single input was given, without an axis of inputs.
    is_one: bool = False


def new_inputs(
    expected: Expected,
    input: Any,
    low: Any,
    coords: Optional[Mapping[str, Any]],
    parameters: Optional[Parameters],
    chosen: Optional[Sequence[int]],
    mesh: Optional[_floral.Mesh] = None,
) -> NewInputs:
    """New inputs from arrays, xarray objects, a :class:`Dataset` or a path; `chosen` selects some of them by number."""
    if isinstance(input, (Dataset, str, os.PathLike)):
        return _of_dataset(expected, opened(input), low, chosen)
    if _xarray.is_dataset(input):
        low = input["low"] if low is None and "low" in input else low
        input = input["input"]
    if _xarray.is_array(input):
        if parameters is not None or coords is not None:
            raise ValueError("coords and parameters are for plain arrays; an xarray.DataArray has its own")
        made = _of_data_arrays(expected, input, low)
    else:
        made = _of_arrays(expected, input, low, coords, parameters, mesh)
    return made if chosen is None else _chosen(made, chosen)


def _chosen(made: NewInputs, chosen: Sequence[int]) -> NewInputs:
    if made.is_one:
        raise ValueError("inputs selects some of several, but a single input is given")
    places = _among(chosen, len(made.fields))
    low = None if made.low is None else made.low[places]
    return NewInputs(made.grid, made.fields[places], low, made.quantities, places)


def _among(chosen: Sequence[int], count: int) -> list[int]:
    """The numbers of the chosen inputs, checked against their count."""
    unknown = [number for number in chosen if not 0 <= number < count]
    if unknown:
        raise ValueError(f"inputs: {unknown[0]} is none of 0 to {count - 1}")
    return [int(number) for number in chosen]


def _of_dataset(
    expected: Expected, data: Dataset, low: Any, chosen: Optional[Sequence[int]]
) -> NewInputs:
    here = data._dataset
    indices = _among(range(len(data)) if chosen is None else chosen, len(data))
    inputs = np.stack([here.input(index) for index in indices])
    if low is None and here.has_low:
        low = np.stack([here.low(index) for index in indices])
    solutions = _low(expected, inputs, low, data._grid)
    return NewInputs(data._grid, inputs, solutions, data.quantities, indices)


def _of_arrays(
    expected: Expected,
    input: Any,
    low: Any,
    coords: Optional[Mapping[str, Any]],
    parameters: Optional[Parameters],
    mesh: Optional[_floral.Mesh],
) -> NewInputs:
    dims = expected.grid.dims
    grid, whose = expected.grid, "the model's grid"
    if coords is not None:
        grid, whose = _other_grid(expected, coords, {}), "coords"
    if mesh is not None:
        if expected.grid.mesh is None:
            raise ValueError("points are those of a mesh, but the model was trained on a grid; give coords={...}")
        grid, whose = Grid.of_mesh(mesh), "the mesh has"
    params = {} if parameters is None else named(parameters, expected.parameters)
    if params and expected.parameters:
        params = matched(params, expected.parameters)
    own = expected.input_channels - len(params or {})
    array = numbers("input", input) if input is not None else None
    is_one = _is_one(array, params, own, len(dims))
    if array is not None and is_one:
        array = array[None]
    if params:
        array = with_parameters(array, params, dims, grid.shape)
    if array is None and expected.parameters:
        raise ValueError(f"parameters are needed: {', '.join(expected.parameters)}")
    if array is None:
        raise ValueError("input is needed")
    inputs = fields("input", array, [_labels.INPUT], dims)
    if inputs.shape[2:] != grid.shape:
        advice = "; give coords={...} if its grid is another" if coords is None else ""
        raise ValueError(f"input has {inputs.shape[2:]} points but {whose} {grid.shape}{advice}")
    if is_one and low is not None and not callable(low):
        low = fields("low", numbers("low", low), [], dims)[None]
    solutions = _low(expected, inputs, low, grid)
    nothing: dict[str, list[Quantity]] = {"input": [], "solution": []}
    return NewInputs(grid, inputs, solutions, nothing, range(len(inputs)), is_one)


def _is_one(
    array: Optional[Floats], params: Mapping[str, Floats], channels: int, axes: int
) -> bool:
    """Whether an array is one input, without an axis of inputs: [grid...], or [channel, grid...] with several channels."""
    if array is None:
        return all(values.ndim == 0 for values in params.values())
    return array.ndim == axes or (array.ndim == axes + 1 and channels > 1 and len(array) == channels)


def _of_data_arrays(expected: Expected, input: Any, low: Any) -> NewInputs:
    arrays = {"input": _labels.of_data_array("input", input)}
    if _xarray.is_array(low):
        arrays["low"] = _labels.of_data_array("low", low)
    is_one = _labels.INPUT not in arrays["input"].dims
    arrays = _labels.same_inputs(arrays)
    grid = _grid_of(expected, arrays["input"])
    known = {name: array.quantities for name, array in arrays.items()}
    inputs = whole(arrays["input"].ordered([_labels.INPUT], grid.dims), grid)
    if "low" in arrays:
        low = on_grid(arrays["low"], grid, True).ordered([_labels.INPUT], grid.dims)
    elif low is not None and not callable(low) and is_one:
        low = fields("low", numbers("low", low), [], grid.dims)[None]
    solutions = _low(expected, inputs, low, grid)
    quantities = {"input": known["input"], "solution": known.get("low", [])}
    return NewInputs(grid, inputs, solutions, quantities, range(len(inputs)), is_one)


def _grid_of(expected: Expected, array: Labelled) -> Grid:
    """The grid of an input. An axis without coordinates takes the model's, if it has the same number of points."""
    known: dict[str, Any] = {}
    for dim in expected.grid.dims:
        own = expected.grid.coords[dim]
        if dim not in array.dims:
            note(f"input has no axis {dim}; it is taken as constant along it")
        elif dim not in array.coords and array.values.shape[array.dims.index(dim)] != len(own):
            raise ValueError(f"input has no coordinates {dim}, and its grid is not the model's")
        known[dim] = array.coords.get(dim, own)
    sources = {dim: array if dim in array.coords else expected.grid for dim in known}
    return _other_grid(expected, known, {dim: by.units.get(dim, "") for dim, by in sources.items()})


def _other_grid(expected: Expected, coords: Mapping[str, Any], units: Mapping[str, str]) -> Grid:
    """A grid with other points on the model's axes."""
    if tuple(coords) != expected.grid.dims:
        raise ValueError(
            f"coords are of {tuple(coords)}, but the model's axes are {expected.grid.dims}"
        )
    return Grid.of(coords, None, units)


def _low(expected: Expected, inputs: Floats, low: Any, grid: Grid) -> Optional[Floats]:
    """The low-fidelity solutions of inputs, given or computed: [input, channel, grid...]."""
    if not expected.needs_low:
        return None
    solver = low if callable(low) else expected.low_solver
    if low is not None and not callable(low):
        array = fields("low", numbers("low", low), [_labels.INPUT], grid.dims)
    elif solver is not None:
        array = fields("low", solved("low", solver, inputs), [_labels.INPUT], grid.dims)
    else:
        return None
    same("low", array, "input", inputs, len(grid.dims))
    return array
