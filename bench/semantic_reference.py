"""Reads the drawn files by xarray and netCDF4-python, as the reference of bench/semantics.py."""

import h5py
import netCDF4
import numpy as np
import xarray as xr

from semantic_files import AXES, UNITS


def opened(path, case, mask_and_scale):
    """A file opened by xarray, unpacked or as stored."""
    form, options = case["format"], {"decode_times": False, "mask_and_scale": mask_and_scale}
    if form.startswith("NETCDF"):
        return xr.open_dataset(path, engine="netcdf4", **options).load()
    if form.startswith("Zarr"):
        return xr.open_dataset(path, engine="zarr", consolidated=False, zarr_format=int(form[-1]), **options).load()
    part = case["parts"][case["files"].index(path.name)]
    dims = {**{k: a["dims"] for k, a in part["arrays"].items()}, **{a: [a] for a in case["axes"]}}
    if form == "npz":
        with np.load(path) as file:
            return xr.Dataset({key: (dims[key], file[key].astype(file[key].dtype.newbyteorder("="))) for key in dims})
    with h5py.File(path) as file:
        native = lambda data: data.astype(data.dtype.newbyteorder("="))
        arrays = {key: (dims[key], native(file[key][...]), attributes(file[key])) for key in dims}
    return xr.decode_cf(xr.Dataset(arrays), **options)


def attributes(data):
    names = ("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "valid_range", "valid_min", "valid_max")
    return {name: data.attrs[name] for name in names if name in data.attrs}


def is_missing(stored):
    """Missing values that xarray does not mask: by the valid range, and `missing_value` of another type, in stored numbers."""
    attributes, raw = stored.attrs, stored.values
    other = {"true": "u", "false": "i"}.get(attributes.get("_Unsigned"), raw.dtype.kind)
    view = np.dtype(f"{other}{raw.dtype.itemsize}") if raw.dtype.kind in "iu" else raw.dtype.newbyteorder("=")
    native = raw.astype(raw.dtype.newbyteorder("="))
    values = native.view(view) if raw.dtype.kind in "iu" else native
    meant = lambda number: np.asarray(number).astype(native.dtype).view(view)
    low, high = attributes.get("valid_min"), attributes.get("valid_max")
    if "valid_range" in attributes:
        low, high = attributes["valid_range"]
    missing = np.zeros(raw.shape, bool)
    if low is not None:
        missing |= values < meant(low)
    if high is not None:
        missing |= values > meant(high)
    if "missing_value" in attributes:
        missing |= values == meant(attributes["missing_value"])
    return missing


def masked(path, name):
    """The mask that netCDF4-python applies automatically."""
    with netCDF4.Dataset(path) as file:
        variable = file[name]
        # netCDF4-python fails on a fill value of unsigned bits; xarray masks it.
        is_other = "_Unsigned" in variable.ncattrs()
        return np.zeros(variable.shape, bool) if is_other else np.ma.getmaskarray(variable[...])


def values(path, case, name):
    """The values of an array, NaN where they are missing."""
    array = opened(path, case, True)[name].astype("f8")
    stored = opened(path, case, False)[name]
    missing = is_missing(stored)
    if case["format"].startswith("NETCDF"):
        missing |= masked(path, name)
    return array.where(~xr.DataArray(missing, dims=array.dims))


def target(case, name):
    """The units of the dataset: those of the first file; low has those of high."""
    role = "input" if name == "input" else "high"
    return case["parts"][0]["arrays"][role]["units"]


def in_units(case, name):
    return target(case, name)


def expected(folder, case):
    """The arrays that the import of these files should give; fails if the references do not read what was drawn."""
    first = case["parts"][0]["arrays"]["input"]
    axes = [d for d in first["dims"] if d in case["axes"]]
    wanted = {}
    for axis in axes:
        wanted[axis] = coordinates(folder, case, axis)
    for name in ("input", "low", "high"):
        leading = [case["names"]["input"]] + [case["names"]["realization"]] * (name == "high")
        parts = []
        for file, part in zip(case["files"], case["parts"]):
            array = part["arrays"][name]
            found = values(folder / file, case, name)
            found = found.squeeze("channel") if "channel" in found.dims else found
            for axis in axes:
                # Coordinates of a dataset increase.
                raw = part["coordinates"][axis]["raw"]
                found = found.isel({axis: slice(None, None, -1)}) if raw[0] > raw[-1] else found
            check(case, name, found.transpose(*leading, *case["axes"]).values, array)
            family = UNITS[case["families"][name]]
            (factor, offset), (to, zero) = family[array["units"]], family[target(case, name)]
            parts.append((found.transpose(*leading, *axes).values * factor + offset - zero) / to)
        wanted[name] = np.concatenate(parts)
    wanted["high"] = kept(wanted["high"])
    return wanted


def check(case, name, found, array):
    """Checks that the references read the drawn values, up to the stored digits."""
    factor, offset = UNITS[case["families"][name]][array["units"]]
    truth = (array["truth"] - offset) / factor
    known = ~np.isnan(found)
    error = np.abs(found - truth)[known].max()
    if error > array["quantum"] + 1e-6 * np.abs(truth).max():
        raise ValueError(f"{name} is not what was written, for xarray: off by {error}")
    if name == "high" and case["mask"] != "none" and known.all() and array["mask"].any():
        raise ValueError("nothing is masked, for xarray")
    if (~known).sum() != array["mask"].sum():
        raise ValueError(f"{name}: {(~known).sum()} values are missing for xarray, not {array['mask'].sum()}")


def coordinates(folder, case, axis):
    part = case["parts"][0]
    found = values(folder / case["files"][0], case, axis).values
    family = AXES[case["axis_families"][axis]]
    factor, offset = family[part["coordinates"][axis]["units"]]
    truth = (case["coordinates"][axis] - offset) / factor
    if not np.allclose(np.sort(found), truth, rtol=1e-5):
        raise ValueError(f"{axis} is not what was written, for xarray")
    return np.sort(found)


def kept(high):
    """Existing realizations first, followed by missing ones as NaN."""
    counts = (~np.isnan(high).reshape(*high.shape[:2], -1).all(-1)).sum(1)
    rows = np.full((high.shape[0], counts.max(), *high.shape[2:]), np.nan)
    for i, row in enumerate(high):
        there = row[~np.isnan(row).reshape(len(row), -1).all(-1)]
        rows[i, : len(there)] = there
    return rows
