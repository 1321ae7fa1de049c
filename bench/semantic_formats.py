"""Writes drawn arrays as files of every format, for bench/semantics.py."""

import h5py
import netCDF4
import numpy as np
import zarr
from xarray.backends.zarr import FillValueCoder


def netcdf(form):
    def write(folder, name, case, part):
        path = folder / f"{name}.nc"
        with netCDF4.Dataset(path, "w", format=form) as file:
            first = case["names"]["input"]
            lengths = dict(case["lengths"])
            # In the classic format the record dimension comes first, so that it is used only if every array begins with it.
            is_unlimited = part["is_unlimited"] and all(a["dims"][0] == first for a in part["arrays"].values())
            file.createDimension(first, None if is_unlimited else lengths["input"])
            file.createDimension(case["names"]["realization"], lengths["realization"])
            for axis in case["axes"]:
                file.createDimension(axis, lengths[axis])
            arrays = {**part["arrays"], **{a: {**c, "dims": [a]} for a, c in part["coordinates"].items()}}
            for key, array in arrays.items():
                netcdf_variable(file, key, array, part["is_compressed"] and form.startswith("NETCDF4"))
        return path.name

    return write


def netcdf_variable(file, key, array, is_compressed):
    raw, attributes = array["raw"], dict(array["attributes"])
    fill = attributes.pop("_FillValue", None)
    endian = "big" if raw.dtype.byteorder == ">" else "little"
    options = {"zlib": True, "shuffle": True} if is_compressed else {}
    if file.data_model.startswith("NETCDF4"):
        options["endian"] = endian
    variable = file.createVariable(key, raw.dtype.newbyteorder("="), array["dims"], fill_value=fill, **options)
    variable.set_auto_maskandscale(False)
    variable.setncatts(attributes)
    never = netCDF4.default_fillvals.get(raw.dtype.str[1:])
    for i in range(len(raw)):
        # Records that hold only the default fill value are left to the library.
        if fill is not None or never is None or not (raw[i] == raw.dtype.type(never)).all():
            variable[i] = raw[i]


def hdf5(folder, name, case, part):
    path = folder / f"{name}.h5"
    with h5py.File(path, "w") as file:
        for axis, coordinate in part["coordinates"].items():
            file[axis] = coordinate["raw"]
            file[axis].attrs.update(coordinate["attributes"])
            if case["is_named"]:
                file[axis].make_scale(axis)
        for key, array in part["arrays"].items():
            options = {"compression": "gzip", "shuffle": True} if part["is_compressed"] else {}
            data = file.create_dataset(key, data=array["raw"], **options)
            data.attrs.update(array["attributes"])
            if case["is_named"]:
                for i, dimension in enumerate(array["dims"]):
                    data.dims[i].label = dimension
                    if dimension in case["axes"]:
                        data.dims[i].attach_scale(file[dimension])
    return path.name


def zarr_of(version):
    def write(folder, name, case, part):
        path = folder / f"{name}.zarr"
        group = zarr.open_group(path, mode="w", zarr_format=version)
        arrays = {**part["arrays"], **{a: {**c, "dims": [a]} for a, c in part["coordinates"].items()}}
        for key, array in arrays.items():
            raw, attributes = array["raw"], dict(array["attributes"])
            options = {"chunks": tuple(max(1, n // 2) for n in raw.shape)} if part["is_compressed"] else {}
            fill = attributes.pop("_FillValue", None)
            if version == 2:
                options["fill_value"] = fill
                attributes["_ARRAY_DIMENSIONS"] = list(array["dims"])
            else:
                options["dimension_names"] = array["dims"]
                if fill is not None:
                    attributes["_FillValue"] = FillValueCoder.encode(fill, raw.dtype)
            attributes = {k: v.tolist() if isinstance(v, (np.generic, np.ndarray)) else v for k, v in attributes.items()}
            group.create_array(key, data=raw, attributes=attributes, **options)
        return path.name

    return write


def npz(folder, name, case, part):
    path = folder / f"{name}.npz"
    arrays = {**part["coordinates"], **part["arrays"]}
    order = np.asfortranarray if part["is_unlimited"] else np.ascontiguousarray
    save = np.savez_compressed if part["is_compressed"] else np.savez
    save(path, **{key: order(array["raw"]) for key, array in arrays.items()})
    return path.name


WRITERS = {
    **{form: netcdf(form) for form in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "NETCDF4_CLASSIC")},
    "HDF5": hdf5,
    "Zarr v2": zarr_of(2),
    "Zarr v3": zarr_of(3),
    "npz": npz,
}
