"""The Python of the README and of the book's page on Python runs, block by block, in an empty folder."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/src/how-to/python.md"])
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
