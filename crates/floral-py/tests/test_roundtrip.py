"""A dataset that goes to xarray, to a longer dataset or to another process remains the same, or is refused."""

import pickle

import numpy as np
import pytest
import xarray

import floral

X = np.linspace(0.0, 1.0, 12)
RNG = np.random.default_rng(0)
LOAD, STIFFNESS = RNG.uniform(1, 3, 16), RNG.uniform(1, 3, 16)
NUMBERS = {"load": LOAD, "stiffness": STIFFNESS}
BENT = ((LOAD / STIFFNESS**2)[:, None] * X**2)[:, None] * (1 + 0.05 * RNG.normal(size=(16, 3, 1)))


def around(data):
    return floral.Dataset.from_xarray(data.to_xarray())


def assert_same(one, other):
    assert one.quantities == other.quantities and one.symmetries == other.symmetries
    assert one._grid.axes == other._grid.axes
    for name in ("input", "low", "high", "points"):
        np.testing.assert_equal(getattr(one, name), getattr(other, name))
    assert list(one.parameters) == list(other.parameters)
    np.testing.assert_equal(one.parameters, other.parameters)
    np.testing.assert_equal(one.cells, other.cells)
    for name in ("mask", "sensors", "title"):
        assert one.attrs.get(name) == other.attrs.get(name)


def with_parameters():
    return floral.Dataset.from_arrays(
        parameters=NUMBERS, high=BENT, coords={"x": X}, units={"load": "N", "high": "m", "x": "m"}
    )


def with_fields_and_parameters():
    two = np.stack([LOAD[:, None] * X, STIFFNESS[:, None] + X], axis=1)
    units = {"input": ["Pa", "m"], "stiffness": "N"}
    names = {"input": ["a", "b"]}
    return floral.Dataset.from_arrays(two, BENT, parameters=NUMBERS, coords={"x": X}, names=names, units=units)


def on_a_mesh():
    xy = np.array([[i / 4, j / 4] for i in range(5) for j in range(5)])
    cells = {"quad": np.array([[k, k + 5, k + 6, k + 1] for k in range(19) if k % 5 < 4])}
    u = (LOAD / STIFFNESS)[:, None, None] * xy[:, 0] ** 2 * (1 + 0.05 * RNG.normal(size=(16, 3, 1)))
    return floral.Dataset.from_arrays(parameters=NUMBERS, high=u, points=xy, cells=cells)


def scalars():
    return floral.Dataset.from_arrays(parameters=NUMBERS, high=BENT[..., -1])


def periodic():
    lon = np.arange(0.0, 360.0, 30.0)
    domains = {"lon": "periodic"}
    return floral.Dataset.from_arrays(LOAD[:, None] + X, BENT, coords={"lon": lon}, domains=domains, symmetries=["roll:lon"])


def uneven_realizations():
    return floral.Dataset.from_arrays(LOAD[:, None] * X, [one[: 2 + i % 2] for i, one in enumerate(BENT)], coords={"x": X})


def masked():
    """A dataset with land, as imports of files make it."""
    land = np.arange(12) < 4
    arrays = {"input": (("input", "x"), np.where(land, np.nan, LOAD[:, None] * X))}
    arrays["low"] = (("input", "x"), np.where(land, np.nan, 0.9 * BENT.mean(1)))
    arrays["high"] = (("input", "realization", "x"), np.where(land, np.nan, BENT))
    return floral.Dataset.from_xarray(xarray.Dataset(arrays, {"x": X}, {"mask": True}))


KINDS = (with_parameters, with_fields_and_parameters, on_a_mesh, scalars, periodic, uneven_realizations, masked)


@pytest.mark.parametrize("made", KINDS)
def test_a_dataset_goes_to_xarray_and_back(made):
    data = made()
    again = around(data)
    assert_same(again, data)
    assert_same(pickle.loads(pickle.dumps(again)), data)


@pytest.mark.parametrize("made", KINDS)
def test_a_store_written_by_xarray_is_the_same_dataset(made, tmp_path):
    data = made()
    data.to_xarray().to_zarr(tmp_path / "again.zarr", zarr_format=3, consolidated=False)
    assert_same(floral.Dataset.from_xarray(xarray.open_zarr(tmp_path / "again.zarr", consolidated=False)), data)


@pytest.mark.parametrize("made", KINDS)
def test_a_store_opened_by_xarray_is_the_same_dataset(made):
    data = made()
    assert_same(floral.Dataset.from_xarray(xarray.open_zarr(data.path, consolidated=False)), data)


def test_a_fit_and_a_prediction_of_xarray_know_parameters_by_name():
    data = with_parameters()
    model, again = (floral.fit(one, method="kriging", test=0, progress=False) for one in (data, data.to_xarray()))
    assert again.parameters == model.parameters
    expected = model.sample(data, inputs=[3], realizations=2)[0].mean
    for given in (data.to_xarray(), data.to_xarray().isel(parameter=[1, 0])):
        np.testing.assert_array_equal(again.sample(given, inputs=[3], realizations=2)[0].mean, expected)
    mesh = on_a_mesh()
    plate = floral.fit(mesh.to_xarray(), method="kriging", test=0, progress=False)
    expected = plate.sample(mesh, inputs=[3], realizations=2)[0].mean
    np.testing.assert_array_equal(plate.sample(mesh.to_xarray(), inputs=[3], realizations=2)[0].mean, expected)
    moved = mesh.to_xarray().assign_coords(x=("point", mesh.points[:, 0] + 0.01))
    with pytest.raises(ValueError, match="other points than the model's mesh"):
        plate.sample(moved, inputs=[3])


