"""Sensitivity, unbiased means and the learning loop from the shell: analytic values, the same bytes on any number of threads,
failing solvers, and one-line errors.

FLORAL_BIN is the path of the floral command.
"""

import json
import sys

import numpy as np
import pytest

from command import floral

LAW = "load = { law = 'uniform', low = 0.5, high = 1.5 }\nwidth = { law = 'uniform', low = 0, high = 1 }\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run trained on u = 3 load x + width (1 - x) + e, with two parameters."""
    folder = tmp_path_factory.mktemp("decisions")
    rng = np.random.default_rng(5)
    x = np.linspace(0, 1, 12)

    def solved(count, realizations):
        load, width = rng.uniform(0.4, 1.6, count), rng.uniform(-0.1, 1.1, count)
        mean = 3 * load[:, None] * x + width[:, None] * (1 - x)
        noise = 0.1 * rng.normal(size=(count, realizations, 1))
        return {"load": load, "width": width, "high": mean[:, None] + noise, "x": x}

    for name, count in [("data", 30), ("fresh", 12), ("pool", 200)]:
        np.savez(folder / f"{name}.npz", **solved(count, 6))
        floral(folder, "import", f"{name}.npz", "--param", "load", "--param", "width", "--high", "high", "-o", f"{name}.zarr")
    floral(folder, "train", "data.zarr", "--method", "kriging", "--set", "split.test=0", "-o", "run")
    (folder / "law.toml").write_text(LAW)
    return folder


def test_indices_and_shares_of_a_linear_field_are_the_analytic_ones(folder):
    words = ["--quantity", "end = at(u, 1)", "--quantity", "middle = mean(u)", "--exceed-quantity", "end: 3"]
    floral(folder, "sensitivity", "run", "--inputs-from", "law.toml", *words, "--samples", 200, "-o", "out.json", "--maps", "maps.npz")
    found = json.loads((folder / "out.json").read_text())
    end, middle = found["quantities"]
    assert [one["name"] for one in end["indices"]] == ["load", "width"]
    assert abs(end["indices"][0]["first"]["value"] - 1) < 0.02
    # The mean over x is 1.5 load + 0.5 width.
    assert abs(middle["indices"][0]["total"]["value"] - 0.9) < 0.03
    assert abs(middle["indices"][1]["first"]["value"] - 0.1) < 0.03
    shares = middle["variance"]
    assert abs(shares["input"] + shares["inherent"] + shares["ignorance"] - 1) < 1e-9
    assert abs(shares["input"] * shares["total"] - 2.5 / 12) < 0.02
    assert abs(shares["inherent"] * shares["total"] - 0.01) < 0.004
    assert abs(end["exceedances"][0]["value"] - 0.5) < 0.03
    maps = np.load(folder / "maps.npz")
    assert maps["first_load"].shape == (1, 12)
    assert maps["first_load"][0, -1] > 0.97 and maps["first_width"][0, 0] > 0.97


def test_numbers_are_the_same_on_any_number_of_threads(folder):
    words = ["sensitivity", "run", "--inputs-from", "law.toml", "--quantity", "top = max(u)", "--samples", 100, "--json"]
    one, two = (floral(folder, *words, "--threads", threads).stdout for threads in (1, 2))
    assert one == two


def test_a_pool_is_propagated(folder):
    done = floral(folder, "sensitivity", "run", "--pool", "pool.zarr", "--quantity", "top = max(u)")
    assert "over 200 inputs" in done.stdout and "epistemic" in done.stdout


def test_the_unbiased_mean_holds_the_truth(folder):
    words = ["--fresh", "fresh.zarr", "--pool", "pool.zarr", "--quantity", "middle = mean(u)", "--cost-high", 100, "--cost-low", 1]
    (found,) = json.loads(floral(folder, "unbiased-mean", "run", *words, "--json").stdout)
    assert abs(found["mean"] - 1.75) < 4 * found["standard_error"]
    assert found["gain"] > 2 and found["correlation"] > 0.9 and found["split"]["runs"] < found["split"]["pool"]
    text = floral(folder, "unbiased-mean", "run", *words).stdout
    assert "best split" in text and "p value" in text


