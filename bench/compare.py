"""Our network beside the same network in PyTorch, measured in turn in one run.

    bench/compare             all rows: results/compare.json, results/scaling.json, docs/src/figures/scaling.svg
    bench/compare --quick     one round each, without 128x128 training and large grids
    bench/compare --only prior --only velocity     only these; the other rows of the file are kept

The peer is the paper's network, built from neuraloperator's blocks with torchdiffeq and GPyTorch, on
all cores. Before anything is timed, it has to reproduce the stored velocities of the reference, and our
network has to agree with it when given its weights. It is timed in three forms: *published* (eager, FiLM
coefficients derived in every evaluation), *hoisted* (eager, coefficients derived once, as in our network)
and *compiled* (the hoisted form by torch.compile). Both sides run the batch, inputs and realizations that
the row names, after a warm-up. `--threads 1` gives processor times on one thread, for machines that other
work shares. Each timing is a separate process, never two at once, and every figure is the best of the
rounds. An interrupted command continues with the unfinished row when it is repeated.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
from importlib.metadata import version

import partial
import scaling
from comparison import Comparison, ours, peer

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "crates/floral/tests/fixtures"
LIBRARIES = "torch", "neuraloperator", "torchdiffeq", "gpytorch"


def check_parity(folder):
    """Checks that the peer agrees with the paper's reference, and our network with the peer."""
    files = [FIXTURES / f"filmfno_{axes}d.safetensors" for axes in (1, 2, 3)]
    for size in ("128", "64x64", "16x16x16"):
        files.append(folder / f"{size}.safetensors")
        ours("reference", size, 2, files[-1])
    errors = dict(zip((file.stem for file in files), peer("parity", *files)["errors"]))
    if not max(errors.values()) < 1e-4:
        sys.exit(f"the peer's velocity differs: {errors}")
    return errors


def rows(comparison, quick, folder):
    """The name of each row, and the function that measures it."""
    file = folder / "64x64.safetensors"
    yield "velocity", lambda: comparison.velocity("64x64", 8, "6x, 10 ms, 50 %")
    yield "velocity-128", lambda: comparison.velocity("128x128", 4, "5x, 45 ms, 45 %")
    yield "velocity-3d", lambda: comparison.velocity("16x16x16", 8, "5x")
    yield "velocity-3d-32", lambda: comparison.velocity("32x32x32", 4, "5x")
    yield "training-line", lambda: comparison.training("128", 32, 10, "5x")
    yield "training", lambda: comparison.training("64x64", 32, 10, "3.5x, 45 ms")
    # The peer's prior is left out: at 4096 points and more it would take most of the time, and it is wrong.
    yield "training-3d", lambda: comparison.training_without_prior("16x16x16", 8, 4, "5x")
    yield "training-3d-32", lambda: comparison.training_without_prior("32x32x32", 4, 2, "5x")
    if not quick:
        # A batch of 32 takes the peer about 20 GB.
        yield "training-128", lambda: comparison.training("128x128", 6, 2, "7x")
        yield "training-128-large", lambda: comparison.training_alone("128x128", 32, 10, "180 ms, 6 GB")
    yield "prior", lambda: comparison.prior("128x128", 4, "1000x")
    yield "sampling", lambda: comparison.sampling("64x64", 4 if quick else 8, file, "10x")


def measured(comparison, arguments, wanted, folder):
    """The wanted rows: those that an interrupted command has finished, and the rest measured."""
    identity = partial.identity([comparison.rounds, comparison.seconds, comparison.compiles, arguments.threads])
    found = []
    for name, measure in rows(comparison, arguments.quick, folder):
        if not wanted(name):
            continue
        kept = partial.load(name, identity)
        print(f"{'kept' if kept else 'measuring'} {name}", file=sys.stderr, flush=True)
        if not kept:
            kept = {"rows": measure(), "peak": comparison.peak}
            partial.keep(name, identity, kept)
        comparison.peak = max(comparison.peak, kept["peak"])
        found += kept["rows"]
    # The peak is measured on all cores, so that a share makes sense only there.
    peak = comparison.peak if arguments.threads == os.cpu_count() else None
    return [with_share(row, peak) for row in found]


