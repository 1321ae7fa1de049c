"""Models: fitting, sampling, saving, extension; unsuitable inputs are refused with a clear message."""

import pickle

import numpy as np
import pytest
import xarray

import floral


def new(curves, k=2.5):
    a = k * curves["coords"]["x"]
    return a, np.sin(a)


def test_mean_and_spread_are_those_that_the_method_knows_however_many_are_drawn(curves, model):
    a, low = new(curves)
    ensemble = model.sample(a, low=low, realizations=2000)
    few = model.sample(a, low=low, realizations=2)
    np.testing.assert_array_equal(few.mean, ensemble.mean)
    np.testing.assert_array_equal(few.std, ensemble.std)
    double = ensemble.realizations.astype(float)
    error = ensemble.std / np.sqrt(2000)
    assert (np.abs(double.mean(0) - ensemble.mean) < 5 * error + 1e-6).all()
    np.testing.assert_allclose(double.std(0, ddof=1), ensemble.std, rtol=0.15, atol=1e-6)


def test_an_ensemble_has_the_statistics_of_its_realizations(curves, model):
    a, low = new(curves)
    ensemble = model.sample(a, low=low, realizations=300)
    assert len(ensemble) == 300 and ensemble.realizations.shape == (300, 16)
    assert ensemble.realizations.dtype == np.float32
    double = ensemble.realizations.astype(float)
    np.testing.assert_allclose(ensemble.exceedance(0.3), (double > 0.3).mean(0))
    low, high = ensemble.quantile([0.05, 0.95])
    assert (low <= ensemble.mean).all() and (ensemble.mean <= high).all()
    np.testing.assert_allclose(ensemble.quantile(0.5), np.median(double, 0), atol=1e-3)
    assert ensemble.exceedance([0.0, 0.3]).shape == (2, 16)
    assert ensemble.aleatoric.shape == ensemble.epistemic.shape == (16,)
    assert ensemble.novelty > 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        ensemble.quantile(5)
    with pytest.raises(ValueError):
        ensemble.realizations[0, 0] = 1.0


def test_the_prediction_is_better_than_low_fidelity_and_its_spread_is_right(curves, model):
    a, low = new(curves)
    ensemble = model.sample(a, low=low, realizations=500)
    truth = low + 0.2 * a
    assert floral.metrics.rmse(ensemble.mean, truth) < 0.2 * floral.metrics.rmse(low, truth)
    spread = np.sqrt(np.mean(ensemble.variance) / np.mean((0.1 * low) ** 2))
    assert 0.5 < spread < 2.0


def test_seed_and_index_choose_the_realizations(curves, model):
    a, low = new(curves)

    def first(**options):
        return model.sample(a, low=low, **{"realizations": 8, **options}).realizations

    np.testing.assert_array_equal(first(), first())
    np.testing.assert_array_equal(first(), first(realizations=20)[:8])
    assert not np.array_equal(first(), first(seed=1))
    assert not np.array_equal(first(), first(index=1))


def test_threads_do_not_change_a_bit(curves, model):
    a, low = new(curves)
    before = floral.threads()
    try:
        floral.set_threads(1)
        one = model.sample(a, low=low, realizations=100).realizations
        floral.set_threads(3)
        assert floral.threads() == 3
        three = model.sample(a, low=low, realizations=100).realizations
    finally:
        floral.set_threads(before)
    np.testing.assert_array_equal(one, three)
    with pytest.raises(ValueError, match="at least 1"):
        floral.set_threads(0)


def test_inputs_are_taken_in_any_form(curves, model):
    a, low = new(curves)
    plain = model.sample(a, low=low, realizations=5).mean
    array = xarray.DataArray(a, dims="x", coords=curves["coords"])
    together = xarray.Dataset({"input": array, "low": ("x", low)})
    for other in (
        model.sample(a.tolist(), low=low[None], realizations=5),
        model.sample(np.stack([a, a], 1)[:, 0], low=np.sin, realizations=5),
        model.sample(array, low=array.copy(data=low), realizations=5),
        model.sample(array[::-1], low=array[::-1].copy(data=low[::-1]), realizations=5),
        model.sample(together, realizations=5),
        model.sample(a, low=low, coords=curves["coords"], realizations=5),
    ):
        np.testing.assert_array_equal(other.mean, plain)
    single = model.sample(a.astype(np.float32), low=low.astype(np.float32), realizations=5)
    np.testing.assert_allclose(single.mean, plain, atol=1e-5)


def test_a_whole_dataset_gives_an_ensemble_of_each_input(data, model):
    all_inputs = model.sample_all(data, realizations=4)
    assert len(all_inputs) == len(data)
    alone = model.sample(data.input[3], low=data.low[3], index=3, realizations=4)
    np.testing.assert_array_equal(all_inputs[3].realizations, alone.realizations)


