"""Learned coefficients beside normal ones, and both through a transform, where the law is not normal.

    bench/laws

A plume of two directions and a log-normal strength, and one of a single direction, so log-normal alone:
24x40 points, 14 training inputs and 6 for validation with 30 realizations each, 15 test inputs.
"""

import json
import os
import pathlib
import tempfile

import numpy as np
import xarray

from command import floral, show
from results import write

PLUMES = {"bimodal": "", "log-normal": "--set weight=1 --set noise=0"}
SEEDS = 3
SPLIT = "--set split.test=15 --set split.validation=6 --train-inputs 14"
LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]
LAWS = {"chosen": "", "normal": "--set coefficients=normal", "positive": "--set transform=positive"}
REALIZATIONS = 30


def quantiles(realizations):
    """[input, realization, ...] -> [input, level, ...]."""
    return np.moveaxis(np.quantile(realizations, LEVELS, axis=1), 0, 1)


def quantile_error(found, truth):
    """Root mean square error of quantile fields over the true deviation, at points where it is large."""
    spread = truth.std(1)
    at = spread > 0.1 * spread.max()
    errors = (found - quantiles(truth)) / spread[:, None]
    return float(np.sqrt((errors**2)[np.broadcast_to(at[:, None], errors.shape)].mean()))


def quantile_errors(run, folder):
    """Of a run; of as many realizations of the test inputs as training inputs have; of all of them."""
    levels = " ".join(f"--quantile {level}" for level in LEVELS)
    floral(folder, f"sample {run} --input truth.zarr --inputs 0..15 --realizations 1000 {levels} --keep 200 -o {run}.zarr")
    found = xarray.open_zarr(folder / f"{run}.zarr").load()
    truth = xarray.open_zarr(folder / "truth.zarr").high.isel(input=slice(0, 15)).values.astype(float)
    half = truth.shape[1] // 2
    return {
        "quantile_error": quantile_error(found.quantiles.values, truth),
        "quantile_error_of_realizations": quantile_error(quantiles(truth[:, :REALIZATIONS]), truth),
        # Halves differ by twice what the whole errs by.
        "quantile_error_of_truth": quantile_error(quantiles(truth[:, :half]), truth[:, half:]) / 2,
        "below_zero": float((found.realizations.values < 0).mean()),
    }


def scored(plume, constants, seed, folder):
    make = f"generate plume {constants} --seed {seed}"
    floral(folder, f"{make} --inputs 35 --realizations {REALIZATIONS} -o data.zarr --force")
    floral(folder, f"{make} --inputs 15 --realizations 1000 -o truth.zarr --force")
    for law, settings in LAWS.items():
        run = f"{plume}-{law}-{seed}"
        floral(folder, f"train data.zarr {SPLIT} {settings} --seed {seed} -o {run}")
        found = json.loads(floral(folder, f"evaluate {run} truth.zarr --inputs 0..15 --realizations 1000 --json").stdout)
        observed = found["prediction"]["spread"]["observed"]
        yield {
            "plume": plume,
            "coefficients": law,
            "seed": seed,
            "energy_score": observed["energy_score"],
            "crps": observed["crps"],
            "coverage_90": observed["coverage"][1]["coverage"],
            **quantile_errors(run, folder),
            "mean_l2": found["prediction"]["mean"]["mean_l2"],
            "low_l2": found["low"]["mean_l2"],
        }


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for plume, constants in PLUMES.items():
            for seed in range(SEEDS):
                for row in scored(plume, constants, seed, pathlib.Path(folder)):
                    rows.append(row)
                    show(row)
    write("laws.json", {"command": "bench/laws", "cores": os.cpu_count(), "rows": rows})


if __name__ == "__main__":
    main()
