"""`floral import` keeps the meaning of labels, axes and dimensions, asks for it, or refuses the file; it never guesses
silently."""

import h5py
import numpy as np
import pytest
import xarray as xr
from importing import HIGH, INPUT, INPUTS, LOW, POINTS, REALIZATIONS, X, floral, imported, refused

TWO = np.stack([HIGH, 7 * HIGH], 2)


def labelled(order, channel="channel"):
    """High fidelity with two labelled channels in this order."""
    return xr.Dataset(
        {
            "input": (("input", "x"), INPUT),
            "high": (("input", "realization", channel, "x"), TWO[:, :, order]),
        },
        coords={"x": X, channel: np.array(["u", "v"])[order]},
    )


WRITERS = {
    "netcdf4": lambda data, path: data.to_netcdf(path.with_suffix(".nc"), format="NETCDF4"),
    "netcdf3": lambda data, path: data.to_netcdf(path.with_suffix(".nc"), format="NETCDF3_64BIT", engine="scipy"),
    "zarr2": lambda data, path: data.to_zarr(path, zarr_format=2),
    "zarr3": lambda data, path: data.to_zarr(path, zarr_format=3, consolidated=False),
    "npz": lambda data, path: np.savez(
        path, input=data.input, high=data.high, x=data.x, channel=data.channel.values.astype(str)
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", WRITERS)
def test_channels_of_files_are_aligned_by_their_labels(tmp_path, kind):
    for i, order in enumerate(([0, 1], [1, 0])):
        WRITERS[kind](labelled(order), tmp_path / f"file{i}")
    files = sorted(p.name for p in tmp_path.iterdir())
    found, _ = imported(tmp_path, *files)
    np.testing.assert_array_equal(found.high[:INPUTS], found.high[INPUTS:])
    np.testing.assert_array_equal(found.high[:INPUTS], TWO)
    assert found.high.attrs["channel_names"] == ["u", "v"]


def test_other_labels_and_missing_ones_are_refused(tmp_path):
    labelled([0, 1]).to_netcdf(tmp_path / "a.nc")
    labelled([0, 1]).assign_coords(channel=["u", "w"]).to_netcdf(tmp_path / "b.nc")
    assert "(u, w), but those of the first file are (u, v)" in refused(tmp_path, "a.nc", "b.nc")
    labelled([0, 1]).drop_vars("channel").to_netcdf(tmp_path / "c.nc")
    assert "without labels" in refused(tmp_path, "a.nc", "c.nc")


def test_low_fidelity_follows_the_labels_of_high(tmp_path):
    data = labelled([0, 1])
    data["low"] = (("input", "component", "x"), TWO[:, 0, ::-1])
    data.assign_coords(component=["v", "u"]).to_netcdf(tmp_path / "data.nc")
    found, _ = imported(tmp_path, "data.nc")
    np.testing.assert_array_equal(found.low, TWO[:, 0])


def test_low_fidelity_on_a_part_of_the_domain_is_refused(tmp_path):
    x = np.linspace(1, 2, POINTS)
    part = slice(12, 20)
    np.savez(tmp_path / "data.npz", input=INPUT, low=LOW[:, part], high=HIGH, x=x, x_low=x[part])
    words = refused(tmp_path, "data.npz")
    assert "the grid goes from 1 to 2" in words and "[x=10:50]" in words
    picks = ("--input", "input[x=12:20]", "--low", "low", "--high", "high[x=12:20]")
    dims = ("--dims", "input=input,x", "--dims", "low=input,x", "--dims", "high=input,realization,x")
    found, _ = imported(tmp_path, "data.npz", *picks, *dims)
    np.testing.assert_array_equal(found.low[:, 0], LOW[:, part])
    centres = x.reshape(-1, 4).mean(1)
    np.savez(tmp_path / "data.npz", input=INPUT, low=LOW[:, ::4], high=HIGH, x=x, x_low=centres)
    _, output = imported(tmp_path, "data.npz")
    assert "continued linearly beyond its points along x" in output
    assert "not used" not in output


def test_a_span_of_360_is_a_circle_only_in_degrees(tmp_path):
    def kind(name, **attributes):
        along = (name, np.arange(POINTS) * 360.0 / POINTS, attributes)
        data = {"input": (("input", name), INPUT), "high": (("input", "realization", name), HIGH)}
        xr.Dataset(data, coords={name: along}).to_netcdf(tmp_path / "data.nc")
        found, output = imported(tmp_path, "data.nc")
        return found[name].attrs["domain"]["kind"], output

    assert kind("time", units="s")[0] == "closed"
    assert kind("x", units="m")[0] == "closed"
    closed, output = kind("x")
    assert closed == "closed" and "spans 360 without units" in output and "--periodic" in output
    for name, attributes in (("x", {"units": "degrees_east"}), ("lon", {}), ("x", {"periodic": 1})):
        ring, output = kind(name, **attributes)
        assert ring == "periodic" and f"the axis {name} is taken as periodic" in output


@pytest.mark.parametrize("name", ["number", "ensemble", "member", "sample"])
def test_names_of_ensembles_mean_realizations(tmp_path, name):
    data = {"input": (("case", "x"), INPUT), "low": (("case", "x"), LOW), "high": (("case", name, "x"), HIGH)}
    xr.Dataset(data, coords={"x": X}).to_netcdf(tmp_path / "data.nc")
    found, _ = imported(tmp_path, "data.nc")
    np.testing.assert_array_equal(found.high[:, :, 0], HIGH)


def test_a_dimension_that_nobody_explains_is_asked_for(tmp_path):
    data = {"input": (("case", "x"), INPUT), "high": (("case", "k", "x"), HIGH)}
    data = xr.Dataset(data, coords={"x": X})
    data.to_netcdf(tmp_path / "data.nc")
    words = refused(tmp_path, "data.nc")
    assert "the input has no k" in words and "--dims" in words
    found, _ = imported(tmp_path, "data.nc", "--dims", "high=input,realization,x")
    assert found.sizes["realization"] == REALIZATIONS
    data.rename(k="t").to_netcdf(tmp_path / "times.nc")
    found, output = imported(tmp_path, "times.nc")
    assert found.sizes["t"] == REALIZATIONS and "the input does not vary along t" in output


def test_what_cannot_be_read_is_named_and_refused_where_it_is_wanted(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["low"] = LOW
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file["input"], file["high"] = INPUT, HIGH
        file["low"] = h5py.ExternalLink("other.h5", "/low")
    assert "the array low is a link to /low of the file other.h5" in refused(tmp_path, "data.h5")
    with h5py.File(tmp_path / "table.h5", "w") as file:
        file["input"], file["high"] = INPUT, HIGH
        file["runs"] = np.zeros(3, [("a", "f8"), ("b", "i4"), ("c", "i4")])
        lists = file.create_dataset("lists", (2,), h5py.vlen_dtype("f8"))
        lists[0] = [1.0]
    _, output = imported(tmp_path, "table.h5")
    assert "runs is left out: it holds records" in output and "lists is left out: it holds lists" in output
    assert "holds records" in refused(tmp_path, "table.h5", "--low", "runs")
    with h5py.File(tmp_path / "many.h5", "w") as file:
        file["input"], file["high"] = INPUT, HIGH
        for i in range(20):
            file[f"link{i}"] = h5py.ExternalLink("other.h5", "/low")
    assert "leads to the file other.h5" in refused(tmp_path, "many.h5")


def test_lengths_that_leave_axes_open_are_refused_whatever_the_order_of_arrays(tmp_path):
    square = np.random.default_rng(1).random((5, 3, 8, 8))
    x, t = np.linspace(0, 1, 8), np.linspace(0, 2, 8)
    for lists in ({"x": x, "t": t}, {"t": t, "x": x}, {"x": x, "y": x}, {"y": x, "x": x}):
        np.savez(tmp_path / "data.npz", **lists, input=square[:, 0], high=square)
        words = refused(tmp_path, "data.npz")
        assert "lengths do not decide which belongs to which" in words and "--dims" in words
    np.savez(tmp_path / "data.npz", x=x, y=x, input=square[:, 0], high=square)
    found, _ = imported(tmp_path, "data.npz", "--dims", "input=input,y,x", "--dims", "high=input,realization,y,x")
    assert found.high.dims[-2:] == ("y", "x")
    np.savez(tmp_path / "data.npz", x=x, t=t, input=square[:, 0], high=square)
    dims = ("--dims", "input=input,t,x", "--dims", "high=input,realization,t,x")
    found, _ = imported(tmp_path, "data.npz", *dims)
    assert found.high.dims[-2:] == ("t", "x")
    np.testing.assert_allclose(found.t, t, rtol=1e-15)


def test_three_axes_are_kept_and_four_are_refused_before_anything_is_written(tmp_path):
    axes = ("t", "z", "y", "x")
    cube = np.random.default_rng(1).random((3, 4, 5, 6, 7, 8))
    data = {"input": (("case", *axes), cube[:, 0]), "high": (("case", "realization", *axes), cube)}
    xr.Dataset(data).to_netcdf(tmp_path / "data.nc")
    words = refused(tmp_path, "data.nc")
    assert "the axes t, z, y, x, and methods learn on one to three" in words
    found, _ = imported(tmp_path, "data.nc", "--input", "input[t=0]", "--high", "high[t=0]")
    assert found.high.dims[-3:] == ("z", "y", "x")
    np.testing.assert_array_equal(found.high[:, :, 0], cube[:, :, 0])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run trained on files with other array names than input, low and high."""
    folder = tmp_path_factory.mktemp("trained")
    np.savez(folder / "data.npz", field=INPUT, temp_coarse=LOW, temp=HIGH, x=X)
    flags = ("--input", "field", "--low", "temp_coarse", "--high", "temp")
    floral(folder, "import", "data.npz", *flags, "-o", "data.zarr")
    floral(folder, "train", "data.zarr", "--set", "split.test=0", "--set", "split.validation=0", "-o", "run")
    return folder


def sampled(folder, *words):
    done = floral(folder, "sample", "run", *words, "--realizations", 20, "-o", "out.zarr", "--force")
    return xr.open_zarr(folder / "out.zarr").load(), done.stderr


def test_new_cases_imported_by_the_flags_of_training_are_predicted(trained):
    np.savez(trained / "new.npz", field=INPUT[:3], temp_coarse=LOW[:3], x=X)
    flags = ("--input", "field", "--low", "temp_coarse")
    floral(trained, "import", "new.npz", *flags, "-o", "new.zarr", "--force")
    ours, _ = sampled(trained, "--input", "new.zarr")
    np.savez(trained / "few.npz", input=INPUT[:3], low=LOW[:3], x=X)
    few, _ = sampled(trained, "--input", "few.npz")
    assert few.sizes["input"] == 3
    np.testing.assert_allclose(few["mean"], ours["mean"], rtol=1e-6)


@pytest.fixture(scope="module")
def two_channels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("channels")
    data = labelled([0, 1])
    data["low"] = (("input", "channel", "x"), TWO.mean(1))
    data.to_netcdf(folder / "data.nc")
    floral(folder, "import", "data.nc", "-o", "data.zarr")
    floral(folder, "train", "data.zarr", "--set", "split.test=0", "--set", "split.validation=0", "-o", "run")
    data.isel(input=slice(0, 2)).to_netcdf(folder / "same.nc")
    data.isel(input=slice(0, 2), channel=[1, 0]).to_netcdf(folder / "turned.nc")
    data.isel(input=slice(0, 2)).assign_coords(channel=["u", "w"]).to_netcdf(folder / "other.nc")
    for name, order in (("same", ["u", "v"]), ("turned", ["v", "u"]), ("other", ["u", "w"])):
        low = TWO.mean(1)[:2] if name != "turned" else TWO.mean(1)[:2, ::-1]
        np.savez(folder / f"{name}.npz", input=INPUT[:2], low=low, x=X, channel=np.array(order))
    return folder


@pytest.mark.parametrize("ending", ["nc", "npz"])
def test_new_inputs_with_channels_in_another_order_are_reordered(two_channels, ending):
    same, _ = sampled(two_channels, "--input", f"same.{ending}")
    turned, output = sampled(two_channels, "--input", f"turned.{ending}")
    assert "(v, u), the run's (u, v): reordered" in output
    np.testing.assert_allclose(turned["mean"], same["mean"], rtol=1e-6)
    done = floral(two_channels, "sample", "run", "--input", f"other.{ending}", "-o", "other.zarr", code=2)
    assert "is w, but the run was trained on v" in done.stderr
