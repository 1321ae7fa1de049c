"""Built-in stochastic problems with a high-fidelity and a low-fidelity solver.

>>> import floral
>>> floral.problems.darcy(inputs=3, realizations=4, resolution=16)
Dataset of 3 inputs, 4 realizations each, with low fidelity, on x: 16, y: 16
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _floral
from ._dataset import Dataset
from ._files import PathLike
from ._progress import Progress, watching

__all__ = ["advection", "burgers", "constants", "darcy", "generate", "names", "plume", "residual1d"]

#: The names that :func:`generate` knows.
names: tuple[str, ...] = tuple(_floral.problem_names())


def constants(problem: str) -> dict[str, Any]:
    """Every constant of a problem with its default.

    >>> constants("burgers")["viscosity"]
    0.01
    """
    known: dict[str, Any] = json.loads(_floral.constants(problem))
    return known


def generate(
    problem: str,
    *,
    inputs: int = 70,
    realizations: int = 50,
    seed: int = 0,
    resolution: Optional[Union[int, Sequence[int]]] = None,
    path: Optional[PathLike] = None,
    progress: Progress = True,
    **settings: Any,
) -> Dataset:
    """Generates a dataset of a problem, with the same bytes as ``floral generate``.

    resolution: grid points per axis, one number for all or one each [default: the paper's].
    path: the Zarr group in which the dataset is kept; repeating the call continues an interrupted generation. By
        default it is temporary and removed with the object.
    settings: constants of the problem; :func:`constants` lists them.
    """
    if resolution is not None:
        settings["resolution"] = np.asarray(resolution).tolist()
    folder = None
    if path is None:
        folder = tempfile.TemporaryDirectory(prefix="floral-")
        path = os.path.join(folder.name, f"{problem}.zarr")
    with watching(progress) as watcher:
        made = _floral.Dataset.generate(
            os.fspath(path), problem, json.dumps(settings), inputs, realizations, seed, watcher
        )
    return Dataset(made, folder)


def darcy(**options: Any) -> Dataset:
    """Darcy flow: the pressure in a random porous medium; options as for :func:`generate`."""
    return generate("darcy", **options)


def burgers(**options: Any) -> Dataset:
    """Burgers' equation from a random initial state; options as for :func:`generate`."""
    return generate("burgers", **options)


def advection(**options: Any) -> Dataset:
    """Advection of a random initial state, with exact moments; options as for :func:`generate`."""
    return generate("advection", **options)


def residual1d(**options: Any) -> Dataset:
    """The paper's 1DCR: a curve with a smooth random residual and exact moments; options as for
    :func:`generate`."""
    return generate("1dcr", **options)


def plume(**options: Any) -> Dataset:
    """A plume in a wind of random direction: bimodal, with log-normal strength; options as for
    :func:`generate`."""
    return generate("plume", **options)
