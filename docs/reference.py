"""Generates the reference pages of the book: from help texts, annotated settings, tables in the source of datasets and
predictions, docstrings of the Python package and the opening comment of the Rust library.

FLORAL_BIN is the path of the floral command, target/release/floral if absent.
"""

import os
import pathlib
import re
import subprocess
import sys

import python_api

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/src/reference"
MARK = "<!-- Written by docs/reference; change the code, not this page. -->\n"


def floral(*words):
    command = os.environ.get("FLORAL_BIN", str(ROOT / "target/release/floral"))
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run([command, *words], capture_output=True, text=True, check=True, env=environment)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def commands():
    """Every command with its help."""
    help_text = floral("--help")
    listed = help_text.split("Commands:\n")[1].split("\n\n")[0]
    names = [name for name in re.findall(r"^  (\S+)  ", listed, re.M) if name != "help"]
    text = f"# Commands\n\n{MARK}\n```text\n{help_text}```\n"
    for name in names:
        text += f"\n## floral {name}\n\n```text\n{floral(name, '--help')}```\n"
    return text


def settings(toml):
    """Keys of annotated TOML in order: (section, key, value, meaning). An optional key without a default is a comment
    with an example."""
    section, meaning = "", []
    for line in toml.splitlines():
        key = re.fullmatch(r"(# )?([a-z_0-9]+) = (.*)", line)
        if heading := re.fullmatch(r"\[(.*)\]", line):
            section = heading[1]
            yield section, None, None, " ".join(meaning)
            meaning = []
        elif key:
            value = f"`{key[3]}`"
            yield section, key[2], f"none; as in {value}" if key[1] else value, " ".join(meaning)
            meaning = []
        elif line.startswith("# "):
            meaning.append(line[2:])
        else:
            meaning = []


def cell(text):
    return text.replace("|", "\\|")


def table(entries, level="###"):
    """A table for each section, under the name of the section."""
    text, is_open = "", False
    for section, key, value, meaning in entries:
        if key is None:
            text += f"\n{level} `{section}`\n" + (f"\n{meaning}\n" if meaning else "")
            is_open = False
            continue
        if not is_open:
            text += "\n| key | default | |\n|---|---|---|\n"
            is_open = True
        text += f"| `{key}` | {cell(value)} | {cell(meaning)} |\n"
    return text


def training_settings():
    """The keys of all methods, with the values of the default method where it has the key."""
    own = {entry[:2]: entry for entry in settings(floral("train", "--print-config"))}
    every = list(settings(floral("train", "--method", "floral", "--print-config")))
    return [own.get(entry[:2], entry) for entry in every]


def training():
    """The settings of training and the constants of the problems."""
    text = f"""# Settings of training

{MARK}
`floral train --print-config` prints these; edit them in a file for `--config`, or set one by
`--set section.key=value`. Sections of networks are printed only for their methods.
{table(training_settings())}"""
    problems = floral("generate", "--help")
    names = re.search(r"\[possible values: (.*?)\]", problems)
    text += "\n## Constants of the problems\n\nSet by `floral generate PROBLEM --set key=value`.\n"
    for name in names[1].split(", ") if names else []:
        config = floral("generate", name, "--print-config")
        text += f"\n### {name}\n{table(settings(config), '####')}"
    return text


def library(path):
    """The text of a source file of the library, from whichever crate has it."""
    (found,) = ROOT.glob(f"crates/*/src/{path}")
    return found.read_text()


def module_table(path):
    """The table in the opening comment of a file of the library."""
    lines = library(path).splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("//! |")) + "\n"


def dataset():
    """The layout of datasets and predictions."""
    layout = library("dataset/layout.md")
    return f"""# The dataset

{MARK}
{layout}
## Predictions

`floral sample` writes these arrays, with NaN at points outside of the domain:

{module_table("predict/prediction_layout.rs")}"""


def rust():
    """The opening comment of the crate `floral`, without the hidden lines of its example."""
    lines = (ROOT / "crates/floral/src/lib.rs").read_text().splitlines()
    text = "\n".join(line[4:] for line in lines if line.startswith("//!"))
    text = re.sub(r"^```.*?^```", lambda code: re.sub(r"^# .*\n", "", code[0], flags=re.M), text, flags=re.M | re.S)
    text = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", text)
    text = re.sub(r"^```$", "```rust", text, count=1, flags=re.M)
    return f"""# Rust library

{MARK}
`cargo doc --open -p floral` shows the whole library; the tests run this example.

{text}
"""


WRITTEN = {
    "commands.md": commands,
    "training.md": training,
    "dataset.md": dataset,
    "python.md": lambda: python_api.page(MARK),
    "rust.md": rust,
}


def stale():
    """Pages that differ from the code."""
    current = lambda name: (PAGES / name).read_text() if (PAGES / name).exists() else ""
    return [name for name, page in WRITTEN.items() if current(name) != page()]


if __name__ == "__main__":
    if "--check" in sys.argv:
        if old := stale():
            sys.exit(f"docs/src/reference: {', '.join(old)} differ from the code; run docs/reference")
    else:
        PAGES.mkdir(parents=True, exist_ok=True)
        for name, page in WRITTEN.items():
            (PAGES / name).write_text(page())
