"""The `floral` command as benchmarks run it, and a row as they print it."""

import os
import subprocess
import sys

FLORAL = os.path.abspath(os.environ["FLORAL"])


def floral(folder, *words):
    """Runs a command in a folder to its end; a text alone is split at its spaces."""
    words = words[0].split() if len(words) == 1 else [str(word) for word in words]
    done = subprocess.run([FLORAL, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"floral {' '.join(words)}: {done.stderr}")
    return done


def show(row):
    print({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}, flush=True)
