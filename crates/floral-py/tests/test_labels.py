"""Labels, units, coordinates and numbers of realizations: whatever has a name is matched by name, not by position."""

import numpy as np
import pytest
import xarray

import floral


def labelled(curves):
    """The curves as xarray arrays with labelled inputs."""
    coords = {"input": [f"case{i}" for i in range(10)], "x": ("x", curves["coords"]["x"], {"units": "m"})}
    dims = {"input": ("input", "x"), "low": ("input", "x"), "high": ("input", "realization", "x")}
    return {name: xarray.DataArray(curves[name], dims=dims[name], coords=coords) for name in dims}


def test_inputs_are_aligned_by_their_labels(curves):
    arrays = labelled(curves)
    arrays["low"] = arrays["low"].isel(input=slice(None, None, -1))
    arrays["high"] = arrays["high"].isel(input=np.roll(np.arange(10), 3))
    data = floral.Dataset.from_arrays(**arrays)
    for name in ("input", "low", "high"):
        np.testing.assert_array_equal(getattr(data, name), curves[name])
    with pytest.raises(ValueError, match="only one of them has the label 'case0'"):
        floral.Dataset.from_arrays(**{**arrays, "low": arrays["low"].isel(input=slice(0, 9))})
    twice = arrays["low"].assign_coords(input=["case0"] * 10)
    with pytest.raises(ValueError, match="low has a label along input twice"):
        floral.Dataset.from_arrays(**{**arrays, "low": twice})


def test_units_of_an_axis_are_converted_and_other_places_refused(curves):
    arrays = labelled(curves)
    x = curves["coords"]["x"]

    def low(along, units):
        return arrays["low"].assign_coords(x=("x", along, {"units": units}))

    data = floral.Dataset.from_arrays(**{**arrays, "low": low(1000 * x, "mm")})
    np.testing.assert_array_equal(data.low, curves["low"])
    assert data._grid.units == {"x": "m"}
    with pytest.raises(ValueError, match="low and input have different coordinates x"):
        floral.Dataset.from_arrays(**{**arrays, "low": low(x, "mm")})
    with pytest.raises(ValueError, match="x of low is in s instead of m"):
        floral.Dataset.from_arrays(**{**arrays, "low": low(x, "s")})


def test_values_of_low_are_converted_to_the_units_of_high(curves):
    arrays = labelled(curves)
    arrays["high"] = arrays["high"].assign_attrs(units="m")
    arrays["low"] = (1000 * arrays["low"]).assign_attrs(units="mm")
    with pytest.warns(UserWarning, match="low is converted from mm to m"):
        data = floral.Dataset.from_arrays(**arrays)
    np.testing.assert_allclose(data.low, curves["low"])
    with pytest.raises(ValueError, match="low is in K instead of m"):
        floral.Dataset.from_arrays(**{**arrays, "low": arrays["low"].assign_attrs(units="K")})


def test_coordinates_of_any_array_are_those_of_the_grid(curves):
    arrays = labelled(curves)
    arrays["input"] = arrays["input"].drop_vars("x")
    data = floral.Dataset.from_arrays(**arrays)
    np.testing.assert_array_equal(data.coords["x"], curves["coords"]["x"])


@pytest.fixture(scope="module")
def two_channels():
    """Inputs with two channels (u, v), and a model fitted to them."""
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 16)
    a = np.stack([rng.normal(size=(12, 16)), 5 + rng.normal(size=(12, 16))], axis=1)
    high = (a**2)[:, None] + 0.05 * rng.normal(size=(12, 5, 2, 16))
    names = {"input": ["u", "v"], "high": ["p", "q"]}
    data = floral.Dataset.from_arrays(a, high, coords={"x": x}, names=names)
    return a, x, floral.fit(data, test=0, validation=0, method="kriging", progress=False)


def test_channels_of_a_new_input_are_found_by_their_labels(two_channels):
    a, x, model = two_channels
    coords = {"channel": ["u", "v"], "x": x}
    one = xarray.DataArray(a[0], dims=("channel", "x"), coords=coords)
    plain = model.sample(a[0], realizations=5).mean
    swapped = one.isel(channel=[1, 0])
    by_attribute = swapped.drop_vars("channel").assign_attrs(channel_names=["v", "u"])
    # Selecting channels in another order reorders the labels, but not the attribute.
    left_behind = one.assign_attrs(channel_names=["u", "v"]).isel(channel=[1, 0])
    for given in (one, swapped, by_attribute, left_behind):
        np.testing.assert_array_equal(model.sample(given, realizations=5).mean, plain)
    with pytest.raises(ValueError, match="w"):
        model.sample(one.assign_coords(channel=["u", "w"]), realizations=5)
    with pytest.raises(ValueError, match="labelled u, v, but its attributes name u, w"):
        model.sample(one.assign_attrs(channel_names=["u", "w"]), realizations=5)


