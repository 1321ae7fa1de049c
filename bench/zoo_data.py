"""The datasets of bench/zoo: functions of a seed, from files of other programs or from our own generator."""

import functools
import importlib.util
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import xarray

FLORAL = os.environ["FLORAL"]
ZOO = pathlib.Path(os.environ.get("FLORAL_ZOO", "../shared/zoo"))
OUTSIDE = pathlib.Path(os.environ.get("FLORAL_OUTSIDE", "../shared/outside"))
TRUTH_RUNS = 300


def dataset(input, high, low=None, **coords):
    """input, low: [input, channel, axes]; high: [input, realization, channel, axes]."""
    axes = list(coords)
    own = "channel" if np.shape(input)[1] == np.shape(high)[2] else "input_channel"
    arrays = {"input": (["input", own, *axes], input), "high": (["input", "realization", "channel", *axes], high)}
    if low is not None:
        arrays["low"] = (["input", "channel", *axes], low)
    arrays = {name: (dims, np.asarray(values, float)) for name, (dims, values) in arrays.items()}
    return xarray.Dataset(arrays, coords={name: (name, values) for name, values in coords.items()})


@functools.cache
def awkward():
    spec = importlib.util.spec_from_file_location("awkward", ZOO / "awkward.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def of_awkward(name, seed):
    d = awkward()[name](np.random.default_rng(seed))
    x, parts = d["x"], []
    for part in ("train", "test"):
        high = d[f"{part}_high"]
        if f"{part}_parameters" in d:
            p = d[f"{part}_parameters"]
            given = np.broadcast_to(p[:, :, None], (*p.shape, len(x)))
        else:
            given = d[f"{part}_input"]
        if high.ndim == 3:  # a scalar solution is stored as constant along the axis
            high = np.broadcast_to(high[..., None], (*high.shape, len(x)))
        parts.append(dataset(given, high, d.get(f"{part}_low"), x=x))
    return parts


def darcy16(train, fine=False):
    d = np.load(ZOO / "darcy16.npz")
    n = 32 if fine else 16
    x = lambda n: (np.arange(n) + 0.5) / n
    test = "fine" if fine else "test"
    cases = lambda part, n, k: dataset(
        d[f"{part}_input"].astype(float)[:k, None], d[f"{part}_high"][:k, None, None], y=x(n), x=x(n))
    return [cases("train", 16, train), cases(test, n, None)]


def of_mesh(file, train):
    """Datasets from parameters (constant channels) to fields on a mesh of triangles."""
    d = np.load(ZOO / f"{file}.npz")
    nodes = d["coords"].shape[1]
    def cases(part, count):
        p, high = d[f"{part}_parameters"][:count], d[f"{part}_high"][:count]
        given = np.broadcast_to(p[:, :, None], (*p.shape, nodes))
        data = dataset(given, high.reshape(len(high), 1, -1, nodes), point=np.arange(nodes)).drop_vars("point")
        return data.assign(points=(["point", "dimension"], d["coords"].T.astype(float)),
                           cells_triangle=(["cell", "node"], d["triangles"].astype(np.int64)))
    return [cases("train", train), cases("test", None)]


def outside_burgers(with_low):
    d = np.load(OUTSIDE / "stochastic_burgers.npz")
    x = 2 * np.pi * np.arange(256) / 256
    low = None
    if with_low:
        from coarse_burgers import solved
        low = lambda a: np.stack([solved(u) for u in a.astype(float)])[:, None]
    cases = lambda part: dataset(
        d[f"{part}_input"][:, None], d[f"{part}_high"][:, :, None], low and low(d[f"{part}_input"]), x=x)
    return [cases("train"), cases("test")]


def generated(problem, seed, inputs, realizations, *settings, tests=15, truth=TRUTH_RUNS):
    """Datasets of a built-in problem; the first inputs are the test inputs and have more realizations."""
    def made(count, runs, folder):
        command = [FLORAL, "generate", problem, "--inputs", count, "--realizations", runs, "--seed", seed, *settings]
        subprocess.run([*map(str, command), "-o", f"{folder}/d.zarr"], check=True, capture_output=True)
        return xarray.open_zarr(f"{folder}/d.zarr", consolidated=False).load()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        train = made(tests + inputs, realizations, one).isel(input=slice(tests, None))
        return [train, made(tests, truth, two)]


# Files without a seed: the data are the same for every seed, and their test inputs were used during development.
SEEDLESS = "darcy16-.*|outside.*|elastic-.*|navier-stokes-.*"


def catalogue():
    """Name -> function from a seed to a training and a test dataset."""
    rows = {name: functools.partial(of_awkward, name) for name in awkward()}
    for n in (20, 100, 1000):
        rows[f"darcy16-{n}"] = lambda seed, n=n: darcy16(n)
    rows["darcy16-1000-fine"] = lambda seed: darcy16(1000, fine=True)
    for name, file in (("elastic", "elastic_block"), ("navier-stokes", "navier_stokes")):
        for n in (20, 100):
            rows[f"{name}-{n}"] = lambda seed, file=file, n=n: of_mesh(file, n)
    for low in (False, True):
        rows[f"outside{'-low' if low else ''}"] = lambda seed, low=low: outside_burgers(low)
    for n in (2, 10, 40, 160):
        rows[f"burgers64-{n}"] = lambda seed, n=n: generated("burgers", seed, n, 50, "--resolution", "64x64")
        rows[f"burgers32-{n}"] = lambda seed, n=n: generated("burgers", seed, n, 50, "--resolution", "32x32")
        rows[f"1dcr-{n}"] = lambda seed, n=n: generated("1dcr", seed, n, 50)
        rows[f"advection32-{n}"] = lambda seed, n=n: generated("advection", seed, n, 50, "--resolution", "32x32")
    for n in (2, 10, 40):
        law = ("--resolution", "32", "--set", "permeability.coefficients=uniform", "--set", "coarse=interpolation")
        rows[f"darcy32-{n}"] = lambda seed, n=n: generated("darcy", seed, n, 50, *law)
    rows["plume-bimodal"] = lambda seed: generated("plume", seed, 20, 30)
    rows["plume-lognormal"] = lambda seed: generated("plume", seed, 20, 30, "--set", "weight=1", "--set", "noise=0")
    return rows
