"""Counts with singular and plural."""


def counted(number: int, thing: str) -> str:
    """``1 realization``, ``2 realizations``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
