"""Realizations of one input by several integrators, compared with 400 steps of RK4 from the same prior draws.

    bench/integrators RUN DATA.zarr

Differences are root mean squares against the fine integration; the spread of the realizations gives the scale.
"""

import pathlib
import sys
import tempfile

import numpy as np
import xarray

from command import floral
from results import write

REALIZATIONS = 64
FINE = "--solver rk4 --steps 400"
OTHERS = [
    "--tolerance 1e-4",
    "--tolerance 1e-5",
    "--tolerance 1e-6",
    "--solver rk4 --steps 100",
    "--solver midpoint --steps 40",
    "--solver midpoint --steps 21",
    "--solver midpoint --steps 20",
    "--solver midpoint --steps 11",
    "--solver midpoint --steps 10",
    "--solver midpoint --steps 8",
    "--solver heun --steps 20",
    "--solver heun --steps 15",
    "--solver heun --steps 7",
    "--solver heun --steps 6",
    "--solver euler --steps 40",
]


def named(path):
    """The last two names of a path: the rest depends on the machine."""
    return "/".join(pathlib.Path(path).parts[-2:])


def sampled(run, data, integrator, folder):
    """The realizations, [realization, ...], and the evaluations per realization."""
    words = f"sample {run} --input {data} --inputs 0..1 --realizations {REALIZATIONS}"
    floral(folder, f"{words} --keep {REALIZATIONS} --force {integrator} -o out.zarr")
    store = xarray.open_zarr(pathlib.Path(folder) / "out.zarr").load()
    return store.realizations.values[0], float(store.evaluations[0]) / REALIZATIONS


def main():
    run, data = sys.argv[1:]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        fine, _ = sampled(run, data, FINE, folder)
        for integrator in OTHERS:
            found, evaluations = sampled(run, data, integrator, folder)
            difference = np.abs(found - fine)
            rows.append(
                {
                    "integrator": integrator,
                    "evaluations": evaluations,
                    "largest_difference": float(difference.max()),
                    "rms_difference": float(np.sqrt((difference**2).mean())),
                    "difference_of_mean": float(np.abs(found.mean(0) - fine.mean(0)).max()),
                    "difference_of_std": float(np.abs(found.std(0) - fine.std(0)).max()),
                }
            )
    spread = float(fine.std(0).mean())
    print(f"spread of the realizations {spread:.4f}\n")
    print(f"{'':30} {'evaluations':>11} {'largest':>12} {'rms':>10} {'of mean':>10} {'of std':>10}")
    for row in rows:
        print(
            f"{row['integrator']:30} {row['evaluations']:11.0f} {row['largest_difference']:12.2e}"
            f" {row['rms_difference']:10.2e} {row['difference_of_mean']:10.2e} {row['difference_of_std']:10.2e}"
        )
    result = {
        "command": f"bench/integrators {named(run)} {named(data)}",
        "run": pathlib.Path(run).name,
        "realizations": REALIZATIONS,
        "beside": FINE,
        "spread": spread,
        "rows": rows,
    }
    write("integrators.json", result)


if __name__ == "__main__":
    main()
