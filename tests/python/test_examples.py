"""The example scripts stay within the error bounds that they state.

FLORAL_BIN is the path of the floral command.
"""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name", ["membrane", "plate", "plume"])
def test_an_example_keeps_its_bounds(name, tmp_path):
    if name == "plate":
        pytest.importorskip("skfem")
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(tmp_path / name)]
    environment = {**os.environ, "FLORAL_BIN": os.path.abspath(os.environ["FLORAL_BIN"])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
