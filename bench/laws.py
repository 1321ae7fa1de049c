"""Distributions that are not normal: resampled realizations beside normal ones, and with a transform.

    bench/laws [--seeds 521,522,523]

Two plumes with a log-normal strength, one with two directions and one with a single direction: 24x40 points, 20 training inputs with
30 realizations each, no validation inputs, 15 test inputs with 1000 realizations each.

Let X be a predicted and Y a true realization, and D(P, Q) the mean distance between independent draws of P and Q. The *excess* of a
score is (D(X, Y) - D(X, X) / 2 - D(Y, Y) / 2) / (D(Y, Y) / 2): by how much it exceeds that of the truth itself, relatively. Distances
at single points give the CRPS, root mean square distances of fields the energy score. Estimates are unbiased and may be slightly
negative. `floor` is the excess of as many true realizations as a training input has.
"""

import argparse
import os
import pathlib
import tempfile

import numpy as np
import xarray

from command import floral, show
from results import commit, program_version, write

PLUMES = {"bimodal": "", "log-normal": "--set weight=1 --set noise=0"}
INPUTS, TEST, REALIZATIONS, TRUTH = 20, 15, 30, 1000
SPLIT = f"--set split.test={TEST} --set split.validation=0 --train-inputs {INPUTS}"
LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95]
LAWS = {"resampled": "", "normal": "--set law=normal", "positive": "--set transform=positive"}
KEPT = 400


def field_distance(x, y):
    """Mean root mean square distance between two sets of fields, [realization, point]; for x is y, between different fields."""
    square = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
    distances = np.sqrt(np.maximum(square, 0) / x.shape[1])
    pairs = len(x) * (len(x) - 1) if x is y else distances.size
    return distances[~np.eye(len(x), dtype=bool)].sum() / pairs if x is y else distances.mean()


def pair_sums(x):
    """The sum of absolute differences over unordered pairs of realizations and over points, from ranks."""
    rank = 2 * np.arange(1, len(x) + 1) - len(x) - 1
    return (rank[:, None] * np.sort(x, 0)).sum()


def point_distance(x, y):
    """Mean absolute difference of the values at a point, summed over points."""
    if x is y:
        return 2 * pair_sums(x) / (len(x) * (len(x) - 1))
    return (pair_sums(np.concatenate([x, y])) - pair_sums(x) - pair_sums(y)) / (len(x) * len(y))


def excess(distance, predicted, truth):
    own = distance(truth, truth) / 2
    return float((distance(predicted, truth) - distance(predicted, predicted) / 2 - own) / own)


def scores(predicted, truth):
    """The scores of one input. predicted, truth: [realization, y, x]."""
    spread = truth.std(0)
    at = spread > 0.1 * spread.max()
    quantile = (np.quantile(predicted, LEVELS, 0) - np.quantile(truth, LEVELS, 0)) / np.where(at, spread, 1)
    gradient = [sum((np.diff(u, axis=axis) ** 2).sum() for axis in (1, 2)) / len(u) for u in (predicted, truth)]
    low, high = np.quantile(predicted, [0.05, 0.95], 0)
    flat = [u.reshape(len(u), -1).astype(float) for u in (predicted, truth)]
    return {
        "crps_excess": excess(point_distance, *flat),
        "energy_excess": excess(field_distance, *flat),
        "quantile_error": float(np.sqrt((quantile[:, at] ** 2).mean())),
        "gradient_energy": float(gradient[0] / gradient[1]),
        "coverage_90": float(((truth >= low) & (truth <= high)).mean()),
        "below_zero": float((predicted < 0).mean()),
    }


def over_inputs(predicted, truth):
    found = [scores(p, t) for p, t in zip(predicted, truth)]
    return {name: float(np.mean([row[name] for row in found])) for name in found[0]}


def scored(plume, constants, seed, folder):
    make = f"generate plume {constants} --seed {seed}"
    floral(folder, f"{make} --inputs {INPUTS + TEST} --realizations {REALIZATIONS} -o data.zarr --force")
    floral(folder, f"{make} --inputs {TEST} --realizations {TRUTH} -o truth.zarr --force")
    truth = xarray.open_zarr(folder / "truth.zarr", consolidated=False).high.squeeze("channel").values
    yield {"plume": plume, "law": "floor", "seed": seed, **over_inputs(truth[:, :REALIZATIONS], truth[:, REALIZATIONS:])}
    for law, settings in LAWS.items():
        run = f"{plume}-{law}-{seed}"
        floral(folder, f"train data.zarr {SPLIT} {settings} --seed {seed} -o {run}")
        floral(folder, f"sample {run} --input truth.zarr --realizations {KEPT} --keep {KEPT} -o {run}.zarr")
        found = xarray.open_zarr(folder / f"{run}.zarr", consolidated=False).realizations.squeeze("channel").values
        yield {"plume": plume, "law": law, "seed": seed, **over_inputs(found, truth)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="521,522,523")
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for plume, constants in PLUMES.items():
            for seed in seeds:
                for row in scored(plume, constants, seed, pathlib.Path(folder)):
                    rows.append(row)
                    show(row)
    notes = {"command": f"bench/laws --seeds {given.seeds}", "commit": commit(), "method_version": program_version(), "seeds": seeds}
    write("laws.json", notes | {"cores": os.cpu_count(), "rows": rows})


if __name__ == "__main__":
    main()
