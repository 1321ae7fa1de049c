"""Runs the `floral` command for benchmarks, and prints their rows."""

import os
import subprocess
import sys
import time

FLORAL = os.path.abspath(os.environ["FLORAL"])


def floral(folder, *words):
    """Runs a command in a folder to its end. A single string is split at spaces."""
    words = words[0].split() if len(words) == 1 else [str(word) for word in words]
    done = subprocess.run([FLORAL, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"floral {' '.join(words)}: {done.stderr}")
    return done


def measured(folder, *words):
    """Runs a command; returns wall and processor seconds, and the peak of resident memory in MB."""
    start, child = time.monotonic(), os.fork()
    if child == 0:
        os.chdir(folder)
        os.execv(FLORAL, [FLORAL, "-q", *map(str, words)])
    _, status, used = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"floral {' '.join(map(str, words))} ended with {status}")
    seconds = {"s": time.monotonic() - start, "cpu_s": used.ru_utime + used.ru_stime}
    return seconds | {"mb": used.ru_maxrss / 1024}


def show(row):
    print({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}, flush=True)
