"""Files of other programs as datasets, and datasets as bytes."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

from . import _floral
from ._told import Told

#: A path, or what it can be made of.
PathLike = Union[str, "os.PathLike[str]"]

#: Options of an import that are one text or several.
LISTS = ("input", "low", "high", "params", "periodic")

#: All options of an import, by the names of the command's flags.
OPTIONS = (*LISTS, "dims", "prefix", "even", "grid", "skip_nan", "sensors", "low_pairing", "title")


def imported(
    path: Union[PathLike, Sequence[PathLike]],
    target: str,
    options: Mapping[str, Any],
    watcher: Optional[Callable[[str, float, float, str], Any]],
) -> tuple[_floral.Dataset, Told]:
    """Files written as a dataset, and what was found in them."""
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    listed = [os.fspath(one) for one in paths]
    dataset, *found = _floral.import_files(listed, target, json.dumps(_asked(options)), watcher)
    return dataset, Told(*found)


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the extension reads them."""
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no option of an import, which are {', '.join(OPTIONS)}")
    asked = {name: value for name, value in options.items() if value is not None}
    for name in LISTS:
        if name in asked:
            value = asked[name]
            asked[name] = [value] if isinstance(value, str) else [str(one) for one in value]
    if "grid" in asked:
        asked["on_high_grid"] = _one_of("grid", asked.pop("grid"), "input", "high") == "high"
    if "low_pairing" in asked:
        pairing = _one_of("low_pairing", asked.pop("low_pairing"), "shared", "independent")
        asked["shared_low"] = pairing == "shared"
    return asked


def _one_of(name: str, value: str, *known: str) -> str:
    if value not in known:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(known)}")
    return value


def packed(folder: str) -> bytes:
    """All files of a folder."""
    contents = io.BytesIO()
    with tarfile.open(fileobj=contents, mode="w") as archive:
        archive.add(folder, arcname=".")
    return contents.getvalue()


def unpack(contents: bytes, folder: str) -> None:
    """Writes what :func:`packed` has read, regular files and folders alone, into a new folder."""
    with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
        for member in archive.getmembers():
            place = os.path.normpath(os.path.join(folder, member.name))
            if os.path.commonpath([folder, place]) != folder:
                raise ValueError(f"{member.name} is outside of the dataset's folder")
            if member.isdir():
                os.makedirs(place, exist_ok=True)
            elif member.isfile():
                os.makedirs(os.path.dirname(place), exist_ok=True)
                source = archive.extractfile(member)
                with open(place, "wb") as file:
                    file.write(source.read() if source else b"")