@pytest.mark.parametrize(
    "law, words",
    [
        ("load = 1\nwidth = 2", "no parameter varies"),
        ("load = { law = 'uniform', low = 0, high = 1 }", "width: the parameter has no law"),
        (LAW + "depth = 2", "depth: unknown parameter; the run has load, width"),
        ("load = { law = 'uniform', low = 1, high = 0 }\nwidth = 1", "is not below high"),
        ("load = { law = 'weird' }\nwidth = 1", "a law is uniform"),
        ("load = {", "line 1"),
    ],
)
def test_wrong_laws_get_one_line(folder, law, words):
    (folder / "wrong.toml").write_text(law)
    done = floral(folder, "-q", "sensitivity", "run", "--inputs-from", "wrong.toml", "--quantity", "m = mean(u)", code=2)
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["sensitivity", "run", "--inputs-from", "law.toml", "--quantity", "m = mean(v)"], "unknown name `v`"),
        (["sensitivity", "run", "--inputs-from", "law.toml"], "none is given"),
        (["sensitivity", "run", "--inputs-from", "absent.toml", "--quantity", "m = mean(u)"], "absent.toml"),
        (["sensitivity", "run", "--inputs-from", "law.toml", "--quantity", "m = mean(u)", "--maps", "m.nc"], ".npz"),
        (["unbiased-mean", "run", "--fresh", "data.zarr", "--pool", "pool.zarr", "--quantity", "m = mean(u)"], "was trained on"),
        (["unbiased-mean", "run", "--fresh", "fresh.zarr", "--inputs", "0..1", "--pool", "pool.zarr", "--quantity", "m = mean(u)"], "1 is too few"),
    ],
)
def test_what_cannot_be_asked_gets_one_line(folder, arguments, words):
    done = floral(folder, "-q", *arguments, code=2)
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr


SOLVER = """
import pathlib, sys
import numpy as np
given = np.load(sys.argv[1])
a = given["input"][0]
calls = pathlib.Path(sys.argv[4])
with calls.open("a") as file:
    file.write(".")
if {fails} and len(calls.read_text()) % 2 == 0:
    sys.exit("no convergence")
rng = np.random.default_rng(int(sys.argv[3]))
np.savez(sys.argv[2], high=np.sin(a**2) + 0.05 * rng.normal(size=(5, 1)))
"""


@pytest.fixture
def pool(tmp_path):
    x = np.linspace(0, 1, 12)
    a = np.random.default_rng(3).uniform(0, 2, 30)[:, None] * x
    np.savez(tmp_path / "pool.npz", input=a, low=a**2, x=x)
    floral(tmp_path, "import", "pool.npz", "-o", "pool.zarr")
    return tmp_path


def learn(folder, *words, fails=False, code=0, solver=None):
    (folder / "solve.py").write_text(SOLVER.format(fails=fails))
    solver = solver or f"{sys.executable} solve.py {{input}} {{output}} {{seed}} calls"
    common = ["--pool", "pool.zarr", "--quantity", "peak = max(u)", "--method", "kriging", "--start", 4, "-o", "learned"]
    return floral(folder, "learn", "--solver", solver, *common, *words, code=code)


def test_the_loop_stops_when_known_and_goes_on_with_a_larger_budget(pool):
    learn(pool, "--budget", 6, "--batch", 2, "--jobs", 2)
    assert len((pool / "calls").read_text()) == 6
    curve = json.loads((pool / "learned/curve.json").read_text())
    assert [point["runs"] for point in curve] == [4, 6]
    learn(pool, "--budget", 8)
    assert len((pool / "calls").read_text()) == 8, "nothing is solved twice"
    done = learn(pool, "--budget", 20, "--until", "std(peak) < 100")
    assert "known to the requested accuracy" in done.stderr and len((pool / "calls").read_text()) == 8
    run = next((pool / "learned/rounds").iterdir()) / "run"
    floral(pool, "sample", run, "--input", "pool.zarr", "--inputs", "0..1", "--realizations", 10, "-o", "new.zarr")


def test_a_solver_that_fails_half_the_time_loses_nothing(pool):
    done = learn(pool, "--budget", 8, fails=True)
    assert "budget is spent after 8 runs" in done.stderr
    assert len(list((pool / "learned/solved").iterdir())) == 8


@pytest.mark.parametrize(
    "words, solver, message",
    [
        (["--budget", 8], "./solve", "lacks {input} or {output}"),
        (["--budget", 8], "exit 3 # {input} {output}", "failed on 10 inputs and solved 0"),
        (["--budget", 8, "--until", "std(top) < 1"], None, "unknown quantity `top`"),
        (["--budget", 2], None, "at least 3 runs"),
        (["--budget", 8, "--method", "fno"], None, "no epistemic uncertainty"),
    ],
)
def test_what_the_loop_cannot_do_gets_one_line(pool, words, solver, message):
    solver = solver or "true {input} {output}"
    common = ["--pool", "pool.zarr", "--quantity", "peak = max(u)", "-o", "learned"]
    method = [] if "--method" in words else ["--method", "kriging"]
    done = floral(pool, "-q", "learn", "--solver", solver, *common, *method, *words, code=2)
    assert message in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr
