"""Datasets: inputs, their low-fidelity solutions, and realizations of the high-fidelity ones."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _building, _floral, _xarray
from ._arrays import Floats
from ._building import Dims, Parts, Solver
from ._files import PathLike, imported, packed, unpack
from ._grid import Domain, Grid, OnGrid
from ._mesh import Cells, brought, mesh_of
from ._notes import note
from ._parameters import Parameters, matched, named, with_parameters
from ._progress import Progress, watching
from ._quantities import Quantity, Texts, to_attributes
from ._summary import Summary
from .errors import BadFileError


class Dataset(OnGrid):
    """Inputs with their solutions, on disk.

    Make one with :meth:`from_arrays` or :meth:`from_xarray`, or :meth:`open` a dataset or files of other
    formats. Fields with a single channel need no channel axis, and are returned without one.

    >>> import numpy as np
    >>> import floral
    >>> x = np.linspace(0.0, 1.0, 16)
    >>> k = np.arange(1.0, 9.0)
    >>> a = k[:, None] * x
    >>> high = np.sin(a)[:, None] + np.linspace(-0.1, 0.1, 4)[:, None] * x
    >>> floral.Dataset.from_arrays(input=a, low=np.sin(a), high=high, coords={"x": x})
    Dataset of 8 inputs, 4 realizations each, with low fidelity, on x: 16
    """

    def __init__(
        self,
        dataset: _floral.Dataset,
        folder: Optional[tempfile.TemporaryDirectory[str]] = None,
        low_solver: Optional[Solver] = None,
        high_solver: Optional[Solver] = None,
        found: Optional[Summary] = None,
    ) -> None:
        self._dataset = dataset
        self._folder = folder
        self._grid = Grid.parse(dataset.axes, dataset.mesh)
        #: The low-fidelity solver, if it was given as a function.
        self.low_solver = low_solver
        #: The high-fidelity solver, if it was given as a function.
        self.high_solver = high_solver
        #: How imported files were interpreted: a dict that prints as a table; None without an import.
        self.found = found

    @classmethod
    def open(
        cls,
        path: Union[PathLike, Sequence[PathLike]],
        *,
        to: Optional[PathLike] = None,
        progress: Progress = True,
        **options: Any,
    ) -> Dataset:
        """Opens a dataset (a Zarr group), or imports files of other formats as one.

        path: a dataset as ``floral generate`` writes it; or .npz, .npy, HDF5, NetCDF or Zarr files, a folder
            of them, or a list of files with one or several inputs each; or mesh files (VTK, Gmsh, UGRID,
            Exodus, XDMF) with one realization each.
        to: the Zarr group in which an imported dataset is kept; by default it is temporary and removed with
            this object.
        options: options of ``floral import``: ``input``, ``low``, ``high`` (names of arrays, as in
            ``"u[t=0]"``, or lists of them), ``params``, ``dims`` (as in ``{"u": ["input", "y", "x"]}``),
            ``prefix``, ``periodic``, ``even``, ``grid`` (``"high"``), ``skip_nan``, ``sensors``,
            ``low_pairing`` (``"shared"`` or ``"independent"``), ``title``; for mesh files also ``pattern`` (as
            in ``"case_{input}/run_{realization}.vtu"``), ``low_pattern``, ``parameters`` (a CSV file).

        :attr:`found` summarizes how files were interpreted.
        """
        if isinstance(path, (str, os.PathLike)) and not options and to is None:
            place = os.fspath(path)
            if _floral.Dataset.is_at(place) or not os.path.exists(place):
                return cls(_floral.Dataset.open(place))
        folder, target = _place(to)
        with watching(progress) as watcher:
            dataset, found = imported(path, target, options, watcher)
        for words in found["notes"]:
            note(words)
        return cls(dataset, folder, found=found)

    @classmethod
    def from_arrays(
        cls,
        input: Any = None,
        high: Any = None,
        low: Any = None,
        *,
        coords: Optional[Mapping[str, Any]] = None,
        dims: Optional[Dims] = None,
        domains: Optional[Mapping[str, Domain]] = None,
        symmetries: Sequence[str] = (),
        names: Optional[Mapping[str, Texts]] = None,
        units: Optional[Mapping[str, Texts]] = None,
        parameters: Optional[Parameters] = None,
        points: Any = None,
        cells: Cells = None,
        low_points: Any = None,
        low_cells: Cells = None,
        params: Optional[Parameters] = None,
        sensors: bool = False,
        path: Optional[PathLike] = None,
    ) -> Dataset:
        """Makes a dataset from NumPy arrays or ``xarray.DataArray``.

        input: [input, grid...], or [input, channel, grid...].
        high: [input, realization, grid...], or [input, realization, channel, grid...]; or a list of arrays
            [realization, grid...] if the numbers of realizations differ; or a function from one input to
            the realizations of its solution. All-NaN realizations count as missing.
        low: like input; or a function from one input to its solution, which is also called for new inputs.
        coords: coordinates of each grid axis by name, in the order of the axes of the arrays, slowest
            first.
        dims: names of the grid axes, if there are no coordinates; or all dimensions of every array, as in
            ``{"input": ("input", "x"), "high": ("input", "realization", "x", "y")}``, in any order. An
            input that lacks an axis of high is constant along it.
        domains: the kind of each axis, ``"closed"``, ``"periodic"`` or ``"times"``, optionally with its ends as in
            ``("periodic", 0.0, 360.0)``. By default, an axis with the points i/n of the unit interval is
            periodic, one that begins one step after zero holds times, and any other is closed.
        symmetries: transformations that commute with the solver, such as ``["roll:x"]`` or
            ``["transpose:x,y", "scale:-1"]``.
        names: names of channels, as in ``{"input": "permeability", "high": ["u", "v"]}``.
        units: units of axes and channels, as in ``{"x": "mm", "input": "m2", "high": "Pa"}``.
        parameters: scalar parameters of the inputs, as in ``{"viscosity": [0.1, 0.2]}``, or an array
            [input, parameter]; input may then be omitted. Without a grid or a mesh, outputs are scalar:
            high [input] or [input, realization].
        points: points of a mesh, [point, dimension]; high is then [input, realization, point]. Or a mesh
            object with its own cells: a ``meshio.Mesh``, a PyVista dataset, a scikit-fem mesh, or a
            scikit-fem basis of first or second order, whose degrees of freedom become the points.
        cells: cells of the mesh, [cell, node] with nodes counted from 0, or by kind as in
            ``{"triangle": ...}``; without cells, the neighbours of a point are the points nearest to it.
        low_points: points of the low-fidelity mesh, if it is a different one: low is then [input, point of that
            mesh], or a function that returns such a field, and is interpolated linearly in its cells, or
            from neighbouring points if it has none. A note reports how many points lie outside of it. A
            mesh object is taken as for ``points``.
        low_cells: cells of the low-fidelity mesh.
        params: alias of ``parameters``.
        sensors: whether NaN in high mark points that were not measured; these must be the same in all
            realizations of an input.
        path: the Zarr group in which the dataset is kept; by default it is temporary and removed with this
            object.

        Dimensions of xarray's arrays are matched by name: inputs are aligned by their labels along
        ``input``, channels of low to those of high, units are converted, and ``low`` on a coarser grid is
        interpolated. Contradictions raise ``ValueError``.
        """
        given = {"input": input, "low": low, "high": high}
        parameters = params if parameters is None else parameters
        if any(_xarray.is_array(value) for value in given.values()):
            plain = {"coords": coords, "dims": dims, "names": names, "units": units}
            plain.update({"parameters": parameters, "points": points})
            given_too = [word for word, value in plain.items() if value is not None]
            if given_too:
                raise ValueError(f"{given_too[0]} is for plain arrays; an xarray.DataArray has its own")
            parts = _building.of_data_arrays(given, domains, sensors)
        else:
            numbers = {} if parameters is None else named(parameters)
            mesh = None if points is None else mesh_of(points, cells)
            if low_points is not None:
                if mesh is None or low is None:
                    raise ValueError("low_points is the mesh of low; give points and low too")
                given["low"] = brought(low, mesh_of(low_points, low_cells), mesh)
            known = (coords, dims, domains, names or {}, units or {})
            parts = _building.of_arrays(given, *known, sensors, numbers, mesh)
        return cls._stored(parts, symmetries, path)

    @classmethod
    def from_xarray(
        cls,
        dataset: Any,
        *,
        input: str = "input",
        low: Optional[str] = "low",
        high: str = "high",
        domains: Optional[Mapping[str, Domain]] = None,
        symmetries: Sequence[str] = (),
        sensors: bool = False,
        path: Optional[PathLike] = None,
    ) -> Dataset:
        """Makes a dataset from the variables ``input``, ``low`` and ``high`` of an ``xarray.Dataset``, or from those
        that the arguments name.

        Dimensions are matched by name, in any order: ``input``, ``realization``, ``channel`` (or
        ``input_channel``); all others are axes of the grid, with their coordinates and units.
        """
        missing = [name for name in (input, high) if name not in dataset]
        if missing:
            listed = ", ".join(str(name) for name in dataset.data_vars)
            raise ValueError(
                f"the dataset has no variable {missing[0]!r}, but {listed}; name them as in "
                "input='permeability', high='pressure'"
            )
        given = {
            "input": dataset[input],
            "low": dataset[low] if low is not None and low in dataset else None,
            "high": dataset[high],
        }
        declared = symmetries or dataset.attrs.get("symmetries", ())
        sensors = sensors or bool(dataset.attrs.get("sensors", False))
        return cls._stored(_building.of_data_arrays(given, domains, sensors), declared, path)

    @classmethod
    def _stored(
        cls, parts: Parts, symmetries: Sequence[str], path: Optional[PathLike] = None
    ) -> Dataset:
        folder, place = _place(path)
        declared = [symmetries] if isinstance(symmetries, str) else symmetries
        about = {
            "axes": parts.grid.axes,
            "quantities": parts.quantities,
            "symmetries": [str(symmetry) for symmetry in declared],
            "sensors": parts.sensors,
        }
        high, counts = np.concatenate(parts.high), [len(one) for one in parts.high]
        written = _floral.Dataset.write(
            place, json.dumps(about), parts.input, parts.low, high, counts, parts.grid.mesh
        )
        return cls(written, folder, parts.low_solver, parts.high_solver)

    def __len__(self) -> int:
        return self._dataset.inputs

    def __repr__(self) -> str:
        few, most = min(self._counts(), default=0), self._dataset.realizations
        count = f"{most} realizations" if few == most else f"{few} to {most} realizations"
        low = "with" if self._dataset.has_low else "without"
        return (
            f"Dataset of {len(self)} inputs, {count} each, {low} low fidelity, "
            f"on {self._grid}"
        )

    @property
    def path(self) -> str:
        """The path of the Zarr group."""
        return os.fspath(self._dataset.path)

    @property
    def realizations(self) -> int:
        """The largest number of realizations of an input."""
        return self._dataset.realizations

    def _counts(self) -> list[int]:
        return [self._dataset.realizations_of(index) for index in range(len(self))]

    @property
    def symmetries(self) -> list[str]:
        """The declared symmetries."""
        return self._dataset.symmetries

    @property
    def quantities(self) -> dict[str, list[Quantity]]:
        """The channels of ``input`` and ``solution``: name, units and long name."""
        known: dict[str, list[Quantity]] = json.loads(self._dataset.quantities)
        return known

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the Zarr group."""
        attributes: dict[str, Any] = json.loads(self._dataset.attributes)
        return attributes

    @property
    def input(self) -> Floats:
        """All inputs: [input, grid...]."""
        return self._grid.shown(self._all(self._dataset.input))

    @property
    def parameters(self) -> dict[str, Floats]:
        """Parameters of the inputs by name, [input] each."""
        known = [(i, one) for i, one in enumerate(self.quantities["input"]) if one.get("parameter")]
        if not known:
            return {}
        # Parameters are constant channels, so that any point has their value.
        inputs = self._all(self._dataset.input)
        values = inputs.reshape(*inputs.shape[:2], -1)[..., 0]
        return {str(one.get("name", f"p{i}")): np.ascontiguousarray(values[:, i]) for i, one in known}

    @property
    def low(self) -> Optional[Floats]:
        """Low-fidelity solutions: [input, grid...]; None if there are none."""
        if not self._dataset.has_low:
            return None
        return self._grid.shown(self._all(self._dataset.low))

    @property
    def high(self) -> Floats:
        """Realizations of the high-fidelity solutions: [input, realization, grid...]; NaN marks missing
        realizations, and points without a sensor."""
        most = self.realizations
        every = [self._high(index) for index in range(len(self))]
        padded = [
            np.concatenate([one, np.full((most - len(one), *one.shape[1:]), np.nan)]) for one in every
        ]
        return self._grid.shown(np.stack(padded))

    def _high(self, index: int) -> Floats:
        """The realizations of one input: [realization, channel, grid...]."""
        high = self._dataset.high(index)
        if not self._dataset.has_sensors:
            return high
        points = self._dataset.points_of(index)
        whole = np.full((*high.shape[:2], int(np.prod(self._grid.shape))), np.nan)
        whole[..., slice(None) if points is None else points] = high
        return whole.reshape(*high.shape[:2], *self._grid.shape)

    def _all(self, read: Callable[[int], Floats]) -> Floats:
        return np.stack([read(index) for index in range(len(self))])

    def inspect(self) -> Summary:
        """Summarizes the dataset and assesses its low-fidelity solver: a dict that prints as text."""
        with self._named_errors():
            found, text = self._dataset.inspect()
        return Summary(found, self._named(text))

    def _named(self, text: str) -> str:
        """A text in which the path of a temporary folder is replaced by ``data``."""
        return text.replace(self.path, "data") if self._folder else text

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Turns an error about a file in a temporary folder into a ``ValueError``: the user gave arrays, not files."""
        try:
            yield
        except BadFileError as error:
            if not self._folder or not str(error.path).startswith(self.path):
                raise
            raise ValueError(self._named(str(error))) from None

    def save(self, path: PathLike) -> Dataset:
        """Copies the dataset to a new Zarr group, and opens the copy."""
        target = os.fspath(path)
        if os.path.exists(target):
            raise FileExistsError(f"{target}: exists; choose another name, or remove it")
        copying = tempfile.mkdtemp(prefix=".floral-", dir=os.path.dirname(os.path.abspath(target)))
        try:
            whole = os.path.join(copying, "data")
            shutil.copytree(self.path, whole)
            os.rename(whole, target)
        finally:
            shutil.rmtree(copying, ignore_errors=True)
        return Dataset(_floral.Dataset.open(target), None, self.low_solver, self.high_solver)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (packed(self.path), self.low_solver, self.high_solver)

    def to_xarray(self) -> Any:
        """Converts the dataset to an ``xarray.Dataset``."""
        about = {what: to_attributes(listed) for what, listed in self.quantities.items()}
        variables: dict[str, Any] = {"input": (["input"], self.input, about["input"])}
        if self._dataset.has_low:
            variables["low"] = (["input"], self.low, about["solution"])
        if self._dataset.has_high:
            variables["high"] = (["input", "realization"], self.high, about["solution"])
        attrs: dict[str, Any] = {"symmetries": self.symmetries}
        if self._dataset.has_sensors:
            attrs["sensors"] = True
        return _xarray.dataset(self._grid, variables, attrs=attrs)

    def extended(
        self, input: Any, high: Any = None, low: Any = None, parameters: Optional[Parameters] = None
    ) -> Dataset:
        """A copy with one input appended: input [grid...], high [realization, grid...] and low [grid...].

        Solvers that were given as functions compute the fields that are omitted.
        """
        if parameters is not None:
            names = list(self.parameters)
            each = matched(named(parameters, names), names)
            one = None if input is None else np.asarray(input)[None]
            input = with_parameters(one, each, self._grid.dims, self._grid.shape)[0]
            if self._grid.is_single and high is not None:
                high = np.asarray(high, float).reshape(-1, 1, 1)
        here = self._dataset
        own_low = self._all(here.low) if here.has_low else None
        own_high = [self._high(index) for index in range(len(self))]
        known = (self.quantities, self.low_solver, self.high_solver, here.has_sensors)
        parts = Parts(self._grid, self._all(here.input), own_low, own_high, *known)
        return Dataset._stored(_building.extended(parts, input, low, high), self.symmetries)


def _place(path: Optional[PathLike]) -> tuple[Optional[tempfile.TemporaryDirectory[str]], str]:
    """The path at which a dataset is written; without one, a path in a temporary folder, and that folder."""
    if path is not None:
        return None, os.fspath(path)
    folder = tempfile.TemporaryDirectory(prefix="floral-")
    return folder, os.path.join(folder.name, "data.zarr")


def _unpacked(contents: bytes, low_solver: Optional[Solver], high_solver: Optional[Solver]) -> Dataset:
    """Restores a pickled dataset from the bytes of its files."""
    folder, place = _place(None)
    unpack(contents, place)
    return Dataset(_floral.Dataset.open(place), folder, low_solver, high_solver)


def opened(data: Any) -> Dataset:
    """Converts a :class:`Dataset`, an ``xarray.Dataset`` or a path to a dataset."""
    if isinstance(data, Dataset):
        return data
    if _xarray.is_dataset(data):
        return Dataset.from_xarray(data)
    if isinstance(data, (str, os.PathLike)):
        return Dataset.open(data)
    raise TypeError(
        f"a floral.Dataset, an xarray.Dataset or a path is needed, not {type(data).__name__}; "
        "floral.Dataset.from_arrays makes one of arrays"
    )
