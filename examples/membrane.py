"""A loaded membrane of uncertain tension, from NumPy arrays to checked predictions.

`python membrane.py FOLDER`, with the floral command on the path or in FLORAL_BIN.

A load p(x, y) of a few waves bends a membrane of 0.3 m x 0.5 m. Its tension is log-normal, and a
gauge reads the pressure on it with a noise that grows with the load:

    deflection  w = sum of p_mn / (T k_mn^2) sin(m pi x / a) sin(n pi y / b),  T = T0 exp(s N)
    pressure    q = ambient + p (1 + r N')

Mean and variance of both are known in closed form, from the moments of the log-normal distribution. Low
fidelity is computed by a separate program that floral calls; it has only one wave, at the nominal tension.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import xarray as xr

from membrane_solver import AMBIENT, TENSION

SIZE, POINTS = (0.3, 0.5), (18, 24)
SPREAD, NOISE = 0.2, 0.1
INPUTS, REALIZATIONS, TEST = 26, 40, 4
WAVES = [(m, n) for m in (1, 2, 3) for n in (1, 2)]

# Bounds for test inputs, by channel: errors of mean and standard deviation, relative to the largest true
# standard deviation.
MEAN_BOUND, SPREAD_BOUND = 0.25, 0.25

x, y = (np.linspace(0.0, length, n) for length, n in zip(SIZE, POINTS))


def wave(m, n):
    return np.sin(m * np.pi * x / SIZE[0])[:, None] * np.sin(n * np.pi * y / SIZE[1])


def load(amplitudes):
    """[wave] -> the load in Pa: [x, y]"""
    return sum(a * wave(m, n) for a, (m, n) in zip(amplitudes, WAVES))


def deflection(amplitudes):
    """[wave] -> the deflection in m at the tension T0: [x, y]"""
    square = lambda m, n: (m * np.pi / SIZE[0]) ** 2 + (n * np.pi / SIZE[1]) ** 2
    return sum(a / (TENSION * square(m, n)) * wave(m, n) for a, (m, n) in zip(amplitudes, WAVES))


def truth(amplitudes):
    """Mean and standard deviation of both channels: [channel, x, y] each."""
    w, p = deflection(amplitudes), load(amplitudes)
    mean = np.stack([w * np.exp(SPREAD**2 / 2), AMBIENT + p])
    deviation = np.stack([abs(mean[0]) * np.sqrt(np.expm1(SPREAD**2)), abs(NOISE * p)])
    return mean, deviation


def realizations(amplitudes, rng):
    """[realization, channel, x, y]"""
    tension = np.exp(SPREAD * rng.standard_normal(REALIZATIONS))
    noise = 1.0 + NOISE * rng.standard_normal(REALIZATIONS)
    w = deflection(amplitudes) / tension[:, None, None]
    q = AMBIENT + load(amplitudes) * noise[:, None, None]
    return np.stack([w, q], axis=1)


def write(path, amplitudes, rng):
    """Inputs and their realizations, without low fidelity."""
    data = xr.Dataset(
        {
            "input": (
                ("input", "input_channel", "x", "y"),
                [[load(a)] for a in amplitudes],
                {"name": "load", "units": "Pa"},
            ),
            "high": (
                ("input", "realization", "channel", "x", "y"),
                np.stack([realizations(a, rng) for a in amplitudes]),
                {"channel_names": ["deflection", "pressure"], "channel_units": ["m", "Pa"]},
            ),
        },
        coords={"x": ("x", x, {"units": "m"}), "y": ("y", y, {"units": "m"})},
    )
    data.to_zarr(path, zarr_format=3, consolidated=False, mode="w")


def floral(*words, cwd):
    command = [os.environ.get("FLORAL_BIN", "floral"), *(str(word) for word in words)]
    subprocess.run(command, check=True, cwd=cwd)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    amplitudes = 900.0 * rng.standard_normal((INPUTS, len(WAVES))) / [m * n for m, n in WAVES]
    write(folder / "membrane.zarr", amplitudes, rng)
    solver = pathlib.Path(__file__).with_name("membrane_solver.py")
    low = f"{sys.executable} {solver} {{input}} {{output}}"
    split = ("--set", f"split.test={TEST}", "--set", "split.validation=4")
    floral("train", "membrane.zarr", "--low-command", low, *split, "-o", "run", cwd=folder)

    # New inputs, as another program would pass them.
    new = np.stack([[load(a)] for a in amplitudes[:TEST]])
    np.savez(folder / "new.npz", input=new, x=x, y=y)
    words = ("--low-command", "recorded", "--realizations", 400, "-o", "out.zarr", "--force")
    floral("sample", "run", "--input", "new.npz", *words, cwd=folder)
    check(xr.open_zarr(folder / "out.zarr"), amplitudes[:TEST])


def check(out, amplitudes):
    for index, one in enumerate(amplitudes):
        mean, deviation = truth(one)
        found = out.isel(input=index)
        for channel, name in enumerate(("deflection", "pressure")):
            size = deviation[channel].max()
            # The variance of the solution itself, without the epistemic part.
            own = found["mean"].values[channel], np.sqrt(found["aleatoric"].values[channel])
            errors = [np.sqrt(np.mean((a - b) ** 2)) / size for a, b in zip(own, (mean[channel], deviation[channel]))]
            print(f"input {index}, {name}: error of the mean {errors[0]:.3f}, of the deviation {errors[1]:.3f}")
            assert errors[0] < MEAN_BOUND and errors[1] < SPREAD_BOUND, "out of bounds"


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "membrane"))
