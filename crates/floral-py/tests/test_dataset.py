"""Datasets from arrays: accepted forms, and the messages of refused ones."""

import numpy as np
import pytest
import xarray

import floral


def test_a_dataset_returns_the_arrays_it_was_made_of(curves, data):
    assert len(data) == 10 and data.realizations == 6
    for name in ("input", "low", "high"):
        np.testing.assert_array_equal(getattr(data, name), curves[name])
    np.testing.assert_array_equal(data.coords["x"], curves["coords"]["x"])
    assert repr(data) == "Dataset of 10 inputs, 6 realizations each, with low fidelity, on x: 16"


def test_a_packed_store_is_opened_as_it_is_meant(curves, tmp_path):
    low, high = (np.round(curves[name], 3) for name in ("low", "high"))
    stored = xarray.Dataset(
        {
            "input": (("input", "channel", "x"), curves["input"][:, None]),
            "low": (("input", "channel", "x"), low[:, None]),
            "high": (("input", "realization", "channel", "x"), high[:, :, None]),
        },
        {"x": curves["coords"]["x"]},
    )
    packing = {"dtype": "i4", "scale_factor": 1e-3, "add_offset": 7.0, "_FillValue": -1}
    stored.to_zarr(tmp_path / "packed.zarr", zarr_format=3, encoding={"low": packing, "high": packing})
    opened = floral.Dataset.open(tmp_path / "packed.zarr")
    np.testing.assert_allclose(opened.low, low, atol=1e-9)
    np.testing.assert_allclose(opened.high, high, atol=1e-9)


def test_lists_singles_integers_and_views_are_the_same_data(curves):
    high = curves["high"].astype(np.float32)
    a = np.round(curves["input"])
    plain = floral.Dataset.from_arrays(input=a, high=high.astype(float), coords=curves["coords"])
    other_strides = np.asfortranarray(high)[::1]
    every_second = np.repeat(a, 2, axis=0)[::2].astype(int)
    other = floral.Dataset.from_arrays(
        input=every_second.tolist(), high=other_strides, coords={"x": list(curves["coords"]["x"])}
    )
    np.testing.assert_array_equal(plain.input, other.input)
    np.testing.assert_array_equal(plain.high, other.high)
    assert plain.low is None


def test_channels_have_an_axis_only_where_there_are_several(curves):
    two = {
        "input": curves["input"],
        "high": np.stack([curves["high"], -curves["high"]], axis=2),
        "low": np.stack([curves["low"], -curves["low"]], axis=1),
    }
    data = floral.Dataset.from_arrays(**two, coords=curves["coords"])
    assert data.input.shape == (10, 16)
    assert data.low.shape == (10, 2, 16)
    assert data.high.shape == (10, 6, 2, 16)
    explicit = floral.Dataset.from_arrays(
        input=two["input"][:, None], high=two["high"], low=two["low"], coords=curves["coords"]
    )
    np.testing.assert_array_equal(explicit.input, data.input)


def test_one_realization_needs_no_axis(curves):
    data = floral.Dataset.from_arrays(
        input=curves["input"], high=curves["high"][:, 0], coords=curves["coords"]
    )
    assert data.realizations == 1


def test_points_without_coordinates_are_numbered_and_it_is_said(curves):
    with pytest.warns(UserWarning, match="no coordinates are given for x"):
        data = floral.Dataset.from_arrays(input=curves["input"], high=curves["high"])
    np.testing.assert_array_equal(data.coords["x"], np.arange(16))
    assert data.dims == ("x",)


