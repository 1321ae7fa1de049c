"""The book's page on Python runs, block after block, in an empty folder."""

import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/src/how-to/python.md"


def test_the_page_on_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) > 1
    names = {}
    for block in blocks:
        exec(block, names)
