"""The default method beside simple peers on data of many kinds.

    bench/zoo [NAME ...] --seeds 1,2 [--methods floral-kl,kriging] [--peers] [--published] [--fno EPOCHS] [--jobs 2] [-o results/zoo.json]
    bench/zoo [NAME ...] --seeds 1,2 --ablation -o results/zoo-ablation.json
    bench/zoo --complete results/zoo.json
    bench/zoo --table results/zoo.json [--into docs/src/explanation/floral-kl.md]

A NAME is a pattern; without one all datasets are taken, and --list prints them. With -o, rows that the file already has
for this commit are kept, so that an interrupted recording continues. Its list of spent seeds grows: a seed that a decision
may have seen is refused for the recording of another commit.

Errors are root mean square errors of the predicted mean, relative to those of predicting the mean training solution; the
other columns are defined in zoo_scores.py. --complete adds the simple peers that a recording lacks, on its own datasets
and seeds; peers do not depend on our build. `fit_cpu_s` is processor time, which other work on the machine does not change;
`fit_mb` is the peak memory of `floral train`.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

import xarray

from results import commit, program_version
from zoo_data import FLORAL, SEEDLESS, catalogue
from zoo_peers import PEERS, PUBLISHED
from zoo_scores import of_mean, scored
from zoo_table import PARTS, ablation, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWS = 300
NOT_FRESH = (
    "Rows darcy16-*, outside*, elastic-* and navier-stokes-* are files without a seed. Their test inputs were used while the "
    "method was developed, so these rows are no evidence on unseen data."
)
# The least number of inputs at which a network alone serves as a peer.
FEWEST_OF_NETWORK = 40


def floral(*words):
    """Runs a command; returns wall and processor seconds, and peak memory in MB."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([FLORAL, *map(str, words)], stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"floral ended with {process.returncode}")
    return {"s": time.perf_counter() - started, "cpu_s": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024}


