"""xarray in and out, without importing it before it is used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import Floats, numbers
from ._grid import Grid

#: Dimensions that are no axis of the grid.
INPUT, REALIZATION, CHANNELS = "input", "realization", ("channel", "input_channel")


def module() -> Any:
    """xarray, or an error that says how to have it."""
    try:
        import xarray
    except ImportError:
        raise ImportError("xarray is needed here: pip install xarray") from None
    return xarray


def is_array(value: Any) -> bool:
    """Whether it is an ``xarray.DataArray``."""
    loaded = sys.modules.get("xarray")
    return loaded is not None and isinstance(value, loaded.DataArray)


def is_dataset(value: Any) -> bool:
    """Whether it is an ``xarray.Dataset``."""
    loaded = sys.modules.get("xarray")
    return loaded is not None and isinstance(value, loaded.Dataset)


def grid_dims(array: Any) -> tuple[str, ...]:
    """The dimensions of an array that are axes of its grid, in its order."""
    other = {INPUT, REALIZATION, *CHANNELS}
    return tuple(str(dim) for dim in array.dims if dim not in other)


def ordered(name: str, array: Any, leading: Sequence[str], grid: Sequence[str]) -> Floats:
    """Its values as [leading..., channel, grid...], whatever the order of its dimensions."""
    channel = next((dim for dim in CHANNELS if dim in array.dims), None)
    known = {*leading, *grid, channel}
    unknown = [dim for dim in array.dims if dim not in known]
    missing = [dim for dim in grid if dim not in array.dims]
    if unknown or missing:
        told = f"lacks {missing[0]!r}" if missing else f"has {unknown[0]!r} besides"
        raise ValueError(
            f"{name} has the dimensions {tuple(array.dims)}, but the grid is {tuple(grid)}: it {told}"
        )
    if channel is None:
        array, channel = array.expand_dims("channel"), "channel"
    for dim in leading:
        if dim not in array.dims:
            array = array.expand_dims(dim)
    return numbers(name, array.transpose(*leading, channel, *grid).values)


def coords(array: Any, dims: Sequence[str]) -> dict[str, Any]:
    """Coordinates of those dimensions that have any."""
    return {dim: array.coords[dim].values for dim in dims if dim in array.coords}


def units(array: Any, dims: Sequence[str]) -> dict[str, str]:
    """Units of those coordinates that tell them."""
    told = {d: array.coords[d].attrs.get("units") for d in dims if d in array.coords}
    return {dim: str(unit) for dim, unit in told.items() if unit}


def turned(array: Any, dims: Sequence[str]) -> Any:
    """The same with decreasing coordinates, such as latitudes from the north, turned round."""
    for dim in dims:
        if dim in array.coords and array.sizes[dim] > 1:
            along = np.asarray(array.coords[dim].values)
            if along.dtype.kind in "fiu" and (np.diff(along) < 0).all():
                array = array.isel({dim: slice(None, None, -1)})
    return array


def dataset(
    grid: Grid,
    variables: Mapping[str, tuple[Sequence[str], Any, Mapping[str, Any]]],
    coords: Optional[Mapping[str, Any]] = None,
    attrs: Optional[Mapping[str, Any]] = None,
) -> Any:
    """An ``xarray.Dataset`` of arrays whose axes behind the leading ones are [channel,] grid."""
    xarray = module()
    made = {}
    for name, (leading, values, about) in variables.items():
        has_channel = values.ndim == len(leading) + len(grid.dims) + 1
        dims = [*leading, *(["channel"] if has_channel else []), *grid.dims]
        made[name] = (dims, values, dict(about))
    along = {
        name: (name, values, {"units": grid.units[name]} if name in grid.units else {})
        for name, values in grid.coords.items()
    }
    return xarray.Dataset(made, {**along, **(coords or {})}, dict(attrs or {}))
