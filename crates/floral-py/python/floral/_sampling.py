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
    """NumPy numbers and arrays as Python ones."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is not a number, string, list or dict")
