"""Pools of inputs: axes, channels, units and parameters of arrays reach suggestions, sensitivities and loops."""

import numpy as np
import pandas
import pytest
import xarray

import floral

RNG = np.random.default_rng(0)
S = np.linspace(0.0, 1.0, 8)
FACTORS = RNG.uniform(1.0, 2.0, 12)
#: [input, y, x]: the left half is ten times smaller than the right half.
FIELDS = FACTORS[:, None, None] * np.where(np.meshgrid(S, S)[0] < 0.5, 1.0, 10.0)


@pytest.mark.parametrize("x", [S, 2 * S])
def test_a_loop_keeps_the_order_of_the_axes(x):
    loop = floral.Loop(FIELDS, f"left = mean(u, x < {0.4 * x[-1]})", coords={"y": S, "x": x}, method="kriging", start=5)
    for index in loop.ask(5):
        loop.tell(index, FIELDS[index] * np.array([1.0, 1.001, 0.999])[:, None, None])
    loop.ask()
    found = loop.estimates
    np.testing.assert_allclose(found["mean"], FACTORS[found["input"]], rtol=0.05)


def test_a_loop_takes_parameters_and_scalar_solutions():
    table = pandas.DataFrame({"load": RNG.uniform(1, 2, 20), "width": RNG.uniform(0, 1, 20)})
    for pool in (table, dict(table)):
        loop = floral.Loop(pool, "max(u)", method="kriging", start=6)
        for index in loop.ask():
            loop.tell(index, table.load[index] ** 2 + 0.01 * RNG.normal(size=4))
        loop.ask()
        np.testing.assert_allclose(loop.estimates["mean"], table.load**2, atol=0.4)
        assert loop.model.parameters == ["load", "width"]
    pool = floral.Dataset.pool(parameters=table, coords={"x": S})
    assert pool.low is None and repr(pool).startswith("Dataset of 20 inputs without high fidelity")
    loop = floral.Loop(pool, "max(u)", method="kriging", start=3)
    for index in loop.ask():
        loop.tell(index, xarray.DataArray(np.ones((8, 2)) * table.load[index], dims=("x", "realization"), coords={"x": S}))
    for refused in (lambda: pool.high, lambda: floral.fit(pool), lambda: pool.extended(None, np.ones((2, 8)))):
        with pytest.raises(ValueError, match="no high fidelity"):
            refused()
    with pytest.raises(ValueError, match="pass the first solutions to tell"):
        loop.estimates


def test_a_loop_refuses_solutions_with_nan():
    loop = floral.Loop(FIELDS, "max(u)", coords={"y": S, "x": S}, method="kriging", start=2)
    first = loop.ask(2)[0]
    solution = np.stack([FIELDS[first]] * 2)
    solution[1, 3, 3] = np.nan
    with pytest.raises(ValueError, match="1 values are NaN or infinite, the first in realization 1"):
        loop.tell(first, solution)


def fitted(coords, channels=0, **about):
    shape = tuple(len(along) for along in coords.values())
    a = RNG.normal(size=(12, *([channels] if channels else []), *shape))
    high = (a[:, 0] if channels else a)[:, None] + 0.1 * RNG.normal(size=(12, 4) + (1,) * len(shape))
    data = floral.Dataset.from_arrays(input=a, high=high, coords=coords, **about)
    return floral.fit(data, method="kriging", test=0, progress=False), a, data


@pytest.mark.parametrize(
    "given",
    [
        {"coords": {"y": S, "x": S}},
        {"coords": {"x": S, "y": 2 * S}},
        {"coords": {"x": S}, "names": {"input": "perm"}},
        {"coords": {"x": S}, "names": {"input": ["a", "b"]}, "channels": 2},
        {"coords": {"x": 1000 * S}, "units": {"x": "mm", "input": "Pa"}},
        {"coords": {"lon": np.arange(0.0, 360.0, 45.0)}, "domains": {"lon": "periodic"}},
        {"coords": {"x": S, "t": np.linspace(0.0, 3.0, 5)}},
    ],
)
def test_an_array_is_the_same_pool_as_a_dataset(given):
    model, a, data = fitted(**given)
    assert model.suggest(a, k=2)["inputs"] == model.suggest(data, k=2)["inputs"]
    first = next(iter(given["coords"]))
    quantity = f"mean(u, {first} < 0.4)" if given["coords"][first][-1] == 1 else "max(u)"
    one, other = (model.sensitivity(pool=pool, quantity=quantity, progress=False) for pool in (a, data))
    assert one.statistics == other.statistics


def test_parameters_are_a_pool():
    load, stiffness = RNG.uniform(1, 3, 20), RNG.uniform(1, 3, 20)
    high = (load / stiffness)[:, None, None] * S * (1 + 0.05 * RNG.normal(size=(20, 3, 1)))
    data = floral.Dataset.from_arrays(parameters={"load": load, "stiffness": stiffness}, high=high, coords={"x": S})
    model = floral.fit(data, method="kriging", test=0, progress=False)
    expected = [one["input"] for one in model.suggest(data, k=3)["inputs"]]
    for pool in (
        np.c_[load, stiffness],
        {"stiffness": stiffness, "load": load},
        pandas.DataFrame({"stiffness": stiffness, "load": load}),
    ):
        assert [one["input"] for one in model.suggest(pool, k=3)["inputs"]] == expected
    with pytest.raises(ValueError, match="'mass' is unknown"):
        model.suggest({"mass": stiffness, "load": load})
