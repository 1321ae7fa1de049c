"""Ensembles: realizations of one input's solution, and their statistics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Optional, Union, cast

import numpy as np
from numpy.typing import NDArray

from . import _floral, _xarray
from ._arrays import Floats
from ._calibrating import Calibrating
from ._files import PathLike
from ._grid import Grid, OnGrid
from ._interest import OfInterest
from ._plural import counted
from ._quantities import Quantity, position, to_attributes

#: One level or threshold, or several.
Levels = Union[float, Sequence[float], Floats]


class Ensemble(OnGrid, OfInterest):
    """Realizations of one input's solution, as :meth:`Model.sample` returns them.

    All fields are [grid...], or [channel, grid...] if the solution has several channels.
    """

    def __init__(
        self,
        ensemble: _floral.Ensemble,
        quantities: Sequence[Quantity] = (),
        innovation: Optional[dict[str, float]] = None,
        calibrating: Optional[Calibrating] = None,
    ) -> None:
        self._ensemble = ensemble
        self._calibrating = calibrating
        #: Agreement of readings with the prediction: a dict with ``chi_square``, ``p_value``, ``readings`` and others; None without readings.
        self.innovation = innovation
        #: Name, units and long name of each channel, as far as known.
        self.quantities = list(quantities)
        self._grid = Grid.parse(ensemble.axes, ensemble.mesh)

    def _fields(self, values: NDArray[Any]) -> NDArray[Any]:
        return self._grid.shown(values)

    def __len__(self) -> int:
        return self._ensemble.shape[0]

    def __repr__(self) -> str:
        channels = self._ensemble.shape[1]
        several = f", {channels} channels" if channels > 1 else ""
        given = f", given {counted(int(self.innovation['readings']), 'reading')}" if self.innovation else ""
        return f"Ensemble of {counted(len(self), 'realization')}{several} on {self._grid}{given}"

    @cached_property
    def realizations(self) -> NDArray[Any]:
        """All realizations: [realization, grid...], read-only; in float32, or in float64 where float32 would
        lose the spread."""
        values = self._fields(self._ensemble.realizations())
        values.flags.writeable = False
        return values

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        """The realizations, for NumPy."""
        values = np.asarray(self.realizations, dtype)
        return values.copy() if copy else values

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self._ensemble.axes, self._ensemble.realizations(), self._ensemble.known())
        mesh = self._grid.mesh
        parts = mesh and (mesh.points, mesh.cells)
        given = self._ensemble.given()
        return _unpacked, (*state, self.quantities, parts, given, self.innovation, self._calibrating)

    @cached_property
    def mean(self) -> Floats:
        """The mean: in closed form if the method has one, otherwise over realizations."""
        return self._fields(self._ensemble.mean())

    @cached_property
    def std(self) -> Floats:
        """The standard deviation, aleatoric and epistemic: in closed form if the method has one, otherwise
        over realizations."""
        return self._fields(self._ensemble.deviation())

    @property
    def variance(self) -> Floats:
        """The square of :attr:`std`."""
        return np.square(self.std)

    @cached_property
    def aleatoric(self) -> Optional[Floats]:
        """The aleatoric variance: inherent variability; None if the method does not separate it."""
        return self._part(self._ensemble.aleatoric())

    @cached_property
    def epistemic(self) -> Optional[Floats]:
        """The epistemic variance: uncertainty of the mean. None if the method does not separate it."""
        return self._part(self._ensemble.epistemic())

    @property
    def novelty(self) -> Optional[float]:
        """How far the input is from the training inputs: 1 if as far as the left-out inputs of the fit were; None if unknown."""
        return self._ensemble.novelty

    def _part(self, values: Optional[Floats]) -> Optional[Floats]:
        return None if values is None else self._fields(values)

    def quantile(self, level: Levels) -> Floats:
        """The quantile at every point, for a level between 0 and 1; for several levels, [level, grid...]."""
        return self._at(self._ensemble.quantile, level)

    def exceedance(self, threshold: Levels, channel: Optional[Union[int, str]] = None) -> Floats:
        """The share of realizations above a threshold; for several, [threshold, grid...].

        channel: the channel that the threshold applies to, by index or name; required if there are several.
        """
        channels = self._ensemble.shape[1]
        if channel is None and channels > 1:
            raise ValueError(
                f"the solution has {channels} channels; give the channel of the threshold, as in channel=0"
            )
        above = self._at(self._ensemble.exceedance, threshold)
        return above if channels == 1 else self.of_channel(above, channel or 0)

    def of_channel(self, values: NDArray[Any], channel: Union[int, str]) -> NDArray[Any]:
        """One channel of [..., channel, grid...], by its index or name."""
        channels = self._ensemble.shape[1]
        place = position(self.quantities, channels, channel)
        axis = -1 if self._grid.is_single else -len(self.dims) - 1
        return values.take(place, axis=axis) if channels > 1 else values

    def _at(self, statistic: Any, levels: Levels) -> Floats:
        if np.ndim(levels) == 0:
            return self._fields(statistic(float(cast(float, levels))))
        each = [statistic(float(level)) for level in cast("Sequence[float]", levels)]
        if not each:
            raise ValueError("give at least one level")
        return self._fields(np.stack(each))

    def to_xarray(
        self,
        quantiles: Sequence[float] = (0.05, 0.5, 0.95),
        thresholds: Sequence[float] = (),
        realizations: bool = True,
    ) -> Any:
        """Converts the ensemble to an ``xarray.Dataset``: statistics, and by default the realizations. Thresholds apply to
        every channel."""
        about = to_attributes(self.quantities)
        squared = {key: text for key, text in about.items() if key != "units"}
        variables: dict[str, Any] = {
            "mean": ([], self.mean, {**about, "long_name": "mean of the solution"}),
            "std": ([], self.std, {**about, "long_name": "standard deviation of the solution"}),
        }
        parts = {
            "aleatoric": (self.aleatoric, "aleatoric variance of the solution"),
            "epistemic": (self.epistemic, "epistemic variance of the mean"),
        }
        for name, (part, meaning) in parts.items():
            if part is not None:
                variables[name] = ([], part, {**squared, "long_name": meaning})
        coords: dict[str, Any] = {}
        if len(quantiles):
            variables["quantiles"] = (["quantile"], self.quantile(list(quantiles)), about)
            coords["quantile"] = list(quantiles)
        if len(thresholds):
            above = self._at(self._ensemble.exceedance, list(thresholds))
            variables["exceedance"] = (["threshold"], above, {})
            coords["threshold"] = list(thresholds)
        if realizations:
            variables["realizations"] = (["realization"], self.realizations, about)
        names = [quantity.get("name") for quantity in self.quantities]
        if len(names) > 1 and all(names):
            coords["channel"] = names
        attrs = {} if self.novelty is None else {"novelty": self.novelty}
        return _xarray.dataset(self._grid, variables, coords, attrs)

    def to_meshio(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95), realizations: int = 0) -> Any:
        """Converts the ensemble to a ``meshio.Mesh`` with mean, std, quantiles and the first ``realizations``
        realizations as point data."""
        from ._mesh import to_meshio

        return to_meshio(self, quantiles, realizations)

    def to_vtu(
        self, path: PathLike, quantiles: Sequence[float] = (0.05, 0.5, 0.95), realizations: int = 0
    ) -> None:
        """Writes a VTU file for ParaView with mean, std, quantiles and the first ``realizations`` realizations
        as point data."""
        from ._mesh import to_vtu

        to_vtu(self, os.fspath(path), quantiles, realizations)

    def plot(self, channel: Union[int, str] = 0, shown: int = 5, title: Optional[str] = None) -> Any:
        """Plots the ensemble with matplotlib and returns the figure.

        One axis: mean, 90 % interval and some realizations. Two axes, or a mesh in the plane: maps of mean,
        standard deviation and one realization. Three axes: the same on planes through the middle. A scalar: a
        histogram.
        """
        from ._plot import plot

        return plot(self, channel, shown, title)


def _unpacked(
    axes: str,
    realizations: NDArray[Any],
    known: Any,
    quantities: Sequence[Quantity],
    mesh: Any = None,
    given: Any = None,
    innovation: Optional[dict[str, float]] = None,
    calibrating: Optional[Calibrating] = None,
) -> Ensemble:
    """Restores a pickled ensemble from its parts."""
    whole = mesh and _floral.Mesh(*mesh)
    found = _floral.Ensemble.of(axes, realizations, known, whole, given)
    return Ensemble(found, quantities, innovation, calibrating)
