"""Data of other programs become datasets by `floral import`, with the same values.

FLORAL_BIN is the path of the floral command.
"""

import json
import os
import subprocess

import h5py
import numpy as np
import pytest
import xarray as xr
import zarr
from numcodecs import GZip, Zlib

FLORAL = os.environ["FLORAL_BIN"]
INPUTS, REALIZATIONS, POINTS = 7, 5, 32
random = np.random.default_rng(0)
X = np.linspace(0, 1, POINTS, endpoint=False)
INPUT = random.random((INPUTS, 1)) * np.sin(2 * np.pi * (X + random.random((INPUTS, 1))))
LOW = 0.9 * INPUT
HIGH = INPUT[:, None] + 0.1 * random.standard_normal((INPUTS, REALIZATIONS, POINTS))


def floral(folder, *words):
    command = [FLORAL, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def imported(folder, *words):
    """The dataset that an import writes, opened by xarray, and what is printed."""
    done = floral(folder, "import", *words, "-o", "imported.zarr", "--force")
    assert done.returncode == 0, done.stderr
    return xr.open_zarr(folder / "imported.zarr").load(), done.stdout


def refused(folder, *words):
    """The one line by which an import is refused; nothing is left behind."""
    before = sorted(os.listdir(folder))
    done = floral(folder, "import", *words, "-o", "refused.zarr")
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert sorted(os.listdir(folder)) == before
    return done.stderr


def as_xarray():
    attributes = {"units": "Pa", "long_name": "pressure"}
    return xr.Dataset(
        {
            "input": (("sample", "x"), INPUT, {"units": "m2"}),
            "low": (("sample", "x"), LOW, {"units": "Pa"}),
            "high": (("sample", "member", "x"), HIGH, attributes),
        },
        coords={"x": ("x", X, {"units": "mm"})},
        attrs={"title": "Membranes"},
    )


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
    data, told = imported(tmp_path, *write(tmp_path))
    assert data["high"].dims == ("input", "realization", "channel", "x")
    np.testing.assert_array_equal(data["input"][:, 0], INPUT)
    np.testing.assert_array_equal(data["low"][:, 0], LOW)
    np.testing.assert_array_equal(data["high"][:, :, 0], HIGH)
    np.testing.assert_allclose(data["x"], X, atol=1e-12)
    assert f"{INPUTS}, {REALIZATIONS} realizations each" in told
    assert floral(tmp_path, "inspect", "imported.zarr").returncode == 0


def test_units_and_names_travel(tmp_path):
    as_xarray().to_netcdf(tmp_path / "data.nc")
    data, told = imported(tmp_path, "data.nc")
    assert data["high"].attrs["units"] == "Pa"
    assert data["high"].attrs["long_name"] == "pressure"
    assert data["low"].attrs["units"] == "Pa"
    assert data["x"].attrs["units"] == "mm"
    assert data.attrs["title"] == "Membranes"
    assert "pressure [Pa]" in told and "mm" in told
    other = as_xarray()
    other["low"].attrs["units"] = "kPa"
    other.to_netcdf(tmp_path / "other.nc")
    found, told = imported(tmp_path, "other.nc")
    np.testing.assert_allclose(found["low"][:, 0], 1000 * LOW)
    assert "converted to the units" in told
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
    found, told = imported(tmp_path, "data.nc")
    np.testing.assert_array_equal(found["realizations_of"], counts)
    assert "2 to 4 realizations each" in told
    for i, count in enumerate(counts):
        np.testing.assert_allclose(found["high"][i, :count, 0], HIGH[i, :count], atol=1e-4)
        assert np.isnan(found["high"][i, count:]).all()
    inspected = floral(tmp_path, "inspect", "imported.zarr")
    assert inspected.returncode == 0, inspected.stdout


def test_files_may_have_unlike_numbers_of_realizations(tmp_path):
    for i in range(3):
        np.savez(tmp_path / f"{i}.npz", input=INPUT[i], high=HIGH[i, : i + 2])
    found, _ = imported(tmp_path, "0.npz", "1.npz", "2.npz")
    np.testing.assert_array_equal(found["realizations_of"], [2, 3, 4])
    np.testing.assert_array_equal(found["x"], np.arange(POINTS))


def test_low_fidelity_may_have_its_own_grid_and_realizations(tmp_path):
    coarse = LOW[:, ::4]
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=coarse, high=HIGH)
    found, told = imported(tmp_path, "data.npz")
    ring = np.append(X[::4], 1)
    for i in range(INPUTS):
        expected = np.interp(X, ring, np.append(coarse[i], coarse[i, 0]))
        np.testing.assert_allclose(found["low"][i, 0], expected, atol=1e-12)
    assert found["low"].attrs["interpolated_from"] == [8]
    assert "interpolated linearly from [8]" in told
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
    found, told = imported(tmp_path, "data.npz")
    assert np.isnan(found["low"][2]).all() and "1 inputs have no low fidelity" in told


