"""Grids: names, coordinates and domains of axes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from numpy.typing import NDArray

from . import _floral
from ._arrays import Floats, drop_channel, numbers
from ._notes import note

#: A declared domain: its kind, or a tuple of kind, start and end.
Domain = Union[str, tuple[str, float, float]]

KINDS = ("closed", "periodic", "times")

#: Default names of axes.
NAMES = ("x", "y")


#: Name of the axis along which the points of a mesh are numbered.
POINT = "point"


class Grid:
    """The axes of a grid, slowest first; or the points of a mesh, numbered along one axis."""

    def __init__(
        self, axes: Sequence[Mapping[str, Any]], mesh: Optional[_floral.Mesh] = None
    ) -> None:
        self._axes = [dict(axis) for axis in axes]
        #: The mesh, if there is one.
        self.mesh = mesh

    @classmethod
    def parse(cls, text: str, mesh: Optional[_floral.Mesh] = None) -> Grid:
        return cls(json.loads(text), mesh)

    @classmethod
    def of_mesh(cls, mesh: _floral.Mesh) -> Grid:
        """The grid whose points are those of a mesh."""
        return cls.parse(mesh.axes, mesh)

    @classmethod
    def single(cls) -> Grid:
        """The single point of scalar outputs."""
        return cls([{"name": POINT, "coordinates": [0.0]}])

    @property
    def is_single(self) -> bool:
        """Whether this is the single point of scalar outputs."""
        return self.mesh is None and self.dims == (POINT,) and self.shape == (1,)

    def shown(self, values: NDArray[Any]) -> NDArray[Any]:
        """Drops the axis of a single channel and that of the single point of scalars from [..., channel, grid...]."""
        array = drop_channel(values, len(self._axes))
        return array[..., 0] if self.is_single else array

    @classmethod
    def of(
        cls,
        coords: Mapping[str, Any],
        domains: Optional[Mapping[str, Domain]] = None,
        units: Optional[Mapping[str, str]] = None,
    ) -> Grid:
        """A grid from coordinates by axis name."""
        domains = domains or {}
        unknown = sorted(set(domains) - set(coords))
        if unknown:
            raise ValueError(f"domains: there is no axis {unknown[0]!r}; the axes are {', '.join(coords)}")
        axes = []
        for name, along in coords.items():
            if not isinstance(name, str):
                raise ValueError(f"the name of the axis {name!r} is not a string")
            values = coordinates(name, along)
            axis: dict[str, Any] = {"name": name, "coordinates": values.tolist()}
            if name in domains:
                axis["domain"] = domain(name, values, domains[name])
            if units and units.get(name):
                axis["units"] = units[name]
            axes.append(axis)
        return cls(axes)

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(axis["name"] for axis in self._axes)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis["coordinates"]) for axis in self._axes)

    @property
    def coords(self) -> dict[str, Floats]:
        return {axis["name"]: np.array(axis["coordinates"], float) for axis in self._axes}

    @property
    def domains(self) -> dict[str, tuple[str, float, float]]:
        declared = ((axis["name"], axis.get("domain")) for axis in self._axes)
        return {name: (d["kind"], d["from"], d["to"]) for name, d in declared if d}

    @property
    def units(self) -> dict[str, str]:
        return {axis["name"]: axis["units"] for axis in self._axes if axis.get("units")}

    @property
    def axes(self) -> list[dict[str, Any]]:
        """The axes as the extension expects them."""
        return self._axes

    def has(self, dim: str, along: Any) -> bool:
        """Whether `along` equals the coordinates of an axis up to rounding."""
        expected, values = self.coords[dim], np.asarray(along)
        rounding = 1e-6 * float(np.ptp(expected))
        return len(values) == len(expected) and bool(np.abs(values - expected).max() <= rounding)

    def in_units(self, units: Mapping[str, str]) -> Grid:
        """The same grid with these units of its axes."""
        named = [
            {**axis, "units": units[axis["name"]]} if axis["name"] in units else axis
            for axis in self._axes
        ]
        return Grid(named, self.mesh)

    def __repr__(self) -> str:
        if self.is_single:
            return "a single point"
        if self.mesh is not None:
            cells = [f", {len(nodes)} cells ({kind})" for kind, nodes in self.mesh.cells]
            return f"a mesh of {self.shape[0]} points" + "".join(cells)
        return ", ".join(f"{name}: {n}" for name, n in zip(self.dims, self.shape))


class OnGrid:
    """Base of the classes whose fields live on a grid or a mesh."""

    _grid: Grid

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the grid's axes."""
        return self._grid.dims

    @property
    def coords(self) -> dict[str, Floats]:
        """The coordinates of the grid's axes by name."""
        return self._grid.coords

    @property
    def points(self) -> Optional[Floats]:
        """The points of the mesh, [point, dimension]; None on a grid."""
        return None if self._grid.mesh is None else self._grid.mesh.points

    @property
    def cells(self) -> Optional[dict[str, NDArray[np.int64]]]:
        """The cells of the mesh by kind, [cell, node]; None on a grid."""
        return None if self._grid.mesh is None else dict(self._grid.mesh.cells)


def coordinates(name: str, along: Any) -> Floats:
    """Checks the coordinates of one axis."""
    kind = np.asarray(along).dtype.kind
    if kind in "mM":
        raise ValueError(
            f"the coordinates {name} are dates; give numbers, such as seconds since the first"
        )
    values = numbers(f"the coordinates {name}", along)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"the coordinates {name} have the shape {values.shape}; give a 1-D array")
    steps = np.diff(values)
    if not (np.isfinite(values).all() and (steps > 0).all()):
        raise ValueError(f"the coordinates {name} are not increasing; sort them and the fields")
    return values


def domain(name: str, values: Floats, declared: Domain) -> dict[str, Any]:
    """A declared domain as the extension expects it."""
    kind, *ends = (declared,) if isinstance(declared, str) else declared
    if kind not in KINDS or len(ends) not in (0, 2):
        raise ValueError(
            f"domains[{name!r}] is {declared!r}; give one of {', '.join(KINDS)}, or a tuple such as "
            "('periodic', 0.0, 360.0)"
        )
    spacing = float(values[-1] - values[0]) / max(len(values) - 1, 1)
    first, last = float(values[0]), float(values[-1])
    known = {
        "closed": (first, last),
        "periodic": (first, last + spacing),
        "times": (first - spacing, last),
    }
    start, end = (float(ends[0]), float(ends[1])) if ends else known[kind]
    return {"kind": kind, "from": start, "to": end}


def counted(names: Sequence[str], shape: Sequence[int], of: Sequence[int] = ()) -> dict[str, Floats]:
    """Coordinates of axes for which none are given: points numbered from 0, with a note.

    of: the shape of the whole input, of which the note says how it is read.
    """
    listed = ", ".join(names)
    read, advice = "", "coords={...} if you have them"
    if len(of) > 2:
        channel = ["channel"] if len(of) == len(names) + 2 else []
        read = f"; input of the shape {tuple(of)} is read as [{', '.join(['input', *channel, *names])}]"
        advice = "coords={...}, or dims=[...] with the names of the grid axes, if it is another"
    note(f"no coordinates are given for {listed}: points are numbered from 0{read}; give {advice}")
    return {name: np.arange(n, dtype=float) for name, n in zip(names, shape)}