def test_other_grids_are_asked_for_by_resolution_or_given_with_coordinates(curves, model):
    a, low = new(curves)
    fine = model.sample(a, low=low, resolution=31, realizations=50)
    assert fine.mean.shape == (31,) and fine.coords["x"][-1] == 2.0
    x = np.linspace(0.0, 2.0, 21)
    other = model.sample(2.5 * x, low=np.sin(2.5 * x), coords={"x": x}, realizations=50)
    assert other.mean.shape == (21,)
    with pytest.raises(ValueError, match=r"input has the grid shape \(21,\), but the model's grid has \(16,\)"):
        model.sample(2.5 * x, low=np.sin(2.5 * x))
    with pytest.raises(ValueError, match="the model's axes are"):
        model.sample(2.5 * x, low=np.sin(2.5 * x), coords={"y": x})


def test_what_cannot_be_sampled_is_refused_with_what_to_do(curves, model):
    a, low = new(curves)
    bad = low.copy()
    bad[5] = np.nan
    for arguments, words in [
        ({"input": a}, "has no low-fidelity solutions"),
        ({"input": a, "low": bad}, "low-fidelity solution has the value NaN at point 5"),
        ({"input": a, "low": low[:-1]}, "low has the grid (15,) but input has (16,)"),
        ({"input": np.stack([a, a, a]), "low": low}, "low has the shape (16,), but it should be [input, x]"),
        ({"input": np.zeros((2, 3, 16)), "low": np.stack([low, low])}, "[3, 16]"),
        ({"input": np.zeros((2, 2, 3, 16)), "low": low}, "[input, channel, x]"),
        ({"input": a, "low": low, "realizations": 0}, "at least one"),
        ({"input": a, "low": low, "solver": "rk5"}, "rk5"),
        ({"input": a, "low": low, "tolerance": 1e-3, "steps": 3}, "leave out the tolerance or the steps"),
    ]:
        with pytest.raises(ValueError) as refusal:
            model.sample(**arguments)
        assert words in str(refusal.value), arguments


def test_a_model_file_predicts_the_same_to_the_bit(tmp_path, curves, model):
    a, low = new(curves)
    path = tmp_path / "curves.floral"
    model.save(path)
    loaded = floral.load(str(path))
    assert loaded.method == "floral-kl" and loaded.settings == model.settings
    assert loaded.data is None and repr(loaded) == "Model by floral-kl on x: 16"
    before, after = (m.sample(a, low=low, realizations=9) for m in (model, loaded))
    np.testing.assert_array_equal(before.realizations, after.realizations)
    with pytest.raises(ValueError, match="loaded without the data"):
        loaded.add(a, np.stack([low, low]))


def test_files_that_are_no_model_are_refused(tmp_path, model):
    with pytest.raises(FileNotFoundError):
        floral.load(tmp_path / "none.floral")
    path = tmp_path / "cut.floral"
    model.save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(floral.errors.BadFileError, match="cut.floral"):
        floral.load(path)
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "no" / "folder" / "here.floral")


def test_adding_a_simulation_refits_with_the_same_settings(curves):
    data = floral.Dataset.from_arrays(**{**curves, "low": np.sin})
    model = floral.fit(data, test=1, validation=0, seed=4, progress=False)
    a = 5.0 * curves["coords"]["x"]
    high = np.sin(a) * np.linspace(0.9, 1.1, 6)[:, None] + 0.2 * a
    before = model.sample(a, realizations=50)
    assert model.add(a, high, progress=False) is model
    after = model.sample(a, realizations=50)
    assert len(model.data) == 11 and model.settings["seed"] == 4
    assert after.novelty < before.novelty
    truth = np.sin(a) + 0.2 * a
    assert floral.metrics.rmse(after.mean, truth) < floral.metrics.rmse(before.mean, truth)
    with pytest.raises(ValueError, match="but the other inputs have"):
        model.add(a, np.stack([high, high], axis=1), progress=False)


