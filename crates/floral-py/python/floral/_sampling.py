"""The options that sampling and evaluation share."""

from __future__ import annotations

import json
from typing import Any, Optional


def sampling(
    realizations: int,
    seed: int,
    solver: Optional[str],
    steps: Optional[int],
    tolerance: Optional[float],
    **others: Any,
) -> str:
    """The options as JSON for the extension."""
    asked = {
        "realizations": realizations,
        "seed": seed,
        "solver": solver,
        "steps": steps,
        "tolerance": tolerance,
        **others,
    }
    return json.dumps(asked, default=plain)


def plain(value: Any) -> Any:
    """Converts NumPy numbers and arrays to plain Python, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is not a number, string, list or dict")
