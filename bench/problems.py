"""Our solvers beside the same schemes in NumPy and SciPy, measured in turn in one run.

    bench/problems            prints a table and writes results/problems.json

Both sides draw the random part and solve. Our solvers run on all cores and on one core, NumPy and
SciPy on one core. Every figure is the best of several alternating rounds.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import load_file

from peers import solvers
from results import ROOT, write

FIXTURE = ROOT / "crates/floral/tests/fixtures/solvers.safetensors"
ROUNDS = 5
REALIZATIONS = 50


def ours(*words, threads=None):
    """The timings of the Rust side, one line of JSON."""
    environment = dict(os.environ)
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    command = [os.environ["FLORAL_BENCH"], *map(str, words)]
    return json.loads(subprocess.check_output(command, env=environment))


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def check_peers():
    """Checks that the peers solve the same discrete problems as our solvers."""
    reference = load_file(FIXTURE)
    for name in ("advection", "burgers"):
        found = getattr(solvers, name)(reference[f"{name}.initial"])
        expected = reference[f"{name}.solution"]
        assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max(), name
    for field, expected in zip(reference["darcy32.permeability"], reference["darcy32.pressure"]):
        found = solvers.darcy(field, solvers.darcy_source(32, well="corner"))
        assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max(), "darcy"


def wave_peer(name):
    rng = np.random.default_rng(0)
    wave = solvers.draw_wave(rng, 128)

    def work():
        getattr(solvers, name)(solvers.perturb_wave(rng, wave, REALIZATIONS))

    return work, REALIZATIONS


def darcy_peer():
    # A smooth random field; the time of a sparse LU does not depend on its values.
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 64)
    source = solvers.darcy_source(64)
    count = 4

    def work():
        for _ in range(count):
            a, b = rng.normal(size=2)
            solvers.darcy(np.exp(a * np.sin(9 * x)[:, None] * np.cos(7 * b * x)), source)

    return work, count


def compare(name, resolution, inputs, peer):
    work, count = peer
    work()
    rows = {"peer": [], "one": [], "all": []}
    for _ in range(ROUNDS):
        rows["peer"].append(timed(work) / count)
        request = ("realizations", name, resolution, inputs, REALIZATIONS)
        rows["one"].append(ours(*request, threads=1)["seconds_per_realization"])
        rows["all"].append(ours(*request)["seconds_per_realization"])
    best = {key: min(values) for key, values in rows.items()}
    return {
        "problem": name,
        "resolution": resolution,
        "peer_ms": 1e3 * best["peer"],
        "one_core_ms": 1e3 * best["one"],
        "all_cores_ms": 1e3 * best["all"],
        "ratio_one_core": best["peer"] / best["one"],
        "ratio_all_cores": best["peer"] / best["all"],
    }


def main():
    check_peers()
    rows = [
        compare("advection", 128, 64, wave_peer("advection")),
        compare("burgers", 128, 16, wave_peer("burgers")),
        compare("darcy", 64, 8, darcy_peer()),
    ]
    print(f"{'':10} {'peer':>9} {'one core':>9} {'all cores':>9} {'ratio, one':>11} {'ratio, all':>11}")
    for row in rows:
        print(
            f"{row['problem']:10} {row['peer_ms']:6.3f} ms {row['one_core_ms']:6.3f} ms "
            f"{row['all_cores_ms']:6.3f} ms {row['ratio_one_core']:10.1f}x {row['ratio_all_cores']:10.1f}x"
        )
    prior = min(ours("prior", 128, 32)["seconds_per_batch"] for _ in range(ROUNDS))
    expansion = min(ours("expansion", 64, 32)["seconds"] for _ in range(ROUNDS))
    print(f"32 prior fields on 128x128: {1e3 * prior:.1f} ms")
    print(f"32 Karhunen-Loeve modes on 64x64: {1e3 * expansion:.0f} ms")
    result = {
        "command": "bench/problems",
        "cores": os.cpu_count(),
        "milliseconds": "per realization, best of several rounds",
        "peers": {"advection": "NumPy", "burgers": "NumPy", "darcy": "SciPy spsolve (SuperLU)"},
        "problems": rows,
        "prior_32_fields_128x128_ms": 1e3 * prior,
        "karhunen_loeve_32_modes_64x64_ms": 1e3 * expansion,
    }
    write("problems.json", result)


if __name__ == "__main__":
    sys.exit(main())
