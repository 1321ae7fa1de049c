"""Quantities of interest: expressions and functions agree with the shell, and errors are reported."""

import pickle

import numpy as np
import pytest

import floral


@pytest.fixture(scope="module")
def drawn():
    x = np.linspace(0.0, 1.0, 16)
    rng = np.random.default_rng(0)
    a = rng.uniform(1.0, 2.0, 12)[:, None] * x
    low = np.sin(a)
    high = low[:, None] + 0.1 * rng.normal(size=(12, 6, 1))
    data = floral.Dataset.from_arrays(input=a, low=low, high=high, coords={"x": x})
    model = floral.fit(data, test=2, validation=2, progress=False)
    new = 1.5 * x
    return x, new, model, model.sample(new, low=np.sin(new), realizations=200)


def test_expressions_and_functions_agree(drawn):
    x, new, _, ensemble = drawn
    u = ensemble.realizations.astype(float)
    np.testing.assert_array_equal(ensemble.quantity("max(u)").values, u.max(axis=-1))
    mean = ensemble.quantity("total = integral(u)")
    assert mean.name == "total"
    np.testing.assert_allclose(mean.values, np.trapezoid(u, x))
    given = ensemble.quantity("mean(u - low + input)").values
    np.testing.assert_allclose(given, np.trapezoid(u - np.sin(new) + new, x), rtol=1e-6)
    both = ensemble.quantity([lambda u: u[..., 0], "at(u, 0)"])
    np.testing.assert_allclose(both[0].values, both[1].values)


def test_statistics_are_those_of_the_values(drawn):
    peak = drawn[3].quantity("max(u)")
    values = peak.values
    assert peak.mean == pytest.approx(values.mean()) and peak.std == pytest.approx(values.std(ddof=1))
    assert peak.quantile(0.9) == pytest.approx(np.quantile(values, 0.9, method="weibull"))
    assert peak.exceedance(peak.quantile(0.5)) == pytest.approx(0.5)
    assert peak.superquantile(0.95) == pytest.approx(np.sort(values)[-10:].mean())
    assert peak.standard_error() == pytest.approx(peak.std / np.sqrt(len(values)))


def test_the_shell_has_the_same_numbers(drawn, tmp_path):
    x, new, model, ensemble = drawn
    model.save(tmp_path / "m.floral")
    np.savez(tmp_path / "new.npz", input=new[None], low=np.sin(new)[None], x=x)
    words = ["floral", "sample", tmp_path / "m.floral", "--input", tmp_path / "new.npz", "--realizations", "200"]
    words += ["--quantity", "peak = max(u)", "-o", tmp_path / "out.npz"]
    assert floral._floral.command([str(word) for word in words]) == 0
    stored = np.load(tmp_path / "out.npz")
    np.testing.assert_array_equal(stored["peak"][0], ensemble.quantity("max(u)").values)


def test_an_ensemble_from_another_process_knows_its_input(drawn):
    ensemble = drawn[3]
    again = pickle.loads(pickle.dumps(ensemble))
    text = "mean(u * input - low)"
    np.testing.assert_array_equal(again.quantity(text).values, ensemble.quantity(text).values)
    quantity = pickle.loads(pickle.dumps(ensemble.quantity("max(u)")))
    assert quantity.mean == ensemble.quantity("max(u)").mean


@pytest.mark.parametrize("wanted, message", [
    ("max(v)", "column 5: unknown name `v`"),
    ("u", "not a single number"),
    (lambda u: u, "one number for each"),
    (lambda u: np.full(len(u), np.nan), "not finite"),
])
def test_what_is_no_quantity_is_refused(drawn, wanted, message):
    with pytest.raises(ValueError, match="(?s).*" + message.replace("(", "\\(")):
        drawn[3].quantity(wanted)


def test_levels_beyond_the_draws_and_unknown_statistics_are_refused(drawn):
    peak = drawn[3].quantity("max(u)")
    for refuse in (lambda: peak.quantile(0.9999), lambda: peak.standard_error("median"), lambda: peak.standard_error("quantile")):
        with pytest.raises(ValueError):
            refuse()
