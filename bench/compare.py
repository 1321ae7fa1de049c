"""Our network beside the same in PyTorch, in one run, alternating.

    bench/compare             all rows: results/compare.json, results/scaling.json, docs/scaling.svg
    bench/compare --quick     one round each, without 128x128 training and large grids; a fast look
    bench/compare --only prior --only velocity
    bench/compare --only transform      the convolution beside an FFT: results/transform.json

The peer is the paper's network on neuraloperator's blocks, with torchdiffeq and GPyTorch, on all
cores. Before anything is timed it has to reproduce the reference's stored velocities, and ours with
our weights. It is timed as published, deriving its FiLM coefficients in every evaluation, and with
that part hoisted out of the loop, as ours has it. Each timing is a process of its own, never two at
once; every figure is the best of the rounds.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

import scaling

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "crates/floral/tests/fixtures"
MEASURE = ROOT / "bench/peers/measure.py"
REALIZATIONS = 100


def answer(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def ours(*words):
    return answer([os.environ["FLORAL_BENCH"], *words])


def peer(*words):
    return answer([sys.executable, "-W", "ignore", MEASURE, *words])


def smallest(answers):
    """Of every number, the best round's; of the rest, the last."""
    merged = dict(answers[-1])
    for key in merged:
        if key.endswith("_ms") or key == "milliseconds_per_sample":
            merged[key] = min(answer[key] for answer in answers)
        if key == "peak_memory" and merged[key]:
            merged[key] = max(answer[key] for answer in answers)
    return merged


class Comparison:
    def __init__(self, quick, rounds):
        self.rounds = rounds or (1 if quick else 3)
        self.seconds = 0.5 if quick else 3
        self.peak = 0.0

    def alternate(self, *works):
        """Each work once a round, in turn."""
        answers = [[] for _ in works]
        for _ in range(self.rounds):
            self.peak = max(self.peak, ours("peak")["gflops"])
            for work, found in zip(works, answers):
                found.append(work())
        return [smallest(found) for found in answers]

    def row(self, name, mine, published, hoisted, **more):
        row = {
            "row": name,
            "ours_ms": mine["milliseconds_per_sample"],
            "peer_published_ms": published,
            "peer_hoisted_ms": hoisted,
            "peak_memory": mine.get("peak_memory"),
            "gflop_per_sample": mine.get("gflop_per_sample"),
            **more,
        }
        row["ratio_published"] = published / row["ours_ms"]
        row["ratio_hoisted"] = hoisted / row["ours_ms"]
        return row

    def velocity(self, size, batch, target):
        mine, theirs = self.alternate(
            lambda: ours("work", "velocity", size, batch, 1, self.seconds),
            lambda: peer("velocity", size, batch, self.seconds),
        )
        name = f"velocity, {size}, batch {batch}"
        return [self.row(name, mine, theirs["published_ms"], theirs["hoisted_ms"], target=target)]

    def training(self, size, batch, inputs, target, peer_batch=None):
        """The peer's prior is always drawn for the whole batch: its cost is shared by the samples."""
        count = peer_batch or batch
        mine, plain, theirs, drawn = self.alternate(
            lambda: ours("work", "training", size, batch, inputs, self.seconds),
            lambda: ours("work", "training-without-prior", size, batch, inputs, self.seconds),
            lambda: peer("training", size, count, inputs, self.seconds),
            # w0 and the path's noise, from one distribution.
            lambda: peer("prior", size, 2 * batch, self.seconds),
        )
        name = f"training step, {size}, batch {batch} of {inputs} inputs"
        published, hoisted = theirs["published_ms"], theirs["hoisted_ms"]
        share = drawn["batch_ms"] / batch
        more = {"peer_batch": count}
        return [
            self.row(name, mine, published + share, hoisted + share, target=target, **more),
            self.row(f"{name}, without prior", plain, published, hoisted, target="", **more),
        ]

    def prior(self, size, batch, target):
        mine, theirs = self.alternate(
            lambda: ours("work", "prior", size, batch, 1, self.seconds),
            lambda: peer("prior", size, batch, self.seconds),
        )
        each = theirs["batch_ms"] / batch
        return [self.row(f"prior, {size}, batch {batch}", mine, each, each, target=target)]

    def sampling(self, size, measured, peer_measured, file, target):
        """So many realizations are measured and scaled; the peer's prior is drawn for all."""
        mine, theirs, drawn = self.alternate(
            lambda: ours("work", "sampling", size, measured, 1, 0),
            lambda: peer("sampling", file, peer_measured),
            lambda: peer("prior", size, REALIZATIONS, 0),
        )
        share = drawn["batch_ms"] / REALIZATIONS
        return [
            self.row(
                f"{REALIZATIONS} realizations, {size}, dopri5 1e-5, per realization",
                mine,
                theirs["published_ms"] + share,
                theirs["hoisted_ms"] + share,
                target=target,
                measured=measured,
                peer_measured=peer_measured,
                evaluations=mine["evaluations"],
                peer_evaluations=theirs["evaluations"],
            )
        ]


