"""Seconds, memory and errors of the default method and of kriging on large domains and on many inputs.

    bench/scale [NAMES] [--seed 461] [-o results/scale.json]

Each method is fitted with its defaults on two cores. `fit_s` and `fit_cpu_s` are wall and processor seconds, `fit_mb` is the
peak of resident memory. `draw_s` is the time of 1000 realizations of one input with their mean and two quantiles, from starting
the program to writing the store. Errors and coverage are defined as in `bench/zoo`, at test inputs with more runs, from 400
realizations. PCA + GP of scikit-learn is the peer on grids. Everything was timed on a machine that other work shared.
"""

import argparse
import datetime
import json
import os
import pathlib
import tempfile
import time

import xarray

from command import measured
from results import RESULTS, commit, program_version
from scale_data import CASES, made
from zoo_peers import pca_gp
from zoo_scores import coverage, of_mean

METHODS = ["floral-kl", "kriging"]
DRAWS, SCORED = 1000, 400
QUANTILES = ["--quantile", "0.05", "--quantile", "0.95"]


def named(prefix, values):
    return {f"{prefix}_{key}": round(value, 2) for key, value in values.items()}


def scored(name, seed, method, data, folder):
    train, test = data
    fit = measured(folder, "train", "train.zarr", "--method", method, "--set", "split.test=0", "--set", "split.validation=0", "-o", method)
    one = measured(folder, "sample", method, "--input", "test.zarr", "--inputs", "0..1", "--realizations", DRAWS, *QUANTILES, "-o", f"{method}-one.zarr")
    measured(folder, "sample", method, "--input", "test.zarr", "--realizations", SCORED, *QUANTILES, "-o", f"{method}-all.zarr")
    found = xarray.open_zarr(folder / f"{method}-all.zarr", consolidated=False).load()
    row = {"data": name, "seed": seed, "method": method, "inputs": train.sizes["input"], "runs": train.sizes["realization"]}
    row |= named("fit", fit) | {"fit_mb_per_input": round(fit["mb"] / train.sizes["input"], 2)} | named("draw", one)
    return row | of_mean(found["mean"].values, train, test) | coverage(found, test)


def of_peer(name, seed, data):
    start = time.monotonic()
    mean = pca_gp(*data)
    return {"data": name, "seed": seed, "method": "PCA + GP", "fit_s": round(time.monotonic() - start, 2)} | of_mean(mean, *data)


def rows_of(name, seed):
    data = made(name, seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part, values in zip(("train", "test"), data):
            values.to_zarr(folder / f"{part}.zarr", zarr_format=3, consolidated=False)
        for method in METHODS:
            yield scored(name, seed, method, data, folder)
    if "points" not in data[0]:
        yield of_peer(name, seed, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(CASES), help=f"of {', '.join(CASES)}")
    parser.add_argument("--seed", type=int, default=461)
    parser.add_argument("-o", type=pathlib.Path, default=RESULTS / "scale.json")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(CASES):
        parser.error(f"{', '.join(sorted(unknown))} is none of {', '.join(CASES)}")
    rows = []
    for name in asked.names:
        for row in rows_of(name, asked.seed):
            rows.append(row)
            print(row, flush=True)
            recording = {
                "date": datetime.date.today().isoformat(),
                "command": f"bench/scale --seed {asked.seed}",
                "commit": commit(),
                "method_version": program_version(),
                "cores": os.cpu_count(),
                "load": round(os.getloadavg()[0], 1),
                "spent_seeds": [asked.seed],
                "rows": rows,
            }
            asked.o.write_text(json.dumps(recording, indent=1) + "\n")


if __name__ == "__main__":
    main()
