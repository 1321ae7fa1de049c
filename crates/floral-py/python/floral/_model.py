"""Models: asked for ensembles, extended, kept in files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _floral, _xarray
from ._arrays import Floats, fields, numbers, same
from ._building import Solver, solved
from ._dataset import Dataset, PathLike, opened
from ._ensemble import Ensemble
from ._grid import Grid
from ._progress import Progress, told
from ._sampling import sampling

#: Points per axis: one number for all, or one each.
Resolution = Union[int, Sequence[int]]


class Model:
    """What was learned from a dataset; made by :func:`fit` and :func:`load`."""

    def __init__(
        self,
        model: _floral.Model,
        data: Optional[Dataset] = None,
        low_solver: Optional[Solver] = None,
    ) -> None:
        self._model = model
        self._header: dict[str, Any] = json.loads(model.header)
        self._grid = Grid(self._header["grid"]["axes"])
        #: The dataset it was fitted to; none of a model that was loaded.
        self.data = data
        #: A function from an input to its low-fidelity solution, for inputs that come without.
        self.low_solver = low_solver

    @property
    def method(self) -> str:
        """The name of the method."""
        return str(self._header["config"]["method"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that it was fitted with."""
        return dict(self._header["config"])

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the grid's axes."""
        return self._grid.dims

    @property
    def coords(self) -> dict[str, Floats]:
        """The coordinates of the grid's axes by their name."""
        return self._grid.coords

    def __repr__(self) -> str:
        return f"Model by {self.method} on {self._grid}"

    def sample(
        self,
        input: Any,
        low: Any = None,
        *,
        realizations: int = 1000,
        resolution: Optional[Resolution] = None,
        coords: Optional[Mapping[str, Any]] = None,
        seed: int = 0,
        index: int = 0,
        solver: Optional[str] = None,
        steps: Optional[int] = None,
        tolerance: Optional[float] = None,
        progress: Progress = True,
    ) -> Ensemble:
        """Realizations of the solution of one new input.

        input: [grid...] or [channel, grid...]; or an ``xarray.DataArray`` with its axes in any order;
            or an ``xarray.Dataset`` with the variables ``input`` and ``low``.
        low: its low-fidelity solution, where the model looks at one; or a function that computes it.
        realizations: how many; a deterministic method has one.
        resolution: points per axis of the answer, if other than the input's.
        coords: the coordinates of the input, if its grid is not the one of training.
        seed: of what is random; the same seed and index give the same realizations.
        index: tells inputs apart, so that each has random numbers of its own.
        solver, steps, tolerance: the integrator of flows; dopri5 chooses its own steps, euler,
            midpoint, heun and rk4 need their number.

        >>> import floral
        >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
        >>> model = floral.fit(data, progress=False)
        >>> ensemble = model.sample(data.input[0], low=data.low[0], realizations=50)
        >>> ensemble.mean.shape, ensemble.quantile([0.05, 0.95]).shape
        ((32,), (2, 32))
        """
        if isinstance(input, Dataset) or (_xarray.is_dataset(input) and "input" in input.sizes):
            raise ValueError("input holds several inputs; sample_all takes them all")
        if _xarray.is_dataset(input):
            low = input["low"] if low is None and "low" in input else low
            input = input["input"]
        grid, field = self._input(input, coords)
        asked = sampling(realizations, seed, solver, steps, tolerance)
        with told(progress) as watcher:
            ensemble = self._model.sample(
                field,
                self._low(field, low),
                None if grid is None else grid.json(),
                self._per_axis(resolution),
                index,
                asked,
                watcher,
            )
        return Ensemble(ensemble)

    def sample_all(
        self, data: Any, *, inputs: Optional[Sequence[int]] = None, **options: Any
    ) -> list[Ensemble]:
        """The ensembles of a dataset's inputs, or of some of them, each with its index.

        data: a :class:`Dataset`, an ``xarray.Dataset``, or a path; options as of :meth:`sample`.
        """
        data = opened(data)
        given, ensembles = data._dataset, []
        for index in range(len(data)) if inputs is None else inputs:
            low = given.low(index) if given.has_low else None
            options = {**options, "coords": data.coords, "index": index}
            ensembles.append(self.sample(given.input(index), low, **options))
        return ensembles

    def _per_axis(self, resolution: Optional[Resolution]) -> Optional[list[int]]:
        if resolution is None:
            return None
        points = [int(n) for n in np.atleast_1d(resolution)]
        return points * len(self.dims) if len(points) == 1 else points

    def _input(
        self, input: Any, coords: Optional[Mapping[str, Any]]
    ) -> tuple[Optional[Grid], Floats]:
        """An input as [channel, grid...], and its grid unless it is that of training."""
        if _xarray.is_array(input):
            return self._from_data_array("input", input)
        array = fields("input", numbers("input", input), [], self.dims)
        if coords is None:
            grid, expected, whose = None, self._grid.shape, "the model's grid"
        else:
            grid = self._other_grid(coords)
            expected, whose = grid.shape, "coords"
        if array.shape[1:] != expected:
            advice = "; give coords={...} if its grid is another" if coords is None else ""
            raise ValueError(
                f"input has {array.shape[1:]} points but {whose} {expected}{advice}. One input is "
                "sampled at a time; sample_all takes a floral.Dataset"
            )
        return grid, array

    def _other_grid(self, coords: Mapping[str, Any]) -> Grid:
        """The grid of other points on the model's axes."""
        if tuple(coords) != self.dims:
            raise ValueError(f"coords are of {tuple(coords)}, but the model's axes are {self.dims}")
        return Grid.of(coords, self._grid.domains)

    def _from_data_array(self, name: str, array: Any) -> tuple[Optional[Grid], Floats]:
        array = _xarray.turned(array, self.dims)
        values = _xarray.ordered(name, array, [], self.dims)
        known = _xarray.coords(array, self.dims)
        bare = [dim for dim in self.dims if dim not in known]
        if not bare:
            return self._other_grid(known), values
        if values.shape[1:] != self._grid.shape:
            raise ValueError(f"{name} has no coordinates {bare[0]}, and another grid than the model's")
        return None, values

    def _low(self, field: Floats, low: Any) -> Optional[Floats]:
        """The low-fidelity solution of an input, as [channel, grid...]."""
        if not self._model.uses_low:
            return None
        solver = low if callable(low) else self.low_solver
        if _xarray.is_array(low):
            array = self._from_data_array("low", low)[1]
        elif low is not None and not callable(low):
            array = fields("low", numbers("low", low), [], self.dims)
        elif solver is not None:
            array = fields("low", solved("low", solver, field[None])[0], [], self.dims)
        else:
            return None
        same("low", array[None], "input", field[None], len(self.dims))
        return array

    def add(self, input: Any, high: Any = None, low: Any = None, *, progress: Progress = True) -> Model:
        """Fits again with one more input and the realizations of its solution; returns itself.

        input: [grid...]; high: [realization, grid...], as many as of all others; low: [grid...]. What
        is left out is computed by the functions that the dataset was made with.
        """
        from ._fit import fit

        if self.data is None:
            raise ValueError(
                "this model was loaded without the data that it was fitted to; open them and fit again"
            )
        data = self.data.extended(input, high, low)
        split = {**self.settings["split"], "train": None}
        again = fit(data, settings={**self.settings, "split": split}, progress=progress)
        self.__dict__.update(again.__dict__)
        return self

    def save(self, path: PathLike) -> None:
        """Writes it as one file, from which :func:`load` and the command line predict anywhere.

        The file is written whole or not at all. Later versions of floral read it; reading it executes
        nothing.
        """
        self._model.save(os.fspath(path))
