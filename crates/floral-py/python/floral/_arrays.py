"""Converts arrays of any form to [input, realization, channel, grid...] in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def numbers(name: str, values: Any) -> Floats:
    """Converts any array-like to contiguous float64: lists, float32, integers, strided views."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} has masked values; fill them, or leave out those inputs")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} is not an array: its parts differ in shape; all inputs need the same grid and the "
            f"same number of realizations ({error})"
        ) from None
    if array.dtype.kind == "c":
        raise ValueError(
            f"{name} is complex; give real and imaginary parts as two channels, before the axes of the grid: "
            "numpy.stack([a.real, a.imag], axis=-2) on one axis or a mesh, axis=-3 on two, axis=-4 on three"
        )
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} has the type {array.dtype}; give numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def fields(name: str, array: Floats, leading: Sequence[str], grid: Sequence[str]) -> Floats:
    """Adds the axes of channels and of realizations if they are missing."""
    without = len(leading) + len(grid)
    if array.ndim == without + 1:
        return array
    if array.ndim == without:
        return np.expand_dims(array, len(leading))
    if array.ndim == without - 1 and "realization" in leading:
        return np.expand_dims(array, (1, 2))
    forms = [[*leading, *grid], [*leading, "channel", *grid]]
    words = " or ".join("[" + ", ".join(form) + "]" for form in forms)
    raise ValueError(f"{name} has the shape {array.shape}, but it should be {words}")


def finite(name: str, array: Floats, leading: Sequence[str], outside: Optional[NDArray[np.bool_]] = None) -> None:
    """Refuses NaN and infinite values, except at points outside of the domain, and names the first one."""
    bad = ~np.isfinite(array) if outside is None else ~np.isfinite(array) & ~outside
    if not bad.any():
        return
    first = np.unravel_index(int(np.argmax(bad)), array.shape)
    place = ", ".join(f"{what} {index}" for what, index in zip(leading, first))
    where = f", the first in {place}" if place else ""
    raise ValueError(
        f"{name}: {int(bad.sum())} values are NaN or infinite{where}; correct them, or leave out that "
        "input"
    )


def same(name: str, array: Floats, other_name: str, other: Floats, grid: int) -> None:
    """Refuses a different grid, or a different number of inputs."""
    if array.shape[-grid:] != other.shape[-grid:]:
        raise ValueError(
            f"{name} has the grid {array.shape[-grid:]} but {other_name} has "
            f"{other.shape[-grid:]}; they must be the same"
        )
    if array.shape[0] != other.shape[0]:
        raise ValueError(
            f"{name} has {array.shape[0]} inputs but {other_name} has {other.shape[0]}; they must be "
            "the same"
        )


def drop_channel(array: NDArray[Any], grid: int) -> NDArray[Any]:
    """Removes the axis of a single channel."""
    axis = array.ndim - grid - 1
    return np.squeeze(array, axis) if array.shape[axis] == 1 else array
