"""Realizations of one input by several integrators, beside 400 steps of RK4 from the same priors.

    bench/integrators RUN DATA.zarr

The gap of a value is its distance from that of the fine integration; the spread of the realizations
shows its worth.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import xarray

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
    """A folder by its name and that of the one it lies in: where that is, is the machine's own."""
    return "/".join(pathlib.Path(path).parts[-2:])


def sampled(run, data, integrator, folder):
    """The realizations, [realization, ...], and evaluations per realization."""
    out = pathlib.Path(folder) / "out.zarr"
    words = f"sample {run} --input {data} --inputs 0..1 --realizations {REALIZATIONS}"
    words += f" --keep {REALIZATIONS} --force {integrator} -o {out}"
    subprocess.run([os.environ["FLORAL"], *words.split()], check=True, capture_output=True)
    store = xarray.open_zarr(out).load()
    return store.realizations.values[0], float(store.evaluations[0]) / REALIZATIONS


def main():
    run, data = sys.argv[1:]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        fine, _ = sampled(run, data, FINE, folder)
        for integrator in OTHERS:
            found, evaluations = sampled(run, data, integrator, folder)
            gap = np.abs(found - fine)
            rows.append(
                {
                    "integrator": integrator,
                    "evaluations": evaluations,
                    "largest_gap": float(gap.max()),
                    "rms_gap": float(np.sqrt((gap**2).mean())),
                    "gap_of_mean": float(np.abs(found.mean(0) - fine.mean(0)).max()),
                    "gap_of_std": float(np.abs(found.std(0) - fine.std(0)).max()),
                }
            )
    spread = float(fine.std(0).mean())
    print(f"spread of the realizations {spread:.4f}\n")
    print(f"{'':30} {'evaluations':>11} {'largest gap':>12} {'rms gap':>10} {'of mean':>10} {'of std':>10}")
    for row in rows:
        print(
            f"{row['integrator']:30} {row['evaluations']:11.0f} {row['largest_gap']:12.2e}"
            f" {row['rms_gap']:10.2e} {row['gap_of_mean']:10.2e} {row['gap_of_std']:10.2e}"
        )
    result = {
        "command": f"bench/integrators {named(run)} {named(data)}",
        "run": pathlib.Path(run).name,
        "realizations": REALIZATIONS,
        "beside": FINE,
        "spread": spread,
        "rows": rows,
    }
    path = ROOT / "results/integrators.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"\nwritten to {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
