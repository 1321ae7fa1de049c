"""Recordings in results/: written by the benchmarks, shown by the generators of the README's tables and the results pages."""

import functools
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"

# Recordings that predate the field `method_version` were all made with the first version of the default method.
FIRST_VERSION = 1


@functools.cache
def read(name):
    return json.loads((RESULTS / name).read_text())


def exists(name):
    return (RESULTS / name).exists()


def write(name, made):
    (RESULTS / name).write_text(json.dumps(made, indent=2, default=float) + "\n")


def commit():
    """The commit of this source tree, with a mark if it has been changed since."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(describe, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def source(name):
    """The name of a results file as pages show it."""
    return f"`results/{name}`"


def method_version(name):
    """The version of the default method that made a recording."""
    return read(name).get("method_version", FIRST_VERSION)


def program_version():
    """The version of the default method in this source tree: the number under which models are stored."""
    text = next(ROOT.glob("crates/floral-kl/src/stored/mod.rs")).read_text()
    return int(re.search(r"const FORMAT: u32 = (\d+);", text)[1])


def made_by(name):
    """The method version of a recording as a phrase, with the program's version if that differs."""
    own, program = method_version(name), program_version()
    return f"version {own} of the method" + (f" (the program has version {program})" if own != program else "")


def short(number):
    """A number with three digits and without an exponent."""
    if number is None:
        return ""
    if number >= 99.95:
        return f"{number:.0f}"
    return f"{number:.3g}" if number >= 0.001 else f"{number:.2g}"


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def mean(values):
    values = list(values)
    return None if not values or None in values else sum(values) / len(values)


def deviation(values):
    values = list(values)
    if len(values) < 2:
        return None
    middle = mean(values)
    return (sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def groups(rows, key):
    """Groups rows by the value of a key, in the order of the file."""
    found = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found