def test_channels_of_low_are_brought_to_the_order_of_high(curves):
    x = curves["coords"]["x"]
    low = xarray.DataArray(
        np.stack([2 * curves["low"], curves["low"]], axis=1),
        dims=("input", "channel", "x"),
        coords={"channel": ["v", "u"], "x": x},
    )
    high = xarray.DataArray(
        np.stack([curves["high"], 2 * curves["high"]], axis=2),
        dims=("input", "realization", "channel", "x"),
        coords={"channel": ["u", "v"], "x": x},
    )
    a = xarray.DataArray(curves["input"], dims=("input", "x"), coords={"x": x})
    data = floral.Dataset.from_arrays(a, high, low)
    np.testing.assert_array_equal(data.low[:, 0], curves["low"])
    assert [one["name"] for one in data.quantities["solution"]] == ["u", "v"]
    with pytest.raises(ValueError, match="low has the channels v, w, but high has u, v"):
        floral.Dataset.from_arrays(a, high, low.assign_coords(channel=["v", "w"]))


@pytest.fixture(scope="module")
def square():
    """A model on a square of 8 x 8 points."""
    rng = np.random.default_rng(2)
    along = np.linspace(0.0, 1.0, 8)
    a = rng.normal(size=(10, 8, 8))
    high = a[:, None] + 0.1 * rng.normal(size=(10, 4, 8, 8))
    data = floral.Dataset.from_arrays(a, high, coords={"y": along, "x": along})
    return a, along, floral.fit(data, test=0, validation=0, method="kriging", progress=False)


def test_coordinates_of_one_axis_alone_are_looked_at(square):
    a, along, model = square
    plain = model.sample(a[0], realizations=4).mean

    def given(**coords):
        return xarray.DataArray(a[0], dims=("y", "x"), coords=coords)

    for known in ({}, {"y": along}, {"x": along}, {"y": along, "x": along}):
        np.testing.assert_array_equal(model.sample(given(**known), realizations=4).mean, plain)
    for elsewhere in ({"y": along + 5}, {"y": along + 5, "x": along}):
        with pytest.raises(ValueError, match="axis y|y "):
            model.sample(given(**elsewhere), realizations=4)
    turned = given().transpose("x", "y")
    np.testing.assert_array_equal(model.sample(turned, realizations=4).mean, plain)


def test_the_order_of_coords_is_that_of_the_axes(square):
    rng = np.random.default_rng(0)
    x, y = np.linspace(0.0, 1.0, 5), np.linspace(0.0, 2.0, 7)
    a, high = rng.normal(size=(4, 7, 5)), rng.normal(size=(4, 2, 7, 5))
    assert floral.Dataset.from_arrays(a, high, coords={"y": y, "x": x}).dims == ("y", "x")
    with pytest.raises(ValueError, match="give coords in the order of the array's axes"):
        floral.Dataset.from_arrays(a, high, coords={"x": x, "y": y})
    dims = {"input": ("input", "y", "x"), "high": ("input", "realization", "y", "x")}
    named = floral.Dataset.from_arrays(a, high, coords={"x": x, "y": y}, dims=dims)
    assert named.dims == ("y", "x")
    np.testing.assert_array_equal(named.coords["y"], y)


def test_a_solver_may_use_one_buffer_or_work_in_place(curves):
    buffer = np.empty(16)
    given = curves["input"].copy()

    def reused(a):
        return np.multiply(a, 2, out=buffer)

    def in_place(a):
        a *= 2
        return a

    for solver in (reused, in_place):
        data = floral.Dataset.from_arrays(given, curves["high"], solver, coords=curves["coords"])
        np.testing.assert_array_equal(data.low, 2 * curves["input"])
        np.testing.assert_array_equal(data.input, curves["input"])
        np.testing.assert_array_equal(given, curves["input"])


def test_numbers_of_realizations_may_differ(curves):
    unlike = [high[: 2 + i % 3] for i, high in enumerate(curves["high"])]
    data = floral.Dataset.from_arrays(**{**curves, "high": unlike})
    assert repr(data).startswith("Dataset of 10 inputs, 2 to 4 realizations each")
    np.testing.assert_array_equal(data.high[1, :3], curves["high"][1, :3])
    assert np.isnan(data.high[0, 2:]).all()
    padded = floral.Dataset.from_arrays(**{**curves, "high": data.high})
    np.testing.assert_array_equal(padded.high, data.high)
    model = floral.fit(data, test=2, validation=0, method="kriging", progress=False)
    assert model.sample(curves["input"][0], low=curves["low"][0], realizations=3).mean.shape == (16,)


