"""Progress bars with tqdm if it is installed; otherwise none."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, Callable, Optional, Union

#: Whether to show progress, or a function called with stage, amount done, total and message.
Progress = Union[bool, Callable[[str, float, float, str], Any]]

#: Work shorter than this, in seconds, shows no bar.
DELAY = 0.5


@contextlib.contextmanager
def watching(progress: Progress) -> Iterator[Optional[Callable[[str, float, float, str], Any]]]:
    """The function that the extension calls during long work."""
    if callable(progress):
        yield progress
        return
    bar_class = _tqdm() if progress else None
    if bar_class is None:
        yield None
        return
    bars = _Bars(bar_class)
    try:
        yield bars
    finally:
        bars.close()


def _tqdm() -> Any:
    with warnings.catch_warnings():
        # In a notebook without widgets, tqdm warns and falls back to a text bar.
        warnings.simplefilter("ignore")
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            return None
    return tqdm


class _Bars:
    """One bar at a time, a new one for each stage."""

    def __init__(self, bar_class: Any) -> None:
        self._class = bar_class
        self._bar: Any = None
        self._stage = ("", 0.0)

    def __call__(self, stage: str, done: float, total: float, words: str) -> None:
        if self._stage != (stage, total):
            self.close()
            self._stage = (stage, total)
            # disable=None: no bar if standard error is not a terminal.
            shown = {"disable": None, "leave": False, "delay": DELAY, "initial": done}
            form = "{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
            self._bar = self._class(total=total, desc=stage, bar_format=form, **shown)
        if words:
            self._bar.set_postfix_str(words, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
