"""Errors of files; what is wrong with values is a plain ``ValueError`` with the library's words."""

from __future__ import annotations

__all__ = ["BadFileError"]


class BadFileError(OSError, ValueError):
    """A file or folder that is there and is not what it should be: damaged, or of another kind.

    One that is not there is a ``FileNotFoundError``.
    """
