"""Notes: what was converted or assumed, as warnings at the line of the caller."""

from __future__ import annotations

import sys
import warnings

PACKAGE = __name__.split(".")[0]


def tell(note: str) -> None:
    """Warns at the first line that is not of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(note, stacklevel=level)
