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
from ._circles import ROUNDING, circle, is_time, is_true
from ._grid import POINT, Domain, Grid, domain
from ._mesh import mesh_of
from ._notes import note
from ._parameters import PARAMETER, named, parameter_names
from ._quantities import KEYS, Quantity, to_attributes

if TYPE_CHECKING:
    from ._contents import Contents

#: Attributes of the parameters, as lists in the order of the parameters.
OF_PARAMETERS = {key: f"{PARAMETER}_{listed.removeprefix('channel_')}" for key, listed in KEYS.items()}


def to_parts(
    dataset: Any, names: Mapping[str, Optional[str]], domains: Optional[Mapping[str, Domain]], sensors: bool
) -> Parts:
    """The contents of an ``xarray.Dataset``; `names` are those of the variables input, low and high."""
    _check(dataset, names)
    attrs = dataset.attrs
    given = {what: _xarray.variable(dataset, name) for what, name in names.items()}
    numbers = _xarray.variable(dataset, PARAMETER + "s")
    each = {} if numbers is None else named(numbers)
    sensors, is_masked = sensors or is_true(attrs.get("sensors")), is_true(attrs.get("mask"))
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
    """The domains of axes that are declared here or by attributes, and those that are judged by attributes and units."""
    found: dict[str, Domain] = dict(declared or {})
    dims = {str(dim) for array in given.values() if array is not None for dim in array.dims}
    for name in sorted(dims & {str(name) for name in dataset.coords} - set(found)):
        along = dataset.coords[name]
        stored = _stored(along.attrs.get("domain"))
        if stored is not None:
            found[name] = stored
        elif along.ndim == 1 and along.dtype.kind in "fiu":
            judged = _judged(name, along, np.sort(along.values.astype(float)))
            if judged is not None:
                found[name] = judged
                if judged[0] == "periodic":
                    note(f"the axis {name} is taken as periodic: {(circle(name, along) or (0, ''))[1]}")
    return found


def _stored(attribute: Any) -> Optional[tuple[str, float, float]]:
    """The domain in an attribute of an axis; None if it is something else."""
    try:
        of = json.loads(attribute) if isinstance(attribute, str) else attribute
        return str(of["kind"]), float(of["from"]), float(of["to"])
    except (TypeError, KeyError, ValueError):
        return None


def _judged(name: str, along: Any, values: Floats) -> Optional[tuple[str, float, float]]:
    """The domain of an axis by its attributes and units; None if they do not show it."""
    first, last = float(values[0]), float(values[-1])
    around = circle(name, along)
    if around is not None:
        return "periodic", first, first + around[0]
    is_unit = _is_unit(values)
    return ("closed", first, last) if is_unit and is_time(name, along) else None


def _is_unit(values: Floats) -> bool:
    """Whether points are i/n of the unit interval, which is then taken as periodic."""
    step = float(values[-1] - values[0]) / max(len(values) - 1, 1)
    return bool(abs(values[0]) < ROUNDING * step and abs(values[-1] + step - 1.0) < ROUNDING * step)


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
    judged = _judged(name, along, values)
    if judged is not None:
        return judged
    if _is_unit(values):
        return "periodic", 0.0, 1.0
    step = float(values[-1] - values[0]) / max(len(values) - 1, 1)
    found = domain(name, values, "times" if abs(values[0] - step) < ROUNDING * step else "closed")
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
