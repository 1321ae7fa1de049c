"""A user's own solver as low fidelity, stochastic low fidelity and suggestions, from the command line.

FLORAL_BIN is the path of the floral command.
"""

import json
import sys

import numpy as np
import pytest
import xarray as xr

from command import floral

POINTS, INPUTS, REALIZATIONS = 12, 14, 6
X = np.linspace(0.0, 1.0, POINTS)
SPLIT = ("--set", "split.test=2", "--set", "split.validation=3")
SOLVER = """
import sys
import numpy as np
with np.load(sys.argv[1]) as given:
    x, a = given["x"], given["input"]
print("solving", file=sys.stderr)
open(sys.argv[0] + ".calls", "a").write("x")
np.savez(sys.argv[2], low=np.sin(3 * a[0]) + x)
"""


def slopes(count=INPUTS):
    return np.linspace(0.2, 1.5, count)


def data(**more):
    rng = np.random.default_rng(0)
    a = slopes()[:, None, None] * X
    noise = 0.1 * rng.standard_normal((INPUTS, REALIZATIONS, 1, 1))
    high = (np.sin(3 * a) + X + 0.3 * a**2)[:, None] + noise * X
    arrays = {
        "input": (("input", "channel", "x"), a),
        "high": (("input", "realization", "channel", "x"), high),
        **more,
    }
    return xr.Dataset(arrays, coords={"x": X})


def write(path, dataset):
    dataset.to_zarr(path, zarr_format=3, consolidated=False, mode="w")


def low_of(a):
    return np.sin(3 * a) + X


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "solve.py").write_text(SOLVER)
    write(tmp_path / "data.zarr", data())
    return tmp_path


def command(folder):
    return f"{sys.executable} {folder}/solve.py {{input}} {{output}}"


def calls(folder):
    path = folder / "solve.py.calls"
    return len(path.read_text()) if path.exists() else 0


def predicted(folder, run, *words):
    floral(folder, "sample", run, "--realizations", 20, "-o", f"{run}.out.zarr", *words)
    return xr.open_zarr(folder / f"{run}.out.zarr").load()


def test_a_command_computes_what_is_not_stored_once(folder):
    both = ("--low-command", command(folder))
    floral(folder, "train", "data.zarr", *both, *SPLIT, "-o", "run")
    assert calls(folder) == INPUTS - 2, "those that training looks at"
    assert len(list((folder / "run/low-cache").glob("*.npz"))) == INPUTS - 2
    floral(folder, "train", "data.zarr", *both, *SPLIT, "-o", "run")
    assert calls(folder) == INPUTS - 2

    stored = data(low=(("input", "channel", "x"), low_of(slopes()[:, None, None] * X)))
    write(folder / "stored.zarr", stored)
    floral(folder, "train", "stored.zarr", *SPLIT, "-o", "stored")

    new = slopes(5)[:, None, None] * X + 0.05
    np.savez(folder / "new.npz", input=new, x=X)
    np.savez(folder / "with.npz", input=new, low=low_of(new), x=X)
    error = floral(folder, "sample", "run", "--input", "new.npz", "-o", "out.zarr", code=2).stderr
    assert "--low-command recorded" in error and "solve.py" in error
    assert calls(folder) == INPUTS - 2, "nothing that a run names is run by itself"
    demanded = predicted(folder, "run", "--input", "new.npz", "--low-command", "recorded")
    assert calls(folder) == INPUTS - 2 + 5
    given = predicted(folder, "stored", "--input", "with.npz")
    np.testing.assert_array_equal(demanded["mean"], given["mean"])
    np.testing.assert_array_equal(demanded["variance"], given["variance"])

    scored = floral(folder, "evaluate", "run", "data.zarr", *both, "--json").stdout
    assert json.loads(scored)["low"]["rmse"] > 0


def test_a_part_that_is_nan_is_computed(folder):
    low = low_of(slopes()[:, None, None] * X)
    low[3:] = np.nan
    write(folder / "part.zarr", data(low=(("input", "channel", "x"), low)))
    words = ("--low-command", command(folder), *SPLIT, "-o", "part")
    floral(folder, "train", "part.zarr", *words)
    assert calls(folder) == INPUTS - 3


def test_the_error_of_a_failing_solver_is_reported(folder):
    (folder / "solve.py").write_text("import sys; sys.exit('did not converge')")
    words = ("--low-command", command(folder), *SPLIT, "-o", "run")
    error = floral(folder, "train", "data.zarr", *words, code=2).stderr
    assert "| did not converge" in error and "input " in error
    assert not (folder / "run/config.toml").exists(), "no run was begun"
    (folder / "solve.py").write_text("import time; time.sleep(60)")
    error = floral(folder, "train", "data.zarr", *words, "--low-timeout", 0.3, code=2).stderr
    assert "took longer than 0.3 s" in error
    (folder / "solve.py").write_text("import sys, numpy; numpy.savez(sys.argv[2], low=numpy.ones(5))")
    error = floral(folder, "train", "data.zarr", *words, code=2).stderr
    assert "[5]" in error and "[1, 12]" in error
    error = floral(folder, "train", "data.zarr", "--low-command", "./solve", *SPLIT, "-o", "run", code=2).stderr
    assert "{input}" in error


