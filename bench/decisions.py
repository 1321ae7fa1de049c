"""The loop beside random choice: the error of a quantity over the number of runs.

    bench/decisions [--seeds 437,438,439] [--method kriging] [-o results/decisions.json]

A problem is a pool of 60 inputs and a solver. A loop runs with `--choose best` and `random` in batches of 3 to 6, 9, 12 and 18
runs; after each, the predicted mean of the quantity is compared with the true one at every input of the pool. Errors are root mean
squares over the pool, relative to the standard deviation of the true values. `runs_ratio` is the number of runs at which
the median error of `best` reaches the median error of `random` at 18 runs, over 18, by interpolation. Three seeds are few.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import xarray as xr

from command import floral
from decisions_problems import PROBLEMS
from results import program_version

BUDGETS = [6, 9, 12, 18]
CHOICES = ["best", "random"]
POOL = 60

SOLVER = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from decisions_problems import PROBLEMS
given = np.load(sys.argv[1])
rng = np.random.default_rng(int(sys.argv[3]))
np.savez(sys.argv[2], high=PROBLEMS[{name!r}].solve(given["input"], rng, 6))
"""


def errors(name, choice, seed, method, folder):
    """The error after every budget."""
    problem = PROBLEMS[name]
    parameters = problem.pool(np.random.default_rng(seed), POOL)
    x = np.linspace(0, 1, 32)
    np.savez(folder / "pool.npz", input=np.repeat(parameters[:, :, None], 32, 2), x=x)
    floral(folder, "-q", "import", "pool.npz", "-o", "pool.zarr")
    (folder / "solve.py").write_text(SOLVER.format(folder=str(pathlib.Path(__file__).parent), name=name))
    clean = np.array([problem.mean(p, x) for p in parameters])
    truth = {"q = max(u)": clean.max(1), "q = mean(u)": np.trapezoid(clean, x, axis=1)}.get(problem.quantity)
    if truth is None:
        truth = np.array([np.interp(0.75, x, u) for u in clean])
    found = []
    for budget in BUDGETS:
        solver = f"{sys.executable} solve.py {{input}} {{output}} {{seed}}"
        common = ["--pool", "pool.zarr", "--quantity", problem.quantity, "--method", method, "--jobs", 2, "--batch", 3, "--seed", seed]
        floral(folder, "-q", "learn", "--solver", solver, *common, "--choose", choice, "--budget", budget, "-o", "learned")
        (run,) = (folder / "learned/rounds").iterdir()
        words = ["--input", "pool.zarr", "--realizations", 40, "--quantity", problem.quantity, "-o", f"{budget}.zarr"]
        floral(folder, "-q", "sample", run / "run", *words)
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
    parser.add_argument("--seeds", default="437,438,439")
    parser.add_argument("--method", default="kriging")
    parser.add_argument("-o", "--output", default="results/decisions.json")
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    rows = []
    for name in PROBLEMS:
        medians, each = {}, {}
        for choice in CHOICES:
            all_seeds = []
            for seed in seeds:
                with tempfile.TemporaryDirectory() as folder:
                    all_seeds.append(errors(name, choice, seed, given.method, pathlib.Path(folder)))
            each[choice] = all_seeds
            medians[choice] = np.median(all_seeds, 0).tolist()
            print(f"{name:8} {choice:8}", " ".join(f"{error:8.4f}" for error in medians[choice]), flush=True)
        rows.append({"problem": name, "errors": each, "medians": medians, "runs_ratio": runs_ratio(medians["best"], medians["random"])})
        print(f"{name:8} runs of best over runs of random: {rows[-1]['runs_ratio']}", flush=True)
    recording = {
        "command": f"bench/decisions --seeds {given.seeds} --method {given.method}",
        "method_version": program_version(),
        "method": given.method,
        "seeds": seeds,
        "budgets": BUDGETS,
        "rows": rows,
    }
    pathlib.Path(given.output).write_text(json.dumps(recording, indent=1) + "\n")


if __name__ == "__main__":
    main()
