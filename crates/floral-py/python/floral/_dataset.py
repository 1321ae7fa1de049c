"""Datasets: inputs, their low-fidelity solutions, and realizations of the true ones."""

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
from ._arrays import Floats, drop_channel
from ._building import Parts, Solver
from ._grid import Domain, Grid, OnGrid
from ._quantities import Quantity, Texts, to_attributes
from ._told import Told
from .errors import BadFileError

#: A path, or what it can be made of.
PathLike = Union[str, "os.PathLike[str]"]


class Dataset(OnGrid):
    """Inputs with their solutions, on disk.

    Make one by :meth:`from_arrays` or :meth:`from_xarray`, or :meth:`open` one that is there.
    Fields of a single channel need no axis for it, and have none in what is returned.

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
    ) -> None:
        self._dataset = dataset
        self._folder = folder
        self._grid = Grid.parse(dataset.axes)
        #: The solver of low fidelity, where it was given as a function.
        self.low_solver = low_solver
        #: The solver of high fidelity, where it was given as a function.
        self.high_solver = high_solver

    @classmethod
    def open(cls, path: PathLike) -> Dataset:
        """The dataset at a path, a Zarr group as ``floral generate`` or xarray writes it."""
        return cls(_floral.Dataset.open(os.fspath(path)))

    @classmethod
    def from_arrays(
        cls,
        input: Any,
        high: Any,
        low: Any = None,
        *,
        coords: Optional[Mapping[str, Any]] = None,
        dims: Optional[Sequence[str]] = None,
        domains: Optional[Mapping[str, Domain]] = None,
        symmetries: Sequence[str] = (),
        names: Optional[Mapping[str, Texts]] = None,
        units: Optional[Mapping[str, Texts]] = None,
        path: Optional[PathLike] = None,
    ) -> Dataset:
        """A dataset of arrays.

        input: [input, grid...], or [input, channel, grid...].
        high: [input, realization, grid...], or with the channel behind the realization; or a function
            from one input to the realizations of its solution.
        low: like input; or a function from one input to its solution, which is called for new inputs
            as well.
        coords: the coordinates of each axis of the grid by its name, slowest first.
        dims: the names of the axes, where coordinates are not known.
        domains: what the ends of an axis are: ``"closed"``, ``"periodic"`` or ``"times"``, or with
            the ends as in ``("periodic", 0.0, 360.0)``. Without, points i/n of the unit interval are
            periodic, points that begin one step after zero are times, others closed.
        symmetries: motions of an input that move its solutions likewise, such as ``["roll:x"]``,
            ``["transpose:x,y", "scale:-1"]``.
        names: of the channels, as in ``{"input": "permeability", "high": ["u", "v"]}``.
        units: of axes and channels, as in ``{"x": "mm", "input": "m2", "high": "Pa"}``.
        path: where to keep it, a Zarr group; without, it lives as long as this object.
        """
        given = {"input": input, "low": low, "high": high}
        if any(_xarray.is_array(value) for value in given.values()):
            parts = _building.of_data_arrays(given, domains)
        else:
            known = (coords, dims, domains, names or {}, units or {})
            parts = _building.of_arrays(input, low, high, *known)
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
        path: Optional[PathLike] = None,
    ) -> Dataset:
        """A dataset of the variables of an ``xarray.Dataset``, whose names may be others.

        Dimensions are known by their names, in any order: ``input``, ``realization``, ``channel`` (or
        ``input_channel``), and any others are axes of the grid, with their coordinates and units.
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
        return cls._stored(_building.of_data_arrays(given, domains), declared, path)

    @classmethod
    def _stored(
        cls, parts: Parts, symmetries: Sequence[str], path: Optional[PathLike] = None
    ) -> Dataset:
        folder = None
        if path is None:
            folder = tempfile.TemporaryDirectory(prefix="floral-")
            path = os.path.join(folder.name, "data.zarr")
        declared = [symmetries] if isinstance(symmetries, str) else symmetries
        about = {
            "axes": parts.grid.axes,
            "quantities": parts.quantities,
            "symmetries": [str(symmetry) for symmetry in declared],
        }
        written = _floral.Dataset.write(
            os.fspath(path), json.dumps(about), parts.input, parts.low, parts.high
        )
        return cls(written, folder, parts.low_solver, parts.high_solver)

    def __len__(self) -> int:
        return self._dataset.inputs

    def __repr__(self) -> str:
        count = self._dataset.realizations
        low = "with" if self._dataset.has_low else "without"
        return (
            f"Dataset of {len(self)} inputs, {count} realizations each, {low} low fidelity, "
            f"on {self._grid}"
        )

    @property
    def path(self) -> str:
        """Where it is."""
        return os.fspath(self._dataset.path)

    @property
    def realizations(self) -> int:
        """Realizations of each input."""
        return self._dataset.realizations

    @property
    def symmetries(self) -> list[str]:
        """The symmetries it declares."""
        return self._dataset.symmetries

    @property
    def quantities(self) -> dict[str, list[Quantity]]:
        """What the channels of ``input`` and ``solution`` are: name, units and name in full."""
        told: dict[str, list[Quantity]] = json.loads(self._dataset.quantities)
        return told

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of its group."""
        attributes: dict[str, Any] = json.loads(self._dataset.attributes)
        return attributes

    @property
    def input(self) -> Floats:
        """All inputs: [input, grid...]."""
        return drop_channel(self._all(self._dataset.input), len(self.dims))

    @property
    def low(self) -> Optional[Floats]:
        """Their low-fidelity solutions: [input, grid...]; none where there are none."""
        if not self._dataset.has_low:
            return None
        return drop_channel(self._all(self._dataset.low), len(self.dims))

    @property
    def high(self) -> Floats:
        """Realizations of their true solutions: [input, realization, grid...]."""
        return drop_channel(self._all(self._dataset.high), len(self.dims))

    def _all(self, read: Callable[[int], Floats]) -> Floats:
        return np.stack([read(index) for index in range(len(self))])

    def inspect(self) -> Told:
        """What it holds, and whether its low-fidelity solver is worth it: a dict that prints as text."""
        with self._named_errors():
            found, text = self._dataset.inspect()
        return Told(found, self._named(text))

    def _named(self, text: str) -> str:
        """A text in which a folder that nobody has chosen is called data."""
        return text.replace(self.path, "data") if self._folder else text

    @contextlib.contextmanager
    def _named_errors(self) -> Iterator[None]:
        """What is wrong with the arrays of a folder that nobody has chosen is no error of a file."""
        try:
            yield
        except BadFileError as error:
            if not self._folder or self.path not in str(error):
                raise
            raise ValueError(self._named(str(error))) from None

    def save(self, path: PathLike) -> Dataset:
        """Copies it to a path, a Zarr group, and opens it there."""
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

    def to_xarray(self) -> Any:
        """The same as an ``xarray.Dataset``."""
        told = {what: to_attributes(listed) for what, listed in self.quantities.items()}
        variables: dict[str, Any] = {"input": (["input"], self.input, told["input"])}
        if self._dataset.has_low:
            variables["low"] = (["input"], self.low, told["solution"])
        if self._dataset.has_high:
            variables["high"] = (["input", "realization"], self.high, told["solution"])
        return _xarray.dataset(self._grid, variables, attrs={"symmetries": self.symmetries})

    def extended(self, input: Any, high: Any = None, low: Any = None) -> Dataset:
        """The same with one more input, its last: [grid...], [realization, grid...] and [grid...].

        Solvers that were given as functions compute what is left out.
        """
        here = self._dataset
        low_here = self._all(here.low) if here.has_low else None
        known = (self.quantities, self.low_solver, self.high_solver)
        parts = Parts(self._grid, self._all(here.input), low_here, self._all(here.high), *known)
        return Dataset._stored(_building.extended(parts, input, low, high), self.symmetries)


def opened(data: Any) -> Dataset:
    """The dataset of anything that stands for one: itself, an ``xarray.Dataset``, a path."""
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
