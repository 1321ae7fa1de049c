"""Trained models: sampling, refitting, suggestions and storage."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _floral, _xarray
from ._arrays import Floats
from ._building import Parts, Solver
from ._calibrating import Calibrating, loaded
from ._dataset import Dataset, opened
from ._decisions import Law, Sensitivity, laws, named, path_of
from ._ensemble import Ensemble
from ._ensembles import Ensembles
from ._files import PathLike
from ._grid import Grid, OnGrid
from ._inputs import Expected, new_inputs
from ._mesh import Cells, brought, mesh_of
from ._notes import note
from ._observations import Observations, to_plain
from ._parameters import PARAMETER, Parameters, by_name
from ._progress import Progress, watching
from ._quantities import Quantity
from ._floral import REALIZATIONS
from ._sampling import plain, sampling
from ._summary import Summary

#: Points per axis: one number for all, or one each.
Resolution = Union[int, Sequence[int]]


class Model(OnGrid):
    """A trained model, made by :func:`fit` or :func:`load`."""

    def __init__(
        self,
        model: _floral.Model,
        data: Optional[Dataset] = None,
        low_solver: Optional[Solver] = None,
    ) -> None:
        self._model = model
        self._calibrating = Calibrating(model)
        self._header: dict[str, Any] = json.loads(model.header)
        self._grid = Grid(self._header["grid"]["axes"], model.mesh)
        #: The dataset that the model was fitted to; None if it was loaded without one.
        self.data = data
        #: A function from an input to its low-fidelity solution, for inputs given without one.
        self.low_solver = low_solver

    @property
    def method(self) -> str:
        """The name of the method."""
        return str(self._header["config"]["method"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the fit."""
        return dict(self._header["config"])

    def __repr__(self) -> str:
        return f"Model by {self.method} on {self._grid}"

    def sample(
        self,
        input: Any = None,
        low: Any = None,
        *,
        inputs: Optional[Sequence[int]] = None,
        realizations: int = REALIZATIONS,
        resolution: Optional[Resolution] = None,
        coords: Optional[Mapping[str, Any]] = None,
        parameters: Optional[Parameters] = None,
        points: Any = None,
        cells: Cells = None,
        low_points: Any = None,
        low_cells: Cells = None,
        params: Optional[Parameters] = None,
        observe: Union[None, Observations, PathLike] = None,
        seed: int = 0,
        index: int = 0,
        solver: Optional[str] = None,
        steps: Optional[int] = None,
        tolerance: Optional[float] = None,
        progress: Progress = True,
    ) -> Any:
        """Draws realizations of the solutions of new inputs: an :class:`Ensemble` for one input,
        :class:`Ensembles` for several.

        input: one input as [grid...], or [channel, grid...] with several channels; several as
            [input, grid...] or [input, channel, grid...]; or an ``xarray.DataArray`` with its axes in any
            order, with the dimension ``input`` if there are several; or an ``xarray.Dataset`` with the
            variables ``input`` and ``low``; or a :class:`Dataset`, or the path of one or of files.
        low: their low-fidelity solutions in the same form, if the model needs them; or a function from one
            input to its solution.
        inputs: numbers of the inputs to sample, if several are given.
        realizations: number of realizations per input; a deterministic method returns one.
        resolution: points per axis of the predictions, if different from the input's.
        coords: coordinates of the input in the order of its axes, if its grid is not that of training.
        parameters: scalar parameters of the input, as in ``{"viscosity": 0.1}``; for several
            inputs ``{"viscosity": [0.1, 0.2]}`` or an array [input, parameter].
        points, cells: the mesh of the input and of the predictions, if it is not the training mesh; ``points``
            alone may be a mesh object of another library, as in :meth:`Dataset.from_arrays`. Points farther outside of
            the box around the training mesh than a tenth of its diagonal are refused.
        low_points, low_cells: the mesh of ``low``, if it is a different one, as in :meth:`Dataset.from_arrays`.
        params: alias of ``parameters``.
        observe: readings of one realization, on which the prediction of a single input is conditioned:
            :class:`Observations`, or the path of a CSV file with a column for each axis, ``value`` and ``std``.
            :attr:`Ensemble.innovation` tests whether they agree with the prediction.
        seed: random seed; the same seed and index give the same realizations.
        index: index of the random stream of input 0; input i uses stream index + i.
        solver, steps, tolerance: the integrator of flows; by default the midpoint rule with as many steps as
            the required accuracy takes. dopri5 adapts its steps; euler, midpoint, heun and rk4 need ``steps``.

        Channels with labels, in the coordinate ``channel`` or the attribute ``channel_names``, are
        reordered to match the model, and units are converted.

        >>> import floral
        >>> data = floral.problems.residual1d(inputs=20, realizations=20, resolution=32)
        >>> model = floral.fit(data, test=4, validation=4, progress=False)
        >>> ensemble = model.sample(data.input[0], low=data.low[0], realizations=50)
        >>> ensemble.mean.shape, ensemble.quantile([0.05, 0.95]).shape
        ((32,), (2, 32))
        >>> model.sample(data.input[:3], low=data.low[:3], realizations=50).mean.shape
        (3, 32)
        """
        parameters = params if parameters is None else parameters
        mesh = None if points is None else mesh_of(points, cells)
        if low_points is not None:
            low = self._brought(low, low_points, low_cells, mesh)
        new = new_inputs(self._expected(), input, low, coords, parameters, inputs, mesh)
        about = json.dumps({"axes": new.grid.axes, "quantities": _compared(new.quantities)})
        points = self._per_axis(resolution)
        if observe is not None and not new.is_one:
            raise ValueError("readings belong to one input; pass a single input, without an axis of inputs")
        ensembles = []
        for place, number in enumerate(new.indices):
            asked = {"index": index + number, "resolution": points, "observe": to_plain(observe)}
            # Messages name inputs only where there are several.
            asked["number"] = None if new.is_one else number
            wanted = sampling(realizations, seed, solver, steps, tolerance, **asked)
            solution = None if new.low is None else np.ascontiguousarray(new.low[place])
            field = np.ascontiguousarray(new.fields[place])
            ensembles.append(self._ensemble(field, solution, about, wanted, new.grid.mesh, progress))
        return ensembles[0] if new.is_one else Ensembles(ensembles)

    def sample_all(self, data: Any, **options: Any) -> Ensembles:
        """Samples all inputs of a dataset; options as for :meth:`sample`."""
        found = self.sample(opened(data), **options)
        assert isinstance(found, Ensembles)
        return found

    def _ensemble(
        self,
        field: Floats,
        low: Optional[Floats],
        about: str,
        wanted: str,
        mesh: Optional[_floral.Mesh],
        progress: Progress,
    ) -> Ensemble:
        with watching(progress) as watcher:
            found, notes, innovation = self._model.sample(field, low, about, wanted, mesh, watcher)
        for words in notes:
            note(words)
        quantities = self._header.get("quantities", {}).get("solution", [])
        given = json.loads(innovation) if innovation else None
        return Ensemble(found, quantities, given, None if given else self._calibrating)

    def _brought(self, low: Any, points: Any, cells: Cells, mesh: Optional[_floral.Mesh]) -> Any:
        """Low fidelity on the mesh of the input, from a mesh of its own."""
        mesh = self._grid.mesh if mesh is None else mesh
        if mesh is None or low is None:
            raise ValueError("low_points is the mesh of low; give low too, for a model that was trained on a mesh")
        return brought(low, mesh_of(points, cells), mesh)

    def _expected(self) -> Expected:
        known = self._header.get("quantities", {}).get("input", [])
        channels = [str(one.get("name", "")) for one in known] or [""] * int(self._header["shapes"]["input_channels"])
        names = [str(one.get("name", f"p{i}")) for i, one in enumerate(known) if one.get("parameter")]
        return Expected(self._grid, channels, self._model.needs_low, self.low_solver, names)

    @property
    def parameters(self) -> list[str]:
        """The names of the model's parameters."""
        return list(self._expected().parameters)

    def _per_axis(self, resolution: Optional[Resolution]) -> Optional[list[int]]:
        if resolution is None:
            return None
        if self._grid.mesh is not None:
            raise ValueError("a mesh has no resolution; give points=... and cells=... of another one")
        points = np.atleast_1d(np.asarray(resolution))
        if points.dtype.kind not in "iu" or (points < 1).any():
            raise ValueError(f"resolution is {resolution}; whole numbers of points are needed")
        each = [int(n) for n in points]
        return each * len(self.dims) if len(each) == 1 else each

    def add(
        self,
        input: Any = None,
        high: Any = None,
        low: Any = None,
        *,
        parameters: Optional[Parameters] = None,
        data: Any = None,
        progress: Progress = True,
    ) -> Model:
        """Refits the model in place with one more input and the realizations of its solution, and returns it.

        input: [grid...]; high: [realization, grid...]; low: [grid...]. Omitted fields are computed by the functions
            that the dataset was made with.
        parameters: the parameters of the new input, as in ``{"load": 0.3}``.
        data: the dataset that the model was fitted to, if the model was loaded without it.
        """
        from ._fit import fit

        known = self.data if data is None else opened(data)
        if known is None:
            raise ValueError(
                "this model was loaded without the data it was fitted to; give them, as in "
                "add(..., data='data.zarr') or load(path, data='data.zarr')"
            )
        split = {**self.settings["split"], "train": None}
        settings = {**self.settings, "split": split}
        again = fit(known.extended(input, high, low, parameters), settings=settings, progress=progress)
        self.__dict__.update(again.__dict__)
        return self

    def suggest(
        self, pool: Any, low: Any = None, *, k: int = 5, progress: Progress = True
    ) -> Summary:
        """Suggests which inputs of a pool to simulate next: a dict that prints as a table.

        The first is the input whose mean has the largest epistemic uncertainty. The uncertainty that
        simulating it would remove elsewhere is subtracted before the next is chosen.

        pool: [input, grid...] on the model's grid; or parameters by name or [input, parameter] if the model has nothing
            else; or a :class:`Dataset` or a path with inputs.
        low: their low-fidelity solutions, or a function that computes them.
        k: number of inputs to suggest.
        """
        kept = self._pool(pool, low)
        with watching(progress) as watcher:
            return Summary(*self._model.suggest(path_of(kept), k, watcher))

    def suggest_sensors(
        self,
        input: Any = None,
        low: Any = None,
        *,
        sensors: int = 5,
        std: float = 0.0,
        observe: Union[None, Observations, PathLike] = None,
        parameters: Optional[Parameters] = None,
        progress: Progress = True,
    ) -> Summary:
        """Suggests where to measure the solution of one input: a dict that prints as a table.

        Points of the training grid are chosen one after another, each time the one whose reading removes most of the
        predicted variance, averaged over points.

        input, low, parameters: as for :meth:`sample`.
        sensors: number of points to suggest.
        std: standard deviation of the noise of a sensor.
        observe: existing readings.
        """
        new = new_inputs(self._expected(), input, low, None, parameters, None)
        if not new.is_one:
            raise ValueError("sensors are placed for one input; pass a single input, without an axis of inputs")
        about = json.dumps({"axes": new.grid.axes, "quantities": _compared(new.quantities)})
        asked = {"count": sensors, "std": std, "observe": to_plain(observe)}
        solution = None if new.low is None else np.ascontiguousarray(new.low[0])
        field = np.ascontiguousarray(new.fields[0])
        wanted = json.dumps(asked, default=plain)
        with watching(progress) as watcher:
            return Summary(*self._model.suggest_sensors(field, solution, about, wanted, new.grid.mesh, watcher))

    def sensitivity(
        self,
        inputs: Optional[Mapping[str, Law]] = None,
        quantity: Union[str, Sequence[str]] = "mean(u)",
        *,
        pool: Any = None,
        low: Any = None,
        exceed: Sequence[str] = (),
        samples: int = 1024,
        realizations: int = 8,
        seed: int = 0,
        progress: Progress = True,
    ) -> Sensitivity:
        """The distribution of a quantity over uncertain inputs and realizations, and Sobol indices of the parameters.

        inputs: the distribution of each parameter, as in ``{"load": floral.Uniform(0, 1), "depth": 3}``.
        quantity: one quantity of interest or several, such as ``"max(u)"`` or ``"peak = max(u)"``.
        pool, low: in place of ``inputs``, for models whose inputs are fields: a pool of equally probable inputs and
            their low-fidelity solutions, as for :meth:`suggest`.
        exceed: thresholds of exceedance, such as ``"peak: 2"``.

        The result prints as a table and has ``first``, ``total``, ``first_intervals``, ``total_intervals``, ``shares``
        and ``statistics``.
        """
        if (inputs is None) == (pool is None):
            raise ValueError("give either inputs, laws by parameter, or a pool of inputs")
        wanted = {
            "quantities": named(quantity),
            "thresholds": list(exceed),
            "samples": samples,
            "realizations": realizations,
            "seed": seed,
        }
        kept = None if pool is None else self._pool(pool, low)
        path = None if kept is None else path_of(kept)
        text = None if inputs is None else laws(inputs)
        with watching(progress) as watcher:
            found = _floral.sensitivity(self._model, text, path, json.dumps(wanted), watcher)
        numbers, words, notes = found
        for fact in notes:
            note(fact)
        return Sensitivity(numbers, words)

    def _pool(self, pool: Any, low: Any) -> Union[Dataset, PathLike]:
        """A pool as a dataset, which is temporary if the pool is in memory."""
        if isinstance(pool, (str, os.PathLike, Dataset)):
            return pool
        input, parameters = (None, pool) if self._are_parameters(pool) else (pool, None)
        new = new_inputs(self._expected(), input, low, None, parameters, None)
        if new.is_one:
            raise ValueError(f"pool has one input; [input, {', '.join(self.dims)}] is needed")
        known = self._header.get("quantities", {})
        quantities = {"input": list(new.quantities["input"] or known.get("input", [])), "solution": []}
        if new.low is not None:
            quantities["solution"] = list(new.quantities["solution"] or known.get("solution", []))
        return Dataset._stored(Parts(new.grid, new.fields, new.low, [], quantities), ())

    def _are_parameters(self, pool: Any) -> bool:
        """Whether a pool in memory has parameters alone: by name, or as many numbers per input as the model has."""
        if _xarray.is_dataset(pool):
            return False
        if _xarray.is_array(pool):
            return PARAMETER in pool.dims
        if isinstance(by_name(pool), Mapping):
            return True
        count = len(self.parameters)
        return count > 0 and count == len(self._expected().channels) and np.shape(pool)[1:] in ((count,), ())

    def save(self, path: PathLike) -> None:
        """Saves the model as one file, which :func:`load` and the command line read.

        The file is written completely or not at all. Reading it executes nothing. Later versions of floral read it, except
        a ``floral-kl`` model after a change of that method, which has to be trained again.
        """
        self._model.save(os.fspath(path))

    def __reduce__(self) -> tuple[Any, ...]:
        # The training data stay behind: another process needs them only to refit.
        return _unpacked, (self._model.bytes, self.low_solver)


def _compared(quantities: Mapping[str, Sequence[Quantity]]) -> dict[str, list[Quantity]]:
    """Names and units of the channels, for comparison with the model's."""
    keys = ("name", "units")
    return {
        what: [{key: one[key] for key in keys if one.get(key)} for one in listed]
        for what, listed in quantities.items()
    }


def _unpacked(contents: bytes, low_solver: Optional[Solver]) -> Model:
    """Restores a pickled model from the bytes of its file."""
    return Model(loaded(contents), None, low_solver)
