"""The command ``floral`` of the wheel: the same program, run in this process."""

from __future__ import annotations

import signal
import sys

from . import _floral


def main() -> None:
    """Runs the command line, and exits with its code."""
    # Python would run its own handler only after `command` returns; the program installs one that acts at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_floral.command(sys.argv))