def test_a_command_that_a_dataset_names_is_not_run_by_itself(folder):
    named = data().assign_attrs(low_command=command(folder))
    write(folder / "named.zarr", named)
    output = floral(folder, "train", "named.zarr", *SPLIT, "-o", "plain").stderr
    assert "run it with --low-command recorded" in output and calls(folder) == 0
    words = ("--low-command", "recorded", *SPLIT, "-o", "named")
    floral(folder, "train", "named.zarr", *words)
    assert calls(folder) > 0


@pytest.mark.parametrize("kind", ["filter", "mean", "zero", "none"])
def test_without_a_solver_something_stands_in(folder, kind):
    words = ("--set", f"low.kind={kind}", *SPLIT, "-o", kind)
    floral(folder, "train", "data.zarr", *words)
    out = predicted(folder, kind, "--input", "data.zarr", "--inputs", "0..2", "--resolution", 24)
    assert np.isfinite(out["mean"]).all() and out.sizes["x"] == 24
    floral(folder, "evaluate", kind, "data.zarr", "--realizations", 20)


def test_inspect_says_what_pays(folder):
    output = floral(folder, "inspect", "data.zarr", "--json").stdout
    kinds = {c["kind"]: c["error"] for c in json.loads(output)["candidates"]}
    assert kinds.keys() == {"filter", "mean", "zero"}
    text = floral(folder, "inspect", "data.zarr").stdout
    best = min(kinds, key=kinds.get)
    assert f"low.kind={best}" in text
    output = floral(folder, "inspect", "data.zarr").stdout
    assert "transform" not in output
    noise = np.random.default_rng(0).standard_normal((INPUTS, 40, 1, POINTS))
    skewed = (("input", "realization", "channel", "x"), np.exp(0.5 * noise))
    positive = data().drop_vars("high").assign(high=skewed)
    write(folder / "positive.zarr", positive)
    output = floral(folder, "inspect", "positive.zarr").stdout
    assert "--set transform=log" in output


def test_data_out_of_range_are_refused_and_a_transform_keeps_predictions_in_it(folder):
    shifted = data()
    shifted["high"] = shifted.high - 0.05
    write(folder / "shifted.zarr", shifted)
    words = ("--set", "transform=log", *SPLIT, "-o", "shifted")
    error = floral(folder, "train", "shifted.zarr", *words, code=2).stderr
    assert "high fidelity of input" in error and "channel 0" in error and "log" in error
    positive = data()
    positive["high"] = np.exp(positive.high)
    write(folder / "positive.zarr", positive)
    floral(folder, "train", "positive.zarr", "--set", "transform=log", *SPLIT, "-o", "run")
    out = predicted(folder, "run", "--input", "positive.zarr", "--keep", 20)
    assert float(out.realizations.min()) > 0


def test_low_fidelity_with_realizations_of_its_own(folder):
    rng = np.random.default_rng(1)
    many = 40
    a = slopes()[:, None, None] * X
    noise = 0.1 * rng.standard_normal((INPUTS, many, 1, 1))
    low = (np.sin(3 * a) + X)[:, None] + noise * X
    high = (low + 0.3 * a[:, None] ** 2)[:, :REALIZATIONS]
    dimensions = ("input", "low_realization", "channel", "x")
    paired = data(low_realizations=(dimensions, low)).assign_attrs(low_pairing="shared")
    paired["high"] = (("input", "realization", "channel", "x"), high)
    for name, pairing in [("shared", "shared"), ("independent", "independent")]:
        write(folder / f"{name}.zarr", paired.assign_attrs(low_pairing=pairing))
        floral(folder, "train", f"{name}.zarr", *SPLIT, "-o", name)
    inputs = ("--input", "shared.zarr", "--inputs", "0..2")
    truth = (np.sin(3 * a) + X + 0.3 * a**2)[:2]

    def error(name):
        out = predicted(folder, name, *inputs)
        return float(np.sqrt(((out["mean"] - truth) ** 2).mean()))

    assert error("shared") < 0.1
    assert error("independent") < 0.1
    write(folder / "wrong.zarr", paired.assign_attrs(low_pairing="related"))
    message = floral(folder, "train", "wrong.zarr", *SPLIT, "-o", "wrong", code=2).stderr
    assert "low_pairing" in message
    few = paired.isel(low_realization=slice(0, 2))
    write(folder / "few.zarr", few)
    message = floral(folder, "train", "few.zarr", *SPLIT, "-o", "few", code=2).stderr
    assert "2 realizations of low fidelity and 6 of high" in message


def test_suggestions_are_apart_and_in_json(folder):
    floral(folder, "train", "data.zarr", *SPLIT, "-o", "run")
    pool = np.array([0.5, 3.0, 3.0, 0.9, 2.2])[:, None, None] * X
    np.savez(folder / "pool.npz", input=pool, x=X)
    output = floral(folder, "suggest", "run", "--pool", "pool.npz", "-k", 2, "--json").stdout
    found = json.loads(output)
    inputs = [one["input"] for one in found["inputs"]]
    assert inputs[0] in (1, 2) and inputs[1] not in (1, 2)
    removed = [one["removes"] for one in found["inputs"]]
    assert 0 < removed[0] <= removed[1] <= 1
    text = floral(folder, "suggest", "run", "--pool", "pool.npz", "-k", 2).stdout
    assert "novelty" in text
    error = floral(folder, "suggest", "run", "--pool", "pool.npz", "-k", 9, code=2).stderr
    assert "the pool has 5" in error
