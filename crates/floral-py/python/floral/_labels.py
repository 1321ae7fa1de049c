"""Arrays with named axes, and the alignment of their labels, coordinates and units.

A :class:`Labelled` is an ``xarray.DataArray`` or a plain array whose dimensions are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import numpy as np

from . import _floral
from ._arrays import Floats, numbers
from ._notes import note
from ._quantities import Quantity, of_attributes

#: Dimensions that are not axes of the grid.
INPUT, REALIZATION, CHANNELS = "input", "realization", ("channel", "input_channel")


@dataclass(frozen=True)
class Labelled:
    """An array with the metadata of its axes and channels."""

    name: str
    values: Floats
    dims: tuple[str, ...]
    coords: dict[str, Any] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    quantities: list[Quantity] = field(default_factory=list)

    @property
    def grid_dims(self) -> tuple[str, ...]:
        """The dimensions that are axes of the grid, in the order of the array."""
        other = {INPUT, REALIZATION, *CHANNELS}
        return tuple(dim for dim in self.dims if dim not in other)

    @property
    def channel(self) -> Optional[str]:
        """The dimension of its channels, if it has one."""
        return next((dim for dim in CHANNELS if dim in self.dims), None)

    def take(self, dim: str, order: Sequence[int]) -> Labelled:
        """The array with another order along a dimension."""
        places = np.asarray(order, dtype=int)
        coords = dict(self.coords)
        if dim in coords:
            coords[dim] = np.asarray(coords[dim])[places]
        quantities = self.quantities
        if dim in CHANNELS and quantities:
            quantities = [quantities[place] for place in places]
        values = np.take(self.values, places, axis=self.dims.index(dim))
        return replace(self, values=values, coords=coords, quantities=quantities)

    def ordered(self, leading: Sequence[str], grid: Sequence[str]) -> Floats:
        """Its values as [leading..., channel, grid...], with one point along missing axes."""
        channel = self.channel or CHANNELS[0]
        wanted = [*leading, channel, *grid]
        unknown = [dim for dim in self.dims if dim not in wanted]
        if unknown:
            raise ValueError(
                f"{self.name} has the dimensions {self.dims}, but the grid is {tuple(grid)}: "
                f"{unknown[0]!r} is not one of its axes"
            )
        own = [dim for dim in wanted if dim in self.dims]
        values = np.transpose(self.values, [self.dims.index(dim) for dim in own])
        places = tuple(axis for axis, dim in enumerate(wanted) if dim not in self.dims)
        return np.expand_dims(values, places)


def of_data_array(name: str, array: Any) -> Labelled:
    """Converts an ``xarray.DataArray``; decreasing axes are reversed."""
    dims = tuple(str(dim) for dim in array.dims)
    # A variable may have the name of a dimension, such as input.
    labelled = [dim for dim in dims if dim in array.coords and array.coords[dim].ndim == 1]
    coords = {dim: array.coords[dim].values for dim in labelled}
    # One input that was selected from several keeps its label as a coordinate without dimension.
    if INPUT not in dims and INPUT in array.coords and array.coords[INPUT].ndim == 0:
        coords[INPUT] = array.coords[INPUT].values[None]
    units = {dim: array.coords[dim].attrs.get("units") for dim in coords}
    made = Labelled(
        name,
        numbers(name, array.values),
        dims,
        coords,
        {dim: str(unit) for dim, unit in units.items() if unit},
    )
    channels = made.values.shape[dims.index(made.channel)] if made.channel else 1
    made = replace(made, quantities=_quantities(name, array, channels))
    for dim in made.grid_dims:
        along = np.asarray(coords.get(dim, ()))
        if along.size > 1 and along.dtype.kind in "fiu" and (np.diff(along) < 0).all():
            made = made.take(dim, range(along.size)[::-1])
    return made


def _quantities(name: str, array: Any, channels: int) -> list[Quantity]:
    """Names and units of the channels, from the attributes, in the order of the channel labels: xarray reorders labels
    with the values, but not attributes."""
    described = of_attributes(array.attrs, channels)
    found = [array.coords[dim] for dim in CHANNELS if dim in array.coords]
    if not found or found[0].values.dtype.kind not in "UOST":
        return described
    labels = [str(label) for label in np.atleast_1d(found[0].values)]
    by_name = {quantity.get("name"): quantity for quantity in described}
    if None in by_name or len(by_name) < len(described):
        return [{**quantity, "name": label} for quantity, label in zip(described, labels)]
    if sorted(by_name, key=str) != sorted(labels):
        raise ValueError(
            f"{name} has channels labelled {', '.join(labels)}, but its attributes name "
            f"{', '.join(map(str, by_name))}; correct one of them"
        )
    return [by_name[label] for label in labels]


def same_inputs(arrays: Mapping[str, Labelled]) -> dict[str, Labelled]:
    """Brings the inputs of all arrays into the order of the first array that labels them."""
    aligned, first = dict(arrays), None
    for name, array in arrays.items():
        labels = array.coords.get(INPUT)
        if labels is None:
            continue
        places = {label: place for place, label in enumerate(np.asarray(labels).tolist())}
        if len(places) < len(labels):
            raise ValueError(f"{name} has a label along input twice; labels must be unique")
        if first is None:
            first = (name, list(places))
        elif set(places) != set(first[1]):
            other = sorted(set(places) ^ set(first[1]), key=str)[0]
            raise ValueError(
                f"{name} and {first[0]} have different inputs: only one of them has the label {other!r}; "
                "both need the same labels along input, or none"
            )
        elif INPUT in array.dims:
            aligned[name] = array.take(INPUT, [places[label] for label in first[1]])
    return aligned


def in_order(parameters: Any, array: Labelled) -> Any:
    """Parameters of a DataArray in the order of the labels of an array along input; others are returned unchanged."""
    ours, theirs = array.coords.get(INPUT), getattr(parameters, "coords", {}).get(INPUT)
    if ours is None or theirs is None or INPUT not in parameters.dims:
        return parameters
    if sorted(np.asarray(ours).tolist(), key=str) != sorted(theirs.values.tolist(), key=str):
        raise ValueError(f"parameters and {array.name} have different labels along {INPUT}; both need the same, or none")
    return parameters.sel({INPUT: ours})


def same_channels(array: Labelled, wanted: Sequence[Quantity], of: str) -> Labelled:
    """Brings the channels of an array into the order and units of `wanted`."""
    ours = [quantity.get("name") for quantity in array.quantities]
    theirs = [quantity.get("name") for quantity in wanted]
    if array.channel and len(ours) == len(theirs) and None not in ours and None not in theirs:
        if sorted(map(str, ours)) != sorted(map(str, theirs)):
            raise ValueError(
                f"{array.name} has the channels {', '.join(map(str, ours))}, but {of} has "
                f"{', '.join(map(str, theirs))}; they must be the same"
            )
        array = array.take(array.channel, [ours.index(name) for name in theirs])
    for place, (own, other) in enumerate(zip(array.quantities, wanted)):
        if not array.channel and own.get("name", other.get("name")) != other.get("name", own.get("name")):
            raise ValueError(
                f"{array.name} is {own['name']!r}, but {of} is {other['name']!r}; they must be the same"
            )
        if own.get("units") and other.get("units"):
            array = _in_units(array, place, own["units"], other["units"])
    return array


def _in_units(array: Labelled, channel: int, given: str, wanted: str) -> Labelled:
    """Converts one channel to other units, with a note."""
    factor, offset = _floral.conversion(array.name, given, wanted)
    if (factor, offset) == (1.0, 0.0):
        return array
    note(f"{array.name} is converted from {given} to {wanted}, times {factor:g} plus {offset:g}")
    values = array.values.copy()
    axis = array.dims.index(array.channel) if array.channel else 0
    part = [slice(None)] * values.ndim
    if array.channel:
        part[axis] = slice(channel, channel + 1)
    values[tuple(part)] = factor * values[tuple(part)] + offset
    return replace(array, values=values)


def coordinates(array: Labelled, dim: str, units: Optional[str]) -> Optional[Floats]:
    """The coordinates of an array along an axis, converted to `units`; None if it has none."""
    if dim not in array.coords:
        return None
    along = np.asarray(array.coords[dim])
    given = array.units.get(dim)
    if units and given and along.dtype.kind in "fiub":
        factor, offset = _floral.conversion(f"{dim} of {array.name}", given, units)
        return factor * along + offset
    return along
