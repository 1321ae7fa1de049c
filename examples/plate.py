"""A heated plate with a hole on two meshes, from files of a finite element program to checked predictions.

`python plate.py FOLDER`, with the floral command on the path or in FLORAL_BIN; needs scikit-fem.

The temperature u of a square plate with a round hole obeys

    -div(k exp(s g) grad u) = 1,  u = 0 on the left side, no flux through the others,

with a conductivity k(x, y), which is the input, and unobserved fluctuations g(x, y), which differ from run to
run. High fidelity has 2496 nodes, low fidelity 192 nodes and no fluctuations. Every run writes a VTK file.
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import xarray as xr
from skfem import Basis, BilinearForm, ElementTriP1, LinearForm, MeshTri, condense, solve
from skfem.helpers import dot, grad

RADIUS, SPREAD = 0.4, 0.5
FINE, COARSE = (104, 24), (32, 6)
TRAIN, TEST, REALIZATIONS, REFERENCE = 10, 6, 20, 200

# Bounds for test inputs: the error of the mean relative to that of kriging, and the share of new runs inside the
# 90 % interval, over all inputs and for the worst input.
GAIN, COVERAGE, WORST = 0.85, (0.85, 0.95), 0.75


def plate(around, outwards):
    """A square from -1 to 1 without a disc: nodes on rays from the hole to the sides, closer at the hole."""
    t = 8.0 * np.arange(around) / around
    side = lambda t: np.clip(np.abs((t + 2.0) % 8.0 - 4.0) - 2.0, -1.0, 1.0)
    square = np.stack([side(t + 2.0), side(t)])
    hole = RADIUS * square / np.hypot(*square)
    share = np.linspace(0.0, 1.0, outwards) ** 1.4
    points = hole[:, None] * (1.0 - share[:, None]) + square[:, None] * share[:, None]
    i, j = (a.ravel() for a in np.meshgrid(np.arange(outwards - 1), np.arange(around), indexing="ij"))
    node = lambda i, j: i * around + j % around
    lower = np.stack([node(i, j), node(i + 1, j), node(i + 1, j + 1)])
    upper = np.stack([node(i, j), node(i + 1, j + 1), node(i, j + 1)])
    return MeshTri(points.reshape(2, -1), np.concatenate([lower, upper], axis=1))


def waves(rng, size, count=12):
    """A random smooth field of unit variance with wavelengths of about `size`."""
    vectors = rng.standard_normal((count, 2)) * 2.0 * np.pi / size / np.sqrt(2.0)
    phases = rng.uniform(0.0, 2.0 * np.pi, count)
    return lambda at: np.sqrt(2.0 / count) * np.cos(vectors @ at + phases[:, None]).sum(axis=0)


class Solver:
    def __init__(self, shape):
        self.mesh = plate(*shape)
        self.basis = Basis(self.mesh, ElementTriP1())
        self.left = self.mesh.nodes_satisfying(lambda x: np.isclose(x[0], -1.0))
        self.load = LinearForm(lambda v, _: 1.0 * v).assemble(self.basis)

    def __call__(self, conductivity):
        """[node] -> the temperature: [node]"""
        form = BilinearForm(lambda u, v, w: w["k"] * dot(grad(u), grad(v)))
        matrix = form.assemble(self.basis, k=self.basis.interpolate(conductivity))
        return solve(*condense(matrix, self.load, D=self.left))


def write(path, mesh, **fields):
    """A legacy VTK file with point data."""
    points, cells = mesh.p.T, mesh.t.T
    lines = ["# vtk DataFile Version 3.0", "plate", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double", *(f"{float(x)!r} {float(y)!r} 0" for x, y in points)]
    lines += [f"CELLS {len(cells)} {4 * len(cells)}", *(f"3 {a} {b} {c}" for a, b, c in cells)]
    lines += [f"CELL_TYPES {len(cells)}", *["5"] * len(cells), f"POINT_DATA {len(points)}"]
    for name, values in fields.items():
        lines += [f"SCALARS {name} double 1", "LOOKUP_TABLE default", *map(repr, values.tolist())]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def cases(folder, seed):
    """Writes the files of all inputs; returns further runs of the first inputs, which are for testing."""
    rng, fine, coarse = np.random.default_rng(seed), Solver(FINE), Solver(COARSE)
    reference = []
    for case in range(TEST + TRAIN):
        log = waves(rng, 1.5)
        conductivity = np.exp(log(fine.mesh.p))
        run = lambda: fine(conductivity * np.exp(SPREAD * waves(rng, 0.7)(fine.mesh.p)))
        write(folder / f"case_{case}/low.vtk", coarse.mesh, temperature=coarse(np.exp(log(coarse.mesh.p))))
        for index in range(REALIZATIONS):
            write(folder / f"case_{case}/run_{index}.vtk", fine.mesh, conductivity=conductivity, temperature=run())
        if case < TEST:
            reference.append(np.stack([run() for _ in range(REFERENCE)]))
    return np.stack(reference)


def floral(*words, cwd):
    command = [os.environ.get("FLORAL_BIN", "floral"), *(str(word) for word in words)]
    subprocess.run(command, check=True, cwd=cwd)


def main(folder, seed):
    folder.mkdir(parents=True, exist_ok=True)
    reference = cases(folder / "cases", seed)
    names = ("--high", "temperature", "--input", "conductivity", "--low-pattern", "case_{input}/low.vtk")
    floral("import", "cases", "--pattern", "case_{input}/run_{realization}.vtk", *names, "-o", "plate.zarr", cwd=folder)
    split = ("--set", f"split.test={TEST}", "--set", "split.validation=0")
    found = {}
    for method in ("kriging", "floral-kl"):
        floral("train", "plate.zarr", "--method", method, *split, "-o", method, cwd=folder)
        words = ("--inputs", f"0..{TEST}", "--realizations", 400, "--quantile", 0.05, "--quantile", 0.95)
        floral("sample", method, "--input", "plate.zarr", *words, "-o", f"{method}-out.zarr", "--force", cwd=folder)
        found[method] = xr.open_zarr(folder / f"{method}-out.zarr", consolidated=False).load()
    check(found, reference)


def check(found, reference):
    """reference: [input, run, node]"""
    truth = reference.mean(axis=1)
    error = {name: np.sqrt(np.mean((out["mean"].values.reshape(truth.shape) - truth) ** 2)) for name, out in found.items()}
    low, high = found["floral-kl"]["quantiles"].values.reshape(TEST, 2, -1).transpose(1, 0, 2)
    inside = (reference >= low[:, None]) & (reference <= high[:, None])
    covered = inside.mean(axis=(1, 2))
    gain = error["floral-kl"] / error["kriging"]
    print(f"error of the mean {error['floral-kl']:.4f}, {gain:.2f} of kriging's")
    print(f"90 % interval: {covered.mean():.3f} of new runs, worst input {covered.min():.3f}")
    assert gain < GAIN and COVERAGE[0] < covered.mean() < COVERAGE[1] and covered.min() > WORST, "out of bounds"


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "plate"), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