def test_high_fidelity_may_have_fewer_points(tmp_path):
    np.savez(tmp_path / "data.npz", x=X, input=INPUT, low=LOW, high=HIGH[:, :, ::4])
    found, told = imported(tmp_path, "data.npz")
    assert found["high"].dims == ("input", "realization", "channel", "x_high")
    np.testing.assert_array_equal(found["high"][:, :, 0], HIGH[:, :, ::4])
    np.testing.assert_array_equal(found["x_high"], X[::4])
    assert "known on [8] points" in told
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
    found, told = imported(tmp_path, *words)
    np.testing.assert_array_equal(found["y"], y[::-1])
    np.testing.assert_array_equal(found["high"][:, :, 0], field[:, :, ::-1])
    assert "turned around" in told and "uneven" in told
    found, told = imported(tmp_path, *words, "--even")
    np.testing.assert_array_equal(found["x"], [0, 1.5, 3, 4.5, 6])
    np.testing.assert_allclose(found["input"][:, 0, :, 1], 0.75 * field[:, 0, ::-1, 1] + 0.25 * field[:, 0, ::-1, 2])
    assert "made even" in told


def pdebench(folder, inputs=40):
    """A file as PDEBench's generator of Burgers' equation writes it."""
    times = np.linspace(0, 1, 6)
    phase = random.random((inputs, 1, 1))
    decay = np.exp(-times)[:, None]
    tensor = decay * np.sin(2 * np.pi * (X + phase)) + 0.02 * random.standard_normal((inputs, 6, POINTS))
    with h5py.File(folder / "burgers.hdf5", "w") as file:
        file.create_dataset("tensor", data=tensor.astype("f4"), chunks=(1, 6, POINTS), compression="gzip")
        file["x-coordinate"] = ((np.arange(POINTS) + 0.5) / POINTS).astype("f4")
        file["t-coordinate"] = np.linspace(0, 1.2, 7).astype("f4")
    return tensor.astype("f4")


def test_pdebench_is_recognised(tmp_path):
    tensor = pdebench(tmp_path)
    found, told = imported(tmp_path, "burgers.hdf5", "--periodic", "x")
    assert "PDEBench" in told and "tensor[t=1:]" in told
    np.testing.assert_array_equal(found["input"][:, 0], tensor[:, 0])
    np.testing.assert_array_equal(found["high"][:, 0, 0], tensor[:, -1])
    assert found["x"].attrs["domain"]["kind"] == "periodic"
    assert found["high"].dtype == np.float32
    later, _ = imported(tmp_path, "burgers.hdf5", "--high", "tensor[t=1:]")
    assert later["high"].dims == ("input", "realization", "channel", "t", "x")
    np.testing.assert_array_equal(later["high"][:, 0, 0], tensor[:, 1:])
    np.testing.assert_array_equal(later["input"][:, 0, 3], tensor[:, 0])
    np.testing.assert_allclose(later["t"], np.linspace(0.2, 1, 5), atol=1e-6)


def test_pdebench_of_darcy_and_by_seeds(tmp_path):
    nu, tensor = random.random((4, 6, 8)), random.random((4, 1, 6, 8))
    with h5py.File(tmp_path / "darcy.hdf5", "w") as file:
        file["nu"], file["tensor"] = nu, tensor
        file["x-coordinate"], file["y-coordinate"] = np.arange(6) / 5, np.arange(8) / 7
    found, _ = imported(tmp_path, "darcy.hdf5")
    np.testing.assert_array_equal(found["input"][:, 0], nu)
    np.testing.assert_array_equal(found["high"][:, 0], tensor)
    with h5py.File(tmp_path / "seeds.h5", "w") as file:
        for i in range(12):
            file[f"{i:04d}/data"] = random.random((5, 6, 8, 2)) + i
            for axis, n in {"t": 5, "x": 6, "y": 8}.items():
                file[f"{i:04d}/grid/{axis}"] = np.linspace(0, 1, n)
    found, told = imported(tmp_path, "seeds.h5")
    assert "PDEBench" in told and found.sizes["input"] == 12
    with h5py.File(tmp_path / "seeds.h5") as file:
        last = np.moveaxis(file["0011/data"][-1], -1, 0)
    np.testing.assert_array_equal(found["high"][11, 0], last)


