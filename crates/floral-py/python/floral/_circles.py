"""Whether an axis of xarray is periodic, judged by its attributes and units as imports of files do, never by its length
alone."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from ._arrays import Floats

#: Units in which a full turn is 360, and those in which it is 2 pi.
EAST = ("degree_east", "degrees_east", "degree_e", "degrees_e", "degreee", "degreese")
DEGREES = ("deg", "degree", "degrees", "°", "arc_degree", "arcdeg", *EAST)
RADIANS = ("rad", "radian", "radians")

#: Names of longitudes, as CF standard names or names of axes.
LONGITUDES = ("longitude", "grid_longitude", "lon", "long")

#: Names and units of times.
TIMES = ("t", "time", "times")
OF_TIME = ("s", "sec", "secs", "second", "seconds", "ms", "min", "minute", "minutes", "h", "hour", "hours", "day", "days")

#: Largest deviation of coordinates, as a share of their spacing.
ROUNDING = 1e-3


def is_true(value: Any) -> bool:
    """Whether an attribute says yes; NetCDF has no type for that."""
    return str(value).strip().lower() in ("true", "yes", "1")


def is_time(name: str, along: Any) -> bool:
    """Whether an axis counts time, whose ends are different points."""
    text = {key: str(along.attrs.get(key, "")).lower() for key in ("units", "standard_name", "axis")}
    is_named = name.lower() in TIMES or text["standard_name"] == "time" or text["axis"] == "t"
    return is_named or text["units"] in OF_TIME or " since " in text["units"]


def circle(name: str, along: Any) -> Optional[tuple[float, str]]:
    """The period of an axis and the reason, if attributes or units show that its ends are the same point."""
    step = _even_step(along.values)
    if step is None:
        return None
    turn = step * along.size
    if is_true(along.attrs.get("periodic", "")) or along.attrs.get("topology") == "circular":
        return turn, "its attribute says so"
    if is_time(name, along):
        return None
    units, standard = (str(along.attrs.get(key, "")).lower() for key in ("units", "standard_name"))
    is_longitude = standard in LONGITUDES or (name.lower() in LONGITUDES and units in ("", "1"))
    near = ROUNDING * step
    if abs(turn - 360.0) < near and (units in DEGREES or is_longitude):
        return 360.0, "it spans 360 degrees" if units in DEGREES else "it spans 360 degrees of longitude"
    if abs(turn - math.tau) < near and units in RADIANS:
        return math.tau, "it spans 2 pi radians"
    return None


def _even_step(values: Floats) -> Optional[float]:
    """The spacing of coordinates if they are even up to rounding."""
    if values.ndim != 1 or values.size < 2 or values.dtype.kind not in "fiu":
        return None
    steps = np.abs(np.diff(values.astype(float)))
    digits = np.finfo(values.dtype).eps if values.dtype.kind == "f" else np.finfo(float).eps
    margin = max(ROUNDING * steps.mean(), 8 * digits * float(np.abs(values).max()))
    return float(steps.mean()) if np.abs(steps - steps.mean()).max() <= margin else None
