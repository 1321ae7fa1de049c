"""Conversion from and to xarray, which is imported only when used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy

from ._grid import POINT, Grid


def module() -> Any:
    """Imports xarray; if it is missing, the error names the command that installs it."""
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


def variable(dataset: Any, name: Optional[str]) -> Any:
    """A variable of a dataset; None if there is none, or if these are the labels of a dimension."""
    if name is None or name not in dataset.variables or dataset[name].dims == (name,):
        return None
    return dataset[name]


def points(value: Any) -> Any:
    """The points [point, dimension] of an array or dataset on a mesh: its coordinates x, y and z along ``point``, or its
    variable ``points``; None if it has none."""
    if "points" in getattr(value, "data_vars", ()):
        return value["points"].transpose("point", ...).values
    known = [value.coords[name] for name in "xyz" if name in value.coords and value.coords[name].dims == (POINT,)]
    return numpy.stack([along.values for along in known], axis=1) if known else None


def dataset(
    grid: Grid,
    variables: Mapping[str, tuple[Sequence[str], Any, Mapping[str, Any]]],
    coords: Optional[Mapping[str, Any]] = None,
    attrs: Optional[Mapping[str, Any]] = None,
) -> Any:
    """An ``xarray.Dataset`` of arrays [leading..., channel, grid...]; channel may be absent."""
    xarray = module()
    made = {}
    own = () if grid.is_single else grid.dims
    for name, (leading, values, about) in variables.items():
        has_channel = values.ndim == len(leading) + len(own) + 1
        dims = [*leading, *(["channel"] if has_channel else []), *own]
        made[name] = (dims, values, dict(about))
    along = {
        name: (name, values, {"units": grid.units[name]} if name in grid.units else {})
        for name, values in grid.coords.items()
    }
    if grid.is_single:
        along = {}
    if grid.mesh is not None:
        units = {"units": grid.units["point"]} if "point" in grid.units else {}
        along = {name: ("point", x, units) for name, x in zip("xyz", grid.mesh.points.T)}
        for kind, nodes in grid.mesh.cells:
            made[f"cells_{kind}"] = ([f"cell_{kind}", f"node_{kind}"], nodes, {})
    return xarray.Dataset(made, {**along, **(coords or {})}, dict(attrs or {}))
