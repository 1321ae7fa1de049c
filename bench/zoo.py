"""The default method beside simple peers on data of many kinds.

    bench/zoo [NAME ...] --seeds 1,2 [--methods floral-kl,kriging] [--peers] [-o results/zoo.json]

With -o, rows that the file already has for this commit are kept and not computed again, and its list of spent seeds
grows: a seed that a decision has looked at is not used for a recording again.

Errors are root mean square errors of the predicted mean over those of predicting the mean training solution;
`relative` is the mean over test inputs of the relative L2 error, `nrmse` the same pooled over inputs, as in the paper.
Coverage is that of the 90 % interval over all test realizations, and of the worst input. `energy` is the excess of the energy score over the truth's own.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import numpy as np
import xarray

from results import program_version
from zoo_data import FLORAL, catalogue
from zoo_peers import PEERS

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWS = 300
NOT_FRESH = (
    "Rows darcy16-* and outside* are files without a seed. Their test inputs were used while the method was developed, so "
    "these rows are no evidence on unseen data."
)


def floral(*words):
    done = subprocess.run([FLORAL, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def predicted(train, test, method, folder):
    """What `sample` stores, and the seconds of fitting and of sampling."""
    for data, name in ((train, "train"), (test, "test")):
        data.to_zarr(f"{folder}/{name}.zarr", zarr_format=3, consolidated=False)
    started = time.perf_counter()
    floral("train", f"{folder}/train.zarr", "--method", method, "--set", "split.test=0", "--set", "split.validation=0",
           "-o", f"{folder}/run")
    fitted = time.perf_counter()
    floral("sample", f"{folder}/run", "--input", f"{folder}/test.zarr", "--realizations", DRAWS, "--keep", 100,
           "--quantile", 0.05, "--quantile", 0.95, "-o", f"{folder}/out.zarr")
    ended = time.perf_counter()
    found = xarray.open_zarr(f"{folder}/out.zarr", consolidated=False).load()
    return found, fitted - started, ended - fitted


def energy(draws, truth):
    """Energy score of draws [n, ...] at truth [m, ...], by pairs of halves."""
    draws, truth = draws.reshape(len(draws), -1), truth.reshape(len(truth), -1)
    apart = lambda a, b: np.sqrt(np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0))
    n = len(draws)
    return apart(draws, truth).mean() - apart(draws, draws).sum() / (2 * n * (n - 1))


def scored(found, train, test):
    truth = test.high.values
    mean, simplest = truth.mean(1), train.high.values.mean((0, 1))
    axes = tuple(range(1, mean.ndim))
    norm = lambda field: np.sqrt((field**2).sum(axes))
    error = found["mean"].values - mean
    low, high = (found.quantiles.sel(quantile=q, method="nearest").values for q in (0.05, 0.95))
    inside = (truth >= low[:, None] - 1e-12) & (truth <= high[:, None] + 1e-12)
    # Of single runs nothing is known to be fixed.
    varies = truth.std(1) > 0 if truth.shape[1] > 1 else np.ones_like(mean, bool)
    held = np.array([inside[i][:, varies[i]].mean() if varies[i].any() else np.nan for i in range(len(truth))])
    row = {
        "error": float(np.sqrt((error**2).mean() / ((mean - simplest) ** 2).mean())),
        "l2": float(norm(error).mean()),
        "nrmse": float(np.sqrt((error**2).mean() / (mean**2).mean())),
        "relative": float((norm(error) / norm(mean)).mean()),
        "coverage": float(np.nanmean(held)),
        "worst": float(np.nanmin(held)),
    }
    if truth.shape[1] > 1:
        aleatoric, variance = found.aleatoric.values, truth.var(1, ddof=1)
        total = found["std"].values**2
        over = lambda v: float((norm(v - variance) / norm(variance)).mean())
        row |= {"variance": over(aleatoric), "total_variance": over(total)}
        draws = found.realizations.values
        half = truth.shape[1] // 2
        scores = [(energy(draws[i], truth[i]), energy(truth[i, :half], truth[i, half:])) for i in range(len(truth))]
        ours, floor = np.mean(scores, 0)
        row["energy_excess"] = float(ours / floor - 1)
    return row


def of_method(train, test, method):
    with tempfile.TemporaryDirectory() as folder:
        try:
            found, fit, sample = predicted(train, test, method, folder)
        except RuntimeError as error:
            return {"failed": str(error)}
        return scored(found, train, test) | {"fit_s": fit, "sample_s": sample}


def of_peer(train, test, peer):
    started = time.perf_counter()
    mean = PEERS[peer](train, test)
    if mean is None:
        return None
    truth = test.high.values.mean(1)
    spread = ((truth - train.high.values.mean((0, 1))) ** 2).mean()
    error = float(np.sqrt(((mean - truth) ** 2).mean() / spread))
    return {"error": error, "fit_s": time.perf_counter() - started}


def recorded(path, commit):
    """Rows of this commit, and all seeds ever used."""
    if not (path and path.exists()):
        return [], []
    before = json.loads(path.read_text())
    return before["rows"] if before["commit"] == commit else [], before["spent_seeds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--methods", default="floral-kl,kriging")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, help="print the table of a recording and stop")
    arguments = parser.parse_args()
    if arguments.table:
        print(table(json.loads(arguments.table.read_text())["rows"]))
        return
    describe = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    known = catalogue()
    names = [name for name in known if any(re.fullmatch(pattern, name) for pattern in arguments.names or [".*"])]
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    rows, spent = recorded(arguments.output, commit)
    peers = list(PEERS) if arguments.peers else []
    for name in names:
        for seed in seeds:
            is_there = lambda method: any((r["data"], r["seed"], r["method"]) == (name, seed, method) for r in rows)
            wanted = [method for method in [*arguments.methods.split(","), *peers] if not is_there(method)]
            if not wanted:
                continue
            train, test = known[name](seed)
            for method in wanted:
                found = (of_peer if method in PEERS else of_method)(train, test, method)
                if found is None:
                    continue
                rows.append({"data": name, "seed": seed, "method": method, "inputs": train.sizes["input"]} | found)
                show(rows[-1])
                if arguments.output:
                    write(arguments.output, commit, sorted({*spent, *seeds}), rows)


def write(path, commit, spent, rows):
    """A recording, with what the generator of the results pages needs to label it."""
    made = {
        "command": shlex.join(["bench/zoo", *sys.argv[1:]]),
        "commit": commit,
        "method_version": program_version(),
        "cores": os.cpu_count(),
        "not_fresh": NOT_FRESH,
        "spent_seeds": spent,
        "rows": rows,
    }
    path.write_text(json.dumps(made, indent=1) + "\n")


def table(rows):
    """A line for each dataset, means over seeds: FLORAL-KL beside the best of the others."""
    lines = ["| data | inputs | seeds | FLORAL-KL | best other | ratio | 90 % interval: mean, worst input |", "|---|---|---|---|---|---|---|"]
    mean = lambda found, key: float(np.mean([row[key] for row in found]))
    for name in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if (row["data"], row["method"]) == (name, "floral-kl") and "error" in row]
        others = {}
        for row in rows:
            if row["data"] == name and row["method"] != "floral-kl" and "error" in row:
                others.setdefault(row["method"], []).append(row)
        if not own or not others:
            continue
        best = min(others, key=lambda method: mean(others[method], "error"))
        ratio = mean(own, "error") / mean(others[best], "error")
        worst = min(row["worst"] for row in own)
        lines.append(f"| {name} | {own[0]['inputs']} | {len(own)} | {mean(own, 'error'):.3f} | {mean(others[best], 'error'):.3f}, {best} | "
                     f"{ratio:.2f} | {mean(own, 'coverage'):.2f}, {worst:.2f} |")
    return "\n".join(lines)


def show(row):
    digits = lambda v: f"{v:.3g}" if isinstance(v, float) else v
    print("  ".join(f"{key} {digits(value)}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
