"""New inputs are matched by name where they have names, and refused where names and positions are mixed."""

import numpy as np
import pandas
import pytest
import xarray

import floral

X = np.linspace(0.0, 1.0, 12)
RNG = np.random.default_rng(0)
LOAD, STIFFNESS = RNG.uniform(1, 3, 24), RNG.uniform(1, 3, 24)
BENT = ((LOAD / STIFFNESS**2)[:, None] * X**2)[:, None] * (1 + 0.05 * RNG.normal(size=(24, 4, 1)))
NUMBERS = {"load": LOAD, "stiffness": STIFFNESS}
NEW = {"stiffness": 2.5, "load": 1.2}


def fitted(**given):
    data = floral.Dataset.from_arrays(high=BENT, coords={"x": X}, **given)
    return floral.fit(data, method="kriging", test=0, progress=False)


@pytest.fixture(scope="module")
def rod():
    return fitted(parameters=NUMBERS)


def mean(model, parameters):
    return np.squeeze(model.sample(parameters=parameters, realizations=2).mean)


def test_parameters_with_names_are_matched_by_name_in_any_container(rod):
    expected = mean(rod, {"load": 1.2, "stiffness": 2.5})
    labelled = xarray.DataArray([2.5, 1.2], dims="parameter", coords={"parameter": ["stiffness", "load"]})
    record = np.array([(2.5, 1.2)], dtype=[("stiffness", float), ("load", float)])
    table = pandas.DataFrame({"stiffness": [2.5, 3.0], "load": [1.2, 2.0]}, index=["a", "b"])
    for given in (NEW, pandas.Series(NEW), table.iloc[0], table.iloc[:1], labelled, record):
        np.testing.assert_array_equal(mean(rod, given), expected)
    several = labelled.expand_dims(input=3).transpose("parameter", "input")
    np.testing.assert_array_equal(mean(rod, several)[2], expected)
    with pytest.raises(ValueError, match="'mass' is unknown"):
        mean(rod, pandas.Series({"mass": 2.5, "load": 1.2}))
    with pytest.raises(ValueError, match="dimensions .*; name them input and parameter"):
        mean(rod, several.rename(input="case"))


def test_a_dataset_takes_the_names_of_its_parameters_from_pandas_and_xarray():
    names = {"parameter": ["load", "stiffness"]}
    array = xarray.DataArray(np.c_[LOAD, STIFFNESS], dims=("input", "parameter"), coords=names)
    for given in (array, array.T, pandas.DataFrame(NUMBERS)):
        found = floral.Dataset.from_arrays(parameters=given, high=BENT, coords={"x": X}).parameters
        np.testing.assert_array_equal(found["stiffness"], STIFFNESS)
        np.testing.assert_array_equal(found["load"], LOAD)
    column = pandas.Series(LOAD, name="load", index=[f"case{i}" for i in range(24)])
    assert list(floral.Dataset.from_arrays(parameters=column, high=BENT, coords={"x": X}).parameters) == ["load"]


def test_parameters_in_place_of_channels_are_matched_by_the_names_of_the_channels():
    channels = np.stack([one[:, None] * np.ones(12) for one in NUMBERS.values()], axis=1)
    model = fitted(input=channels, names={"input": list(NUMBERS)})
    expected = mean(model, [[1.2, 2.5]])
    for given in (NEW, {"load": 1.2, "stiffness": 2.5}, pandas.Series(NEW)):
        np.testing.assert_array_equal(mean(model, given), expected)
    with pytest.raises(ValueError, match="'foo' is unknown; the model has load, stiffness"):
        mean(model, {"foo": 1.2, "bar": 2.5})
    nameless = fitted(input=channels)
    np.testing.assert_array_equal(mean(nameless, [[1.2, 2.5]]), expected)
    with pytest.raises(ValueError, match="input channels have none; give an array"):
        mean(nameless, NEW)


@pytest.fixture(scope="module")
def plane():
    """Inputs and low fidelity on a square, as arrays, and a model of them."""
    g, k = np.linspace(0.0, 1.0, 8), np.linspace(0.5, 2.0, 12)
    x, y = np.meshgrid(g, g, indexing="ij")
    a = k[:, None, None] * (x + 2 * y)
    low = np.sin(a) + x
    high = low[:, None] + 0.1 * a[:, None] ** 2 + 0.05 * RNG.normal(size=(12, 5, 1, 1))
    data = floral.Dataset.from_arrays(input=a, low=low, high=high, coords={"x": g, "y": g})
    return a, low, high, floral.fit(data, method="kriging", test=0, progress=False)