def test_functions_solve_each_input(curves):
    calls = []

    def low(a):
        calls.append(a.shape)
        return np.sin(a)

    data = floral.Dataset.from_arrays(
        input=curves["input"],
        low=low,
        high=lambda a: np.stack([np.sin(a), 1.1 * np.sin(a)]),
        coords=curves["coords"],
    )
    assert calls == [(16,)] * 10
    np.testing.assert_array_equal(data.low, np.sin(curves["input"]))
    assert data.realizations == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"low": np.zeros((10, 15))}, "low has the grid (15,) but input has (16,)"),
        ({"low": np.zeros((9, 16))}, "low has 9 inputs but input has 10"),
        ({"high": np.zeros(16)}, "high has the shape (16,), but it should be [input, realization, x]"),
        ({"high": None}, "high is missing"),
        ({"input": np.zeros((10, 16), complex)}, "input is complex"),
        ({"input": np.full((10, 16), "a")}, "give numbers"),
        ({"input": [[0.0] * 16, [0.0] * 15]}, "parts differ in shape"),
        ({"coords": {"x": np.arange(15.0)}}, "check that coords are in the order of the array's axes"),
        ({"coords": {"x": -np.arange(16.0)}}, "not increasing"),
        ({"coords": {"x": np.arange("2020-01-01", "2020-01-17", dtype="M8[D]")}}, "are dates"),
        ({"domains": {"y": "periodic"}}, "there is no axis 'y'"),
        ({"domains": {"x": "round"}}, "give one of closed, periodic, times"),
        ({"symmetries": ["spin:x"]}, "spin"),
        ({"input": np.ma.masked_less(np.zeros((10, 16)), 1.0)}, "masked values"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_to_do(curves, change, words):
    with pytest.raises(ValueError) as refusal:
        floral.Dataset.from_arrays(**{**curves, **change})
    assert words in str(refusal.value)


def test_values_that_are_not_finite_are_refused_with_their_place(curves):
    high = curves["high"].copy()
    high[4, 2, 7] = np.nan
    with pytest.raises(ValueError, match="high: 1 values are NaN or infinite, the first in input 4, "
                                         "realization 2"):
        floral.Dataset.from_arrays(**{**curves, "high": high})


def test_domains_are_declared_and_symmetries_checked_against_them(curves):
    with pytest.raises(ValueError, match="roll"):
        floral.Dataset.from_arrays(**curves, symmetries=["roll:x"])
    data = floral.Dataset.from_arrays(**curves, symmetries=["roll:x"], domains={"x": "periodic"})
    assert data.symmetries == ["roll:x"]
    degrees = {"x": ("periodic", 0.0, 3.0)}
    data = floral.Dataset.from_arrays(**curves, domains=degrees)
    assert data._grid.domains["x"] == ("periodic", 0.0, 3.0)
    with pytest.raises(ValueError, match="domain from 0 to 1"):
        floral.Dataset.from_arrays(**curves, domains={"x": ("periodic", 0.0, 1.0)})


def plane():
    rng = np.random.default_rng(0)
    x, y = np.linspace(0.0, 1.0, 5), np.linspace(0.0, 3.0, 7)
    high = rng.normal(size=(4, 3, 5, 7))
    return xarray.Dataset(
        {
            "a": (("input", "x", "y"), rng.normal(size=(4, 5, 7))),
            "coarse": (("input", "x", "y"), high.mean(1)),
            "u": (("input", "realization", "x", "y"), high),
        },
        {"x": x, "y": ("y", y, {"units": "mm"})},
    )


NAMES = {"input": "a", "low": "coarse", "high": "u"}


def test_an_xarray_dataset_is_taken_with_dimensions_in_any_order():
    given = plane()
    plain = floral.Dataset.from_xarray(given, **NAMES)
    assert plain.dims == ("x", "y")
    np.testing.assert_array_equal(plain.high, given.u.values)
    mixed = given.copy()
    mixed["coarse"] = given.coarse.transpose("y", "input", "x")
    mixed["u"] = given.u.transpose("x", "realization", "y", "input")
    other = floral.Dataset.from_xarray(mixed, **NAMES)
    np.testing.assert_array_equal(other.high, plain.high)
    np.testing.assert_array_equal(other.low, plain.low)


def test_decreasing_coordinates_are_turned_with_their_fields():
    given = plane()
    turned = floral.Dataset.from_xarray(given.isel(y=slice(None, None, -1)), **NAMES)
    np.testing.assert_array_equal(turned.coords["y"], given.y.values)
    np.testing.assert_array_equal(turned.high, given.u.values)


def test_what_xarray_gives_and_what_it_lacks():
    given = plane()
    with pytest.raises(ValueError, match="no variable 'input', but a, coarse, u"):
        floral.Dataset.from_xarray(given)
    with pytest.raises(ValueError, match="lacks 'y'"):
        floral.Dataset.from_xarray(given.assign(u=given.u.isel(y=0, drop=True)), **NAMES)
    shifted = given.coarse.assign_coords(x=given.x + 0.1)
    with pytest.raises(ValueError, match="different coordinates x"):
        floral.Dataset.from_arrays(input=given.a, low=shifted, high=given.u)
    data = floral.Dataset.from_arrays(input=given.a, low=given.coarse, high=given.u)
    again = data.to_xarray()
    assert again.high.dims == ("input", "realization", "x", "y")
    np.testing.assert_array_equal(again.high, given.u)
    np.testing.assert_array_equal(floral.Dataset.from_xarray(again).low, given.coarse)


def test_a_dataset_is_kept_opened_and_read_by_xarray(tmp_path, curves, data):
    path = tmp_path / "data.zarr"
    kept = data.save(path)
    assert kept.path == str(path)
    np.testing.assert_array_equal(floral.Dataset.open(path).high, data.high)
    np.testing.assert_array_equal(xarray.open_zarr(path).high.values[:, :, 0], data.high)
    with pytest.raises(FileExistsError):
        data.save(path)
    straight = floral.Dataset.from_arrays(**curves, path=tmp_path / "straight.zarr")
    assert (tmp_path / "straight.zarr" / "zarr.json").exists()
    np.testing.assert_array_equal(straight.input, data.input)


def test_missing_files_and_files_that_are_no_dataset_raise_different_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.zarr"):
        floral.Dataset.open(tmp_path / "none.zarr")
    (tmp_path / "text").write_text("no dataset")
    with pytest.raises((OSError, ValueError)):
        floral.Dataset.open(tmp_path / "text")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "zarr.json").write_text("{}")
    with pytest.raises(floral.errors.BadFileError):
        floral.Dataset.open(tmp_path / "folder")
    with pytest.raises(TypeError, match="from_arrays"):
        floral.fit(np.zeros(3))


