"""Ten quantities of interest on five datasets: coverage of 90 % intervals as drawn and calibrated, and probabilities.

    bench/quantities [NAME ...] --seeds 421,422,423 [-o results/quantities.json]

The datasets are those of bench/zoo. A run is trained on the training inputs only; `floral evaluate` scores ten quantities at
the test inputs: the share of true realizations inside the central 90 % interval of the draws and of the calibrated draws.
`floral sample` predicts the probabilities that the largest value and the value at a point exceed three thresholds each (the 50,
75 and 90 % quantiles over all true realizations). They are compared with the shares of true realizations: by the Brier score
beside that of the true probabilities, and by the observed probability in bins of the predicted one.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import xarray

from results import ROOT, commit, program_version
from zoo_data import FLORAL, catalogue

NAMES = ["base", "positive", "bimodal", "burgers32-10", "darcy32-10"]
REALIZATIONS = 500
LEVELS = (0.5, 0.75, 0.9)
BINS = 10


def floral(*words):
    done = subprocess.run([FLORAL, "-q", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def point_of(high):
    """A grid point, as its index along each axis."""
    return {axis: round(share * (high.sizes[axis] - 1)) for axis, share in zip(high.dims[3:], (0.3, 0.6))}


def quantities(high):
    """Name -> expression, for fields with the dimensions of `high`."""
    axes = list(high.dims[3:])
    place = lambda axis, share: float(high[axis][0] + share * (high[axis][-1] - high[axis][0]))
    first, last = axes[0], axes[-1]
    threshold = float(high.quantile(0.7))
    at = ", ".join(repr(float(high[axis][k])) for axis, k in point_of(high).items())
    return {
        "max": "max(u)",
        "mean": "mean(u)",
        "min": "min(u)",
        "range": "range(u)",
        "norm": "norm(u)",
        "at": f"at(u, {at})",
        "energy": "integral(u^2)",
        "part": f"mean(u, {first} < {place(first, 0.5):.6g})",
        "fraction": f"fraction(u > {threshold:.6g})",
        "slope": f"max(abs(d(u, {last})))",
    }


def probabilities(folder, high):
    """For each threshold of two quantities: level, Brier scores, and pairs of predicted and observed probability."""
    axes = list(high.dims[3:])
    one = high.isel(channel=0)
    truth = {"max": one.max(axes).values, "at": one.isel(point_of(high)).values}
    expressions = quantities(high)
    asked, thresholds = [], {}
    for name in truth:
        thresholds[name] = np.quantile(truth[name], LEVELS)
        asked += ["--quantity", f"{name} = {expressions[name]}"]
        for value in thresholds[name]:
            asked += ["--exceed-quantity", f"{name}: {float(value)!r}"]
    found = {}
    for how, more in (("calibrated", []), ("drawn", ["--uncalibrated"])):
        floral("sample", folder / "run", "--input", folder / "test.zarr", "--realizations", REALIZATIONS, *asked, *more,
               "-o", folder / "out.zarr", "--force")
        found[how] = xarray.open_zarr(folder / "out.zarr", consolidated=False).load()
    rows = []
    for name in truth:
        for k, level in enumerate(LEVELS):
            q = (truth[name] > thresholds[name][k]).mean(1)
            n = truth[name].shape[1]
            row = {"quantity": name, "level": level, "observed": q.tolist(), "brier_of_truth": float((q * (1 - q) * n / (n - 1)).mean())}
            for how, store in found.items():
                p = store[f"{name}_exceedance"].values[:, k]
                row[how] = p.tolist()
                row[f"brier_{how}"] = float((q * (1 - p) ** 2 + (1 - q) * p**2).mean())
            rows.append(row)
    return rows


def scored(name, seed):
    train, test = catalogue()[name](seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for data, part in ((train, "train"), (test, "test")):
            data.to_zarr(folder / f"{part}.zarr", zarr_format=3, consolidated=False)
        floral("train", folder / "train.zarr", "--set", "split.test=0", "--set", "split.validation=0", "-o", folder / "run")
        asked = [word for item in quantities(test.high).items() for word in ("--quantity", " = ".join(item))]
        words = ["--realizations", REALIZATIONS, "--reference", 0, "--inputs", f"0..{test.sizes['input']}", "--json"]
        made = json.loads(floral("evaluate", folder / "run", folder / "test.zarr", *asked, *words))
        rows = []
        for one in made["interests"]:
            own = one["scores"]
            rows.append({"quantity": one["name"], "drawn": own.get("uncalibrated_coverage", own["coverage"]), "calibrated": own["coverage"],
                         "stretch": own.get("applied_stretch"), "rmse": own["rmse"], "crps": own["crps"]})
        return {"data": name, "seed": seed, "inputs": train.sizes["input"], "quantities": rows, "probabilities": probabilities(folder, test.high)}


def reliability(rows, how):
    """For each bin of the predicted probability: its mean, the observed share, and the number of pairs."""
    p = np.concatenate([one[how] for row in rows for one in row["probabilities"]])
    q = np.concatenate([one["observed"] for row in rows for one in row["probabilities"]])
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    return [[float(p[place == k].mean()), float(q[place == k].mean()), int((place == k).sum())] for k in range(BINS) if (place == k).any()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--seeds", default="421,422,423")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "results/quantities.json")
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    build = commit()
    before = json.loads(arguments.output.read_text()) if arguments.output.exists() else {}
    rows = before["rows"] if before.get("commit") == build else []
    for name in arguments.names:
        for seed in seeds:
            if any((row["data"], row["seed"]) == (name, seed) for row in rows):
                continue
            rows.append(scored(name, seed))
            for one in rows[-1]["quantities"]:
                print(f"{name:14} {seed} {one['quantity']:9} {one['drawn']:.3f} {one['calibrated']:.3f}  x {one['stretch'] or 1:.2f}", flush=True)
            made = {"command": " ".join(["bench/quantities", *arguments.names, "--seeds", arguments.seeds]), "commit": build, "date": datetime.date.today().isoformat(),
                    "method_version": program_version(), "seeds": seeds, "realizations": REALIZATIONS, "rows": rows}
            made["reliability"] = {how: reliability(rows, how) for how in ("drawn", "calibrated")}
            arguments.output.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
