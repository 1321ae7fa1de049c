"""Datasets from and to ``xarray.Dataset``, with the names and attributes of the Zarr store."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _building, _xarray
from ._arrays import Floats
from ._building import Parts
from ._grid import POINT, Domain, Grid, domain
from ._mesh import mesh_of
from ._notes import note
from ._parameters import PARAMETER, named, parameter_names
from ._quantities import KEYS, Quantity, to_attributes

if TYPE_CHECKING:
    from ._contents import Contents

#: Attributes of the parameters, as lists in the order of the parameters.
OF_PARAMETERS = {key: f"{PARAMETER}_{listed.removeprefix('channel_')}" for key, listed in KEYS.items()}

#: Units in which a full turn is 360, and names of longitudes, as imports of files know them.
EAST = ("degree_east", "degrees_east", "degree_e", "degrees_e", "degreee", "degreese")
DEGREES = ("deg", "degree", "degrees", "°", "arc_degree", "arcdeg", *EAST)
LONGITUDES = ("longitude", "grid_longitude", "lon", "long")


def to_parts(
    dataset: Any, names: Mapping[str, Optional[str]], domains: Optional[Mapping[str, Domain]], sensors: bool
) -> Parts:
    """The contents of an ``xarray.Dataset``; `names` are those of the variables input, low and high."""
    _check(dataset, names)
    attrs = dataset.attrs
    given = {what: _xarray.variable(dataset, name) for what, name in names.items()}
    numbers = _xarray.variable(dataset, PARAMETER + "s")
    each = {} if numbers is None else named(numbers)
    sensors, is_masked = sensors or bool(attrs.get("sensors", False)), bool(attrs.get("mask", False))
    if sensors and is_masked:
        raise ValueError("the dataset has sensors and points outside of the domain; open its files with Dataset.open")
    known = _domains(dataset, given, domains)
    named_arrays = _building.of_data_arrays(given)
    parts = _building.of_labelled(named_arrays, known, sensors, each, _mesh(dataset), is_masked)
    if numbers is not None:
        channels = parts.input.shape[1] - len(each)
        own = parts.quantities["input"] or [{} for _ in range(channels)]
        parts.quantities["input"] = [*own, *_of_parameters(numbers, list(each))]
    return replace(parts, title=attrs.get("title"))


def _check(dataset: Any, names: Mapping[str, Optional[str]]) -> None:
    """Refuses a dataset without the variables that are needed or named, or with what cannot be taken from it."""
    needed = [names["high"]]
    if names["input"] != "input" or PARAMETER + "s" not in dataset:
        needed.insert(0, names["input"])
    if names["low"] not in (None, "low"):
        needed.append(names["low"])
    missing = [name for name in needed if _xarray.variable(dataset, name) is None]
    if missing:
        listed = ", ".join(str(name) for name in dataset.data_vars)
        raise ValueError(
            f"the dataset has no variable {missing[0]!r}, but {listed}; name them as in "
            "input='permeability', high='pressure'"
        )
    if "low_realizations" in dataset or "low_pairing" in dataset.attrs:
        raise ValueError("low has several realizations, of which xarray has the mean; open the files with Dataset.open")


def _of_parameters(array: Any, names: list[str]) -> list[Quantity]:
    """Metadata of parameters from the attributes of their array, in the order of `names`."""
    (dim,) = [str(dim) for dim in array.dims if dim != "input"]
    stored = [str(name) for name in np.atleast_1d(array.attrs.get(OF_PARAMETERS["name"], parameter_names(array, dim)))]
    found: list[Quantity] = [{"name": name, "parameter": True} for name in names]
    for key, listed in OF_PARAMETERS.items():
        texts = dict(zip(stored, np.atleast_1d(array.attrs.get(listed, []))))
        for quantity in found:
            if key != "name" and texts.get(quantity["name"]):
                quantity[key] = str(texts[quantity["name"]])
    return found


def _mesh(dataset: Any) -> Optional[Grid]:
    """The mesh of a dataset, if its fields live on one."""
    where = _xarray.points(dataset)
    if where is None:
        return None
    kinds = [str(name) for name in dataset.data_vars if str(name).startswith("cells_")]
    cells = {kind.removeprefix("cells_"): dataset[kind].values.astype(np.int64) for kind in kinds}
    described = dataset["points"] if "points" in dataset else dataset["x"]
    units = described.attrs.get("units")
    return Grid.of_mesh(mesh_of(where, cells or None)).in_units({POINT: str(units)} if units else {})


def _domains(
    dataset: Any, given: Mapping[str, Any], declared: Optional[Mapping[str, Domain]]
) -> dict[str, Domain]:
    """The domains of axes: those that are declared here, those of attributes, and circles of longitude."""
    found: dict[str, Domain] = {}
    dims = {str(dim) for array in given.values() if array is not None for dim in array.dims}
    for name in sorted(dims & {str(name) for name in dataset.coords}):
        along = dataset.coords[name]
        stored = along.attrs.get("domain")
        if stored is not None:
            of = json.loads(stored) if isinstance(stored, str) else stored
            found[name] = (str(of["kind"]), float(of["from"]), float(of["to"]))
        elif (why := _circle(name, along)) and not (declared and name in declared):
            first = float(along.values.min())
            found[name] = ("periodic", first, first + 360.0)
            note(f"the axis {name} is taken as periodic: {why}")
    return {**found, **(declared or {})}


def _circle(name: str, along: Any) -> Optional[str]:
    """Why an axis is a full circle of 360 degrees; None if it is not known to be one."""
    values = along.values
    if values.ndim != 1 or values.size < 2 or values.dtype.kind not in "fiu":
        return None
    steps = np.abs(np.diff(np.asarray(values, float)))
    is_even = bool(np.ptp(steps) <= 1e-6 * steps.mean())
    if not is_even or abs(steps.mean() * values.size - 360.0) > 1e-6 * steps.mean():
        return None
    units = str(along.attrs.get("units", "1")).lower()
    if units in DEGREES:
        return "it spans 360 degrees"
    is_longitude = str(along.attrs.get("standard_name", "")).lower() in LONGITUDES or (
        name.lower() in LONGITUDES and units == "1"
    )
    return "it spans 360 degrees of longitude" if is_longitude else None


def to_dataset(data: Contents) -> Any:
    """The contents of a dataset as an ``xarray.Dataset``."""
    here = data._dataset
    if data._has_high:
        data._check_whole("to_xarray")
    about = {what: to_attributes(listed) for what, listed in data.quantities.items()}
    variables: dict[str, Any] = {}
    listed = data.quantities["input"]
    inputs, numbers = data._inputs(), data.parameters
    own = inputs.shape[1] - len(numbers)
    if own:
        described = to_attributes(listed[:own])
        variables["input"] = (["input"], data._grid.shown(inputs[:, :own]), described)
    if here.has_low:
        variables["low"] = (["input"], data.low, about["solution"])
    if data._has_high:
        variables["high"] = (["input", "realization"], data.high, about["solution"])
    made = _xarray.dataset(data._grid, variables, attrs=_attributes(data))
    _declare(made, data._grid)
    return _with_numbers(made, numbers, [one for one in listed if one.get("parameter")])


def _attributes(data: Contents) -> dict[str, Any]:
    """Attributes of the group that another dataset takes over."""
    attrs: dict[str, Any] = {"symmetries": data.symmetries}
    if data._dataset.has_sensors:
        attrs["sensors"] = True
    if data.attrs.get("mask"):
        attrs["mask"] = True
    if data._has_low_realizations:
        attrs["low_pairing"] = data.attrs.get("low_pairing", "independent")
    return attrs


def _declare(made: Any, grid: Grid) -> None:
    """Writes the domain of every axis for which another one would be assumed."""
    for name, (kind, start, end) in grid.domains.items():
        if name not in made.coords or grid.mesh is not None:
            continue
        assumed = _assumed(name, made.coords[name], grid.coords[name])
        ends = (start, end)
        near = all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * (end - start)) for a, b in zip(ends, assumed[1:]))
        if kind != assumed[0] or not near:
            made.coords[name].attrs["domain"] = {"kind": kind, "from": start, "to": end}


def _assumed(name: str, along: Any, values: Floats) -> tuple[str, float, float]:
    """The domain of an axis for which none is declared."""
    step = float(values[-1] - values[0]) / max(len(values) - 1, 1)
    near = 1e-6 * step
    kind = "closed"
    if _circle(name, along):
        kind = "periodic"
    elif abs(values[0]) < near and abs(values[-1] + step - 1.0) < near:
        kind = "periodic"
    elif abs(values[0] - step) < near:
        kind = "times"
    found = domain(name, values, kind)
    return found["kind"], found["from"], found["to"]


def _with_numbers(made: Any, numbers: Mapping[str, Floats], quantities: list[Quantity]) -> Any:
    """The dataset with parameters [input, parameter], described as in the store."""
    if not numbers:
        return made
    about = {listed: [one.get(key, "") for one in quantities] for key, listed in OF_PARAMETERS.items()}
    about = {listed: texts for listed, texts in about.items() if any(texts)}
    values = np.stack(list(numbers.values()), axis=1)
    made = made.assign({PARAMETER + "s": (("input", PARAMETER), values, about)})
    return made.assign_coords({PARAMETER: list(numbers)})
