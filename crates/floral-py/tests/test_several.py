"""Several inputs at once, files, pickles, and refitting of loaded models."""

import pickle

import numpy as np
import pytest
import xarray

import floral


def test_several_inputs_give_an_ensemble_each(data, model):
    given = {"realizations": 4}
    found = model.sample(data.input[2:5], low=data.low[2:5], index=2, **given)
    assert isinstance(found, floral.Ensembles) and len(found) == 3
    assert found.mean.shape == found.std.shape == (3, 16)
    assert np.asarray(found).shape == (3, 4, 16)
    assert found.quantile([0.1, 0.9]).shape == (3, 2, 16)
    alone = model.sample(data.input[3], low=data.low[3], index=3, **given)
    np.testing.assert_array_equal(found[1].realizations, alone.realizations)
    for every in (data, data.to_xarray(), data.to_xarray().drop_vars("high"), data.path):
        several = model.sample(every, **given)
        np.testing.assert_array_equal(several[3].realizations, alone.realizations)
        assert len(model.sample(every, inputs=[3, 5], **given)) == 2
    np.testing.assert_array_equal(model.sample_all(data, **given).mean, model.sample(data, **given).mean)
    dataset = found.to_xarray()
    assert dataset["mean"].dims == ("input", "x") and dataset.novelty.dims == ("input",)
    assert len(model.sample(data.input[:1], low=data.low[:1], **given)) == 1
    broken = data.input.copy()
    broken[4, 7] = np.nan
    with pytest.raises(ValueError, match="^input 4: the input has the value NaN at point 7"):
        model.sample(broken, low=data.low, **given)
    with pytest.raises(ValueError, match="inputs: 10 is out of range; inputs are numbered 0 to 9"):
        model.sample(data, inputs=[10], **given)
    with pytest.raises(ValueError, match="low has 2 inputs but input has 3"):
        model.sample(data.input[:3], low=data.low[:2], **given)


def test_an_ensemble_is_an_array_of_its_realizations(data, model):
    ensemble = model.sample(data.input[0], low=data.low[0], realizations=6)
    np.testing.assert_array_equal(np.asarray(ensemble), ensemble.realizations)
    assert np.asarray(ensemble, dtype=float).dtype == float


def test_ensembles_and_datasets_are_sent_to_other_processes(data, model):
    ensemble = model.sample(data.input[0], low=data.low[0], realizations=6)
    again = pickle.loads(pickle.dumps(ensemble))
    for name in ("realizations", "mean", "std", "aleatoric", "epistemic", "novelty"):
        np.testing.assert_array_equal(getattr(again, name), getattr(ensemble, name))
    copy = pickle.loads(pickle.dumps(data))
    assert repr(copy) == repr(data)
    for name in ("input", "low", "high"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(data, name))


def test_files_of_other_programs_are_imported(tmp_path, curves):
    np.savez(tmp_path / "sea.npz", **{k: curves[k] for k in ("input", "low", "high")}, **curves["coords"])
    dims = {"u": ("input", "x"), "coarse": ("input", "x"), "fine": ("input", "realization", "x")}
    names = {"input": "u", "low": "coarse", "high": "fine"}
    arrays = {names[name]: (dims[names[name]], curves[name]) for name in names}
    xarray.Dataset(arrays, curves["coords"]).to_netcdf(tmp_path / "sea.nc")
    for name, options in (("sea.npz", {}), ("sea.nc", names)):
        opened = floral.Dataset.open(tmp_path / name, **options)
        np.testing.assert_allclose(opened.high, curves["high"])
        assert opened.found["inputs"] == 10 and "axis x" in str(opened.found)
    kept = floral.Dataset.open(tmp_path / "sea.npz", to=tmp_path / "sea.zarr", title="sea")
    assert kept.path == str(tmp_path / "sea.zarr") and kept.attrs["title"] == "sea"
    assert floral.fit(tmp_path / "sea.npz", method="kriging", test=2, validation=0, progress=False)
    with pytest.raises(TypeError, match="'hihg' is not an option of an import"):
        floral.Dataset.open(tmp_path / "sea.npz", hihg="u")
    with pytest.raises(ValueError, match="choose one of input, high"):
        floral.Dataset.open(tmp_path / "sea.npz", grid="low")


def test_files_of_sensors_and_parameters_are_imported_as_by_the_command(tmp_path, curves):
    high = curves["high"].copy()
    for i, runs in enumerate(high):
        runs[:, i % 3 :: 3] = np.nan
    arrays = {"input": curves["input"], "low": curves["low"], "high": high, **curves["coords"]}
    np.savez(tmp_path / "seen.npz", **arrays, load=np.arange(10.0))
    with pytest.raises(ValueError):
        floral.Dataset.open(tmp_path / "seen.npz")
    opened = floral.Dataset.open(tmp_path / "seen.npz", sensors=True, params="load")
    np.testing.assert_array_equal(opened.high, high)
    assert opened.input.shape == (10, 2, 16)


