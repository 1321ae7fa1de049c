"""A graphics card compared with the processor: fixtures, a short training, realizations, and times.

    bench/gpu
    bench/gpu --numbers     without times, which mean nothing on a busy machine

Runs the same commands on both devices. Differences are relative to the largest value. The load of the machine at
the start is recorded; times of a software driver, which emulates a card on the processor, say nothing about a
card. Training times include the compilation of kernels.
"""

import argparse
import array
import csv
import json
import os
import pathlib
import re
import tempfile
import zipfile

from command import floral
from results import ROOT, write

FIXTURES = [ROOT / "crates/floral/tests/fixtures" / f"{name}.safetensors" for name in ("filmfno_1d", "filmfno_2d", "solvers")]
DEVICES = ["cpu", "gpu"]
PROBLEMS = {
    "1dcr": "--inputs 6 --realizations 12 --resolution 64",
    "darcy": "--inputs 6 --realizations 6 --resolution 16",
}
SIZES = "--method floral --set network.hidden_channels=16 --set network.film_channels=16 --set optimiser.batch=8"
SIZES += " --set split.test=1 --set split.validation=1 --epochs 3"


def verified():
    """The name of the card, and the error of every fixture quantity on each device."""
    rows = {}
    for device in DEVICES:
        done = floral(ROOT, f"verify {' '.join(map(str, FIXTURES))} --device {device}")
        for line in done.stdout.splitlines():
            if line.endswith(".safetensors"):
                name = pathlib.Path(line).stem
            found = re.match(r"  (.*\S)\s+(\S+)\s+(\S+)\s+(pass|FAIL)$", line)
            if found:
                quantity, error, tolerance, verdict = found.groups()
                row = rows.setdefault(f"{name}: {quantity}", {"tolerance": float(tolerance)})
                row[device] = float(error)
                row[f"{device}_passes"] = verdict == "pass"
    return re.search(r"gpu is (.*)", done.stderr).group(1), rows


def losses(run):
    with open(run / "epochs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in ("train_loss", "validation_loss")}


def seconds(run):
    with open(run / "epochs.csv", newline="") as file:
        return float(list(csv.DictReader(file))[-1]["seconds"])


def difference(found, expected):
    largest = max(abs(value) for value in expected)
    return max(abs(a - b) for a, b in zip(found, expected, strict=True)) / largest


def values(archive, name):
    """An f32 array of an .npz archive; NumPy's magic number and header are skipped."""
    with zipfile.ZipFile(archive) as file:
        stored = file.read(f"{name}.npy")
    header = int.from_bytes(stored[8:10], "little")
    assert b"'<f4'" in stored[10 : 10 + header], stored[: 10 + header]
    return array.array("f", stored[10 + header :]).tolist()


def trained(problem, folder, times):
    """A short training on each device, and realizations of each run on each device."""
    floral(folder, f"generate {problem} {PROBLEMS[problem]} -o {problem}.zarr")
    row = {"data": f"{problem} {PROBLEMS[problem]}", "settings": SIZES}
    for device in DEVICES:
        floral(folder, f"train {problem}.zarr {SIZES} --device {device} -o {problem}-{device}")
        run = folder / f"{problem}-{device}"
        row[device] = losses(run)
        if times:
            row[device]["seconds"] = seconds(run)
    row["loss_difference"] = max(difference(row["gpu"][name], row["cpu"][name]) for name in ("train_loss", "validation_loss"))
    for run in DEVICES:
        for device in DEVICES:
            floral(
                folder,
                f"sample {problem}-{run} --input {problem}.zarr --inputs 0..1 --realizations 4 --keep 4"
                f" --solver heun --steps 5 --device {device} -o {run}-{device}.npz --force",
            )
        kept = [values(folder / f"{run}-{device}.npz", "realizations") for device in DEVICES]
        row[f"realization_difference_of_{run}_run"] = difference(kept[1], kept[0])
    return row


def benched():
    """Milliseconds per sample on each device."""
    rows = {}
    for device in DEVICES:
        words = f"bench --device {device} --sizes 128,32x32 --batch 4 --hidden 16 --only velocity --only training --seconds 1 --json"
        report = json.loads(floral(ROOT, words).stdout)
        for row in report["measurements"]:
            rows.setdefault(f"{row['work']} {row['size']}", {})[device] = row["milliseconds_per_sample"]
    for row in rows.values():
        row["ratio"] = row["gpu"] / row["cpu"]
    return rows


def main():
    parser = argparse.ArgumentParser(description="A graphics card beside the processor.")
    parser.add_argument("--numbers", action="store_true", help="without times, which mean nothing on a busy machine")
    times = not parser.parse_args().numbers
    results = {"command": "bench/gpu" if times else "bench/gpu --numbers", "cores": os.cpu_count()}
    if times:
        results["load"] = round(os.getloadavg()[0], 1)
        results["milliseconds_per_sample"] = benched()
    results["adapter"], results["verify"] = verified()
    print(json.dumps(results, indent=2), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        results["training"] = [trained(problem, pathlib.Path(folder), times) for problem in PROBLEMS]
    print(json.dumps(results["training"], indent=2), flush=True)
    write("gpu.json", results)


if __name__ == "__main__":
    main()
