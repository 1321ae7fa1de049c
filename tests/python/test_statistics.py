"""Mean and spread of a prediction are the same in every command and for any number of realizations.

FLORAL_BIN is the path of the floral command.
"""

import json

import numpy as np
import pytest
import xarray as xr

from command import floral

SPLIT = "--set split.test=3 --set split.validation=3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A problem with exact moments, learned by methods with analytic moments and by one that draws."""
    folder = tmp_path_factory.mktemp("statistics")
    floral(folder, "generate 1dcr --inputs 16 --realizations 8 --resolution 16 -o d.zarr")
    floral(folder, f"train d.zarr {SPLIT} -o kl")
    floral(folder, f"train d.zarr --method kriging {SPLIT} -o kriging")
    network = "--set network.hidden_channels=4 --set network.film_channels=4 --set network.layers=2"
    floral(folder, f"train d.zarr --method floral --epochs 1 {network} {SPLIT} -o flow")
    return folder


def sampled(folder, run, realizations):
    name = f"{run}-{realizations}.zarr"
    words = f"sample {run} --input d.zarr --inputs 0..3 --realizations {realizations} --keep {realizations}"
    floral(folder, f"{words} --solver midpoint --steps 2 -o {name}")
    return xr.open_zarr(folder / name, consolidated=False).load()


@pytest.mark.parametrize("run", ["kl", "kriging"])
def test_what_a_method_knows_does_not_depend_on_the_number_of_draws(folder, run):
    few, many = sampled(folder, run, 5), sampled(folder, run, 400)
    for name in ("mean", "variance", "std", "aleatoric", "epistemic", "novelty"):
        np.testing.assert_array_equal(few[name], many[name], err_msg=name)
    for name in ("mean", "variance", "std"):
        assert "known in closed form" in few[name].attrs["comment"]
    assert "known in closed form" in few.attrs["moments"]
    both = few["aleatoric"] + few["epistemic"]
    np.testing.assert_allclose(few["variance"], both, rtol=1e-5)
    np.testing.assert_allclose(few["std"] ** 2, both, rtol=1e-5)
    drawn = many["realizations"].astype("float64")
    error = (many["std"] / np.sqrt(400)).values
    assert (np.abs(drawn.mean("realization") - many["mean"]).values < 5.5 * error + 1e-6).all()
    ratio = drawn.std("realization", ddof=1) / many["std"]
    assert 0.8 < float(ratio.min()) and float(ratio.max()) < 1.2


def test_a_flow_stores_the_statistics_of_its_draws_and_says_so(folder):
    drawn = sampled(folder, "flow", 30)
    fields = drawn["realizations"].astype("float64")
    np.testing.assert_allclose(drawn["mean"], fields.mean("realization"), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(drawn["std"], fields.std("realization", ddof=1), rtol=1e-4)
    assert drawn["mean"].attrs["comment"] == "from the drawn realizations"


@pytest.mark.parametrize("run", ["kl", "kriging", "flow"])
def test_evaluate_and_report_score_the_mean_that_sample_stores(folder, run):
    drawn = "--inputs 0..3 --realizations 20 --solver midpoint --steps 2"
    stored = sampled(folder, run, 20)
    truth = xr.open_zarr(folder / "d.zarr", consolidated=False)["exact_mean"].values[:3]
    norms = np.sqrt(((stored["mean"].values.astype(float) - truth) ** 2).sum((1, 2)))
    evaluated = json.loads(floral(folder, f"evaluate {run} d.zarr {drawn} --json").stdout)
    error = evaluated["prediction"]["mean"]["mean_l2"]
    np.testing.assert_allclose(norms.mean(), error, rtol=2e-6)
    floral(folder, f"report {run} --data d.zarr {drawn} --format json -o {run}-report")
    report = json.loads((folder / f"{run}-report" / "report.json").read_text())
    assert report["runs"][0]["channels"][0]["prediction"]["mean"]["mean_l2"] == error


def test_an_evaluation_of_kriging_has_one_column_of_it(folder):
    text = floral(folder, "evaluate kriging d.zarr --inputs 0..2 --realizations 20").stdout
    header = next(line for line in text.splitlines() if "low fidelity" in line)
    assert header.split() == ["kriging", "low", "fidelity", "mean", "residual"]
    text = floral(folder, "evaluate kl d.zarr --inputs 0..2 --realizations 20").stdout
    assert "kriging" in next(line for line in text.splitlines() if "low fidelity" in line)


def test_an_evaluation_is_the_same_on_any_number_of_threads(folder):
    def scores(threads):
        words = "evaluate kl d.zarr --inputs 0..3 --realizations 30 --json"
        found = json.loads(floral(folder, f"--threads {threads} {words}").stdout)
        found["prediction"].pop("seconds")
        return found

    assert scores(1) == scores(2) == scores(3)


def test_more_epochs_on_a_finished_run_continue_it(folder):
    network = "--set network.hidden_channels=4 --set network.film_channels=4 --set network.layers=2"
    words = f"train d.zarr --method fno {network} {SPLIT}"
    floral(folder, f"{words} --epochs 2 -o longer")
    floral(folder, f"{words} --epochs 3 -o longer")
    floral(folder, "train d.zarr --resume --epochs 4 -o longer")
    floral(folder, f"{words} --epochs 4 -o at-once")

    def losses(run):
        rows = (folder / run / "epochs.csv").read_text().splitlines()[1:]
        return [row.split(",")[:3] for row in rows]

    assert len(losses("longer")) == 4
    assert losses("longer") == losses("at-once")


def test_rounding_below_zero_is_no_reason_to_refuse_a_positive_quantity(tmp_path):
    random = np.random.default_rng(0)
    x = np.linspace(0, 1, 12)
    a = random.uniform(0.5, 1.5, (14, 1, 1)) * np.sin(3 * x) ** 2
    high = a[:, None] * (1 + 0.1 * random.normal(size=(14, 6, 1, 1)))
    high[..., 0] = -5e-15
    low = a.copy()
    low[..., 0] = -5e-15
    np.savez(tmp_path / "d.npz", x=x, input=a, low=low, high=high)
    floral(tmp_path, "train d.npz --set transform=positive -o run")
    floral(tmp_path, "sample run --input d.npz --inputs 0..2 --realizations 50 --quantile 0.01 -o out.zarr")
    out = xr.open_zarr(tmp_path / "out.zarr", consolidated=False)
    assert float(out["quantiles"].min()) >= 0
    high[3, 2, 0, 5] = -0.01
    np.savez(tmp_path / "bad.npz", x=x, input=a, low=low, high=high)
    refused = floral(tmp_path, "train bad.npz --set transform=positive -o bad", code=2)
    assert "-0.01" in refused.stderr and "positive" in refused.stderr