def check_parity(folder):
    """The peer is the paper's network, and ours is the peer's."""
    files = [FIXTURES / "filmfno_1d.safetensors", FIXTURES / "filmfno_2d.safetensors"]
    for size in ("128", "64x64"):
        files.append(folder / f"{size}.safetensors")
        ours("reference", size, 2, files[-1])
    errors = {}
    for file in files:
        errors[file.stem] = peer("parity", file)["error"]
        assert errors[file.stem] < 1e-4, f"{file.name}: the peer's velocity differs: {errors}"
    return errors


def rows(comparison, quick, folder):
    """Name, and what measures it."""
    sixteen, four = (8, 4) if quick else (16, 8)
    file = folder / "64x64.safetensors"
    yield "velocity", lambda: comparison.velocity("64x64", 8, "6x, 10 ms, 50 %")
    yield "velocity-128", lambda: comparison.velocity("128x128", 4, "5x, 45 ms, 45 %")
    yield "training-line", lambda: comparison.training("128", 32, 10, "5x")
    yield "training", lambda: comparison.training("64x64", 32, 10, "3.5x, 45 ms")
    if not quick:
        yield "training-128", lambda: comparison.training(
            "128x128", 32, 10, "7x, 180 ms, 6 GB", peer_batch=4
        )
    yield "prior", lambda: comparison.prior("128x128", 4, "1000x")
    yield "sampling", lambda: comparison.sampling("64x64", sixteen, four, file, "10x")


def finished(row, peak):
    if row["gflop_per_sample"]:
        row["gflops"] = row["gflop_per_sample"] / row["ours_ms"] * 1e3
        row["percent_of_peak"] = 100 * row["gflops"] / peak
    return row


def table(rows):
    width = max(len(row["row"]) for row in rows)
    text = f"{'ms per sample':{width}} {'ours':>10} {'PyTorch':>10} {'hoisted':>10}"
    text += f" {'ratio':>8} {'hoisted':>8} {'of peak':>8} {'memory':>8}  target\n"
    for row in rows:
        share = f"{row['percent_of_peak']:.0f} %" if "percent_of_peak" in row else "-"
        memory = f"{row['peak_memory'] / 1e9:.2f} GB" if row["peak_memory"] else "-"
        text += f"{row['row']:{width}} {row['ours_ms']:10.3f} {row['peer_published_ms']:10.2f}"
        text += f" {row['peer_hoisted_ms']:10.2f} {row['ratio_published']:7.1f}x"
        text += f" {row['ratio_hoisted']:7.1f}x {share:>8} {memory:>8}  {row['target']}\n"
    return text


def write(path, result):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {os.path.relpath(path, ROOT)}")


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one round each, the long rows left out")
    parser.add_argument("--only", action="append", metavar="ROW", help="this row alone; may be repeated")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of every row, the best of which counts")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="another folder for the results")
    return parser.parse_args()


def main():
    arguments = parsed()
    results = (arguments.output or ROOT / "results").resolve()
    comparison = Comparison(arguments.quick, arguments.rounds)
    wanted = lambda name: not arguments.only or name in arguments.only
    with tempfile.TemporaryDirectory() as folder:
        errors = check_parity(pathlib.Path(folder))
        print(f"parity, largest relative difference: {max(errors.values()):.1e}")
        measured = []
        for name, measure in rows(comparison, arguments.quick, pathlib.Path(folder)):
            if wanted(name):
                print(f"measuring {name}", file=sys.stderr, flush=True)
                measured += measure()
    if measured:
        measured = [finished(row, comparison.peak) for row in measured]
        print(f"{os.cpu_count()} cores, matrix products at {comparison.peak:.0f} GFLOP/s\n")
        print(table(measured))
        result = {
            "command": " ".join(["bench/compare", *sys.argv[1:]]),
            "cores": os.cpu_count(),
            "milliseconds": "per sample, best of the rounds",
            "rounds": comparison.rounds,
            "matrix_peak_gflops": comparison.peak,
            "parity": errors,
            "versions": {name: version(name) for name in ("torch", "neuraloperator", "torchdiffeq", "gpytorch")},
            "rows": measured,
        }
        write(results / "compare.json", result)
    if wanted("transform"):
        print("measuring transform", file=sys.stderr, flush=True)
        sizes = (32, 64, 128) if arguments.quick else (32, 64, 128, 256, 512)
        found = [ours("transform", n) for n in sizes]
        write(results / "transform.json", {"command": "bench/compare --only transform", "rows": found})
    if wanted("scaling"):
        print("measuring scaling", file=sys.stderr, flush=True)
        largest = 128 if arguments.quick else 512
        found = ours("scaling", largest, 0.2 if arguments.quick else 1)
        write(results / "scaling.json", scaling.with_exponents(found))
        picture = ROOT / "docs/scaling.svg" if not arguments.output else results / "scaling.svg"
        picture.write_text(scaling.draw(found))
        print(f"drawn in {os.path.relpath(picture, ROOT)}")


if __name__ == "__main__":
    main()