def test_an_inspection_is_a_dict_that_prints_as_text(data):
    summary = data.inspect()
    assert summary["inputs"] == 10
    assert summary["verdict"]["worth"] in ("yes", "somewhat", "no")
    text = str(summary)
    assert text.startswith("data\n") and "worth it?" in text
    assert repr(summary) == text


def test_problems_are_the_commands_own(tmp_path):
    data = floral.problems.residual1d(inputs=3, realizations=2, resolution=16, seed=4)
    assert data.attrs["problem"] == "1dcr" and data.attrs["seed"] == 4
    assert data.high.shape == (3, 2, 16)
    assert floral.problems.names == ("1dcr", "advection", "burgers", "darcy", "plume")
    path = tmp_path / "b.zarr"
    settings = {"resolution": (8, 16), "viscosity": 0.02, "path": path}
    data = floral.problems.burgers(inputs=1, realizations=1, **settings)
    assert data.attrs["constants"]["viscosity"] == 0.02 and data.high.shape == (1, 1, 8, 16)
    assert path.exists()
    with pytest.raises(ValueError, match="alfa"):
        floral.problems.residual1d(alfa=1.0)
    with pytest.raises(ValueError, match="unknown problem"):
        floral.problems.generate("navier")


def test_names_and_units_travel_from_arrays_to_xarray_and_back(tmp_path, curves):
    data = floral.Dataset.from_arrays(
        **curves,
        names={"input": "load", "high": "deflection"},
        units={"x": "m", "input": "N m-1", "high": "mm"},
    )
    assert data.quantities["solution"] == [{"name": "deflection", "units": "mm"}]
    dataset = data.to_xarray()
    assert dataset.high.attrs["units"] == dataset.low.attrs["units"] == "mm" and dataset.x.attrs["units"] == "m"
    again = floral.Dataset.from_xarray(dataset)
    assert again.quantities == data.quantities and again._grid.units == {"x": "m"}
    stored = xarray.open_zarr(data.save(tmp_path / "units.zarr").path)
    assert stored.input.attrs["units"] == "N m-1"
    with pytest.raises(ValueError, match="'low' is unknown; choose among input, high, x"):
        floral.Dataset.from_arrays(**curves, units={"low": "mm"})
    with pytest.raises(ValueError, match="2 texts"):
        floral.Dataset.from_arrays(**curves, names={"high": ["u", "v"]})
    other = dataset.assign(low=(dataset.low / 1000).assign_attrs(units="m"))
    with pytest.warns(UserWarning, match="low is converted from m to mm, times 1000"):
        np.testing.assert_allclose(floral.Dataset.from_xarray(other).low, data.low)
