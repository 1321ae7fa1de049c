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
from ._mesh import FARTHEST, distance_beyond
from ._notes import note
from ._parameters import Parameters, matched, named, of_channels, with_parameters
from ._quantities import Quantity


@dataclass
class Expected:
    """What a model expects of an input: grid, channels, parameters and low fidelity."""

    grid: Grid
    #: Names of the input channels; an empty text for a channel without a name.
    channels: Sequence[str]
    needs_low: bool
    low_solver: Optional[Solver]
    #: Names of the model's parameters, which are its last channels.
    parameters: Sequence[str] = ()

    def numbers(self, parameters: Optional[Parameters]) -> dict[str, Floats]:
        """Parameters in the order of the model's channels."""
        if parameters is None:
            return {}
        if self.parameters:
            return matched(named(parameters, self.parameters), self.parameters)
        return of_channels(parameters, self.channels)


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
        _check_type(low, False)
        return _of_dataset(expected, opened(input), low, chosen)
    is_labelled = _xarray.is_dataset(input) or _xarray.is_array(input)
    _check_type(low, is_labelled)
    if is_labelled:
        _check_alone({"coords": coords, "points": mesh})
        if expected.grid.mesh is not None:
            _check_points(expected.grid.mesh, [input, *([low] if _xarray.is_array(low) else [])])
    if _xarray.is_dataset(input):
        field, own_low, numbers = (_xarray.variable(input, name) for name in ("input", "low", "parameters"))
        numbers = numbers if parameters is None else parameters
        made = _of_data_arrays(expected, field, own_low if low is None else low, numbers)
    elif is_labelled:
        made = _of_data_arrays(expected, input, low, parameters)
    else:
        made = _of_arrays(expected, input, low, coords, parameters, mesh)
    return made if chosen is None else _chosen(made, chosen)


def _check_type(low: Any, is_labelled: bool) -> None:
    """Refuses an xarray.DataArray with plain arrays: axes would be matched by name in one and by position in the other."""
    if low is None or callable(low) or _xarray.is_array(low) == is_labelled:
        return
    one, other = ("input", "low") if is_labelled else ("low", "input")
    raise ValueError(f"{one} is an xarray.DataArray, but {other} is not; give both as the same type")


def _check_alone(plain: Mapping[str, Any]) -> None:
    given = [name for name, value in plain.items() if value is not None]
    if given:
        raise ValueError(f"an xarray.DataArray carries this information itself; leave out {given[0]}")


def _chosen(made: NewInputs, chosen: Sequence[int]) -> NewInputs:
    if made.is_one:
        raise ValueError("inputs=... selects among several inputs, but only one is given; leave it out")
    places = _among(chosen, len(made.fields))
    low = None if made.low is None else made.low[places]
    return NewInputs(made.grid, made.fields[places], low, made.quantities, places)


def _among(chosen: Sequence[int], count: int) -> list[int]:
    """The numbers of the chosen inputs, checked against their count."""
    unknown = [number for number in chosen if not 0 <= number < count]
    if unknown:
        raise ValueError(f"inputs: {unknown[0]} is out of range; inputs are numbered 0 to {count - 1}")
    return [int(number) for number in chosen]


def _of_dataset(
    expected: Expected, data: Dataset, low: Any, chosen: Optional[Sequence[int]]
) -> NewInputs:
    here = data._dataset
    if data._grid.mesh is not None and expected.grid.mesh is not None:
        _check_domain(expected.grid.mesh, data._grid.mesh)
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
    grid, whose = expected.grid, "the model's grid has"
    if coords is not None:
        grid, whose = _other_grid(expected, coords, {}), "coords have"
    if mesh is not None:
        grid, whose = _other_mesh(expected, mesh), "the mesh has"
    params = expected.numbers(parameters)
    array = numbers("input", input) if input is not None else None
    is_one = _is_one(array, params, len(expected.channels) - len(params), len(dims))
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
        raise ValueError(f"input has the grid shape {inputs.shape[2:]}, but {whose} {grid.shape}{advice}")
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


def _of_data_arrays(expected: Expected, input: Any, low: Any, parameters: Any = None) -> NewInputs:
    given = {"input": input, "low": low if _xarray.is_array(low) else None}
    arrays = {name: _labels.of_data_array(name, one) for name, one in given.items() if one is not None}
    if input is None and parameters is None:
        raise ValueError("the xarray.Dataset has neither the variable input nor parameters")
    is_one = _labels.INPUT not in (getattr(parameters, "dims", ()) if input is None else arrays["input"].dims)
    arrays = _labels.same_inputs(arrays)
    grid = expected.grid if input is None else _grid_of(expected, arrays["input"])
    inputs = None if input is None else whole(arrays["input"].ordered([_labels.INPUT], grid.dims), grid)
    if inputs is None or parameters is not None:
        own = _labels.in_order(parameters, arrays["input"]) if input is not None else parameters
        inputs = with_parameters(inputs, expected.numbers(own), grid.dims, grid.shape)
    if inputs.shape[2:] != grid.shape:
        raise ValueError(f"input has the grid shape {inputs.shape[2:]}, but the model's grid has {grid.shape}")
    if "low" in arrays:
        low = on_grid(arrays["low"], grid, True).ordered([_labels.INPUT], grid.dims)
    known = {name: array.quantities for name, array in arrays.items()}
    if parameters is not None:
        known["input"] = [*known.get("input", []), *({"name": name, "parameter": True} for name in expected.parameters)]
    solutions = _low(expected, inputs, low, grid)
    quantities = {"input": known["input"], "solution": known.get("low", [])}
    return NewInputs(grid, inputs, solutions, quantities, range(len(inputs)), is_one)


def _check_points(mesh: _floral.Mesh, arrays: Sequence[Any]) -> None:
    """Refuses xarray's arrays on other points than those of the model's mesh."""
    for array in arrays:
        own = _xarray.points(array)
        rounding = 1e-6 * float(np.ptp(mesh.points, axis=0).max())
        if own is not None and (own.shape != mesh.points.shape or np.abs(own - mesh.points).max() > rounding):
            raise ValueError(
                "input is on other points than the model's mesh; give plain arrays with points=... and cells=..."
            )


def _grid_of(expected: Expected, array: Labelled) -> Grid:
    """The grid of an input. An axis without coordinates takes the model's, if it has the same number of points."""
    if expected.grid.mesh is not None:
        return expected.grid
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


def _other_mesh(expected: Expected, mesh: _floral.Mesh) -> Grid:
    """Another mesh of the model's domain. Fields beyond the trained points would be those of its boundary."""
    own = expected.grid.mesh
    if own is None:
        raise ValueError("points=... defines a mesh, but the model was trained on a grid; give coords={...}")
    _check_domain(own, mesh)
    return Grid.of_mesh(mesh)


def _check_domain(own: _floral.Mesh, mesh: _floral.Mesh) -> None:
    """Refuses a mesh that reaches far beyond the trained one."""
    beyond, extent = distance_beyond(mesh.points, own.points)
    if mesh.points.shape[1] == own.points.shape[1] and beyond.max() > FARTHEST * extent:
        low, high = ([float(f"{x:.4g}") for x in ends] for ends in (own.points.min(0), own.points.max(0)))
        raise ValueError(
            f"points lie up to {beyond.max():.3g} outside of the box from {low} to {high} in which the model was trained, "
            f"more than a tenth of its diagonal of {extent:.3g}; the model knows no solution there: give points of the "
            "trained domain, in its units"
        )


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
