"""The book is whole: every page is listed and found, the reference is what the code says, and the
commands of its tutorial and how-to pages run, each page in an empty folder.

FLORAL_BIN is the path of the floral command.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOOK = ROOT / "docs/src"
PAGES = sorted(path.relative_to(BOOK).as_posix() for path in BOOK.rglob("*.md"))

# Its examples need the Python package, and are run by that package's tests.
PACKAGE = "how-to/python.md"
RUN = [page for page in PAGES if page.startswith(("tutorial/", "how-to/")) and page != PACKAGE]

sys.path.insert(0, str(ROOT / "docs"))
import reference  # noqa: E402


def links(page):
    text = re.sub(r"^```.*?^```", "", (BOOK / page).read_text(), flags=re.M | re.S)
    found = re.findall(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)", text)
    return [link for link in found if not link.startswith(("http:", "https:"))]


def blocks(page):
    """The language and the text of every block, in order."""
    return re.findall(r"^```(\S*)\n(.*?)^```", (BOOK / page).read_text(), re.M | re.S)


def test_every_page_is_in_the_summary_and_every_link_leads_somewhere():
    listed = links("SUMMARY.md")
    assert sorted(listed) == [page for page in PAGES if page != "SUMMARY.md"]
    assert len(set(listed)) == len(listed)
    for page in PAGES:
        for link in links(page):
            assert (BOOK / page).parent.joinpath(link).is_file(), f"{page}: {link}"


def test_the_reference_is_what_the_code_says():
    assert reference.stale() == [], "run docs/reference"


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run(page, tmp_path):
    programs = tmp_path / "bin"
    folder = tmp_path / "work"
    programs.mkdir()
    folder.mkdir()
    (programs / "floral").symlink_to(os.path.abspath(os.environ["FLORAL_BIN"]))
    path = f"{programs}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    ran = 0
    for language, text in blocks(page):
        command = {"sh": ["bash", "-euo", "pipefail", "-c", text], "python": [sys.executable, "-c", text]}.get(language)
        if command is None:
            continue
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran > 0
