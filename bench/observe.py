"""Predictions given readings of one realization, from the command line: error of the mean and coverage of intervals.

    bench/observe stochastic_burgers.npz [only ...]

Three datasets: the Burgers equation with noise of bench/outside, 40 training inputs; the built-in Darcy problem on
32x32 points, 20 training inputs; heat in a plate with a hole, on a mesh, 24 training inputs. A few realizations of
test inputs are read exactly at a few points and predicted everywhere. `rmse` is the root mean square error of the
conditioned mean against that realization, `coverage` the share of its values within the interval from 5 to 95 %.
Sensors are evenly spread, or placed by `floral suggest --sensors`. Finally, the time that ten readings take on 64x64
points and on the mesh of bench/scale.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

import numpy as np
import xarray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from scipy.spatial import Delaunay

from command import floral, measured, show
from results import RESULTS, program_version, write
from scale_data import made as made_large

SEED = 451
SENSORS = (0, 1, 3, 5, 9)
REALIZATIONS = 500
#: Numbers of readings and of rounds in the timings.
READ, ROUNDS = 10, 3


def opened(path):
    return xarray.open_zarr(path, consolidated=False).load()


class Problem:
    """A run, and realizations of its test inputs: truth [input, realization, point], places [point, axis]."""

    def __init__(self, folder, run, axes, places, truth, asked):
        self.folder, self.run, self.axes, self.places, self.truth, self.asked = folder, run, axes, places, truth, asked

    def evenly(self, count):
        """Points far from each other, the first near the middle; on one axis, equidistant points. Points at which
        the solution is fixed are left out, because an exact reading there is refused."""
        if self.places.shape[1] == 1:
            return ((np.arange(count) + 0.5) * len(self.places) / count).astype(int)
        varies = self.truth.std(axis=(0, 1)) > 1e-9 * self.truth.std()
        distance = np.where(varies, -((self.places - self.places.mean(0)) ** 2).sum(1), -np.inf)
        chosen = [int(distance.argmax())]
        while len(chosen) < count:
            distance = ((self.places[:, None] - self.places[chosen]) ** 2).sum(2).min(1)
            chosen.append(int(np.where(varies, distance, -1).argmax()))
        return np.array(chosen)

    def suggested(self, count, i):
        words = ["suggest", self.run, "--sensors", count, *self.asked(i), "--json"]
        found = json.loads(floral(self.folder, *words).stdout)["sensors"]
        places = np.array([sensor["coordinates"] for sensor in found])
        return ((self.places[:, None] - places) ** 2).sum(2).argmin(0)

    def predicted(self, i, sensors, values):
        """Mean, both ends of the interval, and the diagnostics of the conditioning."""
        words = ["sample", self.run, *self.asked(i), "--realizations", REALIZATIONS, "--quantile", 0.05, "--quantile", 0.95]
        if len(sensors):
            rows = [[*self.places[s], v] for s, v in zip(sensors, values)]
            lines = [",".join([*self.axes, "value"]), *(",".join(map(repr, map(float, row))) for row in rows)]
            (self.folder / "readings.csv").write_text("\n".join(lines) + "\n")
            words += ["--observe", "readings.csv"]
        floral(self.folder, *words, "-o", "out.zarr", "--force")
        found = opened(self.folder / "out.zarr")
        fields = [found["mean"].values, *np.moveaxis(found["quantiles"].values.reshape(2, -1), 0, 0)]
        return [field.ravel() for field in fields], found.attrs

    def scored(self, count, placement, realizations):
        squares, inside, runs, smoothing = [], [], [], []
        for i in range(len(self.truth)):
            sensors = [] if not count else self.evenly(count) if placement == "even" else self.suggested(count, i)
            for r in range(realizations):
                u = self.truth[i, r]
                (mean, low, high), facts = self.predicted(i, sensors, u[sensors] if count else [])
                squares.append(((mean - u) ** 2).mean())
                inside.append(((low <= u) & (u <= high)).mean())
                runs.append(facts.get("observed_effective_runs", np.nan))
                smoothing.append(facts.get("observed_smoothing", np.nan))
        row = {"sensors": count, "placement": placement, "rmse": np.sqrt(np.mean(squares)), "coverage": np.mean(inside)}
        if count:
            row |= {"effective_runs": np.median(runs), "smoothing": np.mean(smoothing)}
        return {key: float(value) if isinstance(value, float) else value for key, value in row.items()}


def outside(folder, archive):
    for part in ("train", "test"):
        floral(folder, "import", archive, "--prefix", part, "--periodic", "x", "-o", f"{part}.zarr")
    symmetries = 'symmetries=["reflect:x:-", "roll:x:1/2"]'
    floral(folder, "train", "train.zarr", "--set", symmetries, "--set", "split.test=0", "--set", "split.validation=0", "-o", "outside")
    test = opened(folder / "test.zarr")
    asked = lambda i: ["--input", "test.zarr", "--inputs", f"{i}..{i + 1}"]
    return Problem(folder, "outside", ["x"], test.x.values[:, None], test.high.values[:, :, 0], asked)


def darcy(folder, archive):
    words = ["--inputs", 28, "--realizations", 20, "--resolution", 32, "--seed", SEED, "-o", "darcy.zarr"]
    floral(folder, "generate", "darcy", *words)
    floral(folder, "train", "darcy.zarr", "--set", "split.test=8", "--set", "split.validation=0", "-o", "darcy")
    test = opened(folder / "darcy.zarr")
    axes = list(test.high.dims[3:])
    places = np.stack([m.ravel() for m in np.meshgrid(*(test[a].values for a in axes), indexing="ij")], axis=1)
    high = test.high.values[:8, :, 0]
    asked = lambda i: ["--input", "darcy.zarr", "--inputs", f"{i}..{i + 1}"]
    return Problem(folder, "darcy", axes, places, high.reshape(*high.shape[:2], -1), asked)


def plate():
    """Points and triangles of a unit square with a hole."""
    n = 22
    x, y = (m.ravel() for m in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n)))
    keep = (x - 0.6) ** 2 + (y - 0.5) ** 2 > 0.17**2
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    points = np.concatenate([np.stack([x, y], 1)[keep], np.stack([0.6 + 0.15 * np.cos(angle), 0.5 + 0.15 * np.sin(angle)], 1)])
    triangles = Delaunay(points).simplices
    centre = points[triangles].mean(1)
    return points, triangles[((centre - [0.6, 0.5]) ** 2).sum(1) > 0.145**2]


def heat(points, triangles, position, strength, rng):
    """-div(k grad u) = f by linear elements: k log-normal and rough, f a warm spot; u = 0 at the left edge."""
    corners = points[triangles]
    centre = corners.mean(1)
    wave, phase = rng.normal(scale=5.0, size=(40, 2)), rng.uniform(0, 2 * np.pi, 40)
    k = np.exp(0.8 * np.sqrt(2 / 40) * np.cos(centre @ wave.T + phase).sum(1))
    edges = np.stack([corners[:, 2] - corners[:, 1], corners[:, 0] - corners[:, 2], corners[:, 1] - corners[:, 0]], 1)
    area = 0.5 * np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    local = np.einsum("tid,tjd->tij", edges, edges) * (k / (4 * area))[:, None, None]
    rows, columns = np.repeat(triangles, 3, axis=1).ravel(), np.tile(triangles, 3).ravel()
    matrix = coo_matrix((local.ravel(), (rows, columns)), shape=(len(points),) * 2).tolil()
    source = strength * np.exp(-((centre - [0.3, position]) ** 2).sum(1) / 0.02)
    load = np.bincount(triangles.ravel(), np.repeat(source * area / 3, 3), len(points))
    left = np.flatnonzero(points[:, 0] < 1e-9)
    matrix[left] = 0
    matrix[left, left] = 1
    load[left] = 0
    return spsolve(matrix.tocsr(), load)


def mesh(folder, archive):
    points, triangles = plate()
    rng = np.random.default_rng(SEED)
    cases, runs, table, truth = 32, 12, ["case,position,strength"], []
    head = ["# vtk DataFile Version 3.0", "heat", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    head += [f"POINTS {len(points)} double", *(f"{a} {b} 0" for a, b in points.tolist())]
    head += [f"CELLS {len(triangles)} {4 * len(triangles)}", *(f"3 {a} {b} {c}" for a, b, c in triangles.tolist())]
    head += [f"CELL_TYPES {len(triangles)}", *["5"] * len(triangles)]
    head += [f"POINT_DATA {len(points)}", "SCALARS u double 1", "LOOKUP_TABLE default"]
    for case in range(cases):
        position, strength = rng.uniform(0.2, 0.8), rng.uniform(10, 30)
        table.append(f"{case},{position},{strength}")
        truth.append([heat(points, triangles, position, strength, rng) for _ in range(runs)])
        for run, u in enumerate(truth[-1]):
            path = folder / f"cases/case_{case:02}/run_{run:02}.vtk"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*head, *map(repr, u.tolist())]) + "\n")
    (folder / "params.csv").write_text("\n".join(table) + "\n")
    words = ["--pattern", "case_{input}/run_{realization}.vtk", "--high", "u", "--parameters", "params.csv"]
    floral(folder, "import", "cases", *words, "-o", "mesh.zarr")
    floral(folder, "train", "mesh.zarr", "--set", "split.test=8", "--set", "split.validation=0", "-o", "mesh")
    asked = lambda i: ["--input", "mesh.zarr", "--inputs", f"{i}..{i + 1}"]
    return Problem(folder, "mesh", ["x", "y"], points, np.array(truth)[:8], asked)


def darcy_64(folder):
    words = ["--inputs", 14, "--realizations", 20, "--resolution", 64, "--seed", SEED, "-o", "plane.zarr"]
    floral(folder, "generate", "darcy", *words)
    floral(folder, "train", "plane.zarr", "--set", "split.test=2", "--set", "split.validation=0", "--set", "budget=1m", "-o", "plane")
    test = opened(folder / "plane.zarr")
    axes = list(test.high.dims[3:])
    at = np.random.default_rng(SEED).integers(5, 59, size=(READ, 2))
    rows = [(test[axes[0]].values[a], test[axes[1]].values[b], test.high.values[0, 0, 0, a, b], 0.01) for a, b in at]
    return "plane", "plane.zarr", axes, rows


def mesh_50000(folder):
    """The mesh of bench/scale; readings lie away from the rim, where the solution is fixed."""
    train, test = made_large("mesh of 50 000 nodes", SEED)
    for name, part in (("fine-train", train), ("fine-test", test)):
        part.to_zarr(folder / f"{name}.zarr", zarr_format=3, consolidated=False)
    floral(folder, "train", "fine-train.zarr", "--set", "split.test=0", "--set", "split.validation=0", "-o", "fine")
    places, u = test["points"].values, test.high.values[0, 0, 0]
    inner = np.flatnonzero((places**2).sum(1) < 0.8)
    at = np.random.default_rng(SEED).choice(inner, READ, replace=False)
    return "fine", "fine-test.zarr", ["x", "y"], [(*places[a], u[a], 0.01 * u.std()) for a in at]


#: Runs to time, and numbers of realizations.
TIMED = {"64x64 points": (darcy_64, (2500,)), "mesh of 50 000 nodes": (mesh_50000, (1000, 2500))}


def timed(folder, name):
    """Wall and processor seconds and memory of `floral sample` without and with ten readings, in turn: the best of several
    rounds."""
    build, counts = TIMED[name]
    run, data, axes, rows = build(folder)
    lines = [",".join([*axes, "value", "std"]), *(",".join(map(repr, map(float, row))) for row in rows)]
    (folder / "ten.csv").write_text("\n".join(lines) + "\n")
    for count in counts:
        words = ["sample", run, "--input", data, "--inputs", "0..1", "--realizations", count, "-o", "timed.zarr", "--force"]
        found = {0: [], READ: []}
        for _ in range(ROUNDS):
            for readings, more in ((0, []), (READ, ["--observe", "ten.csv"])):
                found[readings].append(measured(folder, *words, *more))
        for readings, rounds in found.items():
            least = {key: round(min(one[key] for one in rounds), 2) for key in rounds[0]}
            yield {"data": name, "realizations": count, "readings": readings, **least}


#: Name -> (problem, numbers of sensors, realizations per input).
PROBLEMS = {"outside": (outside, SENSORS, 1), "mesh": (mesh, SENSORS, 2), "darcy": (darcy, SENSORS, 2)}


def main():
    archive = pathlib.Path(sys.argv[1]).resolve()
    path = RESULTS / "observe.json"
    wanted = sys.argv[2:] or [*PROBLEMS, *TIMED]
    made = json.loads(path.read_text()) if path.exists() and sys.argv[2:] else {"rows": []}
    made |= {"command": f"bench/observe {archive.name}", "method_version": program_version(), "cores": os.cpu_count(), "seed": SEED, "rounds": ROUNDS}
    made.pop("seconds", None)
    for part in ("rows", "times"):
        made[part] = [row for row in made.get(part, []) if row["data"] not in wanted]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in wanted:
            if name in TIMED:
                for row in timed(folder, name):
                    made["times"].append(row | {"load": round(os.getloadavg()[0], 1)})
                    show(row)
                write(path.name, made)
                continue
            build, counts, realizations = PROBLEMS[name]
            problem = build(folder, archive)
            for count in counts:
                for placement in ("even", "suggested") if count else ("even",):
                    row = {"data": name, **problem.scored(count, placement, realizations)}
                    made["rows"].append(row)
                    show(row)
            write(path.name, made)


if __name__ == "__main__":
    main()