def test_a_full_circle_of_longitude_is_periodic():
    lon = np.arange(0.0, 360.0, 30.0)
    arrays = {"input": (("input", "lon"), LOAD[:, None] + X), "high": (("input", "realization", "lon"), BENT)}
    for coords in ({"lon": ("lon", lon, {"units": "degrees_east"})}, {"lon": lon}):
        with pytest.warns(UserWarning, match="lon is taken as periodic: it spans 360 degrees"):
            data = floral.Dataset.from_xarray(xarray.Dataset(arrays, coords))
        assert data._grid.domains["lon"] == ("periodic", 0.0, 360.0)
    single = {"lon": ("lon", lon.astype(np.float32), {"units": "degrees_east"})}
    assert floral.Dataset.from_xarray(xarray.Dataset(arrays, single))._grid.domains["lon"][0] == "periodic"
    said = xarray.Dataset(arrays, {"lon": ("lon", X, {"periodic": 1, "domain": "of the rod"})})
    assert floral.Dataset.from_xarray(said)._grid.domains["lon"] == ("periodic", 0.0, pytest.approx(12 / 11))
    half = xarray.Dataset(arrays, {"lon": ("lon", lon / 2, {"units": "degrees_east"})})
    assert floral.Dataset.from_xarray(half)._grid.domains.get("lon", ("closed",))[0] == "closed"


def test_a_low_fidelity_that_is_named_must_be_there():
    arrays = {"input": (("input", "x"), LOAD[:, None] * X), "high": (("input", "realization", "x"), BENT)}
    given = xarray.Dataset(arrays, {"x": X})
    assert floral.Dataset.from_xarray(given).low is None
    with pytest.raises(ValueError, match="no variable 'corse'"):
        floral.Dataset.from_xarray(given, low="corse")


def test_an_added_input_leaves_the_domain_as_it_is():
    data = masked()
    outside = np.isnan(data.input[0])
    assert outside.sum() == 4 and np.isnan(data.low[:, outside]).all() and np.isnan(data.high[..., outside]).all()
    model = floral.fit(data, method="kriging", test=0, progress=False)
    assert np.isnan(model.sample(data.input[0], low=data.low[0], realizations=2).mean[outside]).all()
    filled = [np.nan_to_num(values[0]) for values in (data.input, data.high, data.low)]
    for input, high, low in ((data.input[0], data.high[0], data.low[0]), filled):
        longer = data.extended(input, high, low)
        np.testing.assert_array_equal(longer.high[:-1], data.high)
        assert longer.attrs["mask"] is True and np.isnan(longer.high[-1][:, outside]).all()
    model.add(data.input[0], data.high[0], data.low[0], progress=False)
    ensemble = model.sample(data, inputs=[0], realizations=2)[0]
    np.testing.assert_array_equal(np.isnan(ensemble.mean), outside)
    with pytest.raises(ValueError, match="high: 2 values are NaN"):
        data.extended(data.input[0], np.where(np.arange(12) == 7, np.nan, data.high[0])[:2], data.low[0])


def test_quantities_of_a_pickled_ensemble_are_calibrated_as_before(data, model):
    ensembles = model.sample(data.input[:3], low=data.low[:3], realizations=40)
    expected = ensembles.quantity("max(u)")
    assert expected[0].stretch is not None
    contents = pickle.dumps(ensembles)
    assert len(contents) < 2 * len(pickle.dumps(ensembles[0]))
    for again in (pickle.loads(contents), pickle.loads(pickle.dumps(pickle.loads(contents)))):
        for one, other in zip(again.quantity("max(u)"), expected):
            assert one.stretch == other.stretch
            np.testing.assert_array_equal(one.values, other.values)
    peak = lambda u: u.max(axis=-1)
    assert pickle.loads(contents)[1].quantity(peak).stretch == ensembles[1].quantity(peak).stretch


def test_high_fidelity_on_fewer_points_is_refused_in_one_line(tmp_path):
    arrays = {
        "input": (("input", "channel", "x"), (LOAD[:, None] * X)[:, None]),
        "high": (("input", "realization", "channel", "x_high"), BENT[:, :, None, ::3]),
    }
    xarray.Dataset(arrays, {"x": X, "x_high": X[::3]}).to_zarr(tmp_path / "coarse.zarr", zarr_format=3, consolidated=False)
    data = floral.Dataset.open(tmp_path / "coarse.zarr")
    for refused in (data.to_xarray, lambda: data.extended(LOAD[0] * X, BENT[0])):
        with pytest.raises(ValueError, match=r"high is known on \(4,\) points of the grid \(12,\)"):
            refused()


def test_low_fidelity_of_several_realizations_is_not_replaced_by_its_mean(tmp_path):
    draws = 0.9 * BENT[:, :, None] * (1 + 0.1 * RNG.normal(size=(16, 3, 1, 1)))
    arrays = {
        "input": (("input", "channel", "x"), (LOAD[:, None] * X)[:, None]),
        "low_realizations": (("input", "low_realization", "channel", "x"), draws),
        "high": (("input", "realization", "channel", "x"), BENT[:, :, None]),
    }
    xarray.Dataset(arrays, {"x": X}).to_zarr(tmp_path / "drawn.zarr", zarr_format=3, consolidated=False)
    data = floral.Dataset.open(tmp_path / "drawn.zarr")
    for refused in (
        lambda: around(data),
        lambda: floral.Dataset.from_xarray(xarray.open_zarr(data.path, consolidated=False)),
        lambda: data.extended(LOAD[0] * X, BENT[0], BENT[0, 0]),
    ):
        with pytest.raises(ValueError, match="low has several realizations"):
            refused()
