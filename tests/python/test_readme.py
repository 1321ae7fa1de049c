"""Every command in the README's shell blocks runs, in an empty folder, in order."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands():
    text = (ROOT / "README.md").read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.split(" #")[0].strip()
            if line:
                yield line


def test_every_command_in_the_readme_runs(tmp_path):
    floral = os.environ["FLORAL_BIN"]
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    ran = 0
    for command in commands():
        if command == "./check":  # this test is part of it
            continue
        command = command.replace("cargo run --release --", floral)
        command = re.sub(r"^floral ", f"{floral} ", command)
        command = command.replace("crates/", f"{ROOT}/crates/")
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran > 0
