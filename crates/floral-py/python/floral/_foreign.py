"""Points and cells of meshes of meshio, PyVista and scikit-fem, which are recognised by their attributes and not imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

#: Topological dimension of the kinds of cells that are not volumes.
FLAT = {"vertex": 0, "line": 1, "triangle": 2, "quad": 2}

#: How cells with nodes between their corners are split into cells of first order: the kind, and the nodes of each part.
PARTS = {
    "line3": ("line", [[0, 2], [2, 1]]),
    "triangle6": ("triangle", [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]),
    "quad9": ("quad", [[0, 4, 8, 7], [4, 1, 5, 8], [8, 5, 2, 6], [7, 8, 6, 3]]),
    "tetra10": (
        "tetra",
        [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3], [4, 9, 6, 7], [4, 9, 7, 8], [4, 9, 8, 5], [4, 9, 5, 6]],
    ),
    # Pixels and voxels list their nodes row by row.
    "pixel": ("quad", [[0, 1, 3, 2]]),
    "voxel": ("hexahedron", [[0, 1, 3, 2, 4, 5, 7, 6]]),
}

#: Kinds of cells by VTK's type numbers, which PyVista uses.
NUMBERS = {
    1: "vertex", 3: "line", 5: "triangle", 8: "pixel", 9: "quad", 10: "tetra", 11: "voxel", 12: "hexahedron", 13: "wedge",
    14: "pyramid", 21: "line3", 22: "triangle6", 24: "tetra10", 28: "quad9",
}  # fmt: skip

#: Kinds of first and of second order by the name of scikit-fem's reference cell.
REFERENCES = {
    "RefLine": ("line", "line3"),
    "RefTri": ("triangle", "triangle6"),
    "RefQuad": ("quad", "quad9"),
    "RefTet": ("tetra", "tetra10"),
    "RefHex": ("hexahedron", None),
    "RefWedge": ("wedge", None),
}

#: Indices that bring the nodes of scikit-fem's hexahedron into VTK's order.
HEXAHEDRON = [0, 3, 6, 2, 1, 5, 7, 4]

#: Points [point, dimension], and cells of the highest dimension by kind.
Parts = tuple[Any, Mapping[str, NDArray[np.int64]]]


def parts(mesh: Any) -> Optional[Parts]:
    """Points and cells of a mesh of another library; None for any other object.

    Supported are a ``meshio.Mesh``, a PyVista dataset, a scikit-fem mesh, and a scikit-fem basis of first or second
    order, whose degrees of freedom become the points.
    """
    if hasattr(mesh, "element_dofs") and hasattr(mesh, "doflocs"):
        return _of_basis(mesh)
    if hasattr(mesh, "refdom") and hasattr(mesh, "t") and hasattr(mesh, "p"):
        return np.asarray(mesh.p)[:, : mesh.nvertices].T, {_kind(mesh, 0): _ordered(mesh, np.asarray(mesh.t))}
    if not hasattr(mesh, "cells_dict") and hasattr(mesh, "cast_to_unstructured_grid"):
        mesh = mesh.cast_to_unstructured_grid()
    if hasattr(mesh, "cells_dict"):
        return np.asarray(mesh.points, float), _highest(_first_order(mesh.cells_dict))
    return None


def _kind(mesh: Any, order: int) -> str:
    name = mesh.refdom.__name__
    kind = REFERENCES.get(name, (None, None))[order]
    if kind is None:
        raise ValueError(f"cells of scikit-fem's {name} are not supported here; give points and cells")
    return kind


def _ordered(mesh: Any, nodes: NDArray[Any]) -> NDArray[np.int64]:
    """Cells [cell, node] from scikit-fem's [node, cell]."""
    return nodes[HEXAHEDRON].T if mesh.refdom.__name__ == "RefHex" else nodes.T


def _of_basis(basis: Any) -> Parts:
    mesh, dofs = basis.mesh, np.asarray(basis.element_dofs)
    where, corners = np.asarray(basis.doflocs), np.asarray(mesh.t)
    at_corners = len(dofs) >= len(corners) and np.allclose(where[:, dofs[: len(corners)]], mesh.p[:, corners])
    second = REFERENCES.get(mesh.refdom.__name__, (None, None))[1]
    nodes = {"line3": 3, "triangle6": 6, "quad9": 9, "tetra10": 10}.get(str(second))
    if at_corners and len(dofs) == len(corners):
        return where.T, {_kind(mesh, 0): _ordered(mesh, dofs)}
    if at_corners and len(dofs) == nodes:
        return where.T, _first_order({second: dofs.T})
    raise ValueError(
        f"points is a basis of {type(basis.elem).__name__}, whose values are not those at the nodes of cells; project to "
        "elements of first or second order, such as ElementTriP1, with a single component"
    )


def _first_order(cells: Mapping[Any, Any]) -> dict[str, NDArray[np.int64]]:
    """Cells by meshio's names of kinds; cells with nodes between their corners are split into cells of first order."""
    found: dict[str, list[NDArray[np.int64]]] = {}
    for name, nodes in cells.items():
        kind = name if isinstance(name, str) else NUMBERS.get(int(name), f"of VTK's type {int(name)}")
        target, split = PARTS.get(kind, (kind, None))
        nodes = np.asarray(nodes)
        own = nodes if split is None else np.concatenate([nodes[:, part] for part in split])
        found.setdefault(target, []).append(own)
    return {kind: np.concatenate(blocks) for kind, blocks in found.items()}


def _highest(cells: Mapping[str, Any]) -> Mapping[str, Any]:
    """The cells of the highest dimension; files list cells of the boundary too."""
    most = max((FLAT.get(kind, 3) for kind in cells), default=0)
    return {kind: nodes for kind, nodes in cells.items() if FLAT.get(kind, 3) == most > 0}
