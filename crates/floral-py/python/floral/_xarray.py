"""Conversion from and to xarray, which is imported only when used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._grid import Grid


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
