"""Quantities of interest from the shell: the same numbers as by NumPy from the kept realizations, arrays that xarray opens,
the same bytes on any number of threads, and a one-line error for a wrong expression.

FLORAL_BIN is the path of the floral command.
"""

import json
import pathlib

import numpy as np
import pytest
import xarray as xr

from command import floral

QUANTITIES = ["peak = max(u)", "left = mean(u, x < 0.5)", "total = integral(u)", "excess = mean(u - low)"]


def asked(*definitions):
    return [word for text in definitions for word in ("--quantity", text)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interest")
    words = ["--inputs", 16, "--realizations", 12, "--resolution", 32]
    floral(folder, "generate", "1dcr", *words, "-o", "curve.zarr")
    split = ["--set", "split.test=4", "--set", "split.validation=2", "--set", "without=network"]
    floral(folder, "train", "curve.zarr", *split, "-o", "run")
    split = ["--set", "split.test=4", "--set", "split.validation=0", "--set", "without=network"]
    floral(folder, "train", "curve.zarr", *split, "-o", "judged")
    return folder


def sample(folder, name, *words):
    options = ["--input", "curve.zarr", "--inputs", "0..2", "--realizations", 300]
    return floral(folder, "sample", "run", *options, *words, "-o", name)


def test_values_and_statistics_are_those_of_the_realizations(folder):
    words = [*asked(*QUANTITIES), "--exceed-quantity", "peak: 1.9", "--keep", 300, "--uncalibrated"]
    done = sample(folder, "kept.zarr", *words)
    stored = xr.open_zarr(folder / "kept.zarr", consolidated=False)
    u = stored["realizations"].values[:, :, 0].astype(float)
    x = stored["x"].values
    np.testing.assert_allclose(stored["peak"], u.max(axis=-1), rtol=1e-12)
    # The bound of the region cuts a cell, in which the integrand is the linear interpolant.
    fine = np.linspace(x[0], 0.5, 20001)
    left = np.array([[np.trapezoid(np.interp(fine, x, v), fine) for v in draws] for draws in u]) / (0.5 - x[0])
    np.testing.assert_allclose(stored["left"], left, atol=1e-6)
    statistics = dict(zip(stored["peak_statistics"].attrs["statistics"].split(), stored["peak_statistics"].values.T))
    np.testing.assert_allclose(statistics["mean"], u.max(axis=-1).mean(axis=1))
    np.testing.assert_allclose(statistics["std"], u.max(axis=-1).std(axis=1, ddof=1))
    share = (u.max(axis=-1) > 1.9).mean(axis=1)
    np.testing.assert_allclose(stored["peak_exceedance"].values[:, 0], share)
    assert stored["peak_threshold"].values.tolist() == [1.9]
    for word in ["input 0", "input 1", "peak", "left", "P(peak > 1.9)", "standard error", "aleatoric"]:
        assert word in done.stdout, done.stdout


def test_linear_quantities_have_the_moments_of_the_method(folder):
    """The mean of a linear quantity is the quantity of the mean; its epistemic variance is that of the mean."""
    middle = 16 / 31  # a point of the grid
    sample(folder, "linear.zarr", *asked(*QUANTITIES, f"middle = at(u, {middle})"), "--uncalibrated")
    stored = xr.open_zarr(folder / "linear.zarr", consolidated=False)
    x = stored["x"].values
    mean = stored["mean"].values[:, 0].astype(float)
    exact = {"total": np.trapezoid(mean, x), "middle": np.array([np.interp(middle, x, m) for m in mean])}
    for name, value in exact.items():
        found, error = stored[f"{name}_statistics"].values[:, 0], stored[f"{name}_errors"].values[:, 0]
        assert (np.abs(found - value) < 5 * error + 1e-6).all(), name
    # For the value at a point, both parts of the variance are those of the field at that point.
    place = np.argmin(np.abs(x - middle))
    assert abs(x[place] - middle) < 1e-6
    epistemic = stored["epistemic"].values[:, 0, place]
    np.testing.assert_allclose(stored["middle_epistemic"], epistemic, rtol=1e-3)
    assert "peak_epistemic" not in stored


def test_draws_are_stretched_about_their_median_by_the_factor_that_is_printed_and_stored(folder):
    words = [*asked("peak = max(u)", "whole = mean(u)", "above = max(u) > 1.9"), "--exceed-quantity", "peak: 1.9", "--realizations", 301]
    options = ["--input", "curve.zarr", "--inputs", "0..2"]
    done = floral(folder, "sample", "judged", *options, *words, "-o", "stretched.zarr")
    plain = floral(folder, "sample", "judged", *options, *words, "--uncalibrated", "-o", "plain.zarr")
    opened = [xr.open_zarr(folder / name, consolidated=False) for name in ("stretched.zarr", "plain.zarr")]
    factors = opened[0].attrs["quantity_stretches"]
    assert "quantity_stretches" not in opened[1].attrs and "calibrated:" not in plain.stdout
    # A condition keeps its probability.
    assert factors[2] is None and "above is not calibrated" in done.stderr
    np.testing.assert_array_equal(opened[0]["above"].values, opened[1]["above"].values)
    for name, factor in zip(("peak", "whole"), factors):
        drawn = opened[1][name].values
        middle = np.median(drawn, axis=1, keepdims=True)
        expected = middle + factor * (drawn - middle)
        np.testing.assert_allclose(opened[0][name].values, expected, rtol=1e-9)
        assert 0.2 < factor < 5 and f"stretched by {factor:.2f}" in done.stdout
    statistics = opened[0]["peak_statistics"].values
    np.testing.assert_allclose(statistics[:, 0], opened[0]["peak"].values.mean(axis=1))
    scored = json.loads(floral(folder, "evaluate", "judged", "curve.zarr", *words, "--json").stdout)["interests"][0]["scores"]
    np.testing.assert_allclose(scored["applied_stretch"], factors[0])
    assert 0 <= scored["uncalibrated_coverage"] <= 1


def test_where_no_calibration_is_possible_a_note_says_so(folder):
    """Two left-out inputs are too few, and the factors do not apply given readings."""
    done = sample(folder, "few.zarr", *asked("peak = max(u)"))
    assert "quantities are not calibrated: the model has 2" in done.stderr
    words = ["--input", "curve.zarr", "--inputs", "0..1", "--realizations", 50, "--observe-quantity", "at(u, 0.5) = 1 +- 0.5"]
    done = floral(folder, "sample", "judged", *words, *asked("peak = max(u)"), "-o", "given.zarr")
    assert "without readings" in done.stderr


def test_nothing_needs_to_be_kept_and_bytes_do_not_depend_on_threads(folder):
    words = asked(*QUANTITIES)
    floral(folder, "--threads", 1, "sample", "run", "--input", "curve.zarr", "--realizations", 200, *words, "-o", "one.zarr")
    floral(folder, "--threads", 2, "sample", "run", "--input", "curve.zarr", "--realizations", 200, *words, "-o", "two.zarr")

    def files(name):
        root = folder / name
        return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    assert files("one.zarr") == files("two.zarr")
    assert "realizations" not in xr.open_zarr(folder / "one.zarr", consolidated=False)


@pytest.mark.parametrize("ending", ["npz", "nc"])
def test_single_files_have_the_same_values(folder, ending):
    sample(folder, "a.zarr", *asked("peak = max(u)"), "--force")
    sample(folder, f"a.{ending}", *asked("peak = max(u)"), "--force")
    expected = xr.open_zarr(folder / "a.zarr", consolidated=False)["peak"].values
    path = folder / f"a.{ending}"
    found = np.load(path)["peak"] if ending == "npz" else xr.open_dataset(path)["peak"].values
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "words, message",
    [
        (asked("peak = max(v)"), "column 12: unknown name `v`; known: "),
        (asked("peak = max(u"), "column"),
        (asked("max(u)"), "a quantity is NAME = EXPRESSION"),
        (asked("peak = u"), "not a single number"),
        (asked("mean = max(u)"), "another array of that name"),
        (asked("far = at(u, 7)"), "far"),
        ([*asked("peak = max(u)"), "--exceed-quantity", "top: 3"], "choose one of peak"),
        ([*asked("peak = max(u)"), "--points", "points.csv"], "--points"),
    ],
)
def test_a_wrong_quantity_is_refused_in_one_line_before_anything_is_written(folder, words, message):
    (folder / "points.csv").write_text("x\n0.5\n")
    options = ["--input", "curve.zarr", "--realizations", 50]
    done = floral(folder, "sample", "run", *options, *words, "-o", "wrong.zarr", code=2)
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1 and message in errors[0], done.stderr
    assert not list(pathlib.Path(folder).glob("wrong.zarr*"))


