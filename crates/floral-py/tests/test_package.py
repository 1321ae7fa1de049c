"""The package itself: type annotations are correct, the wheel is self-contained, notebooks run."""

import pathlib
import subprocess
import sys

import nbclient
import nbformat
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_annotations_hold_and_stubs_are_those_of_the_extension(tmp_path):
    for words in (
        ["mypy", "--strict", "-p", "floral"],
        ["mypy.stubtest", "floral._floral", "--ignore-missing-stub", "--ignore-disjoint-bases"],
    ):
        command = [sys.executable, "-m", *words]
        checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    assert len(NOTEBOOKS) == 2
