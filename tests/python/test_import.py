"""`floral import` converts data of other programs to datasets with the same values."""

import h5py
import numpy as np
import pytest
import xarray as xr
import zarr
from importing import HIGH, INPUT, INPUTS, LOW, POINTS, REALIZATIONS, X, as_xarray, floral, imported, random, refused
from numcodecs import GZip, Zlib


def npz(folder):
    np.savez(folder / "data.npz", x=X, input=INPUT, low=LOW, high=HIGH)
    return ["data.npz"]


def packed(folder):
    high = np.asfortranarray(HIGH)
    np.savez_compressed(folder / "data.npz", x=X.astype("f4"), input=INPUT, low=LOW, high=high)
    (folder / "data.npz").rename(folder / "DATA.NPZ")
    return ["DATA.NPZ"]


def npy(folder):
    for name, array in {"x": X, "input": INPUT, "low": LOW, "high": HIGH}.items():
        np.save(folder / f"{name}.npy", array.astype(">f8"))
    return ["input.npy", "low.npy", "high.npy", "x.npy"]


def hdf5(folder):
    with h5py.File(folder / "data.h5", "w") as file:
        file.create_dataset("input", data=INPUT, dtype=">f8", chunks=(3, 7), compression="gzip")
        options = {"compression": "gzip", "shuffle": True, "fletcher32": True}
        file.create_dataset("high", data=HIGH, chunks=(2, 5, 9), **options)
        file["low"], file["x"], file["note"] = LOW, X, "text"
    return ["data.h5"]


def hdf5_latest(folder):
    with h5py.File(folder / "data.hdf5", "w", libver="latest") as file:
        file.create_dataset("input", data=INPUT, chunks=(3, 7), compression="gzip")
        file.create_dataset("high", data=HIGH, chunks=(2, 2, 9), maxshape=(None, None, POINTS))
        file.create_dataset("low", data=LOW, chunks=LOW.shape, maxshape=(None, POINTS))
        file["x"] = X
    return ["data.hdf5"]


def netcdf(engine, form, **options):
    def write(folder):
        as_xarray().to_netcdf(folder / "data.nc", engine=engine, format=form, **options)
        return ["data.nc"]

    write.__name__ = f"{engine} {form} {' '.join(options)}"
    return write


def zarr_of(version):
    def write(folder):
        as_xarray().to_zarr(folder / "data.zarr", zarr_format=version)
        return ["data.zarr"]

    write.__name__ = f"zarr {version}"
    return write


def zarr_python(folder):
    group = zarr.open_group(folder / "data.zarr", mode="w", zarr_format=2)
    group.create_array("input", data=INPUT.astype(">f8"), chunks=(3, 9), compressors=Zlib(1))
    group.create_array("high", data=HIGH, chunks=(3, 2, 9), order="F")
    group.create_array("low", data=LOW, compressors=None)
    group.create_array("x", data=X, compressors=GZip())
    return ["data.zarr"]


def a_file_an_input(folder):
    (folder / "runs").mkdir()
    for i in range(INPUTS):
        name = folder / "runs" / f"case{i + 4}.npz"
        np.savez(name, x=X, input=INPUT[i], low=LOW[i], high=HIGH[i])
    return ["runs"]


FORMATS = [
    npz,
    packed,
    npy,
    hdf5,
    hdf5_latest,
    netcdf("netcdf4", "NETCDF4", encoding={"high": {"zlib": True, "fletcher32": True}}),
    netcdf("h5netcdf", "NETCDF4"),
    netcdf("scipy", "NETCDF3_64BIT"),
    netcdf("netcdf4", "NETCDF3_CLASSIC", unlimited_dims=["sample"]),
    netcdf("netcdf4", "NETCDF3_64BIT_DATA"),
    zarr_of(2),
    zarr_of(3),
    zarr_python,
    a_file_an_input,
]


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_every_format_gives_the_same_dataset(tmp_path, write):
    data, output = imported(tmp_path, *write(tmp_path))
    assert data["high"].dims == ("input", "realization", "channel", "x")
    np.testing.assert_array_equal(data["input"][:, 0], INPUT)
    np.testing.assert_array_equal(data["low"][:, 0], LOW)
    np.testing.assert_array_equal(data["high"][:, :, 0], HIGH)
    np.testing.assert_allclose(data["x"], X, atol=1e-12)
    assert f"{INPUTS}, {REALIZATIONS} realizations each" in output
    floral(tmp_path, "inspect", "imported.zarr")