def test_evaluation_scores_quantities_against_the_realizations(folder):
    words = [*asked(*QUANTITIES), "--exceed-quantity", "peak: 1.9", "--realizations", 200]
    found = json.loads(floral(folder, "evaluate", "run", "curve.zarr", *words, "--json").stdout)
    by_name = {one["name"]: one["scores"] for one in found["interests"]}
    assert list(by_name) == ["peak", "left", "total", "excess"]
    truth = xr.open_zarr(folder / "curve.zarr", consolidated=False)
    x, exact = truth["x"].values, truth["exact_mean"].values[:4, 0].astype(float)
    floral(folder, "sample", "run", "--input", "curve.zarr", "--inputs", "0..4", "--realizations", 200,
           *asked(*QUANTITIES), "-o", "scored.zarr", "--force")
    drawn = xr.open_zarr(folder / "scored.zarr", consolidated=False)
    bias = (drawn["total"].values.mean(axis=1) - np.trapezoid(exact, x)).mean()
    np.testing.assert_allclose(by_name["total"]["bias"], bias, rtol=1e-4, atol=1e-7)
    for scores in by_name.values():
        assert 0 <= scores["coverage"] <= 1 and scores["crps"] > 0 and scores["stretch"] > 0
    above = by_name["peak"]["exceedances"][0]
    high = truth["high"].values[:4, :, 0].max(axis=-1)
    np.testing.assert_allclose(above["observed"], (high > 1.9).mean(), atol=1e-12)
    text = floral(folder, "evaluate", "run", "curve.zarr", *words).stdout
    assert "cover 90" in text and "Brier score" in text


