"""Writes the reference of the book from what the program says of itself: help texts, settings with
their comments, and the tables that stand beside the code of datasets and predictions.

FLORAL_BIN is the path of the floral command, target/release/floral if absent.
"""

import os
import pathlib
import re
import subprocess
import sys

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
    """Keys of annotated TOML in their order: (section, key, value, meaning). A key that may be absent
    is written as a comment with an example."""
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
    """A table for every section, under its name."""
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
    """The keys of all methods, with the default method's values where it has them."""
    own = {entry[:2]: entry for entry in settings(floral("train", "--print-config"))}
    every = list(settings(floral("train", "--method", "floral", "--print-config")))
    return [own.get(entry[:2], entry) for entry in every]


def training():
    """The settings of training, and those of the problems."""
    text = f"""# Settings of training

{MARK}
`floral train --print-config` prints these, to be kept in a file for `--config`. One is set by
`--set section.key=value`. Sections of networks are printed for their methods alone.
{table(training_settings())}"""
    problems = floral("generate", "--help")
    names = re.search(r"\[possible values: (.*?)\]", problems)
    text += "\n## Constants of the problems\n\nOf `floral generate PROBLEM --set key=value`.\n"
    for name in names[1].split(", ") if names else []:
        config = floral("generate", name, "--print-config")
        text += f"\n### {name}\n{table(settings(config), '####')}"
    return text


def module_table(path):
    """The table in the words with which a file of the library opens."""
    lines = (ROOT / path).read_text().splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("//! |")) + "\n"


def dataset():
    """The layout of datasets and predictions."""
    layout = (ROOT / "crates/floral-data/src/dataset/layout.md").read_text()
    return f"""# The dataset

{MARK}
{layout}
## Predictions

What `floral sample` writes, with NaN at points outside of the domain:

{module_table("crates/floral/src/predict/prediction_layout.rs")}"""


WRITTEN = {"commands.md": commands, "training.md": training, "dataset.md": dataset}


def stale():
    """Pages that are not what the code says."""
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
