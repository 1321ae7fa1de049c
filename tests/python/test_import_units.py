"""Files with other units, reference dates or packing are converted correctly, or refused."""

import json

import netCDF4
import numpy as np
import pytest
import xarray as xr
from importing import HIGH, INPUT, LOW, POINTS, X, as_xarray, floral, imported, refused


def units_of(high="m", low="m", field="m", x="m", scales=(1, 1, 1)):
    """The data labelled with these units; high fidelity, input and coordinates are multiplied by `scales`."""
    data = as_xarray()
    data["high"], data["input"] = data["high"] * scales[0], data["input"] * scales[1]
    data = data.assign_coords(x=("x", X * scales[2], {"units": x}))
    for name, units in (("high", high), ("low", low), ("input", field)):
        data[name].attrs["units"] = units
    return data


def two(folder, first, second):
    first.to_netcdf(folder / "1.nc")
    second.to_netcdf(folder / "2.nc")
    return ["1.nc", "2.nc"]


def test_files_in_other_units_are_converted_with_a_note(tmp_path):
    second = units_of("mm", "m", "km", "cm", (1000, 1e-3, 100))
    data, output = imported(tmp_path, *two(tmp_path, units_of(), second))
    for name, wanted in (("input", INPUT[:, None]), ("low", LOW[:, None]), ("high", HIGH[:, :, None])):
        for half in (data[name][: len(INPUT)], data[name][len(INPUT) :]):
            np.testing.assert_allclose(half, wanted, rtol=1e-12, atol=1e-12)
        assert data[name].attrs["units"] == "m"
    np.testing.assert_allclose(data["x"], X, atol=1e-12)
    assert "high fidelity is converted from mm to m, times 0.001 (2.nc)" in output
    assert "input is converted from km to m, times 1000 (2.nc)" in output


def test_a_file_without_units_is_said(tmp_path):
    second = units_of()
    del second["high"].attrs["units"]
    _, output = imported(tmp_path, *two(tmp_path, units_of(), second))
    assert "high fidelity has no units, and is taken to be in m (2.nc)" in output


def test_scales_with_their_own_zero_are_converted_with_it(tmp_path):
    second = units_of("degC", "deg K")
    second["high"] = second["high"] - 273.15
    second["high"].attrs["units"] = "degC"
    data, output = imported(tmp_path, *two(tmp_path, units_of("K", "degrees Kelvin"), second))
    np.testing.assert_allclose(data["high"][len(INPUT) :, :, 0], HIGH, atol=1e-10)
    np.testing.assert_allclose(data["low"][:, 0], np.concatenate([LOW, LOW]), atol=1e-12)
    assert "converted from degC to K, plus 273.15 (2.nc)" in output


@pytest.mark.parametrize("units", ["s", "furlong"])
def test_units_that_nothing_relates_are_refused(tmp_path, units):
    for second in (units_of(high=units), units_of(low=units), units_of(field=units), units_of(x=units)):
        words = refused(tmp_path, *two(tmp_path, units_of(), second))
        assert f"is in {units}" in words and " m;" in words and "2.nc" in words


def test_parameters_are_converted_like_fields(tmp_path):
    first, second = (units_of().assign(depth=("sample", np.arange(1.0, 8), {"units": units})) for units in ("m", "km"))
    names = two(tmp_path, first, second)
    data, output = imported(tmp_path, *names, "--param", "depth")
    np.testing.assert_allclose(data["input"][:, 1, 0], [1, 2, 3, 4, 5, 6, 7, 1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3])
    assert "depth of input is converted from km to m, times 1000 (2.nc)" in output
    assert data["input"].attrs["channel_units"] == ["m", "m"]


def dated(start, units, calendar=None):
    data = as_xarray().rename(x="time")
    attributes = {"units": units} | ({"calendar": calendar} if calendar else {})
    return data.assign_coords(time=("time", start + 6.0 * np.arange(POINTS), attributes))


