"""xarray opens the output of `floral sample` directly, and its statistics agree with its realizations.

FLORAL_BIN is the path of the floral command.
"""

import json

import numpy as np
import pytest
import xarray as xr

from command import floral

# Resources that the garbage collector reports as unclosed may belong to another test.
pytestmark = pytest.mark.filterwarnings("error", "ignore::pytest.PytestUnraisableExceptionWarning")

REALIZATIONS, RESOLUTION, SEED = 20, 16, 3
LEVELS, THRESHOLD = [0.1, 0.5], 0.0
AXES = {"1dcr": ("x",), "darcy": ("x", "y")}
TINY = {
    "network.hidden_channels": 4,
    "network.film_channels": 4,
    "network.layers": 2,
    "split.test": 1,
    "split.validation": 1,
}


def sample(folder, run, *words):
    solver = ("--solver", "heun", "--steps", 3)
    floral(folder, "sample", run, *solver, "--realizations", REALIZATIONS, *words)


@pytest.fixture(scope="module", params=AXES)
def trained(request, tmp_path_factory):
    """The problem's name and a folder with data.zarr and the runs floral and fno."""
    folder = tmp_path_factory.mktemp(request.param)
    size = ("--inputs", 4, "--realizations", 3, "--resolution", RESOLUTION)
    floral(folder, "generate", request.param, *size, "-o", "data.zarr")
    tiny = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}")]
    for method in ("floral", "fno"):
        words = ("--method", method, "--epochs", 1, *tiny, "-o", method)
        floral(folder, "train", "data.zarr", *words)
    return request.param, folder


@pytest.fixture(scope="module")
def predicted(trained):
    """The problem's name, predictions on the grid and at points, all realizations kept."""
    problem, folder = trained
    data = xr.open_zarr(folder / "data.zarr")
    axes = AXES[problem]
    # Three grid points, then the middle between two neighbours along the last axis.
    rows = [[data[axis].values[i] for axis in axes] for i in (0, 5, 9)]
    last = data[axes[-1]].values
    rows.append([data[axis].values[2] for axis in axes[:-1]] + [(last[6] + last[7]) / 2])
    table = [",".join(reversed(axes))] + [",".join(repr(float(x)) for x in row[::-1]) for row in rows]
    (folder / "points.csv").write_text("\n".join(table) + "\n")
    levels = [word for level in LEVELS for word in ("--quantile", level)]
    words = ("--input", "data.zarr", "--inputs", "1..3", "--keep", REALIZATIONS, *levels)
    words = (*words, "--exceed", THRESHOLD, "--seed", SEED)
    sample(folder, "floral", *words, "-o", "grid.zarr")
    sample(folder, "floral", *words, "--points", "points.csv", "-o", "points.zarr")
    grid, points = (xr.open_zarr(folder / f"{name}.zarr").load() for name in ("grid", "points"))
    return problem, grid, points


def test_dimensions_and_coordinates_are_named(predicted):
    problem, grid, points = predicted
    for data, places in ((grid, AXES[problem]), (points, ("point",))):
        assert data["mean"].dims == ("input", "channel", *places)
        assert data["variance"].dims == ("input", "channel", *places)
        assert data["quantiles"].dims == ("input", "quantile", "channel", *places)
        assert data["exceedance"].dims == ("input", "threshold", "channel", *places)
        assert data["realizations"].dims == ("input", "realization", "channel", *places)
        assert data["evaluations"].dims == ("input",)
        assert list(data["input"]) == [1, 2]
        assert list(data["quantile"]) == LEVELS
        assert list(data["threshold"]) == [THRESHOLD]
        for axis in AXES[problem]:
            assert axis in data.coords and axis in data["mean"].coords
            assert data[axis].dims == ((axis,) if data is grid else ("point",))


def test_attributes_tell_how_the_predictions_were_made(predicted):
    _, grid, _ = predicted
    expected = {
        "method": "floral",
        "seed": SEED,
        "realizations_per_input": REALIZATIONS,
        "inputs": "1..3",
        "data": "data.zarr",
    }
    assert expected.items() <= grid.attrs.items()
    assert "heun" in grid.attrs["solver"]
    assert (grid["evaluations"] == REALIZATIONS * 2 * 3).all()


def test_statistics_are_those_of_the_realizations(predicted):
    _, *stores = predicted
    for data in stores:
        fields = data["realizations"].astype("float64")
        assert np.isfinite(fields).all() and (fields.std("realization") > 0).all()
        close = {"rtol": 1e-5, "atol": 1e-6}
        np.testing.assert_allclose(data["mean"], fields.mean("realization"), **close)
        np.testing.assert_allclose(data["variance"], fields.var("realization", ddof=1), **close)
        for level in LEVELS:
            expected = fields.quantile(level, "realization")
            np.testing.assert_allclose(data["quantiles"].sel(quantile=level), expected, **close)
        above = (fields > THRESHOLD).mean("realization")
        np.testing.assert_allclose(data["exceedance"].sel(threshold=THRESHOLD), above, **close)


def test_values_at_points_are_interpolated_linearly(predicted):
    problem, grid, points = predicted
    axes = AXES[problem]
    places = {axis: points[axis] for axis in axes}
    expected = grid["realizations"].astype("float64").interp(places)
    np.testing.assert_allclose(points["realizations"], expected, rtol=1e-5, atol=1e-5)
    at = {axis: 5 for axis in axes}
    exact = grid["realizations"].isel(at).values
    np.testing.assert_array_equal(points["realizations"].isel(point=1).values, exact)


