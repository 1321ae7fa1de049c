"""Our allocator beside mimalloc, jemalloc and the system's, on training and sampling.

    bench/allocators                    results/allocators.json
    bench/allocators --rounds 3 --only training-line

Every build runs every work once a round, in turn; the best round of each counts.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARIES = pathlib.Path(os.environ.get("FLORAL_BINARIES", ""))

# Name: the build, and the settings that make it hold what is freed.
VARIANTS = {
    "ours": ("ours", {}),
    "mimalloc": ("mimalloc", {}),
    "mimalloc, held": ("mimalloc", {"MIMALLOC_PURGE_DELAY": "-1"}),
    "mimalloc, held in huge pages": (
        "mimalloc",
        {"MIMALLOC_PURGE_DELAY": "-1", "MIMALLOC_ALLOW_LARGE_OS_PAGES": "1"},
    ),
    "jemalloc": ("jemalloc", {}),
    "jemalloc, held": (
        "jemalloc",
        {"_RJEM_MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1,retain:true,oversize_threshold:0"},
    ),
    "jemalloc, held in huge pages": (
        "jemalloc",
        {"_RJEM_MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1,retain:true,oversize_threshold:0,thp:always"},
    ),
    "system": ("system", {}),
    "system, held": (
        "system",
        # 32 MiB is the most that the C library takes.
        {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(8 << 30), "MALLOC_TOP_PAD_": str(64 << 20)},
    ),
}

# Name: the words of `floral-bench work`, but the seconds.
WORKS = {
    "training-line": ("training", "128", 32, 10),
    "training": ("training", "64x64", 8, 3),
    "training-128": ("training", "128x128", 4, 2),
    "velocity": ("velocity", "64x64", 8, 1),
    "sampling-line": ("sampling", "128", 32, 1),
}


def measure(variant, words, seconds):
    build, settings = VARIANTS[variant]
    command = list(map(str, [BINARIES / build, "work", *words, seconds]))
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings})
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def row(name, rounds, seconds):
    """The best time and the largest memory of every variant."""
    words = WORKS[name]
    found = {variant: [] for variant in VARIANTS}
    for _ in range(rounds):
        for variant, answers in found.items():
            answers.append(measure(variant, words, seconds))
    best = {v: min(a["milliseconds_per_sample"] for a in answers) for v, answers in found.items()}
    memory = {v: max(a["peak_memory"] or 0 for a in answers) for v, answers in found.items()}
    return {
        "row": f"{words[0]}, {words[1]}, batch {words[2]} of {words[3]} inputs",
        "milliseconds_per_sample": best,
        "over_ours": {v: time / best["ours"] for v, time in best.items()},
        "peak_memory": memory,
    }


def table(rows):
    text = ""
    for row in rows:
        text += f"{row['row']}\n"
        for variant, time in row["milliseconds_per_sample"].items():
            memory = row["peak_memory"][variant] / 1e6
            text += f"  {variant:30} {time:9.3f} ms {row['over_ours'][variant]:7.3f} {memory:8.0f} MB\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="the best of them counts")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="for each work in each round")
    parser.add_argument("--only", action="append", choices=WORKS, help="this work alone; may be repeated")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "results/allocators.json")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.only or WORKS:
        rows.append(row(name, arguments.rounds, arguments.seconds))
        print(table(rows[-1:]), flush=True)
    result = {
        "command": " ".join(["bench/allocators", *sys.argv[1:]]),
        "cores": os.cpu_count(),
        "milliseconds": "per sample, best of the rounds, the variants in turn",
        "settings": {variant: settings for variant, (_, settings) in VARIANTS.items()},
        "rows": rows,
    }
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
