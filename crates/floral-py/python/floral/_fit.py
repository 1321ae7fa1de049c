"""From data to a model, from a file to a model, and a model beside the truth."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _floral
from ._dataset import opened
from ._files import PathLike
from ._model import Model, Resolution
from ._notes import tell
from ._progress import Progress, told
from ._sampling import REALIZATIONS, plain, sampling
from ._told import Told


def fit(
    data: Any,
    *,
    method: Optional[str] = None,
    seed: Optional[int] = None,
    test: Optional[int] = None,
    validation: Optional[int] = None,
    train: Optional[int] = None,
    resolution: Optional[Resolution] = None,
    symmetries: Optional[Sequence[str]] = None,
    epochs: Optional[int] = None,
    budget: Union[float, str, None] = None,
    settings: Optional[Mapping[str, Any]] = None,
    folder: Optional[PathLike] = None,
    progress: Progress = True,
    **sections: Any,
) -> Model:
    """Learns from a dataset; without any settings by the recommended method, ``floral-kl``.

    data: a :class:`Dataset`, an ``xarray.Dataset``, or a path.
    method: ``floral-kl``, ``kriging``, ``floral``, ``flora``, ``residual-fno`` or ``fno``.
    seed: of weights, batches and priors.
    test, validation, train: how many inputs serve what, in this order of the dataset; test inputs are
        kept for :func:`evaluate`.
    resolution: points per axis of the high fidelity that is learned from, every s-th of the data's.
    symmetries: instead of those that the data declare.
    epochs: of a network, at most.
    budget: the time that ``floral-kl`` may take, in seconds or as ``"2m"``; it then leaves out what it has
        no time for. Without one the result depends on the data alone.
    settings: all settings as a dict, as ``floral train --print-config`` shows them; sections of it may
        be given by name, as in ``optimiser={"batch": 16}``.
    folder: a run folder to keep; the same call again goes on where it was cut.
    progress: whether to show a bar, or a function that is told stage, done, total and words.

    Ctrl-C stops it within seconds.

    >>> import floral
    >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
    >>> floral.fit(data, test=4, validation=4, progress=False)
    Model by floral-kl on x: 32
    """
    data = opened(data)
    for note in data._dataset.notes:
        tell(note)
    asked: dict[str, Any] = {**(settings or {}), **sections}
    split = {"test": test, "validation": validation, "train": train}
    asked["split"] = {**asked.get("split", {}), **_told(split)}
    if epochs is not None:
        asked["stopping"] = {**asked.get("stopping", {}), "epochs": epochs}
    points = None if resolution is None else np.atleast_1d(resolution).tolist()
    motions = None if symmetries is None else [str(motion) for motion in symmetries]
    given = {
        "method": method,
        "seed": seed,
        "resolution": points,
        "symmetries": motions,
        "budget": budget,
    }
    text = json.dumps(_told({**asked, **_told(given)}), default=plain)
    with tempfile.TemporaryDirectory(prefix="floral-") as spare, told(progress) as watcher:
        place = os.path.join(spare, "run") if folder is None else os.fspath(folder)
        with data._named_errors():
            fitted = _floral.Model.fit(data._dataset, place, text, watcher)
    return Model(fitted, data, data.low_solver)


def load(path: PathLike, *, data: Any = None) -> Model:
    """The model of a file that :meth:`Model.save` or ``floral export`` wrote, or of a run folder.

    data: the dataset it was fitted to, or its path, for :meth:`Model.add` and the baselines of
        :func:`evaluate`, which need it.
    """
    known = None if data is None else opened(data)
    solver = None if known is None else known.low_solver
    return Model(_floral.Model.load(os.fspath(path)), known, solver)


def evaluate(
    model: Model,
    data: Any,
    *,
    inputs: Optional[range] = None,
    realizations: int = REALIZATIONS,
    reference: int = 1000,
    seed: int = 0,
    solver: Optional[str] = None,
    steps: Optional[int] = None,
    tolerance: Optional[float] = None,
    progress: Progress = True,
) -> Told:
    """A model's predictions beside the truth: a dict that prints as a table.

    inputs: a range of them; without, the test inputs of the model's data, or all of other data.
    The baselines beside it, the mean residual and kriging, are those of the data that the model was fitted
    to, where it has them.

    reference: fresh realizations per input that make the truth of a built-in problem where it is not
        exact; 0 for those of the dataset.

    >>> import floral
    >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
    >>> model = floral.fit(data, test=4, validation=4, progress=False)
    >>> scores = floral.evaluate(model, data, realizations=200, progress=False)
    >>> scores["prediction"]["mean"]["nrmse"] < scores["low"]["nrmse"]
    True
    """
    data = opened(data)
    bounds = None
    if inputs is not None:
        if not isinstance(inputs, range) or inputs.step != 1:
            raise ValueError(f"inputs is {inputs}; a range such as range(0, 5) is needed")
        bounds = (inputs.start, inputs.stop)
    asked = sampling(realizations, seed, solver, steps, tolerance)
    with told(progress) as watcher, data._named_errors():
        trained = None if model.data is None else model.data._dataset
        numbers, text = model._model.evaluate(
            data._dataset, bounds, asked, reference, trained, watcher
        )
    scores = Told(numbers, data._named(text))
    for note in scores.get("notes", []):
        tell(data._named(note))
    if scores["seen"]:
        tell(f"{scores['seen']} of these inputs were used in training; scores on them are no test")
    return scores


def _told(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are not none, which a configuration file cannot say either."""
    return {
        key: _told(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
