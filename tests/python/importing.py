"""Shared by the tests of `floral import`: a small problem, commands, and files of other programs.

FLORAL_BIN is the path of the floral command.
"""

import os

import h5py
import numpy as np
import xarray as xr

from command import floral

INPUTS, REALIZATIONS, POINTS = 7, 5, 32
random = np.random.default_rng(0)
X = np.linspace(0, 1, POINTS, endpoint=False)
INPUT = random.random((INPUTS, 1)) * np.sin(2 * np.pi * (X + random.random((INPUTS, 1))))
LOW = 0.9 * INPUT
HIGH = INPUT[:, None] + 0.1 * random.standard_normal((INPUTS, REALIZATIONS, POINTS))


def imported(folder, *words):
    """Imports files; returns the dataset, opened by xarray, and the printed text."""
    done = floral(folder, "import", *words, "-o", "imported.zarr", "--force")
    return xr.open_zarr(folder / "imported.zarr").load(), done.stdout


def refused(folder, *words):
    """Returns the one-line error of an import that is refused, and checks that it leaves no files behind."""
    before = sorted(os.listdir(folder))
    done = floral(folder, "import", *words, "-o", "refused.zarr", code=2)
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert sorted(os.listdir(folder)) == before
    return done.stderr


def as_xarray():
    attributes = {"units": "Pa", "long_name": "pressure"}
    return xr.Dataset(
        {
            "input": (("sample", "x"), INPUT, {"units": "m2"}),
            "low": (("sample", "x"), LOW, {"units": "Pa"}),
            "high": (("sample", "member", "x"), HIGH, attributes),
        },
        coords={"x": ("x", X, {"units": "mm"})},
        attrs={"title": "Membranes"},
    )


def pdebench(folder, inputs=40):
    """A file as PDEBench's generator of Burgers' equation writes it."""
    times = np.linspace(0, 1, 6)
    phase = random.random((inputs, 1, 1))
    decay = np.exp(-times)[:, None]
    tensor = decay * np.sin(2 * np.pi * (X + phase)) + 0.02 * random.standard_normal((inputs, 6, POINTS))
    with h5py.File(folder / "burgers.hdf5", "w") as file:
        file.create_dataset("tensor", data=tensor.astype("f4"), chunks=(1, 6, POINTS), compression="gzip")
        file["x-coordinate"] = ((np.arange(POINTS) + 0.5) / POINTS).astype("f4")
        file["t-coordinate"] = np.linspace(0, 1.2, 7).astype("f4")
    return tensor.astype("f4")
