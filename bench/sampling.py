"""Seconds of 2500 realizations of one new input by the recommended method, as `floral sample` tells them.

    bench/sampling

Mean, variance, two quantiles and an exceedance map are computed along the way; the best of several runs,
and the whole command with reading and writing.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLORAL = os.environ["FLORAL"]
PROBLEMS = {"darcy": "64x64", "advection": "128x128", "burgers": "128x128"}
REALIZATIONS = 2500
ROUNDS = 5
TRAINING = "--set split.test=2 --set split.validation=0 --train-inputs 10"


def floral(words, folder):
    command = [FLORAL, *words.split()]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)


def timed(problem, folder):
    floral(f"generate {problem} --inputs 12 -o {problem}.zarr", folder)
    floral(f"train {problem}.zarr {TRAINING} -o {problem}", folder)
    words = f"sample {problem} --input {problem}.zarr --inputs 0..1 --realizations {REALIZATIONS}"
    words += " --quantile 0.05 --quantile 0.95 --exceed 0.5 -o out.zarr --force"
    computed, whole = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        done = floral(words, folder)
        whole.append(time.perf_counter() - start)
        found = re.search(r"computed in ([0-9.]+) s", done.stdout + done.stderr)
        computed.append(float(found.group(1)))
    return {"problem": problem, "grid": PROBLEMS[problem], "computed_s": min(computed), "command_s": min(whole)}


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in PROBLEMS:
            rows.append(timed(problem, pathlib.Path(folder)))
            print(rows[-1], flush=True)
    made = {"command": "bench/sampling", "cores": os.cpu_count(), "realizations": REALIZATIONS, "rounds": ROUNDS, "rows": rows}
    (ROOT / "results" / "sampling.json").write_text(json.dumps(made, indent=2) + "\n")


if __name__ == "__main__":
    main()
