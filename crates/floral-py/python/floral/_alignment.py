"""Brings arrays with named dimensions to one grid: repeated along missing axes, or interpolated."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

import numpy as np

from . import _floral, _labels
from ._arrays import Floats
from ._grid import Domain, Grid, counted
from ._labels import Labelled
from ._notes import note


def common_grid(arrays: Mapping[str, Labelled], domains: Optional[Mapping[str, Domain]]) -> Grid:
    """The grid of the input, or of high fidelity if that has more axes. Each axis takes its coordinates
    from the first array that has them."""
    base = arrays["input" if "input" in arrays else "high"]
    if "high" in arrays and len(arrays["high"].grid_dims) > len(base.grid_dims):
        base = arrays["high"]
    if not base.grid_dims:
        return Grid.single()
    sizes = dict(zip(base.dims, base.values.shape))
    known: dict[str, Any] = {}
    units: dict[str, str] = {}
    for dim in base.grid_dims:
        for array in (base, *arrays.values()):
            if dim not in known and len(array.coords.get(dim, ())) == sizes[dim]:
                known[dim], units[dim] = array.coords[dim], array.units.get(dim, "")
    bare = [dim for dim in base.grid_dims if dim not in known]
    if bare:
        known.update(counted(bare, [sizes[dim] for dim in bare]))
    return Grid.of({dim: known[dim] for dim in base.grid_dims}, domains, units)


def on_grid(array: Labelled, grid: Grid, may_interpolate: bool) -> Labelled:
    """An array on the coordinates of the grid, interpolated if necessary."""
    other = []
    for dim in grid.dims:
        along = _labels.coordinates(array, dim, grid.units.get(dim))
        if along is None or dim not in array.dims:
            continue
        # Interpolation reads all axes, also those that agree with the grid.
        units = {**array.units, dim: grid.units.get(dim) or array.units.get(dim, "")}
        array = replace(array, coords={**array.coords, dim: along}, units=units)
        if grid.has(dim, along):
            continue
        if not may_interpolate or len(along) == len(grid.coords[dim]):
            raise ValueError(
                f"{array.name} and input have different coordinates {dim}; both need the same grid"
            )
        other.append(dim)
    return _interpolated(array, other, grid) if other else array


def _interpolated(array: Labelled, other: Sequence[str], grid: Grid) -> Labelled:
    """Interpolates an array linearly to the grid, which its own axes must cover."""
    own = {dim: np.asarray(array.coords.get(dim, grid.coords[dim]), float) for dim in grid.dims}
    periodic = {dim: kind for dim, (kind, _, _) in grid.domains.items() if kind == "periodic"}
    for dim in other:
        ends, wanted = own[dim][[0, -1]], grid.coords[dim][[0, -1]]
        rounding = 1e-6 * float(np.ptp(wanted))
        if dim not in periodic and (ends[0] > wanted[0] + rounding or ends[1] < wanted[1] - rounding):
            raise ValueError(
                f"{array.name} covers {dim} only from {ends[0]:g} to {ends[1]:g}, the grid goes from "
                f"{wanted[0]:g} to {wanted[1]:g}; give it on the whole domain"
            )
    note(f"{array.name} is interpolated linearly along {', '.join(other)} to the grid of input")
    coarse = Grid.of(own, {dim: kind for dim, kind in periodic.items() if dim in own})
    values = array.ordered(["input"], grid.dims)
    axes = json.dumps(coarse.axes), json.dumps(grid.axes)
    found = [_floral.interpolated(np.ascontiguousarray(one), *axes) for one in whole(values, coarse)]
    return Labelled(
        array.name, np.stack(found), ("input", "channel", *grid.dims), quantities=array.quantities
    )


def whole(values: Floats, grid: Grid) -> Floats:
    """Repeats fields [..., grid...] along the axes on which they have a single point."""
    leading, shape = values.shape[: -len(grid.shape)], values.shape[-len(grid.shape) :]
    if any(n not in (1, points) for n, points in zip(shape, grid.shape)):
        return values
    return np.ascontiguousarray(np.broadcast_to(values, (*leading, *grid.shape)))
