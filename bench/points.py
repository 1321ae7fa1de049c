"""The network of points (`network.kind = "slices"`) on a grid beside the Fourier network, and on a mesh beside regressions.

    bench/points [--seeds 431,432] [--epochs 60] [-o results/points-network.json]

Darcy on 16x16 points, a dataset per seed: 70 inputs with 10 realizations, 15 for testing, 15 for validation, 40 for training;
floral-kl and kriging train on all 55 inputs that are not for testing. Elastic block (`FLORAL_ZOO`), 1346 points, a file without a
seed: 100 inputs with one run each, 15 of them for validation of the network; the seed is that of the initial weights. There the
network learns the residual to the mean training solution. `nrmse` is that of `floral evaluate`; `mean_residual` and `kriging` are
its baselines on the same inputs. Training seconds are from a machine shared with other work.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

from results import RESULTS, program_version
from zoo_data import of_mesh

FLORAL = os.path.abspath(os.environ["FLORAL"])
NETWORKS = {
    "residual-fno, fourier layers": ["--method", "residual-fno", "--set", "network.hidden_channels=32"],
    "residual-fno, slices": ["--method", "residual-fno", "--set", "network.kind=slices"],
}
NOTE = (
    "Darcy's problem has 40 inputs to train and 15 to validate a network, 55 for the regressions; the elastic block 85 and 15, or 100. "
    "The baseline of the mean residual has all of them. Seconds were taken beside other work."
)
REGRESSIONS = ["floral-kl", "kriging"]


def run(*arguments):
    subprocess.run([FLORAL, "-q", *map(str, arguments)], check=True)


def weights_of(folder):
    """The number of weights of a network, from its best checkpoint, a safetensors file."""
    with open(folder / "best.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    shapes = [entry["shape"] for name, entry in header.items() if name.startswith("weight.")]
    return int(sum(np.prod(shape) for shape in shapes))


def scored(data, test, name, settings, seed, folder, steps=0):
    """Trains a method and scores it on the test inputs of its dataset or on another dataset. steps: steps per epoch."""
    start = time.time()
    run("train", data, "-o", folder, "--seed", seed, *settings)
    row = {"data": data.stem, "seed": seed, "method": name, "seconds": round(time.time() - start, 2), "weights": 0}
    if name in NETWORKS:
        epochs = (folder / "epochs.csv").read_text().splitlines()[1:]
        row |= {"weights": weights_of(folder), "epochs": len(epochs), "steps": len(epochs) * steps}
    scores = [FLORAL, "-q", "evaluate", folder, test or data, "--realizations", "200", "--reference", "0", "--json"]
    scores = json.loads(subprocess.run(scores, check=True, capture_output=True).stdout)
    row["nrmse"] = scores["prediction"]["mean"]["nrmse"]
    row["baselines"] = {key: scores[key]["nrmse"] for key in ("low", "mean_residual", "kriging") if scores.get(key)}
    print(row, flush=True)
    return row


def darcy(seed, epochs, folder):
    data = folder / "darcy-16x16.zarr"
    run("generate", "darcy", "--inputs", 70, "--realizations", 10, "--resolution", 16, "--seed", seed, "-o", data)
    for name, settings in NETWORKS.items():
        yield scored(data, None, name, [*settings, "--epochs", epochs], seed, folder / name, steps=13)
    for name in REGRESSIONS:
        yield scored(data, None, name, ["--method", name, "--set", "split.test=15"], seed, folder / name)


def elastic(seed, epochs, folder):
    train, test = of_mesh("elastic_block", 100)
    paths = [folder / f"elastic-block{part}.zarr" for part in ("", "-test")]
    for path, data in zip(paths, (train, test)):
        data.to_zarr(path, zarr_format=3, consolidated=False)
    slices = [*NETWORKS["residual-fno, slices"], "--epochs", epochs, "--set", "low.kind=mean", "--set", "optimiser.batch=8"]
    slices += ["--set", "split.test=0", "--set", "split.validation=15"]
    yield scored(*paths, "residual-fno, slices", slices, seed, folder / "slices", steps=11)
    for name in REGRESSIONS:
        settings = ["--method", name, "--set", "split.test=0"]
        yield scored(*paths, name, settings, seed, folder / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="431,432")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("-o", type=pathlib.Path, default=RESULTS / "points-network.json")
    asked = parser.parse_args()
    rows = []
    for seed in map(int, asked.seeds.split(",")):
        for problem in (darcy, elastic):
            with tempfile.TemporaryDirectory() as folder:
                rows += problem(seed, asked.epochs, pathlib.Path(folder))
            made = {
                "date": datetime.date.today().isoformat(),
                "command": f"bench/points --seeds {asked.seeds} --epochs {asked.epochs}",
                "method_version": program_version(),
                "cores": os.cpu_count(),
                "spent_seeds": [431, 432],
                "note": NOTE,
                "rows": rows,
            }
            asked.o.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
