"""The loop beside random choice: the error of a quantity over the number of runs.

    bench/decisions [--only NAME,...] [--seeds 501,...] [--method kriging] [--model] [-o results/decisions.json]

A problem is a pool of 60 to 100 inputs with all of their solutions (decisions_problems.py). A loop with `--choose best`, `spread`
or `random` starts with 6 runs and adds 3 at a time. After 6, 9, 12 and 18 runs its estimate of the mean of the quantity at every
input of the pool (quantity.csv) is compared with the truth. `errors` are root mean squares over the pool, relative to the standard
deviation of the true values; `stds` are the loop's own estimates of these errors, in the same unit; with `--model`, `model_errors` are
the errors of realizations of the loop's last model (`floral sample`). `runs_ratio` is the number of runs from which on the median
error is at most that of `random` at 18 runs, by interpolation, divided by 18; if a choice ends with a larger error than `random`, it is
18 divided by the number of runs at which `random` is as good. Rows of the output file from the same build and settings are kept.
"""

import argparse
import hashlib
import json
import pathlib
import sys
import tempfile

import numpy as np
import xarray

from command import FLORAL, floral
from decisions_problems import PROBLEMS, RUNS, ZOO
from results import program_version

BUDGETS = [6, 9, 12, 18]
CHOICES = ["best", "spread", "random"]
SEEDS = ",".join(map(str, range(501, 511)))

# The solver looks stored solutions up by the bytes of the input. It starts fast because it does not import NumPy.
SOLVER = """
import hashlib, shutil, sys, zipfile
given = zipfile.ZipFile(sys.argv[1]).read("input.npy")[-int(sys.argv[3]):]
shutil.copy(f"solved/{hashlib.md5(given).hexdigest()}.npz", sys.argv[2])
"""


def prepared(name, seed, folder):
    """Writes the pool and its solutions, and returns the true means of the quantity and the bytes of an input."""
    pool, _, of = PROBLEMS[name]
    data = pool(seed)
    given, high = data["input"].values.astype("<f8"), data["high"].values
    data.drop_vars("high").to_zarr(folder / "pool.zarr", zarr_format=3, consolidated=False)
    (folder / "solved").mkdir()
    for one, solution in zip(given, high):
        np.savez(folder / "solved" / f"{hashlib.md5(one.tobytes()).hexdigest()}.npz", high=solution[:RUNS])
    (folder / "solve.py").write_text(SOLVER)
    return of(high).mean(1), given[0].nbytes


def learned(given, name, choice, seed, folder, truth, size):
    """The error at every budget and the loop's own estimate of it, relative to the spread of the truth."""
    found = {"errors": [], "stds": [], "model_errors": []}
    over = lambda values: float(np.sqrt(np.mean(np.square(values))) / truth.std())
    definition, place = PROBLEMS[name][1], folder / f"learned-{choice}"
    solver = f"{sys.executable} -I -S solve.py {{input}} {{output}} {size}"
    # The other choices pick the same inputs for any batch, so that they need no fit between two budgets.
    batch = 3 if choice == "best" else BUDGETS[-1]
    for budget in BUDGETS:
        words = ["--pool", "pool.zarr", "--quantity", definition, "--method", given.method, "--seed", seed, "--start", BUDGETS[0], "--batch", batch]
        floral(folder, "-q", "learn", "--solver", solver, *words, "--choose", choice, "--budget", budget, "-o", place)
        _, means, stds = np.loadtxt(place / "quantity.csv", delimiter=",", skiprows=1).T
        found["errors"].append(over(means - truth))
        found["stds"].append(over(stds))
        if given.model:
            (run,) = (place / "rounds").iterdir()
            words = ["--input", "pool.zarr", "--realizations", 40, "--quantity", definition, "-o", "predicted.zarr", "--force"]
            floral(folder, "-q", "sample", run / "run", *words)
            predicted = xarray.open_zarr(folder / "predicted.zarr", consolidated=False)["q"].values.mean(1)
            found["model_errors"].append(over(predicted - truth))
    return found


