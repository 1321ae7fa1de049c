"""Models: asked for ensembles, extended, kept in files."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _floral, _xarray
from ._arrays import Floats, fields, numbers, same
from ._building import Solver, solved
from ._dataset import Dataset, PathLike, opened
from ._ensemble import Ensemble
from ._grid import Grid, OnGrid
from ._progress import Progress, told
from ._quantities import Quantity, of_attributes
from ._sampling import sampling
from ._told import Told

#: Points per axis: one number for all, or one each.
Resolution = Union[int, Sequence[int]]


class Model(OnGrid):
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
        solver, steps, tolerance: the integrator of flows, if not as many midpoint steps as are accurate
            enough; dopri5 chooses its own steps, euler, midpoint, heun and rk4 need their number.

        >>> import floral
        >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
        >>> model = floral.fit(data, test=4, validation=4, progress=False)
        >>> ensemble = model.sample(data.input[0], low=data.low[0], realizations=50)
        >>> ensemble.mean.shape, ensemble.quantile([0.05, 0.95]).shape
        ((32,), (2, 32))
        """
        if isinstance(input, Dataset) or (_xarray.is_dataset(input) and "input" in input.sizes):
            raise ValueError("input holds several inputs; sample_all takes them all")
        if _xarray.is_dataset(input):
            low = input["low"] if low is None and "low" in input else low
            input = input["input"]
        quantities = {"input": self._units("input", input), "solution": self._units("solution", low)}
        grid, field = self._input(input, coords)
        about = {"axes": grid.axes, "quantities": quantities}
        asked = {"index": index, "resolution": self._per_axis(resolution)}
        wanted = sampling(realizations, seed, solver, steps, tolerance, **asked)
        return self._ensemble(field, self._low(field, low, grid), about, wanted, progress)

    def sample_all(
        self,
        data: Any,
        *,
        inputs: Optional[Sequence[int]] = None,
        realizations: int = 1000,
        resolution: Optional[Resolution] = None,
        seed: int = 0,
        solver: Optional[str] = None,
        steps: Optional[int] = None,
        tolerance: Optional[float] = None,
        progress: Progress = True,
    ) -> list[Ensemble]:
        """The ensembles of a dataset's inputs, or of some of them, each with its index.

        data: a :class:`Dataset`, an ``xarray.Dataset``, or a path; options as of :meth:`sample`.
        """
        data = opened(data)
        given, ensembles = data._dataset, []
        about = {"axes": data._grid.axes, "quantities": data.quantities}
        for index in range(len(data)) if inputs is None else inputs:
            field = given.input(index)
            low = self._low(field, given.low(index) if given.has_low else None, data._grid)
            asked = {"index": index, "resolution": self._per_axis(resolution)}
            wanted = sampling(realizations, seed, solver, steps, tolerance, **asked)
            ensembles.append(self._ensemble(field, low, about, wanted, progress))
        return ensembles

    def _ensemble(
        self,
        field: Floats,
        low: Optional[Floats],
        about: Mapping[str, Any],
        wanted: str,
        progress: Progress,
    ) -> Ensemble:
        with told(progress) as watcher:
            found, notes = self._model.sample(field, low, json.dumps(about), wanted, watcher)
        for note in notes:
            warnings.warn(note, stacklevel=3)
        return Ensemble(found, self._header.get("quantities", {}).get("solution", []))

    def _units(self, what: str, array: Any) -> list[Quantity]:
        """The units that an ``xarray.DataArray`` tells of its channels."""
        if not _xarray.is_array(array):
            return []
        channels = int(self._header["shapes"][f"{what}_channels"])
        told = of_attributes(array.attrs, channels)
        return [{key: text for key, text in one.items() if key == "units"} for one in told]

    def _per_axis(self, resolution: Optional[Resolution]) -> Optional[list[int]]:
        if resolution is None:
            return None
        points = np.atleast_1d(np.asarray(resolution))
        if points.dtype.kind not in "iu" or (points < 1).any():
            raise ValueError(f"resolution is {resolution}; whole numbers of points are needed")
        each = [int(n) for n in points]
        return each * len(self.dims) if len(each) == 1 else each

    def _input(self, input: Any, coords: Optional[Mapping[str, Any]]) -> tuple[Grid, Floats]:
        """An input as [channel, grid...], and its grid."""
        if _xarray.is_array(input):
            return self._from_data_array("input", input)
        array = fields("input", numbers("input", input), [], self.dims)
        grid, whose = self._grid, "the model's grid"
        if coords is not None:
            grid, whose = self._other_grid(coords, {}), "coords"
        if array.shape[1:] != grid.shape:
            advice = "; give coords={...} if its grid is another" if coords is None else ""
            raise ValueError(
                f"input has {array.shape[1:]} points but {whose} {grid.shape}{advice}. One input is "
                "sampled at a time; sample_all takes a floral.Dataset"
            )
        return grid, array

    def _other_grid(self, coords: Mapping[str, Any], units: Mapping[str, str]) -> Grid:
        """The grid of other points on the model's axes."""
        if tuple(coords) != self.dims:
            raise ValueError(f"coords are of {tuple(coords)}, but the model's axes are {self.dims}")
        return Grid.of(coords, None, units)

    def _from_data_array(self, name: str, array: Any) -> tuple[Grid, Floats]:
        array = _xarray.turned(array, self.dims)
        values = _xarray.ordered(name, array, [], self.dims)
        known = _xarray.coords(array, self.dims)
        bare = [dim for dim in self.dims if dim not in known]
        if not bare:
            return self._other_grid(known, _xarray.units(array, self.dims)), values
        if values.shape[1:] != self._grid.shape:
            raise ValueError(f"{name} has no coordinates {bare[0]}, and another grid than the model's")
        return self._grid, values

    def _low(self, field: Floats, low: Any, grid: Grid) -> Optional[Floats]:
        """The low-fidelity solution of an input, as [channel, grid...]."""
        if not self._model.needs_low:
            return None
        solver = low if callable(low) else self.low_solver
        if _xarray.is_array(low):
            own, array = self._from_data_array("low", low)
            grid.check_same("low", own.coords)
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

    def suggest(
        self, pool: Any, low: Any = None, *, k: int = 5, progress: Progress = True
    ) -> Told:
        """Which inputs of a pool to simulate next: a dict that prints as a table.

        The one whose mean is known least comes first; what it would tell of the others is taken off
        before the next is chosen.

        pool: [input, grid...] on the model's grid, or a :class:`Dataset` or a path with inputs.
        low: their low-fidelity solutions, or a function that computes them.
        """
        with tempfile.TemporaryDirectory(prefix="floral-") as folder, told(progress) as watcher:
            if isinstance(pool, (str, os.PathLike)):
                path = os.fspath(pool)
            elif isinstance(pool, Dataset):
                path = pool.path
            else:
                path = os.path.join(folder, "pool.npz")
                self._write_pool(path, pool, low)
            return Told(*self._model.suggest(path, k, watcher))

    def _write_pool(self, path: str, pool: Any, low: Any) -> None:
        """Inputs as a NumPy archive."""
        inputs = fields("pool", numbers("pool", pool), ["input"], self.dims)
        arrays = {"input": inputs, **self.coords}
        if self._model.needs_low:
            solver = low if callable(low) else self.low_solver
            if low is not None and not callable(low):
                arrays["low"] = fields("low", numbers("low", low), ["input"], self.dims)
            elif solver is not None:
                solutions = solved("low", solver, inputs)
                arrays["low"] = fields("low", solutions, ["input"], self.dims)
        np.savez(path, **arrays)  # type: ignore[arg-type,unused-ignore]

    def save(self, path: PathLike) -> None:
        """Writes it as one file, from which :func:`load` and the command line predict anywhere.

        The file is written whole or not at all. Later versions of floral read it; reading it executes
        nothing.
        """
        self._model.save(os.fspath(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self._model.bytes, self.low_solver)


def _unpacked(contents: bytes, low_solver: Optional[Solver]) -> Model:
    """A model from the bytes of its file, as it is sent to another process."""
    with tempfile.TemporaryDirectory(prefix="floral-") as folder:
        path = os.path.join(folder, "model.floral")
        with open(path, "wb") as file:
            file.write(contents)
        return Model(_floral.Model.load(path), None, low_solver)