def test_masks_and_two_channels_with_units(tmp_path):
    """Points outside of the mask are never read; each channel has its own units."""
    rng = np.random.default_rng(1)
    x = np.linspace(0.0, 1.0, 12)
    a = rng.uniform(1.0, 2.0, (10, 1)) * (1 + x)
    fields = np.stack([a, -2 * a], axis=1)[:, None] + 0.1 * rng.normal(size=(10, 5, 1, 1))
    a[:, 9:], fields[..., 9:] = np.nan, np.nan
    channels = {"channel_names": ["T", "p"], "channel_units": ["K", "Pa"]}
    data = xr.Dataset(
        {
            "input": (("input", "input_channel", "x"), a[:, None], {"name": "load"}),
            "high": (("input", "realization", "channel", "x"), fields, channels),
        },
        coords={"x": ("x", x, {"units": "m"})},
        attrs={"mask": True},
    )
    data.to_zarr(tmp_path / "two.zarr", zarr_format=3, consolidated=False)
    split = ["--set", "split.test=2", "--set", "without=network"]
    floral(tmp_path, "train", "two.zarr", *split, "-o", "run")
    words = [*asked("hot = max(T)", "least = min(p)", "volume = integral(1 + 0 * T)"), "--keep", 50, "--uncalibrated"]
    options = ["--input", "two.zarr", "--inputs", "0..1", "--realizations", 50]
    floral(tmp_path, "sample", "run", *options, *words, "-o", "out.zarr")
    stored = xr.open_zarr(tmp_path / "out.zarr", consolidated=False)
    draws = stored["realizations"].values[0].astype(float)
    np.testing.assert_allclose(stored["hot"][0], np.nanmax(draws[:, 0], axis=-1))
    np.testing.assert_allclose(stored["least"][0], np.nanmin(draws[:, 1], axis=-1))
    # Nine of twelve points, each weighted by its share of the cells: 8.5 of 11 cells.
    np.testing.assert_allclose(stored["volume"][0], 8.5 / 11)
    assert stored["hot"].attrs["units"] == "K" and stored["least"].attrs["units"] == "Pa"
    floral(tmp_path, "evaluate", "run", "two.zarr", "--realizations", 50, *asked("hot = max(T)"))