def test_the_well_is_recognised(tmp_path):
    density, velocity = random.random((4, 3, 6, 8)), random.random((4, 3, 6, 8, 2))
    with h5py.File(tmp_path / "well.hdf5", "w") as file:
        file.attrs["n_trajectories"] = 4
        dimensions = file.create_group("dimensions")
        dimensions.attrs["spatial_dims"] = ["x", "y"]
        along = {"time": np.arange(3.0), "x": np.arange(6) / 6, "y": np.arange(8) / 4}
        for name, values in along.items():
            dimensions[name] = values
        boundary = file.create_group("boundary_conditions/x_periodic")
        boundary.attrs["bc_type"], boundary.attrs["associated_dims"] = "PERIODIC", ["x"]
        for name, values, varies in [
            ("t0_fields/density", density, (True, True, [True, True])),
            ("t0_fields/bed", density[:, 0, :, 0], (True, False, [True, False])),
            ("t1_fields/velocity", velocity, (True, True, [True, True])),
            ("scalars/alpha", np.arange(4.0), (True, False, None)),
        ]:
            file[name] = values
            attributes = file[name].attrs
            attributes["sample_varying"], attributes["time_varying"] = varies[:2]
            if varies[2]:
                attributes["dim_varying"] = varies[2]
    found, told = imported(tmp_path, "well.hdf5")
    assert "The Well" in told
    assert found["high"].attrs["channel_names"] == ["density", "velocity_x", "velocity_y"]
    names = ["bed", "density", "velocity_x", "velocity_y", "alpha"]
    assert found["input"].attrs["channel_names"] == names
    np.testing.assert_array_equal(found["high"][:, 0, 0], density[:, -1])
    np.testing.assert_array_equal(found["high"][:, 0, 2], velocity[:, -1, ..., 1])
    np.testing.assert_array_equal(found["input"][:, 0, :, 5], density[:, 0, :, 0])
    assert (found["input"][2, 4] == 2.0).all()
    assert found["x"].attrs["domain"]["kind"] == "periodic"
    assert found["y"].attrs["domain"]["kind"] == "closed"


def test_pdearena_is_recognised(tmp_path):
    fields = {name: random.random((4, 3, 6, 8)) for name in ("u", "vx", "vy")}
    with h5py.File(tmp_path / "arena.h5", "w") as file:
        for split in ("train", "valid"):
            for name, values in fields.items():
                file[f"{split}/{name}"] = values + (split == "valid")
            for name, n in {"t": 3, "x": 6, "y": 8}.items():
                file[f"{split}/{name}"] = np.tile(np.arange(n), (4, 1))
            for name in ("dt", "dx", "dy"):
                file[f"{split}/{name}"] = np.ones(4)
            file[f"{split}/buo_y"] = np.arange(4) / 10
    found, told = imported(tmp_path, "arena.h5")
    assert "PDEArena" in told
    assert found["input"].attrs["channel_names"] == ["u", "vx", "vy", "buo_y"]
    np.testing.assert_array_equal(found["high"][:, 0, 1], fields["vx"][:, -1])
    found, _ = imported(tmp_path, "arena.h5", "--prefix", "valid")
    np.testing.assert_array_equal(found["high"][:, 0, 1], fields["vx"][:, -1] + 1)


def test_bad_data_are_refused_in_one_line(tmp_path):
    def saved(**arrays):
        np.savez(tmp_path / "data.npz", **arrays)
        return refused(tmp_path, "data.npz")

    broken = HIGH.copy()
    broken[2, 3, 4] = np.nan
    words = saved(x=X, input=INPUT, high=broken)
    assert "input 2" in words and "realization 3" in words and "--skip-nan" in words
    found, told = imported(tmp_path, "data.npz", "--skip-nan")
    assert found["realizations_of"][2] == REALIZATIONS - 1 and "left out" in told
    assert "--dims" in saved(input=INPUT, high=HIGH[:5])
    assert "increasing" in saved(x=np.sin(9 * X), input=INPUT, high=HIGH)
    assert "--input NAME" in saved(a=INPUT, b=HIGH)
    assert "empty" in saved(input=INPUT[:, :0], high=HIGH[:, :, :0])
    saved(input=INPUT, high=HIGH[:5])
    assert "has no array u" in refused(tmp_path, "data.npz", "--input", "u", "--high", "v")
    assert "begin with test_" in refused(tmp_path, "data.npz", "--prefix", "test")
    assert "which is no (a, b, c)" in refused(tmp_path, "data.npz", "--dims", "input=a,b,c")
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
    done = floral(tmp_path, *words)
    assert done.returncode == 2 and "--force" in done.stderr
    assert floral(tmp_path, *words, "--force").returncode == 0