def runs_at(errors, target):
    """The number of runs from which on errors are at most `target`, by logarithmic interpolation; None if the last error
    is larger."""
    above = [i for i, error in enumerate(errors) if error > target]
    if not above:
        return float(BUDGETS[0])
    i = above[-1] + 1
    if i == len(BUDGETS):
        return None
    share = np.log(errors[i - 1] / target) / np.log(errors[i - 1] / errors[i])
    return float(BUDGETS[i - 1] + share * (BUDGETS[i] - BUDGETS[i - 1]))


def runs_ratio(errors, random):
    """The number of runs for the same error, divided by that of random choice."""
    found = runs_at(errors, random[-1])
    return found / BUDGETS[-1] if found is not None else BUDGETS[-1] / runs_at(random, errors[-1])


def summary(rows):
    """For each problem: median errors, the median of std over error, and the ratio of runs."""
    found = []
    for name in dict.fromkeys(row["problem"] for row in rows):
        own = [row for row in rows if row["problem"] == name]
        of = lambda choice, key: np.array([row[key] for row in own if row["choice"] == choice])
        choices = [choice for choice in CHOICES if len(of(choice, "errors"))]
        medians = {choice: np.median(of(choice, "errors"), 0).tolist() for choice in choices}
        honest = {choice: np.median(of(choice, "stds") / of(choice, "errors"), 0).tolist() for choice in choices}
        models = {choice: np.median(of(choice, "model_errors"), 0).tolist() for choice in choices}
        ratios = {choice: runs_ratio(medians[choice], medians["random"]) for choice in choices} if "random" in choices else {}
        found.append({"problem": name, "is_zoo": name in ZOO, "quantity": PROBLEMS[name][1], "medians": medians,
                      "std_over_error": honest, "model_medians": models, "runs_ratio": ratios})
    return found


def identity(given):
    """Identifies a measurement by build, problems and method."""
    here = pathlib.Path(__file__).parent
    digest = hashlib.sha256(pathlib.Path(FLORAL).read_bytes())
    for file in ("decisions.py", "decisions_problems.py"):
        digest.update((here / file).read_bytes())
    return f"{digest.hexdigest()[:16]}-{given.method}{'-model' if given.model else ''}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROBLEMS))
    parser.add_argument("--choices", default=",".join(CHOICES))
    parser.add_argument("--seeds", default=SEEDS)
    parser.add_argument("--method", default="kriging")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("results/decisions.json"))
    given = parser.parse_args()
    seeds, choices = [int(seed) for seed in given.seeds.split(",")], given.choices.split(",")
    before = json.loads(given.output.read_text()) if given.output.exists() else {}
    rows = before["rows"] if before.get("build") == identity(given) else []
    only = [f"--only {given.only}"] if given.only != ",".join(PROBLEMS) else []
    words = [*only, f"--seeds {given.seeds}", f"--method {given.method}", *(["--model"] if given.model else [])]
    for name in given.only.split(","):
        for seed in seeds:
            missing = [choice for choice in choices if not any((row["problem"], row["choice"], row["seed"]) == (name, choice, seed) for row in rows)]
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                known = prepared(name, seed, folder) if missing else ()
                for choice in missing:
                    rows.append({"problem": name, "choice": choice, "seed": seed, **learned(given, name, choice, seed, folder, *known)})
            made = {"command": " ".join(["bench/decisions", *words]), "method_version": program_version(), "method": given.method,
                    "build": identity(given), "seeds": seeds, "budgets": BUDGETS, "summary": summary(rows), "rows": rows}
            given.output.write_text(json.dumps(made, indent=1) + "\n")
        row = next(row for row in summary(rows) if row["problem"] == name)
        for choice, medians in row["medians"].items():
            errors = " ".join(f"{error:7.4f}" for error in medians)
            honest = " ".join(f"{ratio:5.2f}" for ratio in row["std_over_error"][choice])
            print(f"{name:10} {choice:7} {errors}  std/error {honest}  runs {row['runs_ratio'].get(choice, float('nan')):.2f}", flush=True)


if __name__ == "__main__":
    main()