def test_an_archive_of_numpy_gives_what_the_dataset_gives(trained, predicted):
    problem, folder = trained
    _, grid, _ = predicted
    data = xr.open_zarr(folder / "data.zarr")
    arrays = {name: data[name].values[1:3] for name in ("input", "low")}
    coordinates = {axis: data[axis].values for axis in AXES[problem]}
    fortran = {name: np.asfortranarray(array, dtype=">f8") for name, array in arrays.items()}
    np.savez(folder / "plain.npz", **arrays)
    np.savez_compressed(folder / "fortran.npz", **fortran, **coordinates)
    for name in ("plain", "fortran"):
        words = ("--input", f"{name}.npz", "--keep", 1, "--seed", SEED)
        sample(folder, "floral", *words, "-o", f"{name}.zarr")
    plain, fortran = (xr.open_zarr(folder / f"{name}.zarr") for name in ("plain", "fortran"))
    np.testing.assert_array_equal(plain["mean"], fortran["mean"])
    for axis in AXES[problem]:
        np.testing.assert_allclose(plain[axis], grid[axis])
    one = {name: array[0, 0] for name, array in arrays.items()}
    np.savez(folder / "one.npz", **one)
    sample(folder, "floral", "--input", "one.npz", "--seed", SEED, "-o", "one.zarr")
    alone = xr.open_zarr(folder / "one.zarr")
    np.testing.assert_array_equal(alone["mean"].values, plain["mean"].values[:1])


def test_a_method_without_spread_has_one_field(trained):
    _, folder = trained
    sample(folder, "fno", "--input", "data.zarr", "--keep", 5, "-o", "fno.zarr")
    data = xr.open_zarr(folder / "fno.zarr")
    assert "variance" not in data and data.sizes["realization"] == 1
    np.testing.assert_array_equal(data["mean"], data["realizations"].isel(realization=0))
    assert "solver" not in data.attrs


def test_the_recommended_method_separates_its_variance_in_two_parts(trained):
    _, folder = trained
    split = [word for key, value in TINY.items() if key.startswith("split") for word in ("--set", f"{key}={value}")]
    floral(folder, "train", "data.zarr", *split, "-o", "kl")
    words = ("--input", "data.zarr", "--inputs", "0..1", "--realizations", 2000, "--seed", SEED)
    floral(folder, "sample", "kl", *words, "-o", "kl.zarr")
    found = xr.open_zarr(folder / "kl.zarr").load()
    assert "solver" not in found.attrs
    total = found.aleatoric + found.epistemic
    distance = np.sqrt(((found.variance - total) ** 2).sum() / (total**2).sum())
    assert distance < 0.15
    assert (found.aleatoric > 0).all() and (found.epistemic > 0).all() and (found.novelty > 0).all()


def test_files_of_other_formats_hold_what_the_store_holds(trained):
    _, folder = trained
    words = ("--input", "data.zarr", "--inputs", "1..3", "--keep", 2, "--quantile", 0.5)
    for name in ("same.zarr", "same.nc", "same.npz"):
        sample(folder, "floral", *words, "--seed", SEED, "-o", name)
    store = xr.open_zarr(folder / "same.zarr").load()
    with xr.open_dataset(folder / "same.nc") as netcdf:
        assert netcdf.attrs["method"] == "floral" and netcdf.attrs["seed"] == SEED
        xr.testing.assert_equal(netcdf, store)
        assert netcdf["mean"].attrs["long_name"] == store["mean"].attrs["long_name"]
    with np.load(folder / "same.npz") as arrays:
        facts = json.loads(arrays["metadata"].item())
        assert facts["attributes"]["seed"] == SEED
        for name in store.variables:
            np.testing.assert_array_equal(arrays[name], store[name])
            assert tuple(facts["arrays"][name]["dimensions"]) == store[name].dims


def test_a_small_spread_about_a_large_value_is_stored(tmp_path):
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 16)
    a = rng.normal(size=(12, 1)) * x
    low = np.tanh(a)
    high = (low + 0.2 * a)[:, None] + 0.1 * rng.normal(size=(12, 5, 1)) * (1 + x)
    stored = {}
    for name, offset in (("near", 0.0), ("far", 1e8)):
        np.savez(tmp_path / f"{name}.npz", input=a, low=low + offset, high=high + offset, x=x)
        floral(tmp_path, "import", f"{name}.npz", "-o", f"{name}-data.zarr")
        split = ("--set", "split.test=2", "--set", "split.validation=0")
        floral(tmp_path, "train", f"{name}-data.zarr", "--method", "kriging", *split, "-o", name)
        words = ("--input", f"{name}-data.zarr", "--keep", 2, "--quantile", 0.9, "-o", f"{name}.zarr")
        floral(tmp_path, "sample", name, "--realizations", 50, *words)
        stored[name] = xr.open_zarr(tmp_path / f"{name}.zarr").load()
    near, far = stored["near"], stored["far"]
    assert near["mean"].dtype == np.float32 and far["mean"].dtype == np.float64
    spread = 0.2 * float(near["std"].max())
    np.testing.assert_allclose(far["std"], near["std"], atol=spread)
    for array in ("mean", "quantiles"):
        np.testing.assert_allclose(far[array] - 1e8, near[array], atol=3 * spread)
    assert len(np.unique(far["realizations"])) == far["realizations"].size
