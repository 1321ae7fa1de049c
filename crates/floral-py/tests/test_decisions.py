"""Sensitivity, unbiased means and the loop from Python."""

import numpy as np
import pytest

import floral

X = np.linspace(0, 1, 12)


def solved(rng, count, realizations=6):
    load, width = rng.uniform(0.4, 1.6, count), rng.uniform(-0.1, 1.1, count)
    mean = 3 * load[:, None] * X + width[:, None] * (1 - X)
    high = mean[:, None] + 0.1 * rng.normal(size=(count, realizations, 1))
    return floral.Dataset.from_arrays(parameters={"load": load, "width": width}, high=high, coords={"x": X})


@pytest.fixture(scope="module")
def model():
    return floral.fit(solved(np.random.default_rng(1), 30), method="kriging", test=0, progress=False)


LAWS = {"load": floral.Uniform(0.5, 1.5), "width": floral.Uniform(0, 1)}


def test_indices_intervals_and_shares(model):
    found = model.sensitivity(LAWS, "mean(u)", samples=200, progress=False)
    assert abs(found.first["load"] - 0.9) < 0.03 and abs(found.total["width"] - 0.1) < 0.03
    low, high = found.first_intervals["load"]
    assert low <= found.first["load"] <= high
    assert abs(sum(found.shares.values()) - 1) < 1e-9
    assert abs(found.statistics["mean"] - 1.75) < 0.03
    assert "first-order" in repr(found) and "load" in repr(found)


def test_laws_of_every_kind_and_a_fixed_parameter(model):
    for law in [
        floral.Normal(1, 0.1),
        floral.Lognormal(1, 1.1),
        floral.Loguniform(0.5, 1.5),
        floral.Triangular(0.5, 1, 1.5),
    ]:
        found = model.sensitivity({"load": law, "width": 0.5}, "end = at(u, 1)", samples=40, progress=False)
        assert list(found.first) == ["load"]
        assert found.total["load"] > 0.95


def test_what_cannot_be_asked_is_a_readable_error(model):
    with pytest.raises(ValueError, match="width: the parameter has no law"):
        model.sensitivity({"load": floral.Uniform(0, 1)}, "mean(u)", progress=False)
    with pytest.raises(ValueError, match="is not below high"):
        model.sensitivity({**LAWS, "load": floral.Uniform(1, 0)}, "mean(u)", progress=False)
    with pytest.raises(ValueError, match="either inputs"):
        model.sensitivity(quantity="mean(u)")


def test_an_unbiased_mean(model):
    rng = np.random.default_rng(7)
    found = floral.unbiased_mean(model, solved(rng, 12), solved(rng, 200), "mean(u)", cost_high=100, cost_low=1, progress=False)
    one = found["quantities"][0]
    assert abs(one["mean"] - 1.75) < 4 * one["standard_error"]
    assert one["gain"] > 2 and one["split"]["runs"] > 1
    assert "mean without bias" in repr(found)


def test_a_loop_asks_and_is_told():
    rng = np.random.default_rng(2)
    slopes = rng.uniform(0, 2, 30)
    loop = floral.Loop(slopes[:, None] * X, "max(u)", coords={"x": X}, start=4, method="kriging")
    assert loop.std == float("inf")
    with pytest.raises(ValueError, match="no fit yet"):
        loop.estimates
    for _ in range(3):
        for index in loop.ask(2):
            loop.tell(index, np.sin((slopes[index] * X) ** 2) + 0.05 * rng.normal(size=(5, 1)))
    loop.ask()
    assert [point["runs"] for point in loop.curve] == [0, 4, 6, 8]
    assert np.isfinite(loop.std)
    found = loop.estimates
    assert found["input"].tolist() == list(range(30)) and np.isfinite(found["mean"]).all() and (found["std"] >= 0).all()
    assert loop.std == pytest.approx(np.sqrt(np.mean(found["std"] ** 2)))
    assert loop.model.sample(slopes[0] * X, realizations=5).mean.shape == (12,)
    with pytest.raises(ValueError, match="0..30"):
        loop.tell(99, np.zeros((5, 12)))