def test_units_and_names_travel(tmp_path):
    as_xarray().to_netcdf(tmp_path / "data.nc")
    data, output = imported(tmp_path, "data.nc")
    assert data["high"].attrs["units"] == "Pa"
    assert data["high"].attrs["long_name"] == "pressure"
    assert data["low"].attrs["units"] == "Pa"
    assert data["x"].attrs["units"] == "mm"
    assert data.attrs["title"] == "Membranes"
    assert "pressure [Pa]" in output and "mm" in output
    other = as_xarray()
    other["low"].attrs["units"] = "kPa"
    other.to_netcdf(tmp_path / "other.nc")
    found, output = imported(tmp_path, "other.nc")
    np.testing.assert_allclose(found["low"][:, 0], 1000 * LOW)
    assert "low fidelity is converted from kPa to Pa, times 1000" in output
    other["low"].attrs["units"] = "K"
    other.to_netcdf(tmp_path / "odd.nc")
    assert "is in K" in refused(tmp_path, "odd.nc")


def test_packed_values_are_unpacked_and_missing_realizations_are_not_there(tmp_path):
    data = as_xarray()
    counts = 2 + np.arange(INPUTS) % 3
    kept = xr.DataArray(np.arange(REALIZATIONS), dims="member") < xr.DataArray(counts, dims="sample")
    data["high"] = data["high"].where(kept)
    packing = {"dtype": "i2", "scale_factor": 1e-4, "_FillValue": -32768}
    data.to_netcdf(tmp_path / "data.nc", encoding={"high": packing})
    found, output = imported(tmp_path, "data.nc")
    np.testing.assert_array_equal(found["realizations_of"], counts)
    assert "2 to 4 realizations each" in output
    for i, count in enumerate(counts):
        np.testing.assert_allclose(found["high"][i, :count, 0], HIGH[i, :count], atol=1e-4)
        assert np.isnan(found["high"][i, count:]).all()
    floral(tmp_path, "inspect", "imported.zarr")


def test_files_may_have_unlike_numbers_of_realizations(tmp_path):
    for i in range(3):
        np.savez(tmp_path / f"{i}.npz", input=INPUT[i], high=HIGH[i, : i + 2])
    found, _ = imported(tmp_path, "0.npz", "1.npz", "2.npz")
    np.testing.assert_array_equal(found["realizations_of"], [2, 3, 4])
    np.testing.assert_array_equal(found["x"], np.arange(POINTS))


def test_low_fidelity_may_have_its_own_grid_and_realizations(tmp_path):
    coarse = LOW[:, ::4]
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=coarse, high=HIGH)
    found, output = imported(tmp_path, "data.npz")
    ring = np.append(X[::4], 1)
    for i in range(INPUTS):
        expected = np.interp(X, ring, np.append(coarse[i], coarse[i, 0]))
        np.testing.assert_allclose(found["low"][i, 0], expected, atol=1e-12)
    assert found["low"].attrs["interpolated_from"] == [8]
    assert "interpolated linearly from [8]" in output
    noisy = LOW[:, None] + np.array([-0.1, 0.0, 0.4])[:, None]
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=noisy, high=HIGH)
    found, _ = imported(tmp_path, "data.npz")
    np.testing.assert_allclose(found["low"][:, 0], LOW + 0.1)
    assert found["low_realizations"].dims == ("input", "low_realization", "channel", "x")
    np.testing.assert_array_equal(found["low_realizations"][:, :, 0], noisy)
    paired = LOW[:, None] + np.zeros((REALIZATIONS, 1))
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=paired, high=HIGH)
    found, _ = imported(tmp_path, "data.npz", "--low-pairing", "shared")
    assert found.attrs["low_pairing"] == "shared"
    high = HIGH.copy()
    high[3, 1] = np.nan
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=paired, high=high)
    assert "missing before others" in refused(tmp_path, "data.npz", "--low-pairing", "shared")
    lacking = LOW.copy()
    lacking[2] = np.nan
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=lacking, high=HIGH)
    found, output = imported(tmp_path, "data.npz")
    assert np.isnan(found["low"][2]).all() and "1 inputs have no low fidelity" in output


def test_high_fidelity_may_have_fewer_points(tmp_path):
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=LOW, high=HIGH[:, :, ::4])
    found, output = imported(tmp_path, "data.npz")
    assert found["high"].dims == ("input", "realization", "channel", "x_high")
    np.testing.assert_array_equal(found["high"][:, :, 0], HIGH[:, :, ::4])
    np.testing.assert_array_equal(found["x_high"], X[::4])
    assert "known on [8] points" in output
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, high=HIGH[:, :, 1:8], x_high=X[1:8])
    assert "--grid high" in refused(tmp_path, "data.npz")
    found, _ = imported(tmp_path, "data.npz", "--grid", "high")
    np.testing.assert_allclose(found["input"][:, 0], INPUT[:, 1:8], atol=1e-12)


