"""The README is short, and every command in its shell blocks runs, in an empty folder, in order.

Its Python block needs the package, and is run by that package's tests and by ./release.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()

# Commands that cannot run here: ./check runs this test, and ./release installs the files that it has built.
ELSEWHERE = ("./check", "pip install dist/", "tar xf dist/")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def commands():
    for block in blocks("sh"):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.split(" #")[0].strip()
            if line:
                yield line


def test_the_readme_is_at_most_150_lines():
    assert len(README.splitlines()) <= 150


def test_the_python_block_is_one_and_needs_nothing_defined_before_it():
    (block,) = blocks("python")
    assert len(block.splitlines()) <= 12
    compile(block, "README.md", "exec")


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", README)
    assert links
    for link in links:
        if not link.startswith(("http:", "https:")):
            assert (ROOT / link).exists(), link


def test_every_command_in_the_readme_runs(tmp_path):
    floral = os.path.abspath(os.environ["FLORAL_BIN"])
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    ran = 0
    for command in commands():
        if command.startswith(ELSEWHERE):
            continue
        command = command.replace("cargo run --release --", floral)
        command = re.sub(r"^floral ", f"{floral} ", command)
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran > 0
