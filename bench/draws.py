"""Errors of predictions that need no training, over draws of the inputs: how much a table cell depends on its draw.

    bench/draws

Advection, Burgers and Darcy with the law of the reference, on 64x64 points: 15 test inputs and 10 training inputs with 50
realizations each, for 20 seeds. nRMSE of low fidelity, of low fidelity with the mean residual of the first 2 or 10 training inputs,
and of their mean solution. The eigenvectors of the permeability have a fixed sign in this program. The paper's reference code leaves
their signs to the eigenvalue solver, and all inputs share the mean field that follows from them. The last rows draw the signs at
random, with SciPy's solver and without the unobserved part of the permeability.
"""

import os
import pathlib
import tempfile

import numpy as np
import scipy.sparse.linalg
import xarray
from scipy.interpolate import RegularGridInterpolator
from scipy.spatial.distance import pdist, squareform

from command import floral, show
from peers.solvers import darcy, darcy_source
from results import write

SEEDS = range(521, 541)
TEST, SIZES = 15, (2, 10)
POINTS, COARSE = 64, 16
PROBLEMS = {
    "advection": "advection",
    "burgers": "burgers",
    "darcy-reference": 'darcy --set coarse="interpolation" --set permeability.coefficients="uniform"',
}
MODES, LENGTH, LARGEST = 32, 0.1, 2.5


def errors(low, mean):
    """nRMSE of each prediction. low, mean: [input, ...], test inputs first."""
    scale = np.sqrt((mean[:TEST] ** 2).mean())
    nrmse = lambda found: float(np.sqrt(((found - mean[:TEST]) ** 2).mean()) / scale)
    found = {"low": nrmse(low[:TEST])}
    for n in SIZES:
        train = slice(TEST, TEST + n)
        found[f"mean_residual_{n}"] = nrmse(low[:TEST] + (mean[train] - low[train]).mean(0))
        found[f"mean_solution_{n}"] = nrmse(mean[train].mean(0))
    return found


def generated(problem, seed, folder):
    words = f"generate {PROBLEMS[problem]} --inputs {TEST + max(SIZES)} --realizations 50 --resolution {POINTS} --seed {seed} -o data.zarr --force"
    floral(folder, words)
    data = xarray.open_zarr(folder / "data.zarr")
    return errors(data.low.values.astype(float), data.high.mean("realization").values.astype(float))


def eigenvectors():
    """sqrt(eigenvalue) * eigenvector of exp(-r / LENGTH) on the grid: [mode, y, x]."""
    x = np.linspace(0, 1, POINTS)
    nodes = np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 2)
    values, vectors = scipy.sparse.linalg.eigsh(np.exp(-squareform(pdist(nodes)) / LENGTH), k=MODES, v0=np.ones(len(nodes)))
    return (np.sqrt(values) * vectors).T.reshape(MODES, POINTS, POINTS)


def with_signs(modes, seed):
    """The Darcy problem with random signs of the eigenvectors."""
    rng = np.random.default_rng(seed)
    signed = modes * rng.choice([-1.0, 1.0], MODES)[:, None, None]
    fine, coarse = np.linspace(0, 1, POINTS), np.linspace(0, 1, COARSE)
    between = lambda at, field, to: RegularGridInterpolator((at, at), field)(np.stack(np.meshgrid(to, to, indexing="ij"), -1))
    low, high = [], []
    for _ in range(TEST + max(SIZES)):
        a = np.exp(np.tensordot(rng.uniform(0, LARGEST, MODES), signed, 1))
        high.append(darcy(a, darcy_source(POINTS)))
        low.append(between(coarse, darcy(between(fine, a, coarse), darcy_source(COARSE)), fine))
    return errors(np.array(low), np.array(high))


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in PROBLEMS:
            for seed in SEEDS:
                rows.append({"data": problem, "signs": "fixed", "seed": seed, **generated(problem, seed, pathlib.Path(folder))})
                show(rows[-1])
    modes = eigenvectors()
    for seed in SEEDS:
        rows.append({"data": "darcy-reference", "signs": "random", "seed": seed, **with_signs(modes, seed)})
        show(rows[-1])
    write("draws.json", {"command": "bench/draws", "cores": os.cpu_count(), "rows": rows})


if __name__ == "__main__":
    main()
