"""Notes about conversions and assumptions, issued as warnings at the caller's line."""

from __future__ import annotations

import sys
import warnings

PACKAGE = __name__.split(".")[0]


def note(words: str) -> None:
    """Warns at the first line outside this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, stacklevel=level)