def labelled(values):
    g = np.linspace(0.0, 1.0, 8)
    dims = ("realization", "x", "y")[-values.ndim :]
    return xarray.DataArray(values, dims=dims, coords={"x": g, "y": g})


def test_arrays_with_and_without_names_are_not_mixed(plane):
    a, low, high, model = plane
    one, own = labelled(a[0]), labelled(low[0])
    expected = model.sample(a[0], low=low[0], realizations=2).mean
    turned = {"x": slice(None, None, -1)}
    for given in ((one.isel(turned), own.T), (one.T, own.isel(turned))):
        np.testing.assert_array_equal(model.sample(given[0], low=given[1], realizations=2).mean, expected)
    for given in ((one.isel(turned), low[0][::-1]), (one.T, low[0].T)):
        with pytest.raises(ValueError, match="input is an xarray.DataArray, but low is not"):
            model.sample(given[0], low=given[1])
    for given in (own.isel(turned), own.T):
        with pytest.raises(ValueError, match="low is an xarray.DataArray, but input is not"):
            model.sample(a[0], low=given)


def test_labels_of_single_inputs_must_agree(plane):
    a, low, _, model = plane
    several = {name: xarray.concat([labelled(v) for v in values[:3]], "input").assign_coords(input=[0, 1, 2])
               for name, values in (("input", a), ("low", low))}
    one = model.sample(several["input"][1], low=several["low"][1], realizations=2)
    np.testing.assert_array_equal(one.mean, model.sample(a[1], low=low[1], realizations=2).mean)
    with pytest.raises(ValueError, match="different inputs"):
        model.sample(several["input"][1], low=several["low"][2])


def test_parameters_of_labelled_inputs_are_in_the_order_of_their_labels():
    fields = STIFFNESS[:, None] * X
    model = fitted(input=fields, parameters={"load": LOAD})
    given = xarray.DataArray(fields[:3], dims=("input", "x"), coords={"input": ["a", "b", "c"], "x": X})
    load = xarray.DataArray(LOAD[2::-1, None], dims=("input", "parameter"))
    load = load.assign_coords(input=["c", "b", "a"], parameter=["load"])
    expected = model.sample(fields[:3], parameters={"load": LOAD[:3]}, realizations=2).mean
    np.testing.assert_array_equal(model.sample(given, parameters=load, realizations=2).mean, expected)
    one, plain = (model.sample(f, parameters={"load": LOAD[1]}, realizations=2).mean for f in (given[1], fields[1]))
    np.testing.assert_array_equal(one, plain)
    with pytest.raises(ValueError, match="different labels along input"):
        model.sample(given, parameters=load.assign_coords(input=["c", "b", "d"]))


def test_an_added_input_is_matched_by_name(plane):
    a, low, high, model = plane
    one, own, runs = labelled(a[0]), labelled(low[0]), labelled(high[0])
    longer = model.data.extended(one.T, runs.transpose("y", "realization", "x"), own.isel(x=slice(None, None, -1)))
    for name, values in (("input", a), ("low", low), ("high", high)):
        np.testing.assert_array_equal(getattr(longer, name)[-1], values[0])
    with pytest.raises(ValueError, match="high is not an xarray.DataArray, but others are"):
        model.data.extended(one, high[0], own)
    with pytest.raises(ValueError, match="have different coordinates x"):
        model.data.extended(one.assign_coords(x=one.x + 1), runs, own)


def test_all_axes_of_a_coarser_low_fidelity_are_converted_to_the_units_of_input():
    x, y = np.linspace(0.0, 1.0, 9), np.linspace(0.0, 2.0, 9)
    field = x[:, None] + y
    a = xarray.DataArray(np.stack([field] * 4), dims=("input", "x", "y"))
    a = a.assign_coords(x=("x", x, {"units": "m"}), y=("y", y, {"units": "m"}))
    low = a[:, :, ::4].assign_coords(x=("x", 1000 * x, {"units": "mm"}))
    data = floral.Dataset.from_arrays(input=a, low=low, high=a.expand_dims(realization=2))
    np.testing.assert_allclose(data.low, a.values, atol=1e-12)


def test_the_advice_on_complex_solutions_is_right():
    a = RNG.normal(size=(10, 16))
    high = RNG.normal(size=(10, 6, 16)) + 1j
    with pytest.raises(ValueError, match=r"high is complex.*axis=-2\) on one axis"):
        floral.Dataset.from_arrays(input=a, high=high, coords={"x": np.arange(16.0)})
    advised = np.stack([high.real, high.imag], axis=-2)
    data = floral.Dataset.from_arrays(input=a, high=advised, coords={"x": np.arange(16.0)})
    assert data.realizations == 6 and data.high.shape == (10, 6, 2, 16)
