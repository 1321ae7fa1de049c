"""Meshes from points and cells or from other libraries, and export of ensembles on meshes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _floral
from ._arrays import Floats, numbers
from ._foreign import parts
from ._notes import note

if TYPE_CHECKING:
    from ._ensemble import Ensemble

#: Cells as [cell, node], or by kind as meshio names them, as in ``{"triangle": ..., "quad": ...}``.
Cells = Union[Mapping[str, Any], Any]

#: Kind of cell by its number of nodes. In the plane, a cell of four nodes is a quadrilateral instead.
KINDS = {2: "line", 3: "triangle", 4: "tetra", 5: "pyramid", 6: "wedge", 8: "hexahedron"}

#: How far points of another mesh may lie outside of the box around the trained mesh, as a share of its diagonal. Beyond
#: it, they are taken as points of another domain, or of the same domain in other units.
FARTHEST = 0.1


def distance_beyond(points: Floats, trained: Floats) -> tuple[Floats, float]:
    """The distance [point] of each point from the box around the trained points, and the diagonal of that box."""
    axes = min(points.shape[1], trained.shape[1])
    low, high = trained.min(0)[:axes], trained.max(0)[:axes]
    outside = np.maximum(np.maximum(low - points[:, :axes], points[:, :axes] - high), 0.0)
    return np.sqrt(np.square(outside).sum(1)), float(np.sqrt(np.square(trained.max(0) - trained.min(0)).sum()))


def mesh_of(points: Any, cells: Cells = None) -> _floral.Mesh:
    """A mesh from points [point, dimension] and cells, or from a mesh object of meshio, PyVista or scikit-fem."""
    whole = parts(points)
    if whole is not None:
        if cells is not None:
            raise ValueError("points is a mesh with its own cells; leave out cells")
        points, cells = whole
    where = numbers("points", points)
    if where.ndim == 1:
        where = where[:, None]
    if where.ndim != 2:
        raise ValueError(f"points has the shape {where.shape}; give [point, dimension]")
    if where.shape[1] > 3 >= where.shape[0]:
        raise ValueError(f"points has the shape {where.shape}; give [point, dimension]: points.T")
    # Mesh files give plane meshes a third coordinate, which is zero.
    if where.shape[1] == 3 and not where[:, 2].any() and not np.isnan(where[:, 2]).any():
        where = np.ascontiguousarray(where[:, :2])
    return _floral.Mesh(where, _blocks(cells, where.shape[1]))


def _blocks(cells: Cells, dimension: int) -> list[tuple[str, NDArray[np.int64]]]:
    if cells is None:
        return []
    if isinstance(cells, Mapping):
        return [(str(kind), _nodes(f"cells {kind}", nodes)) for kind, nodes in cells.items()]
    nodes = _nodes("cells", cells)
    kind = "quad" if nodes.shape[1] == 4 and dimension == 2 else KINDS.get(nodes.shape[1])
    if kind is None:
        raise ValueError(f"cells has the shape {nodes.shape}; give [cell, node], or a dict by kind of cell")
    return [(kind, nodes)]


def _nodes(name: str, nodes: Any) -> NDArray[np.int64]:
    array = np.asarray(nodes)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} has the shape {array.shape} and the type {array.dtype}; give whole numbers [cell, node]")
    return np.ascontiguousarray(array, dtype=np.int64)


def brought(low: Any, own: _floral.Mesh, mesh: _floral.Mesh) -> Any:
    """Interpolates low fidelity [.., point] from its own mesh to another one; a solver is wrapped to do the same."""
    if callable(low):
        return lambda input: own.to(mesh, numbers("low", low(input)))[0]
    values, outside, farthest = own.to(mesh, numbers("low", low))
    if outside:
        count = len(mesh.points)
        note(
            f"{outside} of {count} points lie outside of the mesh of low, by {farthest:.3g} at most; they take the "
            "value at the nearest boundary point"
        )
    return values


def needed(ensemble: Ensemble) -> _floral.Mesh:
    """The mesh of an ensemble, or an error."""
    mesh = ensemble._grid.mesh
    if mesh is None:
        raise ValueError("this ensemble lives on a grid, not on a mesh; use to_xarray()")
    return mesh


def point_data(ensemble: Ensemble, quantiles: Any, kept: int) -> dict[str, Floats]:
    """Statistics [point] by name; with several channels, names end in the name or number of the channel."""
    several = {"mean": ensemble.mean, "std": ensemble.std}
    for level in quantiles:
        several[f"quantile_{level:g}"] = ensemble.quantile(level)
    for index in range(min(kept, len(ensemble))):
        several[f"realization_{index}"] = np.asarray(ensemble.realizations[index], float)
    channels = ensemble._ensemble.shape[1]
    if channels == 1:
        return several
    names = [quantity.get("name") for quantity in ensemble.quantities]
    labels = [name or str(i) for i, name in enumerate(names or [None] * channels)]
    return {f"{what}_{label}": values[i] for what, values in several.items() for i, label in enumerate(labels)}


def to_meshio(ensemble: Ensemble, quantiles: Any, kept: int) -> Any:
    """A ``meshio.Mesh`` with statistics as point data."""
    mesh = needed(ensemble)
    try:
        import meshio  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise ImportError("meshio is needed here: pip install meshio; to_vtu(path) needs nothing") from None
    return meshio.Mesh(mesh.points, dict(mesh.cells), point_data=point_data(ensemble, quantiles, kept))


def to_vtu(ensemble: Ensemble, path: str, quantiles: Any, kept: int) -> None:
    """Writes a VTU file with statistics as point data."""
    data = point_data(ensemble, quantiles, kept)
    needed(ensemble).write_vtu(path, [(name, np.ascontiguousarray(v, float)) for name, v in data.items()])
