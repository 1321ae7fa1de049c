"""The whole field is learned from high fidelity at scattered points.

FLORAL_BIN is the path of the floral command.
"""

import json

import numpy as np
import pytest
import xarray as xr

from command import floral

SPLIT = "--set split.test=6 --set split.validation=0"


def refused(folder, words):
    done = floral(folder, words, code=2)
    lines = done.stderr.strip().splitlines()
    assert [line for line in lines if line.startswith("error:")] == lines[-1:], done.stderr
    return lines[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Curves on 64 points, and the same curves at 12 sensors, whose places differ between inputs."""
    folder = tmp_path_factory.mktemp("sensors")
    floral(folder, "generate 1dcr --inputs 36 --realizations 20 --resolution 64 -o whole.zarr")
    whole = xr.open_zarr(folder / "whole.zarr").load()
    random = np.random.default_rng(0)
    high = whole.high.values
    for i in range(len(high)):
        dark = random.permutation(high.shape[-1])[12:]
        high[i, ..., dark] = np.nan
    arrays = {name: (whole[name].dims, whole[name].values) for name in ("input", "low")}
    arrays["high"] = (whole.high.dims, high)
    sparse = xr.Dataset(arrays, {"x": whole.x}, {"sensors": True})
    sparse.to_zarr(folder / "sparse.zarr", zarr_format=3, consolidated=False)
    high[3, 1, 0, :] = whole.low.values[3, 0]
    sparse.to_zarr(folder / "unlike.zarr", zarr_format=3, consolidated=False)
    del sparse.attrs["sensors"]
    sparse.to_zarr(folder / "broken.zarr", zarr_format=3, consolidated=False)
    sensed = xr.open_zarr(folder / "sparse.zarr", consolidated=False).high
    np.savez(folder / "sparse.npz", x=whole.x, input=whole.input, low=whole.low, high=sensed)
    return folder


def test_sensors_teach_the_whole_field(folder):
    errors = {}
    for data in ("whole", "sparse"):
        floral(folder, f"train {data}.zarr {SPLIT} -o {data}")
        found = json.loads(floral(folder, f"evaluate {data} whole.zarr --inputs 0..6 --realizations 200 --json").stdout)
        errors[data] = found["prediction"]["mean"]["mean_l2"] / found["low"]["mean_l2"]
        assert 0.8 < found["prediction"]["spread"]["observed"]["coverage"][1]["coverage"] < 0.97
    assert errors["whole"] < 0.1
    assert errors["sparse"] < 0.3


def test_a_run_is_scored_at_the_sensors(folder):
    floral(folder, f"train sparse.zarr {SPLIT} -o scored")
    found = json.loads(floral(folder, "evaluate scored sparse.zarr --realizations 200 --json").stdout)
    for name in ("low", "mean_residual", "kriging"):
        assert found["prediction"]["mean"]["mean_l2"] < found[name]["mean_l2"], name
    low = xr.open_zarr(folder / "sparse.zarr", consolidated=False).isel(input=slice(0, 6))
    residual = (low.high.mean("realization") - low.low).fillna(0.0)
    norms = np.sqrt((residual**2).sum(["channel", "x"]))
    assert found["low"]["mean_l2"] == pytest.approx(float(norms.mean()), rel=1e-4)


def test_inspection_looks_at_the_sensors(folder):
    output = floral(folder, "inspect sparse.zarr").stdout
    assert "sensors" in output and "wave numbers" not in output


def test_an_archive_with_sensors_is_imported_as_such(folder):
    assert "--skip-nan" in refused(folder, "import sparse.npz -o not.zarr")
    floral(folder, "import sparse.npz --sensors -o imported.zarr")
    there = xr.open_zarr(folder / "imported.zarr")
    assert there.attrs["sensors"]
    np.testing.assert_array_equal(there.high, xr.open_zarr(folder / "sparse.zarr", consolidated=False).high)


def test_what_sensors_cannot_teach_is_refused(folder):
    assert "choose the method floral-kl" in refused(folder, "train sparse.zarr --method fno -o fno")
    assert "not finite" in refused(folder, f"train broken.zarr {SPLIT} -o broken")
    assert "other points" in refused(folder, "train unlike.zarr --set split.test=1 --set split.validation=0 -o unlike")
