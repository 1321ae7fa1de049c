"""Predictions given readings: exact readings are reproduced, the shell gives the same numbers, bad readings are refused."""

import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import floral


@pytest.fixture(scope="module")
def known():
    x = np.linspace(0.0, 1.0, 16)
    rng = np.random.default_rng(0)
    a = rng.uniform(1.0, 2.0, 12)[:, None] * x
    low = np.sin(a)
    waves = rng.normal(size=(12, 20, 1)) * np.sin(5 * x) + rng.normal(size=(12, 20, 1)) * np.cos(3 * x)
    data = floral.Dataset.from_arrays(input=a, low=low, high=low[:, None] + 0.2 * waves, coords={"x": x})
    model = floral.fit(data, test=2, validation=2, progress=False)
    return x, 1.5 * x, model


def given(known, observe, **options):
    x, new, model = known
    return model.sample(new, low=np.sin(new), realizations=300, observe=observe, progress=False, **options)


def test_an_exact_reading_is_reproduced_and_shrinks_the_spread(known):
    x, new, _ = known
    free = given(known, None)
    value = np.sin(new[4]) + 0.2
    held = given(known, floral.Observations([x[4]], [value]))
    np.testing.assert_allclose(held.realizations[:, 4], value, atol=1e-5)
    assert held.std[4] < 1e-5 and held.mean[4] == pytest.approx(value, abs=1e-5)
    assert (held.std <= free.std * 1.2).all() and held.std.mean() < free.std.mean()
    assert free.innovation is None and held.innovation["readings"] == 1
    assert repr(held).endswith("given 1 reading")
    assert pickle.loads(pickle.dumps(held)).innovation == held.innovation


def test_known_moments_are_those_of_the_draws(known):
    held = given(known, floral.Observations([0.3, 0.81], [0.5, 1.0], std=0.05))
    np.testing.assert_allclose(held.realizations.mean(0), held.mean, atol=0.04)
    np.testing.assert_allclose(held.realizations.std(0), held.std, atol=0.03)
    np.testing.assert_allclose(held.aleatoric + held.epistemic, held.variance)


def test_another_grid_and_quantities_are_held_too(known):
    x, new, model = known
    held = given(known, floral.Observations([0.5], [0.9], quantities={"mean(u)": 0.6}), resolution=31)
    np.testing.assert_allclose(held.realizations[:, 15], 0.9, atol=1e-5)
    np.testing.assert_allclose(held.quantity("mean(u)").values, 0.6, atol=1e-5)


def test_the_shell_and_a_file_have_the_same_numbers(known, tmp_path):
    x, new, model = known
    (tmp_path / "r.csv").write_text("x,value,std\n0.3,0.5,0.1\n0.8,1.0,0.1\n")
    model.save(tmp_path / "m.floral")
    np.savez(tmp_path / "new.npz", input=new[None], low=np.sin(new)[None], x=x)
    words = [pathlib.Path(sys.executable).parent / "floral", "sample", tmp_path / "m.floral", "--input", tmp_path / "new.npz", "--realizations", "300"]
    words += ["--observe", tmp_path / "r.csv", "--keep", "300", "-o", tmp_path / "out.npz"]
    subprocess.run(words, check=True)
    stored = np.load(tmp_path / "out.npz")
    by_file, by_arrays = given(known, tmp_path / "r.csv"), given(known, floral.Observations([0.3, 0.8], [0.5, 1.0], 0.1))
    for held in (by_file, by_arrays):
        np.testing.assert_array_equal(stored["realizations"].reshape(300, -1), held.realizations)
        np.testing.assert_allclose(stored["mean"].ravel(), held.mean, rtol=1e-6)


def test_readings_that_contradict_the_prediction_are_noted(known):
    with pytest.warns(UserWarning, match="contradict the prediction"):
        held = given(known, floral.Observations([0.5], [50.0], 0.01))
    assert held.innovation["p_value"] < 1e-6


def test_sensors_come_with_what_they_leave(known):
    x, new, model = known
    found = model.suggest_sensors(new, low=np.sin(new), sensors=3, progress=False)
    left = [sensor["left"] for sensor in found["sensors"]]
    assert len(left) == 3 and left == sorted(left, reverse=True) and left[-1] < 0.6
    assert "std left" in str(found)
    more = model.suggest_sensors(new, low=np.sin(new), sensors=1, observe=floral.Observations([0.5], [0.7]), progress=False)
    assert more["sensors"][0]["left"] < 1


@pytest.mark.parametrize(
    "observe, words",
    [
        (lambda: floral.Observations([1.5], [0.5]), "x = 1.5: outside of the domain"),
        (lambda: floral.Observations([0.5], [np.nan]), "not finite"),
        (lambda: floral.Observations([0.5], [0.5], -0.1), "0 or more"),
        (lambda: floral.Observations([0.5, 0.5], [0.5, 0.6]), "both are exact"),
        (lambda: floral.Observations([0.5], [0.5], channel="v"), "unknown channel"),
        (lambda: floral.Observations([[0.5, 0.5]], [0.5]), "coordinates"),
        (lambda: floral.Observations(), "no readings"),
        (lambda: floral.Observations(quantities={"max(u)": 0.5}), "not linear"),
        (lambda: floral.Observations([0.1, 0.2, 0.3], [0.5, 0.6]), "values"),
    ],
)
def test_bad_readings_are_refused_in_one_line(known, observe, words):
    with pytest.raises(ValueError, match=words) as refusal:
        given(known, observe())
    assert "\n" not in str(refusal.value)
