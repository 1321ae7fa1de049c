"""Plots of ensembles with matplotlib, which only this module imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from ._plural import counted
from ._quantities import label, position

if TYPE_CHECKING:
    from ._ensemble import Ensemble


def plot(ensemble: Ensemble, channel: Union[int, str], shown: int, title: Optional[str]) -> Any:
    """The figure of one channel of an ensemble."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("matplotlib is needed here: pip install matplotlib") from None
    place = position(ensemble.quantities, ensemble._ensemble.shape[1], channel)

    def of(values: Any) -> Any:
        return ensemble.of_channel(values, place)

    draw = _form(ensemble)
    figure = draw(pyplot, ensemble, of, shown, label(ensemble.quantities, place))
    figure.suptitle(title if title is not None else counted(len(ensemble), "realization"))
    return figure


def _form(ensemble: Ensemble) -> Any:
    grid = ensemble._grid
    if grid.is_single:
        return _histogram
    if grid.mesh is None:
        return {1: _line, 2: _maps}.get(len(ensemble.dims), _planes)
    dimension = grid.mesh.points.shape[1]
    if dimension == 3:
        raise ValueError("a mesh in space is drawn by ParaView: ensemble.to_vtu('mean.vtu')")
    return _line if dimension == 1 else _triangles


def _histogram(pyplot: Any, ensemble: Ensemble, of: Any, shown: int, quantity: str) -> Any:
    figure, axes = pyplot.subplots(layout="constrained")
    axes.hist(of(ensemble.realizations), bins="auto", density=True, alpha=0.6)
    axes.axvline(float(of(ensemble.mean)), label="mean")
    axes.set_xlabel(quantity)
    axes.legend()
    return figure


def _triangles(pyplot: Any, ensemble: Ensemble, of: Any, shown: int, quantity: str) -> Any:
    mesh = ensemble._grid.mesh
    assert mesh is not None
    x, y = mesh.points.T
    triangles = mesh.triangles
    mean, one = of(ensemble.mean), of(ensemble.realizations[0])
    panels = {"mean": mean, "standard deviation": of(ensemble.std)}
    if shown > 0:
        panels["a realization"] = one
    scale = {"vmin": min(mean.min(), one.min()), "vmax": max(mean.max(), one.max())}
    figure, all_axes = pyplot.subplots(
        1, len(panels), layout="constrained", figsize=(4.0 * len(panels), 3.6), squeeze=False
    )
    for axes, (name, values) in zip(all_axes[0], panels.items()):
        limits = {} if name == "standard deviation" else scale
        if len(triangles):
            drawn = axes.tripcolor(x, y, values, triangles=triangles, shading="gouraud", **limits)
        else:
            drawn = axes.scatter(x, y, c=values, s=6, **limits)
        figure.colorbar(drawn, ax=axes, label=quantity)
        axes.set_title(name)
        axes.set_aspect("equal" if _same_scale(sorted(x), sorted(y)) else "auto")
    return figure


def _axis_label(ensemble: Ensemble, dim: str) -> str:
    units = ensemble._grid.units.get(dim)
    return f"{dim} ({units})" if units else dim


def _line(pyplot: Any, ensemble: Ensemble, of: Any, shown: int, quantity: str) -> Any:
    (dim,) = ensemble.dims
    mesh = ensemble._grid.mesh
    if mesh is not None:
        # The points of a mesh along a line may be in any order.
        x, whole = mesh.points[:, 0], of
        order = x.argsort()
        x, of = x[order], lambda values: whole(values)[..., order]
    else:
        x = ensemble.coords[dim]
    figure, axes = pyplot.subplots(layout="constrained")
    low, high = ensemble.quantile([0.05, 0.95])
    axes.fill_between(x, of(low), of(high), alpha=0.3, label="90 % of realizations")
    for index in range(min(shown, len(ensemble))):
        label = "realizations" if index == 0 else None
        drawn = of(ensemble.realizations[index])
        axes.plot(x, drawn, color="0.5", linewidth=0.7, label=label)
    axes.plot(x, of(ensemble.mean), label="mean")
    axes.set_xlabel(_axis_label(ensemble, dim))
    axes.set_ylabel(quantity)
    axes.legend()
    return figure


def _maps(pyplot: Any, ensemble: Ensemble, of: Any, shown: int, quantity: str) -> Any:
    # As in reports, the last axis is horizontal unless another one is marked as X.
    right = ensemble._ensemble.right
    dims = (ensemble.dims[1 - right], ensemble.dims[right])
    rows = [("", dims, lambda values: of(values) if right else of(values).T)]
    return _rows(pyplot, ensemble, rows, shown, quantity)


def _planes(pyplot: Any, ensemble: Ensemble, of: Any, shown: int, quantity: str) -> Any:
    """A row of maps for each plane through the middle of three axes."""
    rows = []
    for axis, dim in enumerate(ensemble.dims):
        dims = tuple(other for other in ensemble.dims if other != dim)
        middle = len(ensemble.coords[dim]) // 2
        place = f", {dim} = {ensemble.coords[dim][middle]:.4g}"

        def plane(values: Any, axis: int = axis, middle: int = middle) -> Any:
            return of(values).take(middle, axis=axis)

        rows.append((place, dims, plane))
    return _rows(pyplot, ensemble, rows, shown, quantity)


def _rows(pyplot: Any, ensemble: Ensemble, rows: Any, shown: int, quantity: str) -> Any:
    """Maps of mean, standard deviation and a realization. A row has a suffix of its titles, (vertical, horizontal) axis and
    a function that takes its plane."""
    fields = {"mean": ensemble.mean, "standard deviation": ensemble.std}
    if shown > 0:
        fields["a realization"] = ensemble.realizations[0]
    size = (4.0 * len(fields), 3.6 * len(rows))
    figure, all_axes = pyplot.subplots(
        len(rows), len(fields), layout="constrained", figsize=size, squeeze=False
    )
    for row, (place, (up, across), view) in zip(all_axes, rows):
        x, y = ensemble.coords[across], ensemble.coords[up]
        mean, one = view(ensemble.mean), view(ensemble.realizations[0])
        scale = {"vmin": min(mean.min(), one.min()), "vmax": max(mean.max(), one.max())}
        for axes, (name, field) in zip(row, fields.items()):
            limits = {} if name == "standard deviation" else scale
            drawn = axes.pcolormesh(x, y, view(field), shading="nearest", **limits)
            figure.colorbar(drawn, ax=axes, label=quantity)
            axes.set_title(name + place)
            axes.set_xlabel(_axis_label(ensemble, across))
            axes.set_ylabel(_axis_label(ensemble, up))
            axes.set_aspect("equal" if _same_scale(x, y) else "auto")
    return figure


def _same_scale(x: Any, y: Any) -> bool:
    """Whether both axes can have the same scale."""
    spans = sorted([float(x[-1] - x[0]), float(y[-1] - y[0])])
    return spans[0] > 0 and spans[1] / spans[0] < 4
