"""Summaries of data and models: a dict of numbers that prints as text."""

from __future__ import annotations

import json
from typing import Any


class Summary(dict):  # type: ignore[type-arg]
    """Numbers by name, as in the command's ``--json``; it prints as the command's text.

    >>> scores = Summary('{"rmse": 0.5}', "RMSE 0.5")
    >>> scores["rmse"]
    0.5
    >>> scores
    RMSE 0.5
    """

    def __init__(self, numbers: str, text: str) -> None:
        super().__init__(json.loads(numbers))
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text)