def test_a_loaded_model_goes_on_where_its_data_are_given(tmp_path, curves, data, model):
    path, kept = tmp_path / "curves.floral", tmp_path / "data.zarr"
    model.save(path)
    data.save(kept)
    loaded = floral.load(path, data=kept)
    a = 5.0 * curves["coords"]["x"]
    high = np.sin(a) * np.linspace(0.9, 1.1, 6)[:, None] + 0.2 * a
    loaded.add(a, high, low=np.sin(a), progress=False)
    assert len(loaded.data) == 11
    again = floral.load(path)
    again.add(a, high[:3], low=np.sin(a), data=kept, progress=False)
    assert len(again.data) == 11


def test_a_loaded_model_has_baselines_on_data_it_has_not_seen(tmp_path, curves, data, model):
    path = tmp_path / "curves.floral"
    model.save(path)
    other = {**curves, "input": curves["input"][:4] + 0.1, "low": np.sin, "high": curves["high"][:4]}
    other = floral.Dataset.from_arrays(**other)
    bare = floral.evaluate(floral.load(path), other, realizations=20, progress=False)
    assert bare["mean_residual"] is None and bare["kriging"] is None
    whole = floral.load(path, data=data)
    scores = floral.evaluate(whole, other, realizations=20, progress=False)
    assert scores["mean_residual"]["rmse"] > 0 and scores["kriging"]["rmse"] > 0
    np.testing.assert_equal(
        scores["kriging"], floral.evaluate(model, other, realizations=20, progress=False)["kriging"]
    )


def test_a_constant_added_to_solutions_is_added_to_predictions(curves):
    a, low = curves["input"][0], curves["low"][0]

    def sampled(offset):
        moved = {**curves, "low": curves["low"] + offset, "high": curves["high"] + offset}
        made = floral.Dataset.from_arrays(**moved)
        model = floral.fit(made, test=2, validation=0, method="kriging", progress=False)
        return model.sample(a, low=low + offset, realizations=200)

    plain = sampled(0.0)
    assert plain.realizations.dtype == np.float32
    for offset in (1e7, -1e8):
        far = sampled(offset)
        assert far.realizations.dtype == np.float64
        drawn = far.realizations - offset
        assert all(len(np.unique(column)) == 200 for column in drawn[:, 1:].T)
        spread = 0.2 * plain.std.max()
        np.testing.assert_allclose(far.std, plain.std, atol=spread)
        np.testing.assert_allclose(far.mean - offset, plain.mean, atol=spread)
        np.testing.assert_allclose(drawn.std(0, ddof=1), plain.std, atol=spread)
        np.testing.assert_allclose(far.quantile(0.9), np.quantile(far.realizations, 0.9, axis=0))


def test_small_values_of_a_logarithm_keep_their_spread(curves):
    high = 1e-300 * np.exp(curves["high"])
    made = floral.Dataset.from_arrays(curves["input"], high, coords=curves["coords"])
    model = floral.fit(made, test=2, validation=0, method="kriging", transform="log", progress=False)
    ensemble = model.sample(curves["input"][0], realizations=100)
    assert (ensemble.realizations > 0).all() and (ensemble.mean > 0).all()
    relative = np.std(np.log(ensemble.realizations), axis=0).mean()
    truth = np.std(curves["high"][0], axis=0).mean()
    assert 0.2 < relative / truth < 5.0


def test_scores_do_not_change_with_an_offset():
    rng = np.random.default_rng(0)
    members, truth = rng.normal(size=(50, 20)), rng.normal(size=(3, 20))
    for score in (floral.metrics.crps, floral.metrics.energy_score, floral.metrics.coverage):
        near, far = score(members, truth), score(members + 1e8, truth + 1e8)
        np.testing.assert_allclose(far, near, rtol=1e-5)


@pytest.mark.parametrize("method", ["floral-kl", "kriging"])
@pytest.mark.parametrize("case", ["equal", "constant", "large"])
def test_no_panic_escapes(curves, method, case):
    a, low = curves["input"], curves["low"]
    high = {
        "equal": np.repeat(low[:, None], 4, axis=1),
        "constant": np.ones((10, 4, 16)),
        "large": 1e150 * curves["high"],
    }[case]
    low = 1e150 * low if case == "large" else low
    try:
        data = floral.Dataset.from_arrays(a, high, low, coords=curves["coords"])
        model = floral.fit(data, method=method, test=2, validation=0, progress=False)
        floral.evaluate(model, data, realizations=20, progress=False)
        ensemble = model.sample(a[0], low=low[0], realizations=20)
    except Exception as error:  # A panic would be a BaseException only.
        assert str(error)
        return
    assert np.isfinite(ensemble.mean).all()
