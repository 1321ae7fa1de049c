"""Scalar parameters of an input, each stored as a constant channel of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _xarray
from ._arrays import Floats, fields, numbers

#: Parameters by name, a number per input each; or an array [input, parameter].
Parameters = Any

#: Dimension of xarray's arrays along which parameters are listed.
PARAMETER = "parameter"


def named(parameters: Parameters, known: Sequence[str] = ()) -> dict[str, Floats]:
    """Parameters by name, each an array with one number per input, or a single number.

    known: names in order, for an array without names; by default p0, p1, ...
    """
    given = by_name(parameters, known)
    each = _in_order(given, known) if not isinstance(given, Mapping) else {
        # A single number stays a scalar, which marks a single input.
        str(name): numbers(f"parameters: {name}", values).reshape(np.shape(values))
        for name, values in given.items()
    }
    if not each:
        raise ValueError("parameters is empty; give numbers by name, as in {'load': 0.3}")
    for name, values in each.items():
        _check(name, values)
    return each


def by_name(parameters: Parameters, known: Sequence[str] = ()) -> Any:
    """Parameters as a dict if they have names, as those of pandas and xarray do; otherwise as given."""
    if _xarray.is_array(parameters):
        return _of_data_array(parameters)
    if isinstance(parameters, Mapping):
        return dict(parameters)
    if hasattr(parameters, "columns"):
        return {str(name): parameters[name].to_numpy() for name in parameters.columns}
    if hasattr(parameters, "index") and hasattr(parameters, "to_numpy"):
        return _of_series(parameters, known)
    fields_of = getattr(getattr(parameters, "dtype", None), "names", None)
    return {name: parameters[name] for name in fields_of} if fields_of else parameters


def _of_series(series: Any, known: Sequence[str]) -> Any:
    """One input of a pandas Series whose labels name the parameters, such as a row of a table; or one parameter of
    several inputs, such as a column."""
    labels, values = list(series.index), series.to_numpy()
    is_row = all(isinstance(label, str) for label in labels) and series.name not in known
    if known and labels and is_row:
        return dict(zip(labels, values))
    return values if series.name is None else {str(series.name): values}


def _of_data_array(array: Any) -> Any:
    """Parameters of a DataArray with the dimensions input and parameter, by the names in its coordinate or in its
    attribute ``parameter_names``; [input, parameter] if it has none."""
    dims = [str(dim) for dim in array.dims]
    if len(dims) > 2 or (len(dims) == 2 and "input" not in dims):
        raise ValueError(f"parameters has the dimensions {tuple(dims)}; name them input and {PARAMETER}")
    own = [dim for dim in dims if dim != "input"]
    if not own:
        return array.values if array.name is None else {str(array.name): array.values}
    values = array.transpose(..., own[0]).values
    names = parameter_names(array, own[0])
    return values if names is None else {name: values[..., i] for i, name in enumerate(names)}


def parameter_names(array: Any, dim: str) -> Optional[list[str]]:
    """The names of parameters along a dimension of a DataArray, if it has them."""
    labels = array.coords[dim].values if dim in array.coords else np.empty(0)
    if labels.dtype.kind in "UOST" and labels.size:
        return [str(label) for label in labels]
    listed = np.atleast_1d(array.attrs.get("parameter_names", []))
    return [str(name) for name in listed] if len(listed) == array.sizes[dim] else None


def _in_order(parameters: Any, known: Sequence[str]) -> dict[str, Floats]:
    """Parameters of a plain array [input, parameter], or of one input [parameter] if their number is known."""
    array = numbers("parameters", parameters)
    if array.ndim == 1 and len(known) != 1 and not (known and len(array) == len(known)):
        array = array[:, None]
    if array.ndim == 0 or array.ndim > 2:
        raise ValueError(f"parameters has the shape {array.shape}; give [input, parameter], or a dict by name")
    if array.ndim == 1 and len(known) == 1:
        array = array[:, None]
    count = array.shape[-1]
    names = list(known) if len(known) == count else [f"p{i}" for i in range(count)]
    return {name: np.array(array[..., i]) for i, name in enumerate(names)}


def _check(name: str, values: Floats) -> None:
    if values.ndim > 1:
        raise ValueError(f"parameters: {name} has the shape {values.shape}; give one number per input")
    bad = ~np.isfinite(np.atleast_1d(values))
    if bad.any():
        place = f" of input {int(np.argmax(bad))}" if values.ndim else ""
        value = float(np.atleast_1d(values)[bad][0])
        raise ValueError(f"parameters: {name}{place} is {value}; give finite numbers")


def matched(each: Mapping[str, Floats], known: Sequence[str]) -> dict[str, Floats]:
    """Parameters in the order of the model's names; unknown and missing ones are refused."""
    unknown = [name for name in each if name not in known]
    missing = [name for name in known if name not in each]
    if unknown or missing:
        what = f"{unknown[0]!r} is unknown" if unknown else f"{missing[0]!r} is missing"
        raise ValueError(f"parameters: {what}; the model has {', '.join(known)}")
    return {name: each[name] for name in known}


def of_channels(parameters: Parameters, channels: Sequence[str]) -> dict[str, Floats]:
    """Parameters for the last input channels of a model that declares no parameters: by the names of the channels, or in
    order if the parameters are a plain array. `channels` has an empty text for a channel without a name."""
    given = by_name(parameters, channels)
    each = named(given)
    if not isinstance(given, Mapping):
        return each
    last = list(channels[-len(each) :])
    if len(each) > 1 and not all(last):
        raise ValueError(
            "parameters have names, but the model's input channels have none; give an array [input, parameter] in the "
            "order of the channels"
        )
    return matched(each, last) if all(last) else each


def with_parameters(
    input: Any, each: Mapping[str, Floats], dims: Sequence[str], shape: Optional[Sequence[int]]
) -> Floats:
    """Inputs [input, channel, grid...] with a constant channel for each parameter appended.

    input: [input, grid...] or [input, channel, grid...]; None if there are only parameters.
    shape: the numbers of points per axis, needed without input.
    """
    each = {name: np.atleast_1d(values) for name, values in each.items()}
    if input is not None:
        array = fields("input", numbers("input", input), ["input"], dims)
    elif shape is not None:
        array = np.empty((len(next(iter(each.values()))), 0, *shape))
    else:
        raise ValueError("parameters alone have no grid; give coords={...} or points=...")
    channels = []
    for name, values in each.items():
        if values.shape != (len(array),):
            raise ValueError(
                f"parameters: {name} has the shape {values.shape}; give one number for each of {len(array)} "
                "inputs"
            )
        constant = values.reshape(-1, *[1] * (array.ndim - 1))
        channels.append(np.broadcast_to(constant, (len(array), 1, *array.shape[2:])))
    return np.concatenate([array, *channels], axis=1)
