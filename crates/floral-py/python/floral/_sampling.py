"""How realizations are asked for: the options that sampling and evaluation share."""

from __future__ import annotations

import json
from typing import Any, Optional

#: Realizations of an input where no number is given: the paper's, and the command's.
REALIZATIONS = 2500


def sampling(
    realizations: int,
    seed: int,
    solver: Optional[str],
    steps: Optional[int],
    tolerance: Optional[float],
    **besides: Any,
) -> str:
    """They as the extension reads them."""
    asked = {
        "realizations": realizations,
        "seed": seed,
        "solver": solver,
        "steps": steps,
        "tolerance": tolerance,
        **besides,
    }
    return json.dumps(asked, default=plain)


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is no number, text, list or dict")