def test_networks_are_fitted_with_settings_as_words_and_dicts(data):
    small = {"hidden_channels": 4, "film_channels": 4, "layers": 2}
    model = floral.fit(
        data,
        method="floral",
        test=1,
        validation=np.int64(1),
        epochs=1,
        settings={"network": small},
        optimiser={"batch": 4},
        progress=False,
    )
    assert model.settings["optimiser"]["batch"] == 4
    assert model.settings["stopping"]["epochs"] == 1
    ensemble = model.sample(data.input[0], low=data.low[0], realizations=3, solver="heun", steps=3)
    assert ensemble.realizations.shape == (3, 16) and ensemble.novelty is None
    for settings, words in [
        ({"method": "gan"}, "gan"),
        ({"method": "floral", "optimiser": {"lr": 1}}, "lr"),
        ({"optimizer": {"batch": 4}}, "optimizer"),
        ({"stopping": {"epochs": 3}}, "is for networks"),
        ({"validation": 20}, "20"),
        ({"resolution": 5}, "divide"),
        ({"settings": {"seed": object()}}, "is not a number"),
    ]:
        with pytest.raises((ValueError, TypeError)) as refusal:
            floral.fit(data, progress=False, **settings)
        assert words in str(refusal.value), settings


def test_a_folder_is_a_run_that_the_command_line_knows(tmp_path, data):
    path = tmp_path / "run"
    model = floral.fit(data, test=1, validation=0, folder=path, progress=False)
    assert (path / "config.toml").exists()
    again = floral.load(path)
    np.testing.assert_array_equal(
        *(m.sample_all(data, inputs=[0], realizations=2)[0].realizations for m in (model, again)),
    )
    with pytest.raises(ValueError, match="other settings"):
        floral.fit(data, test=2, validation=0, folder=path, progress=False)


def test_an_evaluation_is_a_dict_that_prints_as_a_table(data, model):
    scores = floral.evaluate(model, data, realizations=100, progress=False)
    assert scores["inputs"] == {"start": 0, "end": 2}
    assert scores["prediction"]["mean"]["rmse"] < scores["low"]["rmse"]
    assert "CRPS" in str(scores)
    one = floral.evaluate(model, data, inputs=range(1, 2), realizations=100, progress=False)
    assert one["inputs"] == {"start": 1, "end": 2}
    with pytest.raises(ValueError, match="choose at least one"):
        floral.evaluate(model, data, inputs=range(20, 30))


def test_data_that_a_model_has_not_seen_are_known_by_their_values(curves, data, model):
    other = {**curves, "input": curves["input"][:4] + 0.1, "low": np.sin, "high": curves["high"][:4]}
    scores = floral.evaluate(
        model, floral.Dataset.from_arrays(**other), realizations=20, progress=False
    )
    assert scores["inputs"] == {"start": 0, "end": 4} and scores["seen"] == 0
    with pytest.warns(UserWarning, match="8 of these inputs were used in training"):
        floral.evaluate(model, data, inputs=range(10), realizations=20, progress=False)
    kept_none = floral.fit(data, test=0, validation=0, method="kriging", progress=False)
    with pytest.raises(ValueError, match="kept none"):
        floral.evaluate(kept_none, data)


def test_two_channels_and_two_axes_keep_their_places():
    rng = np.random.default_rng(1)
    x, y = np.linspace(0.0, 1.0, 6), np.linspace(0.0, 2.0, 9)
    a = rng.normal(size=(8, 1, 1)) * x[:, None] + rng.normal(size=(8, 1, 1)) * y
    low = np.stack([a, -a], axis=1)
    high = low[:, None] + 0.1 * rng.normal(size=(8, 4, 2, 1, 1))
    data = floral.Dataset.from_arrays(input=a, low=low, high=high, coords={"x": x, "y": y})
    model = floral.fit(data, test=0, validation=0, progress=False)
    ensemble = model.sample(a[0], low=low[0], realizations=20)
    assert ensemble.mean.shape == (2, 6, 9)
    np.testing.assert_allclose(ensemble.mean, low[0], atol=0.3)
    assert ensemble.quantile([0.1, 0.9]).shape == (2, 2, 6, 9)
    dataset = ensemble.to_xarray()
    assert dataset["mean"].dims == ("channel", "x", "y")
    assert dataset["quantiles"].dims == ("quantile", "channel", "x", "y")
    array = xarray.DataArray(a[0].T, dims=("y", "x"), coords={"y": y, "x": x})
    own = xarray.DataArray(low[0], dims=("channel", "x", "y"), coords={"x": x, "y": y})
    swapped = model.sample(array, low=own, realizations=20)
    np.testing.assert_array_equal(swapped.mean, ensemble.mean)


def test_an_ensemble_goes_to_xarray_and_to_a_figure(curves, model):
    a, low = new(curves)
    ensemble = model.sample(a, low=low, realizations=20)
    dataset = ensemble.to_xarray(quantiles=[0.1], thresholds=[0.5])
    np.testing.assert_array_equal(dataset["mean"], ensemble.mean)
    assert dataset.exceedance.dims == ("threshold", "x") and dataset.sizes["realization"] == 20
    np.testing.assert_array_equal(dataset.x, curves["coords"]["x"])
    figure = ensemble.plot()
    (axes,) = figure.axes
    assert axes.get_xlabel() == "x"
    with pytest.raises(ValueError, match="channel 3"):
        ensemble.plot(channel=3)


