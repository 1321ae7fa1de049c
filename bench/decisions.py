"""The loop beside random choice: the error of a quantity over the number of runs.

    bench/decisions [--seeds 41,42,43] [--method kriging] [-o results/decisions.json]

A problem is a pool of 80 inputs and a solver. A loop runs with `--choose best`, `spread` and `random` to 6, 9, 12, 18 and 24
runs; after each, the predicted mean of the quantity is compared with the true one at every input of the pool. Errors are root mean
squares over the pool, relative to the standard deviation of the true values. `runs_ratio` is the number of runs at which
the median error of `best` reaches the median error of `random` at 24 runs, over 24, by interpolation.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import xarray as xr

from results import program_version

FLORAL = os.path.abspath(os.environ["FLORAL"])
BUDGETS = [6, 9, 12, 18, 24]
CHOICES = ["best", "spread", "random"]

SOLVER = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from decisions import PROBLEMS
given = np.load(sys.argv[1])
rng = np.random.default_rng(int(sys.argv[3]))
np.savez(sys.argv[2], high=PROBLEMS[{name!r}].solve(given["input"], rng, 6))
"""


class Front:
    """A front whose position is nonlinear in one of two parameters; most inputs of the pool barely move it."""

    quantity = "q = max(u)"

    def pool(self, rng, count):
        return np.stack([rng.beta(1.0, 4.0, count), rng.uniform(0, 1, count)], 1)

    def mean(self, p, x):
        return np.exp(-0.5 * ((x - 0.2 - 0.6 * p[1]) / 0.1) ** 2) * (1 + 3 * np.tanh(6 * (p[0] - 0.4)) + p[1])

    def solve(self, field, rng, realizations):
        x = np.linspace(0, 1, 32)
        return self.mean(field[:, 0], x) + 0.02 * rng.normal(size=(realizations, 1))


class Wave(Front):
    """A wave whose frequency grows with the parameter: it varies most at one end of the pool."""

    quantity = "q = at(u, 0.75)"

    def pool(self, rng, count):
        return np.stack([rng.uniform(0, 1, count), rng.uniform(0.5, 1, count)], 1)

    def mean(self, p, x):
        return p[1] * np.sin(9 * p[0] ** 2 * x)


class Four(Front):
    """Four parameters; two of them matter for the quantity."""

    quantity = "q = mean(u)"

    def pool(self, rng, count):
        return rng.uniform(0, 1, (count, 4))

    def mean(self, p, x):
        return np.sin(4 * p[0]) + 2 * (p[1] - 0.5) ** 2 * x + 0.2 * p[2] * np.sin(2 * np.pi * x)


PROBLEMS = {"front": Front(), "wave": Wave(), "four": Four()}


def floral(folder, *words):
    done = subprocess.run([FLORAL, "-q", *map(str, words)], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done


def errors(name, choice, seed, method, folder):
    """The error after every budget."""
    problem = PROBLEMS[name]
    parameters = problem.pool(np.random.default_rng(seed), 80)
    x = np.linspace(0, 1, 32)
    np.savez(folder / "pool.npz", input=np.repeat(parameters[:, :, None], 32, 2), x=x)
    floral(folder, "import", "pool.npz", "-o", "pool.zarr")
    (folder / "solve.py").write_text(SOLVER.format(folder=str(pathlib.Path(__file__).parent), name=name))
    clean = np.array([problem.mean(p, x) for p in parameters])
    truth = {"q = max(u)": clean.max(1), "q = mean(u)": np.trapezoid(clean, x, axis=1)}.get(problem.quantity)
    if truth is None:
        truth = np.array([np.interp(0.75, x, u) for u in clean])
    found = []
    for budget in BUDGETS:
        solver = f"{sys.executable} solve.py {{input}} {{output}} {{seed}}"
        common = ["--pool", "pool.zarr", "--quantity", problem.quantity, "--method", method, "--jobs", 2, "--seed", seed]
        floral(folder, "learn", "--solver", solver, *common, "--choose", choice, "--budget", budget, "-o", "learned")
        (run,) = (folder / "learned/rounds").iterdir()
        words = ["--input", "pool.zarr", "--realizations", 40, "--quantity", problem.quantity, "-o", f"{budget}.zarr"]
        floral(folder, "sample", run / "run", *words)
        predicted = xr.open_zarr(folder / f"{budget}.zarr", consolidated=False)["q"].values.mean(1)
        found.append(float(np.sqrt(np.mean((predicted - truth) ** 2)) / truth.std()))
    return found


def runs_ratio(best, random):
    """The runs at which `best` is as good as `random` at the largest budget, over those."""
    target = random[-1]
    for i, error in enumerate(best):
        if error <= target:
            if i == 0:
                return BUDGETS[0] / BUDGETS[-1]
            share = (np.log(best[i - 1]) - np.log(target)) / (np.log(best[i - 1]) - np.log(error))
            return float((BUDGETS[i - 1] + share * (BUDGETS[i] - BUDGETS[i - 1])) / BUDGETS[-1])
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="41,42,43,44,45")
    parser.add_argument("--method", default="kriging")
    parser.add_argument("-o", "--output", default="results/decisions.json")
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    rows = []
    for name in PROBLEMS:
        medians = {}
        for choice in CHOICES:
            all_seeds = []
            for seed in seeds:
                with tempfile.TemporaryDirectory() as folder:
                    all_seeds.append(errors(name, choice, seed, given.method, pathlib.Path(folder)))
            medians[choice] = np.median(all_seeds, 0).tolist()
            print(f"{name:8} {choice:8}", " ".join(f"{error:8.4f}" for error in medians[choice]), flush=True)
        rows.append({"problem": name, "medians": medians, "runs_ratio": runs_ratio(medians["best"], medians["random"])})
        print(f"{name:8} runs of best over runs of random: {rows[-1]['runs_ratio']}", flush=True)
    recording = {
        "command": "bench/decisions " + " ".join(sys.argv[1:]),
        "method_version": program_version(),
        "method": given.method,
        "seeds": seeds,
        "budgets": BUDGETS,
        "rows": rows,
    }
    pathlib.Path(given.output).write_text(json.dumps(recording, indent=1) + "\n")


if __name__ == "__main__":
    main()
