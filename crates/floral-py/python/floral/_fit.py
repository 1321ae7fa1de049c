"""Fitting a model, loading it from a file, and scoring it against the truth."""

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
from ._notes import note
from ._progress import Progress, watching
from ._floral import REALIZATIONS, REFERENCE
from ._sampling import plain, sampling
from ._summary import Summary


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
    """Fits a model to a dataset, by default with the recommended method, ``floral-kl``.

    data: a :class:`Dataset`, an ``xarray.Dataset``, or a path.
    method: ``floral-kl``, ``kriging``, ``floral``, ``flora``, ``residual-fno`` or ``fno``.
    seed: random seed of weights, batches and priors.
    test, validation, train: numbers of inputs, taken from the dataset in this order; test inputs are held
        out for :func:`evaluate`.
    resolution: points per axis at which high fidelity is used: every s-th point of the data.
    symmetries: symmetries to use in place of those that the data declare.
    epochs: the maximum number of epochs of a network.
    budget: time limit of ``floral-kl``, in seconds or as ``"2m"``; work that would exceed it is skipped.
        Without a limit, the result depends only on the data.
    settings: settings as a dict with the keys that ``floral train --print-config`` prints; a section may also be
        a keyword argument, as in ``optimiser={"batch": 16}``.
    folder: run folder to keep; repeating the call continues an interrupted fit.
    progress: whether to show a progress bar, or a function called with stage, done, total and message.

    Ctrl-C stops the fit within seconds.

    >>> import floral
    >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
    >>> floral.fit(data, test=4, validation=4, progress=False)
    Model by floral-kl on x: 32
    """
    data = opened(data)
    if not data._has_high:
        raise ValueError(f"{data._named(data.path)} has no high fidelity; it is a pool of inputs, and a fit needs solutions")
    for words in data._dataset.notes:
        note(words)
    asked: dict[str, Any] = {**(settings or {}), **sections}
    split = {"test": test, "validation": validation, "train": train}
    asked["split"] = {**asked.get("split", {}), **_given(split)}
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
    text = json.dumps(_given({**asked, **_given(given)}), default=plain)
    with tempfile.TemporaryDirectory(prefix="floral-") as spare, watching(progress) as watcher:
        place = os.path.join(spare, "run") if folder is None else os.fspath(folder)
        with data._named_errors():
            fitted = _floral.Model.fit(data._dataset, place, text, watcher)
    return Model(fitted, data, data.low_solver)


def load(path: PathLike, *, data: Any = None) -> Model:
    """Loads a model from a file written by :meth:`Model.save` or ``floral export``, or from a run folder.

    data: the dataset it was fitted to, or its path; :meth:`Model.add` and the baselines of
        :func:`evaluate` need it.
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
    reference: int = REFERENCE,
    seed: int = 0,
    solver: Optional[str] = None,
    steps: Optional[int] = None,
    tolerance: Optional[float] = None,
    progress: Progress = True,
) -> Summary:
    """Scores a model's predictions against the truth: a dict that prints as a table.

    inputs: a range of inputs [default: the test inputs of the model's data, or all of other data].
    realizations: number of realizations per input that generative methods draw.
    reference: number of fresh realizations per input that estimate the truth of a built-in problem where its
        moments are not known exactly; 0 uses the realizations of the dataset.

    The baselines, mean residual and kriging, are fitted to the model's training data, if :attr:`Model.data` has
    them.

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
    with watching(progress) as watcher, data._named_errors():
        trained = None if model.data is None else model.data._dataset
        numbers, text = model._model.evaluate(
            data._dataset, bounds, asked, reference, trained, watcher
        )
    scores = Summary(numbers, data._named(text))
    for words in scores.get("notes", []):
        note(data._named(words))
    if scores["seen"]:
        note(f"{scores['seen']} of these inputs were used in training, so that the scores are optimistic")
    return scores


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without those that are None, which TOML cannot express."""
    return {
        key: _given(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
