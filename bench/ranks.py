"""Parallel efficiency of two ranks with one thread each, and recovery after kills.

    bench/ranks [--rounds 3] [--kills 20] [--seed 1] [--only generate]
    TMPDIR=/dev/shm bench/ranks ...     stores in memory, where nothing waits for a disk

One and two ranks are timed in turn, and the best of the rounds counts. Seconds are those of the whole command,
including the start of MPI. With --rounds 0 or --kills 0, that part keeps its recorded numbers. Every kill hits a
rank or the whole job at a random moment; the same command then continues with another number of ranks, and its
result is compared byte for byte with that of an undisturbed run.
"""

import argparse
import hashlib
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from results import exists, read, write

FLORAL = os.environ["FLORAL"]
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Copies through shared memory: containers often forbid a process to read the memory of another.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
SPLIT = "--set split.test=2 --set split.validation=1"
WORKS = {
    "generate": ("generate darcy --inputs 1000 -o timed.zarr", ["timed.zarr"]),
    "train": (f"train data.zarr --method floral --epochs 3 {SPLIT} -o timed", ["timed"]),
    "sample": ("sample run --input data.zarr --inputs 0..2 --realizations 64 --steps 5 -o timed.zarr", ["timed.zarr"]),
}
PREPARED = [
    "generate darcy --inputs 7 --realizations 32 -o data.zarr",
    f"train data.zarr --method floral --epochs 1 {SPLIT} -o run",
]
TINY = "--set network.hidden_channels=8 --set network.layers=2 --set network.n_modes=[16,16]"
KILLED = {
    "generate": ("generate darcy --inputs 40 --seed 2 -o killed.zarr", "killed.zarr"),
    "train": (f"train data.zarr --method floral --epochs 3 {SPLIT} {TINY} -o killed", "killed"),
    "sample": ("sample run --input data.zarr --inputs 0..3 --realizations 40 --steps 3 -o killed.out.zarr", "killed.out.zarr"),
}


def command(ranks, words):
    start = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    return [*start, FLORAL, "--quiet", "--threads", "1", *words.split()]


def run(ranks, words, folder):
    """Runs a command; returns wall seconds, and processor seconds of all ranks together."""
    start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command(ranks, words), cwd=folder, env=ENVIRONMENT, check=True)
    return time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used


def clear(folder, name):
    for path in (folder / name, folder / f"{name}.partial"):
        shutil.rmtree(path, ignore_errors=True)


def efficiency(name, folder, rounds):
    words, made = WORKS[name]
    seconds = {1: [], 2: []}
    for _ in range(rounds):
        for ranks in seconds:
            for path in made:
                clear(folder, path)
            seconds[ranks].append(run(ranks, words, folder))
    best = {ranks: min(clock for clock, _ in times) for ranks, times in seconds.items()}
    used = {ranks: min(used for _, used in times) for ranks, times in seconds.items()}
    return {
        "command": f"floral {words}",
        "one_rank_s": round(best[1], 2),
        "two_ranks_s": round(best[2], 2),
        "efficiency": round(best[1] / (2 * best[2]), 3),
        # From processor seconds: insensitive to waiting and to other work on the machine.
        "work_efficiency": round(used[1] / used[2], 3),
    }


def digest(path):
    """Hashes of all files; of checkpoints only the arrays, because their headers contain times."""
    sums = {}
    for file in sorted(path.rglob("*")):
        if file.suffix == ".safetensors":
            data = file.read_bytes()
            data = data[8 + int.from_bytes(data[:8], "little") :]
        elif file.is_file() and path.suffix == ".zarr":
            data = file.read_bytes()
        else:
            continue
        sums[str(file.relative_to(path))] = hashlib.sha256(data).hexdigest()
    return sums


def kill(name, folder, expected, seconds, dice):
    """Kills a job once, and returns the outcome."""
    words, made = KILLED[name]
    clear(folder, made)
    ranks = dice.choice([2, 3, 4])
    job = subprocess.Popen(
        command(ranks, words), cwd=folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL
    )
    time.sleep(dice.uniform(0.3, max(0.4, 0.6 * seconds)))
    number = dice.choice([signal.SIGKILL, signal.SIGTERM])
    whole = dice.random() < 0.4
    listed = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    ranks_there = [int(pid) for pid in listed]
    if whole or not ranks_there:
        # A killed mpirun does not end its ranks; they exit by themselves a little later.
        victims = [job.pid, *ranks_there] if number == signal.SIGKILL else [job.pid]
    else:
        victims = [dice.choice(ranks_there)]
    begun = time.monotonic()
    for pid in victims:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass
    code = job.wait(timeout=60)
    ended = time.monotonic() - begun
    run(dice.choice([1, 2, 3]), words, folder)
    return {
        "work": name,
        "ranks": ranks,
        "killed": "job" if whole else "rank",
        "signal": number.name,
        "exit_code": code,
        "ended_s": round(ended, 1),
        "same_bytes": digest(folder / made) == expected,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=WORKS, help="of the efficiencies this one")
    chosen = parser.parse_args()
    dice = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for words in PREPARED:
            subprocess.run([FLORAL, "--quiet", *words.split()], cwd=folder, check=True)
        works = {}
        where = " in memory" if folder.is_relative_to("/dev/shm") else ""
        for name in [chosen.only] if chosen.only else WORKS if chosen.rounds else []:
            works[name + where] = efficiency(name, folder, chosen.rounds)
            print(name + where, works[name + where], flush=True)
        expected, kills = {}, []
        while len(kills) < chosen.kills:
            name = list(KILLED)[len(kills) % len(KILLED)]
            if name not in expected:
                clear(folder, KILLED[name][1])
                seconds, _ = run(1, KILLED[name][0], folder)
                expected[name] = digest(folder / KILLED[name][1]), seconds
            outcome = kill(name, folder, *expected[name], dice)
            print(outcome, flush=True)
            # A job that finished before the signal came was not killed.
            if outcome["exit_code"] != 0 or not outcome["same_bytes"]:
                kills.append(outcome)
    made = read("ranks.json") if exists("ranks.json") else {}
    if chosen.rounds:
        before = made.get("efficiency", {}).get("works", {})
        made["efficiency"] = {"cores": os.cpu_count(), "rounds": chosen.rounds, "works": {**before, **works}}
    if chosen.kills:
        made["kills"] = {
            "command": f"bench/ranks --rounds 0 --kills {chosen.kills} --seed {chosen.seed}",
            "count": len(kills),
            "same_bytes": sum(kill["same_bytes"] for kill in kills),
            "longest_end_s": max(kill["ended_s"] for kill in kills),
            "each": kills,
        }
    write("ranks.json", made)


if __name__ == "__main__":
    main()
