"""Quantities: names and units of the channels of input and solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

#: One text for a single channel, or one per channel.
Texts = Union[str, Sequence[str]]

#: Metadata of a channel: ``name``, ``units``, ``long_name``; ``parameter`` marks a scalar parameter.
Quantity = dict[str, Any]

#: Attributes of arrays with a single channel, and with several.
KEYS = {"name": "channel_names", "units": "channel_units", "long_name": "channel_long_names"}


def of_texts(
    what: str, channels: int, names: Optional[Texts], units: Optional[Texts]
) -> list[Quantity]:
    """Channel metadata from names and units; a single unit applies to all channels."""
    several = {"name": _each(what, names, channels, False), "units": _each(what, units, channels, True)}
    return [
        {key: texts[channel] for key, texts in several.items() if texts and texts[channel]}
        for channel in range(channels)
    ]


def _each(what: str, texts: Optional[Texts], channels: int, is_shared: bool) -> list[str]:
    if texts is None:
        return []
    if isinstance(texts, str):
        texts = [texts] * channels if is_shared or channels == 1 else [texts]
    if len(texts) != channels:
        raise ValueError(f"{what} has {channels} channels, but {len(texts)} texts are given for them")
    return [str(text) for text in texts]


def of_attributes(attrs: Mapping[str, Any], channels: int) -> list[Quantity]:
    """Channel metadata from the attributes of a stored array."""
    found: list[Quantity] = [{} for _ in range(channels)]
    for key, listed in KEYS.items():
        texts = attrs.get(listed)
        if texts is None and (channels == 1 or key == "units"):
            texts = [attrs.get(key) or attrs.get("standard_name" if key == "name" else key)] * channels
        for quantity, text in zip(found, texts or []):
            if text:
                quantity[key] = str(text)
    return found


def to_attributes(quantities: Sequence[Quantity]) -> dict[str, Any]:
    """Channel metadata as attributes of an array, as the command line writes them."""
    if len(quantities) == 1:
        return {key: text for key, text in quantities[0].items() if key in KEYS}
    return {
        listed: [quantity.get(key, "") for quantity in quantities]
        for key, listed in KEYS.items()
        if any(quantity.get(key) for quantity in quantities)
    }


def label(quantities: Sequence[Quantity], channel: int) -> str:
    """The title of a channel with its units, for figures."""
    quantity = quantities[channel] if channel < len(quantities) else {}
    title = quantity.get("long_name") or quantity.get("name") or ""
    units = quantity.get("units", "")
    shown = f"({units})" if units not in ("", "1") else ""
    return " ".join(part for part in (title, shown) if part)


def position(quantities: Sequence[Quantity], channels: int, channel: Union[int, str]) -> int:
    """The index of a channel given by index or name."""
    if isinstance(channel, str):
        names = [quantity.get("name") for quantity in quantities]
        if channel not in names:
            known = ", ".join(name for name in names if name) or "none has a name"
            raise ValueError(f"channel {channel!r} is not among those of the solution: {known}")
        return names.index(channel)
    if not 0 <= channel < channels:
        raise ValueError(f"channel {channel}: the solution has channels 0 to {channels - 1}")
    return channel
