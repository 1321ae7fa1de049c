"""Conversion from and to xarray, which is imported only when used."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._grid import Grid


def module() -> Any:
    """xarray, or an error that says how to install it."""
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
    for name, (leading, values, about) in variables.items():
        has_channel = values.ndim == len(leading) + len(grid.dims) + 1
        dims = [*leading, *(["channel"] if has_channel else []), *grid.dims]
        made[name] = (dims, values, dict(about))
    along = {
        name: (name, values, {"units": grid.units[name]} if name in grid.units else {})
        for name, values in grid.coords.items()
    }
    return xarray.Dataset(made, {**along, **(coords or {})}, dict(attrs or {}))
