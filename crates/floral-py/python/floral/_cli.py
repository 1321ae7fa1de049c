"""The command ``floral`` of the wheel: the same program, run in this process."""

from __future__ import annotations

import signal
import sys

from . import _floral


def main() -> None:
    """Runs what was typed, and exits with the program's code."""
    # Python's own handler waits for Python code to run; the program stops at once, or in order where
    # it says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_floral.command(sys.argv))
