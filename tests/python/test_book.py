"""The book is complete: every page is listed, every link and anchor has a target, the reference agrees with the code,
the prose uses the terms of the glossary, and the commands of tutorials and how-to pages run, each page in an empty
folder.

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

# The examples of this page need the Python package and are run by the tests of that package.
PACKAGE = "how-to/python.md"
RUN = [page for page in PAGES if page.startswith(("tutorial/", "how-to/")) and page != PACKAGE]

# Words that are replaced by terms of the glossary or by plain ones, such as residual, reports, fixed, per input.
RETIRED = r"\b(gap|told|tells|mend(s|ed)?|twins|likeness|wishes|office|so many|held fast|is not there|what it said)\b"
WRITTEN_BY_HAND = [page for page in PAGES if not page.startswith(("reference/", "results/"))]

sys.path.insert(0, str(ROOT / "docs"))
import reference  # noqa: E402


def prose(path):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)


def links(path):
    """Relative links of a page: file, and anchor or empty string."""
    found = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose(path))
    return [(file, anchor) for file, anchor in found if not file.startswith(("http:", "https:"))]


def anchors(path):
    """The anchors of a page's headings, as GitHub and mdBook make them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def blocks(page):
    """Language and text of every code block, in order."""
    return re.findall(r"^```(\S*)\n(.*?)^```", (BOOK / page).read_text(), re.M | re.S)


def test_every_page_is_in_the_summary_once():
    listed = [file for file, _ in links(BOOK / "SUMMARY.md")]
    assert sorted(listed) == [page for page in PAGES if page != "SUMMARY.md"]


@pytest.mark.parametrize("page", [*PAGES, "../promises.md", "../scale.md", "../../CONTRIBUTING.md", "../../examples/README.md"])
def test_every_link_and_anchor_leads_somewhere(page):
    path = BOOK / page
    for file, anchor in links(path):
        target = path.parent / file if file else path
        assert target.exists(), f"{page}: {file}"
        assert not anchor or anchor in anchors(target), f"{page}: {file}#{anchor}"


def test_every_figure_is_shown_on_a_page():
    shown = "".join((BOOK / page).read_text() for page in PAGES) + (ROOT / "README.md").read_text()
    for figure in (BOOK / "figures").iterdir():
        assert f"figures/{figure.name}" in shown, figure.name


def test_the_reference_agrees_with_the_code():
    assert reference.stale() == [], "run docs/reference"


def test_every_path_in_contributing_exists():
    named = re.findall(r"`((?:crates|docs|tests|bench|experiments)/[\w./-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    absent = [path for path in named if not re.search("NAME|FORMAT", path) and not (ROOT / path).exists()]
    assert named and absent == []


def test_every_crate_is_on_the_map():
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    assert [crate.name for crate in (ROOT / "crates").iterdir() if f"`{crate.name}`" not in contributing] == []


@pytest.mark.parametrize("page", [*WRITTEN_BY_HAND, "../promises.md", "../scale.md", "../../README.md", "../../CONTRIBUTING.md"])
def test_pages_use_the_terms_of_the_glossary(page):
    found = [line for line in prose(BOOK / page).splitlines() if re.search(RETIRED, line, re.I)]
    assert not found, found


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