def test_sensors_measure_some_points_of_each_input(curves):
    rng = np.random.default_rng(5)
    high = curves["high"].copy()
    for one in high:
        one[:, rng.choice(16, 6, replace=False)] = np.nan
    data = floral.Dataset.from_arrays(**{**curves, "high": high}, sensors=True)
    np.testing.assert_array_equal(data.high, high)
    model = floral.fit(data, test=0, validation=0, progress=False)
    assert model.sample(curves["input"][0], low=curves["low"][0], realizations=3).mean.shape == (16,)
    with pytest.raises(ValueError, match="sensors=True"):
        floral.Dataset.from_arrays(**{**curves, "high": high})
    high[0, 0, :] = 1.0
    with pytest.raises(ValueError, match="measured at other points"):
        floral.Dataset.from_arrays(**{**curves, "high": high}, sensors=True)


def test_parameters_are_constant_channels_of_the_input(curves):
    numbers = np.linspace(0.0, 1.0, 10)
    data = floral.Dataset.from_arrays(**curves, params={"load": numbers})
    assert data.input.shape == (10, 2, 16)
    np.testing.assert_array_equal(data.input[:, 1], numbers[:, None] * np.ones(16))
    assert data.quantities["input"][1] == {"name": "load", "parameter": True}
    model = floral.fit(data, test=0, validation=0, method="kriging", progress=False)
    given = {"low": curves["low"][3], "realizations": 4}
    one = model.sample(curves["input"][3], params={"load": numbers[3]}, **given)
    np.testing.assert_array_equal(one.mean, model.sample(data.input[3], **given).mean)
    alone = floral.Dataset.from_arrays(
        high=curves["high"], params={"load": numbers}, coords=curves["coords"]
    )
    assert alone.input.shape == (10, 16)
    with pytest.raises(ValueError, match="one number for each of 10 inputs"):
        floral.Dataset.from_arrays(**curves, params={"load": numbers[:3]})


def test_a_profile_becomes_a_field(curves):
    x, y = curves["coords"]["x"], np.linspace(0.0, 1.0, 4)
    high = curves["high"][..., None] * (1 + y)
    dims = {"input": ("input", "x"), "high": ("input", "realization", "x", "y")}
    coords = {"x": x, "y": y}
    plain = floral.Dataset.from_arrays(curves["input"], high, coords=coords, dims=dims)
    arrays = {
        "input": xarray.DataArray(curves["input"], dims=dims["input"], coords={"x": x}),
        "high": xarray.DataArray(high, dims=dims["high"], coords=coords),
    }
    for data in (plain, floral.Dataset.from_arrays(**arrays)):
        assert data.input.shape == (10, 16, 4)
        np.testing.assert_array_equal(data.input[..., 2], curves["input"])
        np.testing.assert_array_equal(data.high, high)


def test_low_fidelity_on_a_coarser_grid_is_interpolated_within_its_ends(curves):
    arrays = labelled(curves)
    with pytest.warns(UserWarning, match="low is interpolated linearly along x"):
        data = floral.Dataset.from_arrays(**{**arrays, "low": arrays["low"][:, ::5]})
    x = curves["coords"]["x"]
    expected = [np.interp(x, x[::5], one[::5]) for one in curves["low"]]
    np.testing.assert_allclose(data.low, expected, atol=1e-12)
    with pytest.raises(ValueError, match="low covers x only from 0 to "):
        floral.Dataset.from_arrays(**{**arrays, "low": arrays["low"][:, :8]})


def test_notes_are_warnings_at_the_line_of_the_caller(curves):
    with pytest.warns(UserWarning, match="no coordinates are given for x") as notes:
        data = floral.Dataset.from_arrays(input=curves["input"], high=curves["high"])
    assert [note.filename for note in notes] == [__file__] and len(data) == 10
    two = np.stack([curves["input"]] * 2, axis=1)
    high = np.stack([curves["high"]] * 2, axis=2)
    with pytest.warns(UserWarning, match=r"shape \(10, 2, 16\) is read as \[input, x, y\]; give coords=.* or dims="):
        assert floral.Dataset.from_arrays(input=two, high=high).dims == ("x", "y")