def settings(method, train, epochs):
    """The arguments of `floral train` for a method, or for the default method without one of its parts."""
    if method.startswith("without "):
        return ["--method", "floral-kl", "--set", f'without="{method.removeprefix("without ")}"', "--set", "split.validation=0"]
    if method in ("fno", "residual-fno"):
        # The paper's settings except for the number of epochs; a tenth of the inputs selects the epoch to keep.
        held = max(1, train.sizes["input"] // 10)
        return ["--method", method, "--epochs", epochs, "--set", f"split.validation={held}"]
    return ["--method", method, "--set", "split.validation=0"]


def of_method(train, test, method, epochs):
    with tempfile.TemporaryDirectory() as folder:
        for data, name in ((train, "train"), (test, "test")):
            data.to_zarr(f"{folder}/{name}.zarr", zarr_format=3, consolidated=False)
        try:
            fit = floral("-q", "train", f"{folder}/train.zarr", "--set", "split.test=0", *settings(method, train, epochs),
                         "-o", f"{folder}/run")
            sample = floral("-q", "sample", f"{folder}/run", "--input", f"{folder}/test.zarr", "--realizations", DRAWS,
                            "--keep", 100, "--quantile", 0.05, "--quantile", 0.95, "-o", f"{folder}/out.zarr")
        except RuntimeError as error:
            return {"failed": str(error)}
        found = xarray.open_zarr(f"{folder}/out.zarr", consolidated=False).load()
        size = sum(file.stat().st_size for file in pathlib.Path(folder, "run").rglob("*") if file.is_file())
    row = scored(found, train, test)
    row |= {f"fit_{key}": value for key, value in fit.items()} | {"sample_s": sample["s"], "sample_cpu_s": sample["cpu_s"]}
    return row | {"model_mb": size / 2**20} | ({"epochs": epochs} if "fno" in method else {})


def of_peer(train, test, peer):
    started = time.perf_counter()
    mean = (PEERS | PUBLISHED)[peer](train, test)
    if mean is None:
        return None
    return of_mean(mean, train, test) | {"fit_s": time.perf_counter() - started}


class Recording:
    """The rows of one commit in a file, with all seeds ever used."""

    def __init__(self, path, commit, notes):
        self.path, self.commit, self.notes, self.lock = path, commit, notes, threading.Lock()
        before = json.loads(path.read_text()) if path and path.exists() else {}
        self.spent = before.get("spent_seeds", [])
        self.rows = before["rows"] if before.get("commit") == commit else []

    def refused(self, seeds):
        """The seeds that recordings of other commits have used."""
        own = {row["seed"] for row in self.rows}
        return sorted(set(seeds) & set(self.spent) - own)

    def has(self, name, seed, method):
        return any((row["data"], row["seed"], row["method"]) == (name, seed, method) for row in self.rows)

    def add(self, row):
        with self.lock:
            self.rows.append(row)
            show(row)
            if self.path:
                spent = sorted({*self.spent, *(row["seed"] for row in self.rows)})
                made = {"commit": self.commit, **self.notes, "spent_seeds": spent, "rows": self.rows}
                temporary = self.path.with_suffix(".part")
                temporary.write_text(json.dumps(made, indent=1) + "\n")
                temporary.replace(self.path)


def wanted(recording, arguments, train, name, seed):
    """The methods that have no row yet for a dataset."""
    if arguments.ablation:
        methods = ["floral-kl", *(f"without {part}" for part in PARTS)]
    else:
        methods = arguments.methods.split(",") + (list(PEERS) if arguments.peers else []) + (list(PUBLISHED) if arguments.published else [])
        if arguments.fno and train.sizes["input"] >= FEWEST_OF_NETWORK:
            methods += ["fno"] + (["residual-fno"] if "low" in train else [])
    return [method for method in methods if not recording.has(name, seed, method)]


def record(recording, arguments, known, name, seed):
    train, test = known[name](seed)
    for method in wanted(recording, arguments, train, name, seed):
        found = of_peer(train, test, method) if method in PEERS | PUBLISHED else of_method(train, test, method, arguments.fno)
        if found is not None:
            recording.add({"data": name, "seed": seed, "method": method, "inputs": train.sizes["input"]} | found)


def complete(path):
    """Adds the simple peers that a recording lacks, on its own datasets and seeds."""
    made, known = json.loads(path.read_text()), catalogue()
    done = {(row["data"], row["seed"], row["method"]) for row in made["rows"]}
    for name, seed in dict.fromkeys((row["data"], row["seed"]) for row in made["rows"]):
        lacking = [peer for peer in PEERS if (name, seed, peer) not in done]
        data = known[name](seed) if lacking else None
        for peer in lacking:
            if found := of_peer(*data, peer):
                made["rows"].append({"data": name, "seed": seed, "method": peer, "inputs": data[0].sizes["input"]} | found)
                show(made["rows"][-1])
    path.write_text(json.dumps(made, indent=1) + "\n")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--methods", default="floral-kl,kriging")
    parser.add_argument("--peers", action="store_true", help="simple peers, which need no command of ours")
    parser.add_argument("--published", action="store_true", help="methods of other libraries: SMT's MFK, neuraloperator's FNO")
    parser.add_argument("--fno", type=int, metavar="EPOCHS", help=f"networks alone, of {FEWEST_OF_NETWORK} inputs or more; slow")
    parser.add_argument("--ablation", action="store_true", help="the default without each of its parts in turn")
    parser.add_argument("--jobs", type=int, default=1, help="datasets at a time; seconds are then no comparison")
    parser.add_argument("--note", help="what the recording should say of itself")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print the names of the datasets and stop")
    parser.add_argument("--complete", type=pathlib.Path, help="add the simple peers that a recording lacks")
    parser.add_argument("--table", type=pathlib.Path, help="print the table of a recording and stop")
    parser.add_argument("--into", type=pathlib.Path, help="write that table between its marks in a page")
    return parser.parse_args()


def main():
    arguments = parsed()
    if arguments.table:
        made = json.loads(arguments.table.read_text())
        is_ablation = any(row["method"].startswith("without ") for row in made["rows"])
        text = (ablation if is_ablation else table)(made)
        if arguments.into:
            write_between(arguments.into, f"<!-- zoo: results/{arguments.table.name} -->\n", "<!-- end of zoo -->", text)
        else:
            print(text)
        return
    if arguments.complete:
        complete(arguments.complete)
        return
    known = catalogue()
    if arguments.list:
        print("\n".join(known))
        return
    names = [name for name in known if any(re.fullmatch(pattern, name) for pattern in arguments.names or [".*"])]
    if not names:
        sys.exit("no dataset has such a name; --list prints them")
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    notes = {"date": datetime.date.today().isoformat(), "command": shlex.join(["bench/zoo", *sys.argv[1:]]), "method_version": program_version(),
             "cores": os.cpu_count(), "jobs": arguments.jobs, "not_fresh": NOT_FRESH} | ({"note": arguments.note} if arguments.note else {})
    recording = Recording(arguments.output, commit(), notes)
    if refused := recording.refused(seeds):
        sys.exit(f"{arguments.output}: seeds {', '.join(map(str, refused))} are spent on another commit; take others")
    # Files without a seed give the same data for every seed, so that one seed is enough.
    tasks = [(name, seed) for name in names for seed in (seeds[:1] if re.fullmatch(SEEDLESS, name) else seeds)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done in [pool.submit(record, recording, arguments, known, *task) for task in tasks]:
            done.result()


def write_between(page, begin, end, text):
    before, _, rest = page.read_text().partition(begin)
    old, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{page}: there is no line {begin.strip()}; write it where the table goes, and {end} after it")
    page.write_text(before + begin + text + "\n" + end + after)


def show(row):
    digits = lambda v: f"{v:.3g}" if isinstance(v, float) else v
    print("  ".join(f"{key} {digits(value)}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