def test_units_are_converted_or_refused_and_it_is_said(curves):
    x = curves["coords"]["x"]
    data = floral.Dataset.from_arrays(**curves, units={"x": "m", "input": "Pa", "high": "mm"})
    model = floral.fit(data, test=1, validation=0, progress=False)
    a, low = new(curves)
    plain = model.sample(a, low=low, realizations=5)
    assert plain.quantities == [{"units": "mm"}]
    assert plain.to_xarray()["mean"].attrs["units"] == "mm"
    (axes,) = plain.plot().axes
    assert axes.get_xlabel() == "x (m)" and axes.get_ylabel() == "(mm)"

    def given(values, units, along=1.0, length="m"):
        coords = {"x": ("x", along * x, {"units": length})}
        return xarray.DataArray(values, dims="x", coords=coords, attrs={"units": units})

    with pytest.warns(UserWarning) as notes:
        converted = model.sample(
            given(a / 1000, "kPa", 1000.0, "mm"), low=given(low / 10, "cm", 1000.0, "mm"), realizations=5
        )
    assert len(notes) == 3 and "converted to m" in str(notes[0].message)
    np.testing.assert_allclose(converted.realizations, plain.realizations, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="is in K, but the run was trained in Pa"):
        model.sample(given(a, "K"), low=given(low, "mm"))
    in_mm = model.sample(given(a, "Pa"), low=given(low, "mm", 1000.0, "mm"), realizations=5)
    np.testing.assert_allclose(in_mm.mean, plain.mean, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="low and input have different coordinates x"):
        model.sample(given(a, "Pa"), low=given(low, "mm", 1.0, "mm"))
    with pytest.raises(ValueError, match="1000 times"):
        model.sample(a, low=low, coords={"x": 1000 * x})


def test_an_input_far_outside_of_training_is_noted(curves, model):
    a, low = new(curves, k=400.0)
    with pytest.warns(UserWarning, match="training"):
        model.sample(a, low=low, realizations=2)


def test_a_threshold_names_its_channel_if_there_are_several(curves):
    two = np.stack([curves["high"], 1000 * curves["high"]], axis=2)
    low = np.stack([curves["low"], 1000 * curves["low"]], axis=1)
    data = floral.Dataset.from_arrays(
        input=curves["input"], low=low, high=two, coords=curves["coords"], names={"high": ["u", "p"]}
    )
    model = floral.fit(data, test=0, validation=0, progress=False)
    a, first = new(curves)
    ensemble = model.sample(a, low=np.stack([first, 1000 * first]), realizations=20)
    with pytest.raises(ValueError, match="give the channel"):
        ensemble.exceedance(0.3)
    np.testing.assert_array_equal(
        ensemble.exceedance(300.0, channel="p"), (ensemble.realizations[:, 1] > 300.0).mean(0)
    )
    assert ensemble.exceedance([0.1, 0.2], channel=0).shape == (2, 16)
    assert list(ensemble.to_xarray().channel.values) == ["u", "p"]
    above = ensemble.to_xarray(thresholds=[300.0]).exceedance
    assert above.dims == ("threshold", "channel", "x")
    np.testing.assert_array_equal(above.sel(channel="p").values[0], ensemble.exceedance(300.0, channel="p"))
    with pytest.raises(ValueError, match="'q' is not among those of the solution: u, p"):
        ensemble.plot(channel="q")


def test_a_model_is_sent_to_other_processes(curves, model):
    a, low = new(curves)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        *(m.sample(a, low=low, realizations=3).realizations for m in (model, copy))
    )


def test_suggestions_are_the_inputs_that_would_tell_most(curves, model):
    x = curves["coords"]["x"]
    pool = np.stack([k * x for k in (2.0, 2.1, 6.0, 2.2)])
    found = model.suggest(pool, low=np.sin, k=2)
    assert found["inputs"][0]["input"] == 2 and found["inputs"][0]["novelty"] > 1
    assert "novelty" in str(found)
    with pytest.raises(ValueError, match="the pool has 4"):
        model.suggest(pool, low=np.sin(pool), k=9)


def test_stand_ins_and_transforms_are_settings_like_others(curves):
    high = np.exp(curves["high"])
    data = floral.Dataset.from_arrays(input=curves["input"], high=high, coords=curves["coords"])
    settings = {"low": {"kind": "mean"}, "transform": "log"}
    model = floral.fit(data, test=0, validation=0, progress=False, **settings)
    ensemble = model.sample(curves["input"][0], realizations=200)
    assert (ensemble.realizations > 0).all()
