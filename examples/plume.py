"""A plume in a wind with two possible directions, from NumPy arrays to checked predictions.

`python plume.py FOLDER`, with the floral command on the path or in FLORAL_BIN.

A source of random place and strength lies in a wind along x that turns up with probability 0.65 and
down otherwise; the released amount varies by a log-normal factor:

    c(y, x) = background + q exp(s N - s^2 / 2) / width * exp(-(y - y0 -+ slope (x - x0))^2 / (2 width^2))

downwind of the source, where the width grows. Mean and variance are sums over the two modes. Low
fidelity has a wind that does not turn, and a broader plume.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import xarray as xr

POINTS, SIZE = (24, 40), (1.2, 2.0)
UP, SLOPE, SPREAD, BACKGROUND = 0.65, 0.35, 0.3, 0.02
INPUTS, REALIZATIONS, TEST = 60, 30, 3

# Bounds for test inputs: errors of mean and standard deviation relative to the largest true standard
# deviation, and the error of the share of plumes that turn up.
MEAN_BOUND, SPREAD_BOUND, SHARE_BOUND = 0.2, 0.2, 0.15

y, x = (np.linspace(0.0, length, n) for length, n in zip(SIZE, POINTS))
Y, X = np.meshgrid(y, x, indexing="ij")


def plume(source, slope, stretch=1.0):
    """source: y0, x0, strength -> concentration without the background: [y, x]"""
    y0, x0, strength = source
    behind = X - x0
    width = stretch * (0.08 + 0.12 * np.clip(behind, 0.0, None))
    start = 1.0 / (1.0 + np.exp(-behind / 0.05))
    return strength * start * 0.08 / width * np.exp(-((Y - y0 - slope * behind) ** 2) / (2 * width**2))


def modes(source):
    return plume(source, SLOPE), plume(source, -SLOPE)


def truth(source):
    """Mean and standard deviation: [y, x] each."""
    up, down = modes(source)
    mean = UP * up + (1 - UP) * down
    square = np.exp(SPREAD**2) * (UP * up**2 + (1 - UP) * down**2)
    return BACKGROUND + mean, np.sqrt(square - mean**2)


def realizations(source, rng):
    """[realization, channel, y, x]"""
    up, down = modes(source)
    factor = np.exp(SPREAD * rng.standard_normal(REALIZATIONS) - SPREAD**2 / 2)
    turns_up = rng.random(REALIZATIONS) < UP
    field = lambda f, is_up: BACKGROUND + f * (up if is_up else down)
    return np.stack([[field(f, u)] for f, u in zip(factor, turns_up)])


def sources(rng):
    low, high = (0.4, 0.2, 0.5), (0.8, 0.5, 2.0)
    return rng.uniform(low, high, (INPUTS, 3))


def release(source):
    y0, x0, strength = source
    return strength * np.exp(-((Y - y0) ** 2 + (X - x0) ** 2) / (2 * 0.06**2))


def write(path, all_sources, rng):
    fields = ("input", "channel", "y", "x")
    data = xr.Dataset(
        {
            "input": (fields, [[release(s)] for s in all_sources]),
            "low": (fields, [[BACKGROUND + plume(s, 0.0, 1.5)] for s in all_sources]),
            "high": (
                ("input", "realization", "channel", "y", "x"),
                np.stack([realizations(s, rng) for s in all_sources]),
                {"name": "concentration", "units": "mg m-3"},
            ),
        },
        coords={"y": ("y", y, {"units": "km"}), "x": ("x", x, {"units": "km"})},
    )
    data.to_zarr(path, zarr_format=3, consolidated=False, mode="w")


def floral(*words, cwd):
    command = [os.environ.get("FLORAL_BIN", "floral"), *(str(word) for word in words)]
    subprocess.run(command, check=True, cwd=cwd)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(2)
    all_sources = sources(rng)
    write(folder / "plume.zarr", all_sources, rng)
    floral("inspect", "plume.zarr", cwd=folder)
    settings = {"transform": "log", "split.test": TEST, "split.validation": 5}
    settings = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    floral("train", "plume.zarr", *settings, "-o", "run", cwd=folder)
    words = ("--realizations", 400, "--keep", 400, "-o", "out.zarr", "--force")
    floral("sample", "run", "--input", "plume.zarr", "--inputs", f"0..{TEST}", *words, cwd=folder)
    check(xr.open_zarr(folder / "out.zarr"), all_sources[:TEST])


def share_up(fields, source):
    """The share of fields that are closer to the upper mode, regardless of their strength."""
    up, down = (mode / np.linalg.norm(mode) for mode in modes(source))
    overlap = lambda mode: ((fields - BACKGROUND) * mode).sum((-2, -1))
    return float((overlap(up) > overlap(down)).mean())


def check(out, test):
    assert float(out.realizations.min()) > 0.0, "a concentration is never negative"
    for index, source in enumerate(test):
        mean, deviation = truth(source)
        found = out.isel(input=index, channel=0)
        size = deviation.max()
        own = found["mean"].values, np.sqrt(found["aleatoric"].values)
        errors = [np.sqrt(np.mean((a - b) ** 2)) / size for a, b in zip(own, (mean, deviation))]
        share = share_up(found.realizations.values, source)
        print(
            f"input {index}: error of the mean {errors[0]:.3f}, of the deviation {errors[1]:.3f}, "
            f"{share:.2f} turn up"
        )
        assert errors[0] < MEAN_BOUND and errors[1] < SPREAD_BOUND, "out of bounds"
        assert abs(share - UP) < SHARE_BOUND, "the modes have other weights"


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "plume"))
