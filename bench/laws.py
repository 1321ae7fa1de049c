"""Learned coefficients beside normal ones where the law of the solution is not normal.

    bench/laws

A plume of two directions and a log-normal strength, and one of a single direction, so log-normal alone:
24x40 points, 14 training inputs and 6 for validation with 30 realizations each, 15 test inputs.
"""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import xarray

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLORAL = os.environ["FLORAL"]
PLUMES = {"bimodal": "", "log-normal": "--set weight=1 --set noise=0"}
SEEDS = 3
SPLIT = "--set split.test=15 --set split.validation=6 --train-inputs 14"
LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]


def floral(words, folder):
    command = [FLORAL, *words.split()]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def quantile_error(run, folder):
    """Root mean square error of quantile fields over the true deviation, at points where it is large."""
    levels = " ".join(f"--quantile {level}" for level in LEVELS)
    floral(f"sample {run} --input truth.zarr --inputs 0..15 --realizations 1000 {levels} --keep 200 -o {run}.zarr", folder)
    found = xarray.open_zarr(folder / f"{run}.zarr").load()
    truth = xarray.open_zarr(folder / "truth.zarr").high.isel(input=slice(0, 15)).load()
    spread = truth.std("realization").values
    at = spread > 0.1 * spread.max()
    exact = np.moveaxis(truth.quantile(LEVELS, "realization").values, 0, 1)
    errors = (found.quantiles.values - exact) / spread[:, None]
    below = float((found.realizations.values < 0).mean())
    return float(np.sqrt((errors**2)[np.broadcast_to(at[:, None], errors.shape)].mean())), below


def scored(plume, constants, seed, folder):
    make = f"generate plume {constants} --seed {seed}"
    floral(f"{make} --inputs 35 --realizations 30 -o data.zarr --force", folder)
    floral(f"{make} --inputs 15 --realizations 1000 -o truth.zarr --force", folder)
    for law in ("chosen", "normal"):
        run = f"{plume}-{law}-{seed}"
        floral(f"train data.zarr {SPLIT} --set coefficients={law} --seed {seed} -o {run}", folder)
        found = json.loads(floral(f"evaluate {run} truth.zarr --inputs 0..15 --realizations 1000 --json", folder))
        observed = found["prediction"]["spread"]["observed"]
        error, below = quantile_error(run, folder)
        yield {
            "plume": plume,
            "coefficients": law,
            "seed": seed,
            "energy_score": observed["energy_score"],
            "crps": observed["crps"],
            "coverage_90": observed["coverage"][1]["coverage"],
            "quantile_error": error,
            "below_zero": below,
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
                    print({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}, flush=True)
    made = {"command": "bench/laws", "cores": os.cpu_count(), "rows": rows}
    (ROOT / "results" / "laws.json").write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
