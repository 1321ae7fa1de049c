"""floral reads names and units that xarray writes, and its predictions carry them.

FLORAL_BIN is the path of the floral command.
"""


import numpy as np
import pytest
import xarray as xr

from command import floral

# Resources that the garbage collector reports as unclosed may belong to another test.
pytestmark = pytest.mark.filterwarnings("error", "ignore::pytest.PytestUnraisableExceptionWarning")

INPUTS, REALIZATIONS = 6, 5
TRAIN = ("--method", "kriging", "--set", "split.test=1", "--set", "split.validation=1")


def membrane():
    """Deflections in metres and pressures in pascals under a load, on 1.2 m by 2 m."""
    x, y = np.linspace(0, 1.2, 5), np.linspace(0, 2, 7)
    phase = np.add.outer(3 * x, 2 * y) + np.arange(INPUTS)[:, None, None]
    low = np.stack([1e-3 * np.sin(phase), 1e5 * np.cos(phase)], axis=1)
    noise = np.linspace(-0.2, 0.2, REALIZATIONS)[:, None, None, None]
    high = low[:, None] * (1.1 + noise)
    channels = {"channel_names": ["deflection", "pressure"], "channel_units": ["m", "Pa"]}
    return xr.Dataset(
        {
            "input": (
                ("input", "input_channel", "x", "y"),
                np.sin(0.7 * phase)[:, None],
                {"units": "kPa", "name": "load"},
            ),
            "low": (("input", "channel", "x", "y"), low, channels),
            "high": (("input", "realization", "channel", "x", "y"), high, channels),
        },
        coords={"x": ("x", x, {"units": "m"}), "y": ("y", y, {"units": "m"})},
        attrs={"title": "A membrane"},
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with data.zarr and a run trained on it."""
    folder = tmp_path_factory.mktemp("membrane")
    membrane().to_zarr(folder / "data.zarr", zarr_format=3, consolidated=False)
    floral(folder, "train", "data.zarr", *TRAIN, "-o", "run")
    return folder


def predicted(folder, data, name):
    """Notes, and predictions for the inputs of a dataset."""
    data.to_zarr(folder / f"{name}.zarr", zarr_format=3, consolidated=False, mode="w")
    words = ("--realizations", 20, "--exceed", "pressure:5e4", "-o", f"{name}-out.zarr")
    ended = floral(folder, "sample", "run", "--input", f"{name}.zarr", *words)
    return ended.stderr, xr.open_zarr(folder / f"{name}-out.zarr").load()


def test_units_and_names_travel_to_predictions(trained):
    _, out = predicted(trained, membrane()[["input", "low"]], "same")
    assert out.attrs["title"] == "A membrane: predictions of kriging"
    for name in ("mean", "std", "variance"):
        assert out[name].dims == ("input", "channel", "x", "y")
        assert out[name].attrs["channel_names"] == ["deflection", "pressure"]
    assert out["std"].attrs["channel_units"] == ["m", "Pa"]
    assert out["variance"].attrs["channel_units"] == ["m2", "Pa2"]
    assert out["x"].attrs["units"] == "m"
    np.testing.assert_allclose(out["std"] ** 2, out["variance"], rtol=1e-5)
    assert out["exceedance"].dims == ("input", "threshold", "x", "y")
    assert list(out["threshold_channel"]) == [1] and "threshold_channel" in out.coords


def test_other_units_and_another_order_are_converted_and_said(trained):
    plain = membrane()[["input", "low"]]
    _, expected = predicted(trained, plain, "plain")
    data = plain.transpose("input", "input_channel", "channel", "y", "x")
    data = data.assign_coords(x=("x", 1000 * plain["x"].values, {"units": "mm"}))
    data["input"] = 1000 * data["input"]
    data["input"].attrs = {"units": "Pa", "name": "load"}
    notes, found = predicted(trained, data, "other")
    for part in ("(y, x), the run's (x, y)", "axis x is in mm", "load of its input is in Pa"):
        assert part in notes
    assert found["mean"].dims == expected["mean"].dims
    np.testing.assert_allclose(found["mean"], expected["mean"], rtol=1e-5)
    np.testing.assert_allclose(found["x"], expected["x"])


def test_another_domain_is_refused(trained):
    data = membrane()[["input", "low"]].isel(y=slice(0, 4))
    with pytest.raises(AssertionError, match="axis y goes from 0 to 1, but the run was trained from 0 to 2 m"):
        predicted(trained, data, "part")


def line(points):
    """Curves without coordinates."""
    fields = np.sin(np.add.outer(np.arange(3.0), np.linspace(0, 5, points)))[:, None]
    high = np.stack([fields, 1.1 * fields], axis=1)
    dimensions = ("input", "channel", "x")
    return xr.Dataset(
        {
            "input": (dimensions, fields),
            "low": (dimensions, 0.9 * fields),
            "high": (("input", "realization", "channel", "x"), high),
        }
    )


def inspected(folder, x):
    """The summary of `floral inspect` for curves at these points."""
    data = line(256)
    data = data if x is None else data.assign_coords(x=("x", x))
    data.to_zarr(folder / "line.zarr", zarr_format=3, consolidated=False, mode="w")
    return " ".join(floral(folder, "inspect", "line.zarr").stdout.split())


def test_uneven_and_missing_coordinates_are_noted(tmp_path):
    turn = np.float32(2 * np.pi)
    single = (np.arange(256, dtype=np.float32) / 256 * turn / turn).astype(np.float32)
    assert "note:" not in inspected(tmp_path, single)
    assert "note: axis x is uneven" in inspected(tmp_path, np.linspace(0, 1, 256) ** 2)
    output = inspected(tmp_path, None)
    assert "axis x has no coordinates: its points are counted, from 0 to 255" in output