def with_share(row, peak):
    if row["gflop_per_sample"] and peak:
        row["gflops"] = row["gflop_per_sample"] / row["ours_ms"] * 1e3
        row["percent_of_peak"] = 100 * row["gflops"] / peak
    return row


def table(rows):
    width = max(len(row["row"]) for row in rows)
    forms = "published", "hoisted", "compiled"
    text = f"{'ms per sample':{width}} {'ours':>10}" + "".join(f" {form:>18}" for form in forms)
    text += f" {'of peak':>8} {'memory':>8}  target\n"
    for row in rows:
        text += f"{row['row']:{width}} {row['ours_ms']:10.3f}"
        for form in forms:
            time, ratio = row.get(f"peer_{form}_ms"), row.get(f"ratio_{form}")
            text += f" {time:10.2f} {ratio:6.1f}x" if time else f" {'-':>18}"
        share = f"{row['percent_of_peak']:.0f} %" if "percent_of_peak" in row else "-"
        memory = f"{row['peak_memory'] / 1e9:.2f} GB" if row["peak_memory"] else "-"
        text += f" {share:>8} {memory:>8}  {row['target']}\n"
    return text


def merged(path, result, only):
    """Merges new rows, labelled with their command, into the rows of an earlier recording that `only` leaves out."""
    if not only or not path.exists():
        return result
    before = json.loads(path.read_text())
    own = {key: result[key] for key in ("command", "threads", "rounds", "load")}
    new = {row["row"]: row | {"recorded": own} for row in result["rows"]}
    rows = [new.pop(row["row"], row) for row in before["rows"]]
    return before | {"parity": before["parity"] | result["parity"], "rows": rows + list(new.values())}


def write(path, result):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(f"written to {os.path.relpath(path, ROOT)}")


def compare(arguments, wanted, results):
    rounds = arguments.rounds or (1 if arguments.quick else 3)
    comparison = Comparison(rounds, 0.5 if arguments.quick else 3, not arguments.eager)
    with tempfile.TemporaryDirectory() as folder:
        errors = check_parity(pathlib.Path(folder))
        print(f"parity, largest relative difference: {max(errors.values()):.1e}")
        found = measured(comparison, arguments, wanted, pathlib.Path(folder))
    if not found:
        return
    print(f"{arguments.threads} of {os.cpu_count()} cores; matrix products on all at {comparison.peak:.0f} GFLOP/s\n")
    print(table(found))
    result = {
        "command": " ".join(["bench/compare", *sys.argv[1:]]),
        "cores": os.cpu_count(),
        "milliseconds": "per sample or realization, warm, best of the rounds",
        "forms": "published and hoisted are eager; compiled is hoisted by torch.compile",
        "rounds": rounds,
        "matrix_peak_gflops": comparison.peak,
        "threads": arguments.threads,
        "load": round(os.getloadavg()[0], 1),
        "parity": errors,
        "versions": {name: version(name) for name in LIBRARIES},
        "rows": found,
    }
    path = results / "compare.json"
    write(path, merged(path, result, arguments.only))


def measure_scaling(arguments, results):
    print("measuring scaling", file=sys.stderr, flush=True)
    largest = 128 if arguments.quick else 512
    found = ours("scaling", largest, 0.2 if arguments.quick else 1)
    write(results / "scaling.json", scaling.with_exponents(found))
    picture = ROOT / "docs/src/figures/scaling.svg" if not arguments.output else results / "scaling.svg"
    picture.write_text(scaling.draw(found))
    print(f"drawn in {os.path.relpath(picture, ROOT)}")


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one round each, the long rows left out")
    parser.add_argument("--only", action="append", metavar="ROW", help="this row alone; may be repeated")
    parser.add_argument("--eager", action="store_true", help="without the compiled form, which takes long to compile")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), metavar="N", help="threads of both sides")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of every row; the best counts")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="another folder for the results")
    return parser.parse_args()


def main():
    arguments = parsed()
    for name in ("FLORAL_BENCH_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(arguments.threads)
    results = (arguments.output or ROOT / "results").resolve()
    wanted = lambda name: not arguments.only or name in arguments.only
    if arguments.only != ["scaling"]:
        compare(arguments, wanted, results)
    if wanted("scaling"):
        measure_scaling(arguments, results)
    partial.forget()


if __name__ == "__main__":
    main()
