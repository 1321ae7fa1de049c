"""Third-party data from the command line: imported, trained with and without low fidelity, scored.

    bench/outside stochastic_burgers.npz

The archive holds u0 -> u(t = 1) of a Burgers equation with noise on 256 points of a periodic interval,
arrays train_input, train_high, test_input and test_high. Low fidelity is a coarse solver without noise,
bench/coarse_burgers.py, which floral calls. The distribution has two symmetries: u(x) -> -u(-x), and
u(x) -> u(x + pi), because the noise is cos(kx) dW with odd k and is as likely as its negative. Errors are the root
mean square error of the mean (of the standard deviation) over realizations, relative to the root mean square of the
truth, averaged over test inputs.
"""

import os
import pathlib
import sys
import tempfile
import time

import numpy as np
import xarray

from command import floral, show
from results import ROOT, commit, program_version, write

SOLVER = f"{sys.executable} {ROOT}/bench/coarse_burgers.py {{input}} {{output}}"
LOWS = {"none": [], "coarse solver": ["--low-command", SOLVER]}
SETTINGS = ["--set", 'symmetries=["reflect:x:-", "roll:x:1/2"]', "--set", "split.test=0", "--set", "split.validation=0"]


def relative(found, truth):
    """Relative error, averaged over inputs. found, truth: [input, x]."""
    error, size = (np.sqrt((field**2).mean(-1)) for field in (found - truth, truth))
    return float((error / size).mean())


def scored(folder, method, low):
    run, out = f"{method}-{low}".replace(" ", "-"), "out.zarr"
    start = time.perf_counter()
    floral(folder, "train", "train.zarr", "--method", method, *LOWS[low], *SETTINGS, "-o", run)
    seconds = time.perf_counter() - start
    command = ["--low-command", "recorded"] if LOWS[low] else []
    floral(folder, "sample", run, "--input", "test.zarr", *command, "--realizations", 5000, "-o", out, "--force")
    found = xarray.open_zarr(folder / out, consolidated=False).load().isel(channel=0)
    truth = xarray.open_zarr(folder / "test.zarr", consolidated=False).high.isel(channel=0)
    return {
        "method": method,
        "low": low,
        "mean": relative(found["mean"].values, truth.mean("realization").values),
        "deviation": relative(np.sqrt(found["aleatoric"].values), truth.std("realization", ddof=1).values),
        "fit_s": seconds,
    }


def main():
    archive = pathlib.Path(sys.argv[1]).resolve()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part in ("train", "test"):
            floral(folder, "import", archive, "--prefix", part, "--periodic", "x", "-o", f"{part}.zarr")
        for low in LOWS:
            for method in ("kriging", "floral-kl"):
                rows.append(scored(folder, method, low))
                show(rows[-1])
    notes = {"command": f"bench/outside {archive.name}", "commit": commit(), "method_version": program_version()}
    write("outside.json", notes | {"cores": os.cpu_count(), "rows": rows})


if __name__ == "__main__":
    main()
