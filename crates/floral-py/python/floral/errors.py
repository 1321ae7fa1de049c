"""Errors about files; errors about values are plain ``ValueError``."""

from __future__ import annotations

__all__ = ["BadFileError"]


class BadFileError(OSError, ValueError):
    """A file or folder that exists but is damaged or of the wrong kind.

    A missing file raises ``FileNotFoundError``.
    """

    #: The file or folder.
    path: str = ""
