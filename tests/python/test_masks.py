"""Points outside of the domain, such as land next to an ocean, are excluded from fits, scores and statistics."""

import json

import numpy as np
import pytest
import xarray as xr
from importing import floral, refused

SIZE, INPUTS, REALIZATIONS = 12, 10, 6
LAND = np.zeros((SIZE, SIZE), bool)
LAND[:5, :4] = LAND[8, 9] = True
SPLIT = ("--set", "split.test=2", "--set", "split.validation=0")


def fields(outside):
    """Smooth inputs, low fidelity and realizations around it, with the value `outside` at masked points."""
    random = np.random.default_rng(5)
    x = np.linspace(0, 1, SIZE)
    waves = np.stack([np.outer(np.sin(k * np.pi * x), np.cos(k * np.pi * x)) for k in (1, 2, 3)])
    input = np.tensordot(random.standard_normal((INPUTS, 3)), waves, 1)
    low = 0.8 * input
    noise = random.standard_normal((INPUTS, REALIZATIONS, 1, 1)) * waves[0]
    high = (input + 0.2 * input**2)[:, None] + 0.1 * noise
    arrays = {"input": input, "low": low, "high": high}
    for array in arrays.values():
        array[..., LAND] = outside
    dims = {"input": ("input", "y", "x"), "low": ("input", "y", "x"), "high": ("input", "realization", "y", "x")}
    made = {name: (dims[name], array) for name, array in arrays.items()}
    return xr.Dataset(made, coords={"x": x, "y": x})


def succeed(folder, *words):
    done = floral(folder, *words)
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("masks")
    fields(np.nan).to_netcdf(folder / "sea.nc")
    output = succeed(folder, "import", "sea.nc", "-o", "sea.zarr")
    assert f"{LAND.sum()} of {LAND.size} points are outside of the domain" in output
    succeed(folder, "train", "sea.zarr", *SPLIT, "-o", "run")
    return folder


def test_the_dataset_says_what_is_outside(folder):
    data = xr.open_zarr(folder / "sea.zarr")
    assert data.attrs["mask"] is True
    for name in ("input", "low", "high"):
        np.testing.assert_array_equal(np.isnan(data[name]).all([d for d in data[name].dims if d not in "yx"]), LAND)
    output = succeed(folder, "inspect", "sea.zarr")
    assert "outside of the domain" in output


def test_predictions_are_nan_outside_and_there_alone(folder):
    words = ("--inputs", "0..2", "--realizations", 30, "--quantile", 0.9, "--exceed", 0.1, "--keep", 2)
    succeed(folder, "sample", "run", "--input", "sea.zarr", *words, "-o", "out.zarr")
    out = xr.open_zarr(folder / "out.zarr").load()
    for name in ("mean", "std", "aleatoric", "epistemic", "quantiles", "exceedance", "realizations"):
        lands = np.isnan(out[name].values).reshape(-1, SIZE, SIZE)
        assert (lands == LAND).all(), name
    assert np.isfinite(out.novelty).all()
    truth = xr.open_zarr(folder / "sea.zarr").high[:2].mean("realization")
    error = np.sqrt(np.nanmean((out["mean"].values - truth.values) ** 2))
    assert error < 0.3 * np.nanstd(truth.values)
    (folder / "points.csv").write_text("y,x\n0.1,0.1\n0.5,0.9\n")
    succeed(folder, "sample", "run", "--input", "sea.zarr", "--points", "points.csv", "--realizations", 20, "-o", "at.zarr")
    at = xr.open_zarr(folder / "at.zarr")["mean"].values
    assert np.isnan(at[..., 0]).all() and np.isfinite(at[..., 1]).all()


def test_scores_are_those_of_the_points_inside(folder):
    found = json.loads(succeed(folder, "evaluate", "run", "sea.zarr", "--realizations", 50, "--json"))
    data = fields(0.0).isel(input=slice(0, 2))
    residual = data.high.mean("realization") - data.low
    norms = np.sqrt((residual**2).sum(["x", "y"]))
    assert found["low"]["mean_l2"] == pytest.approx(float(norms.mean()), rel=1e-4)
    assert found["prediction"]["mean"]["mean_l2"] < found["low"]["mean_l2"]


def test_what_is_stored_outside_never_counts(folder):
    """New inputs and their low fidelity may have any value or NaN at masked points."""
    succeed(folder, "sample", "run", "--input", "sea.zarr", "--inputs", "0..2", "--realizations", 20, "-o", "nan.zarr")
    for value in (0.0, -999.0):
        data = fields(value).isel(input=slice(0, 2))
        np.savez(folder / "new.npz", input=data.input, low=data.low)
        succeed(folder, "sample", "run", "--input", "new.npz", "--realizations", 20, "-o", "new.zarr", "--force")
        one, other = (xr.open_zarr(folder / name)["mean"].values for name in ("nan.zarr", "new.zarr"))
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_nan_inside_are_refused(folder, tmp_path):
    broken = fields(np.nan)
    broken.low[3, 6, 6] = np.nan
    broken.to_netcdf(tmp_path / "broken.nc")
    words = refused(tmp_path, "broken.nc")
    assert "input 3: 1 of 144 values of the low-fidelity solution" in words and f"besides those at {LAND.sum()}" in words
    new = fields(np.nan).isel(input=slice(0, 2))
    new.input[:, 6, 6] = np.nan
    new.to_netcdf(folder / "hole.nc")
    done = floral(folder, "sample", "run", "--input", "hole.nc", "-o", "hole.zarr", code=2)
    assert "NaN at 1 points that are inside of the run's domain" in done.stderr
    fields(0.0).to_netcdf(folder / "land.nc")
    succeed(folder, "import", "land.nc", "-o", "land.zarr")
    succeed(folder, "train", "land.zarr", *SPLIT, "--method", "kriging", "-o", "dry")
    done = floral(folder, "sample", "dry", "--input", "sea.zarr", "-o", "dry.zarr", code=2)
    assert "trained on data without any" in done.stderr


def test_networks_see_the_points_inside_continued(folder):
    tiny = ("network.hidden_channels=4", "network.film_channels=4", "network.layers=2", "split.test=2", "split.validation=1")
    tiny = [word for setting in tiny for word in ("--set", setting)]
    succeed(folder, "train", "sea.zarr", "--method", "residual-fno", "--epochs", 1, *tiny, "-o", "fno")
    succeed(folder, "sample", "fno", "--input", "sea.zarr", "--inputs", "0..1", "-o", "fno.zarr")
    mean = xr.open_zarr(folder / "fno.zarr")["mean"].values.reshape(SIZE, SIZE)
    np.testing.assert_array_equal(np.isnan(mean), LAND)
    succeed(folder, "evaluate", "fno", "sea.zarr", "--inputs", "0..1")


def test_symmetries_that_move_land_are_refused(folder):
    done = floral(folder, "train", "sea.zarr", *SPLIT, "--set", 'symmetries=["transpose:x,y"]', "-o", "turned", code=2)
    assert "is no symmetry of it" in done.stderr
