"""The effect of optional settings of the paper's flow, and why its best epoch comes early.

    bench/switches

Trains FLORAL with the paper's width on Burgers, 8x8 of 16x16 points, 10 inputs with 50 realizations, once for each setting and seed,
and scores two checkpoints on 15 test inputs: the one with the least validation loss, which the paper keeps, and the
last one.
"""

import csv
import json
import os
import pathlib
import shutil
import tempfile

from command import floral
from results import write

EPOCHS = 100
SEEDS = 2
NETWORK = "--set network.hidden_channels=64 --set network.film_channels=64 --train-resolution 8"
ANNEALED = f"--set optimiser.decay={0.02 ** (1 / EPOCHS):.6f} --set optimiser.decay_every=1"
SETTINGS = {
    "as in the paper": "",
    "annealed": ANNEALED,
    "averaged": "--set optimiser.average=0.99",
    "fitted prior, coupled": "--fit-prior --set path.coupling=nearest",
    "all": f"--fit-prior --set path.coupling=nearest --set optimiser.average=0.99 {ANNEALED}",
}


def scores(run, folder):
    words = "--realizations 100 --solver midpoint --steps 11 --reference 400 --training-grid --json"
    found = json.loads(floral(folder, f"evaluate {run} b.zarr {words}").stdout)
    return found, {
        "mean_l2": found["prediction"]["mean"]["mean_l2"],
        "variance": found["prediction"]["spread"]["variance_relative"],
        "coverage_90": found["prediction"]["spread"]["observed"]["coverage"][1]["coverage"],
    }


def at_the_end(run, folder):
    """A copy of a run in which the last checkpoint takes the place of the best."""
    copy = f"{run}-last"
    shutil.copytree(folder / run, folder / copy)
    shutil.copy(folder / run / "last.safetensors", folder / copy / "best.safetensors")
    return copy


def scored(name, settings, seed, folder):
    run = f"run-{list(SETTINGS).index(name)}-{seed}"
    floral(folder, f"train b.zarr --method floral --train-inputs 10 --seed {seed} --epochs {EPOCHS} {NETWORK} {settings} -o {run}")
    with open(folder / run / "epochs.csv") as file:
        losses = [float(row["validation_loss"]) for row in csv.DictReader(file)]
    found, best = scores(run, folder)
    _, last = scores(at_the_end(run, folder), folder)
    return {
        "setting": name,
        "settings": settings,
        "seed": seed,
        "best_epoch": losses.index(min(losses)) + 1,
        "epochs": len(losses),
        "best_loss": min(losses),
        "last_loss": losses[-1],
        "validation_losses": losses,
        "best": best,
        "last": last,
        "low_l2": found["low"]["mean_l2"],
    }


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        floral(folder, "generate burgers --inputs 40 --resolution 16 -o b.zarr")
        for name, settings in SETTINGS.items():
            for seed in range(SEEDS):
                rows.append(scored(name, settings, seed, folder))
                row = rows[-1]
                print(
                    f"{name:24} seed {seed}: best epoch {row['best_epoch']:3} of {row['epochs']}, "
                    f"loss {row['best_loss']:.4f}, {row['last_loss']:.4f} at the end; mean L2 "
                    f"{row['best']['mean_l2']:.3f}, {row['last']['mean_l2']:.3f}; variance "
                    f"{row['best']['variance']:.3f}, {row['last']['variance']:.3f}",
                    flush=True,
                )
                write("switches.json", {"command": "bench/switches", "cores": os.cpu_count(), "rows": rows})


if __name__ == "__main__":
    main()
