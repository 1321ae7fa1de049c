"""Seconds of 2500 realizations of one new input by the recommended method, as `floral sample` reports them.

    bench/sampling

The first command computes mean and variance too, the second also two quantiles and an exceedance map. Best of
several runs.
"""

import os
import pathlib
import re
import tempfile

from command import floral
from results import commit, program_version, write

PROBLEMS = {"darcy": "64x64", "advection": "128x128"}
REALIZATIONS = 2500
ROUNDS = 3
TRAINING = "--set split.test=2 --set split.validation=0 --train-inputs 10"


def timed(problem, folder):
    floral(folder, f"generate {problem} --inputs 12 -o {problem}.zarr")
    floral(folder, f"train {problem}.zarr {TRAINING} -o {problem}")
    words = f"sample {problem} --input {problem}.zarr --inputs 0..1 --realizations {REALIZATIONS}"
    words += " -o out.zarr --force"
    row = {"problem": problem, "grid": PROBLEMS[problem]}
    for name, more in {"moments_s": "", "all_s": " --quantile 0.05 --quantile 0.95 --exceed 0.5"}.items():
        row[name] = min(seconds(words + more, folder) for _ in range(ROUNDS))
    return row


def seconds(words, folder):
    done = floral(folder, words)
    return float(re.search(r"computed in ([0-9.]+) s", done.stdout + done.stderr).group(1))


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in PROBLEMS:
            rows.append(timed(problem, pathlib.Path(folder)))
            print(rows[-1], flush=True)
    notes = {"command": "bench/sampling", "commit": commit(), "method_version": program_version()}
    made = notes | {"cores": os.cpu_count(), "realizations": REALIZATIONS, "rounds": ROUNDS, "rows": rows}
    write("sampling.json", made)


if __name__ == "__main__":
    main()
