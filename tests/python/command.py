"""Runs the floral command, whose path is FLORAL_BIN, for tests."""

import os
import subprocess

FLORAL = os.path.abspath(os.environ["FLORAL_BIN"])


def floral(folder, *words, code=0):
    """Runs a command in a folder and checks its exit code, unless the expected code is None. A single string is split at spaces."""
    words = words[0].split() if len(words) == 1 else [str(word) for word in words]
    done = subprocess.run([FLORAL, *words], cwd=folder, capture_output=True, text=True, timeout=600)
    assert code is None or done.returncode == code, f"floral {' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done