def test_dates_since_other_days_are_one_axis_or_refused(tmp_path):
    first = dated(48, "hours since 2000-01-01")
    data, _ = imported(tmp_path, *two(tmp_path, first, dated(24, "hours since 2000-01-02")))
    assert len(data["input"]) == 2 * len(INPUT)
    words = refused(tmp_path, *two(tmp_path, first, dated(48, "hours since 2009-12-29")))
    assert "2.nc" in words and "grid" in words
    words = refused(tmp_path, *two(tmp_path, first, dated(48, "hours since 2000-01-01", "noleap")))
    assert "calendar noleap" in words
    names = two(tmp_path, *[dated(48, "hours since 2000-01-01", "noleap")] * 2)
    floral(tmp_path, "import", *names, "-o", "noleap.zarr")
    stored = xr.open_zarr(tmp_path / "noleap.zarr", decode_times=False)
    assert stored["time"].attrs["calendar"] == "noleap"


def packed(name, values, **attributes):
    """A NetCDF file with this array as high fidelity."""
    with netCDF4.Dataset(name, "w") as file:
        for key, length in (("input", 7), ("realization", 5), ("x", POINTS)):
            file.createDimension(key, length)
        for key, field in (("input", INPUT), ("low", LOW)):
            file.createVariable(key, "f8", ("input", "x"))[:] = field
        high = file.createVariable("high", values.dtype, ("input", "realization", "x"))
        high.set_auto_maskandscale(False)
        high.setncatts(attributes)
        high[:] = values


def test_missing_values_are_known_in_every_spelling(tmp_path):
    holes = HIGH.astype("f4")
    holes[1, 2] = 1e20
    for attributes in ({"missing_value": 1e20}, {"valid_max": np.float32(1e3)}, {"valid_range": np.float32([-1e3, 1e3])}):
        packed(tmp_path / "data.nc", holes, **attributes)
        data, _ = imported(tmp_path, "data.nc")
        assert np.nanmax(data["high"]) < 10 and data["realizations_of"].values.tolist() == [5, 4, 5, 5, 5, 5, 5]
    holes[1, 2] = netCDF4.default_fillvals["f4"]
    packed(tmp_path / "data.nc", holes)
    assert np.nanmax(imported(tmp_path, "data.nc")[0]["high"]) < 10
    bytes_ = np.clip(np.rint(50 * (HIGH + 2)), 0, 250).astype("u1")
    packed(tmp_path / "data.nc", bytes_.view("i1"), _Unsigned="true")
    np.testing.assert_array_equal(imported(tmp_path, "data.nc")[0]["high"][:, :, 0], bytes_)


def test_a_store_that_is_opened_directly_is_decoded_like_an_imported_one(tmp_path):
    data = as_xarray().rename(sample="input", member="realization")
    data = xr.Dataset({"input": data["input"].expand_dims("channel", 1), "low": data["low"].expand_dims("channel", 1), "high": data["high"].expand_dims("channel", 2)})
    packing = {"high": {"dtype": "i2", "scale_factor": 1e-3, "add_offset": 5.0, "_FillValue": -32768}}
    data.to_zarr(tmp_path / "data.zarr", zarr_format=3, encoding=packing)
    summary = json.loads(floral(tmp_path, "inspect", "data.zarr", "--json").stdout)
    channel = next(array for array in summary["arrays"] if array["name"] == "high")["channels"][0]
    np.testing.assert_allclose([channel["min"], channel["max"]], [HIGH.min(), HIGH.max()], atol=1e-3)
    data["high"] = data["high"].where(data["high"] < HIGH.max())
    data.to_zarr(tmp_path / "holes.zarr", zarr_format=3, encoding={"high": {"_FillValue": -999.0}})
    done = floral(tmp_path, "train", "holes.zarr", "--method", "kriging", "-o", "run", code=2)
    assert "not finite" in done.stderr