def run(folder, commands):
    """Runs commands as a user types them, each to its end."""
    assert len(commands) < 10
    for command in commands:
        done = floral(folder, *command.split())
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (folder / "report.html").stat().st_size > 10_000
    return done


TEN_LINES = """
import numpy as np
r = np.random.default_rng(0)
x = np.linspace(0, 1, 32, endpoint=False)
a = r.random((36, 1)) * np.sin(2 * np.pi * (x + r.random((36, 1))))
noise = 0.1 * r.standard_normal((36, 6, 1)) * np.cos(2 * np.pi * x)
np.savez("mine.npz", x=x, input=a, low=a, high=a[:, None] ** 2 + noise)
"""

TO_A_REPORT = [
    "inspect data.zarr",
    "train data.zarr -o run",
    "evaluate run data.zarr --inputs 0..2 --realizations 50",
    "sample run --input data.zarr --inputs 0..1 --realizations 50 -o predicted.zarr",
    "report run --data data.zarr --inputs 0..2 --realizations 50 -o report.html",
]


def test_from_ten_lines_of_numpy_to_a_report(tmp_path):
    assert len(TEN_LINES.strip().splitlines()) <= 10
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        exec(TEN_LINES, {})
    finally:
        os.chdir(here)
    run(tmp_path, ["import mine.npz -o data.zarr", *TO_A_REPORT])


def test_from_pdebench_to_a_report(tmp_path):
    pdebench(tmp_path)
    run(tmp_path, ["import burgers.hdf5 --periodic x -o data.zarr", *TO_A_REPORT])


def test_from_xarray_to_a_report(tmp_path):
    data = as_xarray()
    cases = xr.concat([(1 + i / 5) * data for i in range(5)], "sample", join="outer")
    cases.to_netcdf(tmp_path / "mine.nc")
    run(tmp_path, ["import mine.nc -o data.zarr", *TO_A_REPORT])


def test_files_are_taken_as_they_are(tmp_path):
    pdebench(tmp_path, inputs=34)
    for words in [
        ["inspect", "burgers.hdf5"],
        ["train", "burgers.hdf5", "-o", "run"],
        ["evaluate", "run", "burgers.hdf5", "--inputs", "0..1", "--realizations", 20],
        ["sample", "run", "--input", "burgers.hdf5", "--inputs", "0..1", "--realizations", 20, "-o", "out.zarr"],
    ]:
        done = floral(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        assert "taken as the imported copy" in done.stderr
    assert len(os.listdir(tmp_path / ".floral")) == 1
    (tmp_path / "other.h5").write_bytes(b"")
    assert floral(tmp_path, "inspect", "other.h5").returncode == 2


def test_unlike_numbers_of_realizations_and_fewer_points_are_trained_on(tmp_path):
    random = np.random.default_rng(1)
    amplitude, phase = random.random((36, 1)) + 0.5, random.random((36, 1))
    input = amplitude * np.sin(2 * np.pi * (X + phase))
    high = input[:, None] + 0.3 * random.standard_normal((36, 12, 1)) * np.cos(2 * np.pi * X)
    for i in range(36):
        high[i, 2 + i % 11 :] = np.nan
    np.savez(tmp_path / "ragged.npz", x=X, input=input, low=input, high=high)
    np.savez(tmp_path / "fewer.npz", x=X, input=input, low=input, high=high[:, :, ::2])
    for name in ("ragged", "fewer"):
        words = [
            ["import", f"{name}.npz", "-o", f"{name}.zarr"],
            ["inspect", f"{name}.zarr"],
            ["train", f"{name}.zarr", "-o", f"{name}-kl"],
            ["train", f"{name}.zarr", "-o", f"{name}-flow", "--method", "floral", "--epochs", 1]
            + ["--set", "network.hidden_channels=4", "--set", "network.n_modes=[4]"],
        ]
        for command in words:
            done = floral(tmp_path, *command)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
        for run in (f"{name}-kl", f"{name}-flow"):
            options = ["--inputs", "0..5", "--realizations", 400, "--solver", "heun", "--steps", 5]
            done = floral(tmp_path, "evaluate", run, f"{name}.zarr", *options, "--json")
            assert done.returncode == 0, done.stderr
            if run.endswith("-kl"):
                spread = json.loads(done.stdout)["prediction"]["spread"]["observed"]["spread"]
                truth = 0.3 * np.sqrt(0.5)
                assert 0.5 * truth < spread < 2 * truth
    done = floral(tmp_path, "report", "fewer-kl", "--data", "fewer.zarr", "-o", "report.html")
    assert done.returncode == 2 and "fewer points" in done.stderr
