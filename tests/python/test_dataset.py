"""xarray opens the output of `floral generate` directly and without a warning.

FLORAL_BIN is the path of the floral command.
"""

import os
import subprocess

import numpy as np
import pytest
import xarray as xr
import zarr

# Resources that the garbage collector reports as unclosed may belong to another test.
pytestmark = pytest.mark.filterwarnings("error", "ignore::pytest.PytestUnraisableExceptionWarning")

INPUTS, REALIZATIONS, RESOLUTION, SEED = 3, 4, 32, 7
AXES = {"1dcr": ("x",), "darcy": ("x", "y")}


@pytest.fixture(scope="module", params=AXES)
def generated(request, tmp_path_factory):
    """The problem's name and the path of a small dataset of it."""
    path = tmp_path_factory.mktemp(request.param) / "data.zarr"
    generate(request.param, path)
    return request.param, path


def generate(problem, path, **more):
    numbers = {
        "--inputs": INPUTS,
        "--realizations": REALIZATIONS,
        "--resolution": RESOLUTION,
        "--seed": SEED,
        **more,
    }
    options = [str(word) for pair in numbers.items() for word in pair]
    command = [os.environ["FLORAL_BIN"], "generate", problem, *options, "-o", str(path)]
    subprocess.run(command, check=True, timeout=300)


def test_dimensions_are_named(generated):
    problem, path = generated
    data = xr.open_zarr(path)
    grid = AXES[problem]
    assert data["input"].dims == ("input", "channel", *grid)
    assert data["low"].dims == ("input", "channel", *grid)
    assert data["high"].dims == ("input", "realization", "channel", *grid)
    assert data.sizes["input"] == INPUTS
    assert data.sizes["realization"] == REALIZATIONS
    assert all(data.sizes[axis] == RESOLUTION for axis in grid)


def test_each_axis_has_its_coordinates(generated):
    problem, path = generated
    data = xr.open_zarr(path)
    for axis in AXES[problem]:
        coordinates = data.indexes[axis]
        assert coordinates.dtype == np.float64
        assert coordinates.is_monotonic_increasing and coordinates.is_unique
        assert 0.0 <= coordinates[0] and coordinates[-1] <= 1.0
    assert data["high"].isel({axis: 0 for axis in AXES[problem]}).shape[:2] == (3, 4)


def test_attributes_tell_where_the_data_come_from(generated):
    problem, path = generated
    attributes = xr.open_zarr(path).attrs
    assert attributes["problem"] == problem
    assert attributes["seed"] == SEED
    assert attributes["floral_format"] == 1
    assert attributes["floral_version"]
    assert isinstance(attributes["constants"], dict)


def test_values_are_finite_and_vary(generated):
    _, path = generated
    data = xr.open_zarr(path).load()
    for name in ("input", "low", "high"):
        assert data[name].dtype == np.float32
        assert np.isfinite(data[name]).all()
    assert (data["high"].std("realization") > 0).any()
    assert (data["input"].std("input") > 0).any()


def test_each_input_is_a_chunk_compressed_and_checked(generated):
    _, path = generated
    group = zarr.open_group(path, mode="r")
    for name in ("input", "low", "high"):
        array = group[name]
        assert array.chunks == (1, *array.shape[1:])
        codecs = [codec.to_dict()["name"] for codec in array.compressors]
        assert codecs == ["blosc", "crc32c"]
        assert len(list((path / name).glob("c.*"))) == INPUTS


def test_a_missing_chunk_cannot_pass_for_data(generated):
    _, path = generated
    group = zarr.open_group(path, mode="r")
    assert all(np.isnan(group[name].fill_value) for name in ("input", "low", "high"))


def test_shards_open_with_the_same_values_in_fewer_files(generated, tmp_path):
    problem, plain = generated
    path = tmp_path / "shards.zarr"
    generate(problem, path, **{"--shard": 2})
    expected, found = xr.open_zarr(plain), xr.open_zarr(path)
    assert set(found.variables) == set(expected.variables)
    for name in expected.variables:
        np.testing.assert_array_equal(found[name], expected[name])
    group = zarr.open_group(path, mode="r")
    for name in ("input", "low", "high", "redraws"):
        array = group[name]
        assert array.shards == (2, *array.shape[1:])
        assert array.chunks == (1, *array.shape[1:])
        assert len(list((path / name).glob("c.*"))) == -(-INPUTS // 2)
