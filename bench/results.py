"""What parts of the README share: files of results, numbers and tables."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"


def read(name):
    return json.loads((RESULTS / name).read_text())


def link(name):
    return f"[results/{name}](results/{name})"


def short(number):
    """Three digits, never in powers of ten."""
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
