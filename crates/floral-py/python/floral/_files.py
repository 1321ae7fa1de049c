"""Files of other formats as datasets, and datasets as bytes."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

from . import _floral
from ._summary import Summary

#: A path.
PathLike = Union[str, "os.PathLike[str]"]

#: Options of an import that take one string or several.
LISTS = ("input", "low", "high", "params", "periodic")

#: Options of an import that apply to mesh files only.
OF_MESHES = ("pattern", "low_pattern", "parameters")

#: All options of an import, by the names of the command's flags.
OPTIONS = (*LISTS, "dims", "prefix", "even", "grid", "skip_nan", "sensors", "low_pairing", "title", *OF_MESHES)


def imported(
    path: Union[PathLike, Sequence[PathLike]],
    target: str,
    options: Mapping[str, Any],
    watcher: Optional[Callable[[str, float, float, str], Any]],
) -> tuple[_floral.Dataset, Summary]:
    """Imports files as a dataset, and summarizes how they were interpreted."""
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    listed = [os.fspath(one) for one in paths]
    dataset, *found = _floral.import_files(listed, target, json.dumps(_asked(options)), watcher)
    return dataset, Summary(*found)


def _asked(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the extension expects them."""
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is not an option of an import; choose among {', '.join(OPTIONS)}")
    asked = {name: value for name, value in options.items() if value is not None}
    asked.update({name: os.fspath(asked[name]) for name in OF_MESHES if name in asked})
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
    """All files of a folder as one tar archive."""
    contents = io.BytesIO()
    with tarfile.open(fileobj=contents, mode="w") as archive:
        archive.add(folder, arcname=".")
    return contents.getvalue()


def unpack(contents: bytes, folder: str) -> None:
    """Unpacks an archive made by :func:`packed` into a new folder; only regular files and folders are written."""
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


def without_high(folder: str) -> None:
    """Removes high fidelity from a Zarr group, which then is a pool of inputs."""
    path = os.path.join(folder, "zarr.json")
    with open(path, encoding="utf-8") as file:
        group = json.load(file)
    group.get("consolidated_metadata", {}).get("metadata", {}).pop("high", None)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(group, file)
    shutil.rmtree(os.path.join(folder, "high"))


def without_chunks_of_high(folder: str) -> None:
    """Removes the values of high fidelity from a Zarr group, but not its metadata, which hold the grid of a pool of
    parameters."""
    place = os.path.join(folder, "high")
    for name in os.listdir(place):
        if name != "zarr.json":
            os.remove(os.path.join(place, name))


def lacks_chunks_of_high(folder: str) -> bool:
    """Whether high fidelity of a Zarr group has metadata but no values."""
    place = os.path.join(folder, "high")
    return os.path.isdir(place) and os.listdir(place) == ["zarr.json"]
