"""Predictions are invariant up to rounding under changes that leave the problem the same: the order of inputs, names and
order of axes and channels, a copy of the dataset."""

import json

import numpy as np
import pytest
import xarray as xr
from importing import floral

INPUTS, REALIZATIONS = 10, 5


def curves():
    random = np.random.default_rng(2)
    x = np.linspace(0, 1, 24)
    input = random.standard_normal((INPUTS, 2)) @ np.stack([np.sin(3 * x), np.cos(5 * x)])
    high = input[:, None] + 0.2 * input[:, None] ** 2 + 0.1 * random.standard_normal((INPUTS, REALIZATIONS, 1)) * x
    made = {
        "input": (("input", "channel", "x"), input[:, None]),
        "low": (("input", "channel", "x"), 0.9 * input[:, None]),
        "high": (("input", "realization", "channel", "x"), high[:, :, None]),
    }
    return xr.Dataset(made, coords={"x": x})


def maps():
    """Two channels of the solution on a grid with different numbers of points per axis."""
    random = np.random.default_rng(3)
    y, x = np.linspace(0, 1, 9), np.linspace(0, 2, 12)
    waves = np.stack([np.outer(np.sin(k * y + 1), np.cos(k * x)) for k in (1, 2, 3)])
    input = np.tensordot(random.standard_normal((INPUTS, 3)), waves, 1)
    low = np.stack([input, input**2], 1)
    high = low[:, None] * 1.1 + 0.1 * random.standard_normal((INPUTS, REALIZATIONS, 2, 1, 1)) * waves[0]
    made = {
        "input": (("input", "input_channel", "y", "x"), input[:, None]),
        "low": (("input", "channel", "y", "x"), low),
        "high": (("input", "realization", "channel", "y", "x"), high),
    }
    return xr.Dataset(made, coords={"y": y, "x": x, "channel": ["u", "v"]})


def predicted(folder, name, data, new, method="floral-kl"):
    """Moments that a run trained on one dataset predicts for the first inputs of another."""
    for part, which in (("train", data), ("new", new)):
        # In netCDF, the dimension must not have the name of the array `input`.
        which = which.rename_dims(input="case")
        which.to_netcdf(folder / f"{name}-{part}.nc")
        done = floral(folder, "import", f"{name}-{part}.nc", "-o", f"{name}-{part}.zarr")
    split = ("--set", "split.test=0", "--set", "split.validation=0")
    words = ("--method", method, *split, "-o", f"{name}-run")
    done = floral(folder, "train", f"{name}-train.zarr", *words)
    new = f"{name}-new.zarr"
    words = ("--input", new, "--realizations", 10, "-o", f"{name}-out.zarr")
    done = floral(folder, "sample", f"{name}-run", *words)
    done = floral(folder, "evaluate", f"{name}-run", new, "--inputs", "0..2", "--realizations", 10, "--json")
    error = json.loads(done.stdout)["prediction"]["mean"]["mean_l2"]
    return error, xr.open_zarr(folder / f"{name}-out.zarr").load()[["aleatoric", "epistemic"]]


def alike(one, other, bound=1e-5):
    """Compares analytic means, and variances relative to the largest one."""
    (error, one), (other_error, other) = one, other
    assert other_error == pytest.approx(error, rel=bound)
    size = float((one.aleatoric + one.epistemic).max())
    for name in one:
        np.testing.assert_allclose(other[name].values, one[name].values, atol=bound * size, rtol=0, err_msg=name)


@pytest.fixture(scope="module", params=[curves, maps], ids=["curves", "maps"])
def problem(request, tmp_path_factory):
    """A folder, training data, new inputs, and the predictions for them."""
    folder, data = tmp_path_factory.mktemp(request.param.__name__), request.param()
    train, new = data.isel(input=slice(2, None)), data.isel(input=slice(0, 2))
    return folder, train, new, predicted(folder, "first", train, new)


def test_a_copy_of_the_dataset(problem):
    folder, train, new, expected = problem
    alike(expected, predicted(folder, "copy", train.copy(deep=True), new), 1e-12)


def test_the_order_of_inputs(problem):
    folder, train, new, expected = problem
    order = train.isel(input=[5, 2, 7, 0, 3, 1, 6, 4])
    alike(expected, predicted(folder, "order", order, new), 1e-3)
    kriging = [predicted(folder, f"kriging{i}", data, new, "kriging") for i, data in enumerate((train, order))]
    alike(*kriging)


def test_the_names_of_axes(problem):
    folder, train, new, expected = problem
    names = {"x": "distance"}
    found = predicted(folder, "names", train.rename(names), new.rename(names))
    alike(expected, (found[0], found[1].rename({"distance": "x"})))


def test_the_order_of_axes_of_new_inputs(problem):
    folder, train, new, expected = problem
    turned = new.transpose(*reversed(list(new.dims)))
    alike(expected, predicted(folder, "turned", train, turned), 1e-6)


def test_the_order_of_axes_and_channels_in_training(problem):
    folder, train, new, expected = problem
    if "y" not in train.dims:
        pytest.skip("a curve has one axis and one channel")

    def turn(data):
        return data.isel(channel=[1, 0]).transpose(..., "x", "y")

    found = predicted(folder, "axes", turn(train), turn(new))
    # Inputs are sorted by their first values, and ties between landmarks are broken by the order of points.
    alike(expected, (found[0], found[1].isel(channel=[1, 0]).transpose(..., "y", "x")), 0.1)