def test_channels_parameters_and_complex_numbers(tmp_path):
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["k"] = INPUT.astype("f4")
        file["fine/psi"] = np.moveaxis(HIGH + 1j * HIGH**2, 0, 1)
        file["viscosity"] = np.arange(INPUTS)
        file.attrs["beta"] = 2.5
        file["x"] = X
    words = ["--input", "k", "--high", "fine/psi", "--param", "viscosity", "--param", "beta"]
    found, _ = imported(tmp_path, "data.h5", *words, "--dims", "fine/psi=member,case,x")
    assert found["input"].dims == ("input", "input_channel", "x")
    assert found["input"].attrs["channel_names"] == ["k", "viscosity", "beta"]
    assert found["high"].attrs["channel_names"] == ["psi_real", "psi_imaginary"]
    np.testing.assert_array_equal(found["input"][:, 1, 3], np.arange(INPUTS))
    assert (found["input"][:, 2] == 2.5).all()
    np.testing.assert_array_equal(found["high"][:, :, 0], HIGH)
    np.testing.assert_array_equal(found["high"][:, :, 1], HIGH**2)


def test_axes_are_put_in_order_and_made_even(tmp_path):
    y, x = np.array([3.0, 2.0, 1.0, 0.0]), np.array([0.0, 1.0, 3.0, 4.0, 6.0])
    field = random.random((INPUTS, 2, 4, 5))
    arrays = {"a": (("case", "y", "x"), field[:, 0]), "u": (("x", "case", "member", "y"), field.T.transpose(0, 3, 2, 1))}
    data = xr.Dataset(arrays, coords={"x": x, "y": y})
    data.to_netcdf(tmp_path / "data.nc")
    words = ["data.nc", "--input", "a", "--high", "u"]
    found, output = imported(tmp_path, *words)
    np.testing.assert_array_equal(found["y"], y[::-1])
    np.testing.assert_array_equal(found["high"][:, :, 0], field[:, :, ::-1])
    assert "turned around" in output and "uneven" in output
    found, output = imported(tmp_path, *words, "--even")
    np.testing.assert_array_equal(found["x"], [0, 1.5, 3, 4.5, 6])
    np.testing.assert_allclose(found["input"][:, 0, :, 1], 0.75 * field[:, 0, ::-1, 1] + 0.25 * field[:, 0, ::-1, 2])
    assert "made even" in output


def test_bad_data_are_refused_in_one_line(tmp_path):
    def saved(**arrays):
        np.savez(tmp_path / "data.npz", **arrays)
        return refused(tmp_path, "data.npz")

    broken = HIGH.copy()
    broken[2, 3, 4] = np.nan
    words = saved(x=X, input=INPUT, high=broken)
    assert "input 2" in words and "realization 3" in words and "--skip-nan" in words
    found, output = imported(tmp_path, "data.npz", "--skip-nan")
    assert found["realizations_of"][2] == REALIZATIONS - 1 and "skipped" in output
    assert "--dims" in saved(input=INPUT, high=HIGH[:5])
    assert "increasing" in saved(x=np.sin(9 * X), input=INPUT, high=HIGH)
    assert "--input NAME" in saved(a=INPUT, b=HIGH)
    assert "empty" in saved(input=INPUT[:, :0], high=HIGH[:, :, :0])
    saved(input=INPUT, high=HIGH[:5])
    assert "has no array u" in refused(tmp_path, "data.npz", "--input", "u", "--high", "v")
    assert "begin with test_" in refused(tmp_path, "data.npz", "--prefix", "test")
    assert "does not match the dimensions (a, b, c)" in refused(tmp_path, "data.npz", "--dims", "input=a,b,c")
    assert "no such file" in refused(tmp_path, "nowhere.h5")
    (tmp_path / "text.h5").write_text("no data")
    assert "no data that is known" in refused(tmp_path, "text.h5")
    (tmp_path / "cut.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(40))
    assert "damaged" in refused(tmp_path, "cut.h5")


def test_the_same_import_again_does_nothing_and_another_is_refused(tmp_path):
    npz(tmp_path)
    words = ["import", "data.npz", "-o", "data.zarr"]
    assert "written" in floral(tmp_path, *words).stderr
    assert "already complete" in floral(tmp_path, *words).stderr
    np.savez(tmp_path / "data.npz", x=X, input=INPUT + 1, low=LOW, high=HIGH)
    done = floral(tmp_path, *words, code=2)
    assert "--force" in done.stderr
    floral(tmp_path, *words, "--force")
