"""Datasets: inputs, their low-fidelity solutions, and realizations of the high-fidelity ones."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _appending, _building, _floral, _xarray
from ._building import Dims, Parts, Solver
from ._contents import Contents
from ._conversion import to_dataset, to_parts
from ._files import PathLike, imported, packed, unpack, without_chunks_of_high, without_high
from ._grid import Domain, Grid
from ._mesh import Cells, brought, mesh_of
from ._notes import note
from ._parameters import Parameters, matched, named, with_parameters
from ._progress import Progress, watching
from ._quantities import Texts
from ._summary import Summary
from .errors import BadFileError


class Dataset(Contents):
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
        if high is None:
            raise ValueError(
                "high is missing; give realizations of the high-fidelity solutions, or make a pool of inputs without "
                "them by Dataset.pool"
            )
        given = {"input": input, "low": low, "high": high}
        plain = {"coords": coords, "dims": dims, "names": names, "units": units, "points": points}
        plain["parameters"] = params if parameters is None else parameters
        meshes = (cells, low_points, low_cells)
        return cls._stored(_of_arrays(given, plain, domains, meshes, sensors), symmetries, path)

    @classmethod
    def pool(
        cls,
        input: Any = None,
        low: Any = None,
        *,
        coords: Optional[Mapping[str, Any]] = None,
        dims: Optional[Dims] = None,
        domains: Optional[Mapping[str, Domain]] = None,
        names: Optional[Mapping[str, Texts]] = None,
        units: Optional[Mapping[str, Texts]] = None,
        parameters: Optional[Parameters] = None,
        points: Any = None,
        cells: Cells = None,
        path: Optional[PathLike] = None,
    ) -> Dataset:
        """Makes a pool: inputs without high fidelity, for :class:`Loop`, :meth:`Model.suggest`,
        :meth:`Model.sensitivity` and :func:`unbiased_mean`. Arguments are those of :meth:`from_arrays`.

        >>> import floral
        >>> floral.Dataset.pool(parameters={"load": [0.1, 0.2, 0.3]}, coords={"x": [0.0, 0.5, 1.0]})
        Dataset of 3 inputs without high fidelity, without low fidelity, on x: 3
        """
        given = {"input": input, "low": low, "high": None}
        plain = {"coords": coords, "dims": dims, "names": names, "units": units, "points": points}
        plain["parameters"] = parameters
        return cls._stored(_of_arrays(given, plain, domains, (cells, None, None), False), (), path)

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

        Parameters are taken from the variable ``parameters`` [input, parameter], a mesh from the coordinates x, y and z
        along ``point`` and the variables ``cells_...``, and domains, sensors and the mask from attributes, as
        :meth:`to_xarray` and the store have them. A longitude that spans 360 degrees is periodic.
        """
        parts = to_parts(dataset, {"input": input, "low": low, "high": high}, domains, sensors)
        return cls._stored(parts, symmetries or dataset.attrs.get("symmetries", ()), path)

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
            "title": parts.title,
        }
        written = (_write if parts.high else _write_pool)(place, json.dumps(about), parts)
        return cls(written, folder, parts.low_solver, parts.high_solver)

    def __repr__(self) -> str:
        low = "with" if self._dataset.has_low else "without"
        if not self._has_high:
            return f"Dataset of {len(self)} inputs without high fidelity, {low} low fidelity, on {self._grid}"
        few, most = min(self._counts(), default=0), self._dataset.realizations
        count = f"{most} realizations" if few == most else f"{few} to {most} realizations"
        return (
            f"Dataset of {len(self)} inputs, {count} each, {low} low fidelity, "
            f"on {self._grid}"
        )

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
        """Converts the dataset to an ``xarray.Dataset``, from which :meth:`from_xarray` makes the same dataset.

        Names and attributes are those of the store. An axis whose domain is not the one that would be assumed has the
        attribute ``domain``, a dict, which ``to_zarr`` writes and ``to_netcdf`` refuses.
        """
        return to_dataset(self)

    def extended(
        self, input: Any, high: Any = None, low: Any = None, parameters: Optional[Parameters] = None
    ) -> Dataset:
        """A copy with one input appended: input [grid...], high [realization, grid...] and low [grid...]; or all of them
        as ``xarray.DataArray``, whose axes are matched by name.

        Solvers that were given as functions compute the fields that are omitted. Points outside of the domain remain
        outside.
        """
        parts = self._parts()
        given = _appending.plain({"input": input, "low": low, "high": high}, parts)
        input, high = given["input"], given["high"]
        if parameters is not None:
            names = list(self.parameters)
            each = matched(named(parameters, names), names)
            one = None if input is None else np.asarray(input)[None]
            input = with_parameters(one, each, self._grid.dims, self._grid.shape)[0]
            if self._grid.is_single and high is not None and not callable(high):
                high = np.asarray(high, float).reshape(-1, 1, 1)
        return Dataset._stored(_appending.extended(parts, input, given["low"], high), self.symmetries)


def _of_arrays(
    given: dict[str, Any],
    plain: Mapping[str, Any],
    domains: Optional[Mapping[str, Domain]],
    meshes: tuple[Cells, Any, Cells],
    sensors: bool,
) -> Parts:
    """The contents of a dataset from arrays; `plain` describes those without names of axes."""
    if any(_xarray.is_array(value) for value in given.values()):
        too = [word for word, value in plain.items() if value is not None]
        if too:
            raise ValueError(f"an xarray.DataArray carries this information itself; leave out {too[0]}")
        return _building.of_labelled(_building.of_data_arrays(given), domains, sensors)
    cells, low_points, low_cells = meshes
    numbers = {} if plain["parameters"] is None else named(plain["parameters"])
    mesh = None if plain["points"] is None else mesh_of(plain["points"], cells)
    if low_points is not None:
        if mesh is None or given["low"] is None:
            raise ValueError("low_points is the mesh of low; give points and low too")
        given["low"] = brought(given["low"], mesh_of(low_points, low_cells), mesh)
    known = (plain["coords"], plain["dims"], domains, plain["names"] or {}, plain["units"] or {})
    return _building.of_arrays(given, *known, sensors, numbers, mesh)


def _write(place: str, about: str, parts: Parts) -> _floral.Dataset:
    high, counts = np.concatenate(parts.high), [len(one) for one in parts.high]
    return _floral.Dataset.write(place, about, parts.input, parts.low, high, counts, parts.grid.mesh)


def _write_pool(place: str, about: str, parts: Parts) -> _floral.Dataset:
    """Writes inputs without high fidelity. The extension writes it always, so that fields of zeros are removed again."""
    if os.path.exists(place):
        raise FileExistsError(f"{place}: exists; choose another name, or remove it")
    count = len(parts.input)
    zeros = np.zeros((count, parts.channels, *parts.grid.shape))
    _floral.Dataset.write(place, about, parts.input, parts.low, zeros, [1] * count, parts.grid.mesh)
    has_fields = parts.low is not None or not all(one.get("parameter") for one in parts.quantities["input"] or [{}])
    (without_high if has_fields or parts.grid.is_single else without_chunks_of_high)(place)
    return _floral.Dataset.open(place)


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
