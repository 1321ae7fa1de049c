"""Ensembles: realizations of one input's solution, and their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Optional, Union, cast

import numpy as np
from numpy.typing import NDArray

from . import _floral, _xarray
from ._arrays import Floats, drop_channel
from ._grid import Grid, OnGrid
from ._plural import counted
from ._quantities import Quantity, position, to_attributes

#: One level or threshold, or several.
Levels = Union[float, Sequence[float], Floats]


class Ensemble(OnGrid):
    """Realizations of one input's solution, as :meth:`Model.sample` returns them.

    All fields are [grid...], or [channel, grid...] where the solution has several channels.
    """

    def __init__(self, ensemble: _floral.Ensemble, quantities: Sequence[Quantity] = ()) -> None:
        self._ensemble = ensemble
        #: What the channels are: name, units and name in full, as far as the data told.
        self.quantities = list(quantities)
        self._grid = Grid.parse(ensemble.axes)

    def _fields(self, values: NDArray[Any]) -> NDArray[Any]:
        return drop_channel(values, len(self._grid.dims))

    def __len__(self) -> int:
        return self._ensemble.shape[0]

    def __repr__(self) -> str:
        channels = self._ensemble.shape[1]
        several = f", {channels} channels" if channels > 1 else ""
        return f"Ensemble of {counted(len(self), 'realization')}{several} on {self._grid}"

    @cached_property
    def realizations(self) -> NDArray[Any]:
        """All of them: [realization, grid...], read-only; in float32, or in float64 where that alone holds
        the spread of the solutions that were trained on."""
        values = self._fields(self._ensemble.realizations())
        values.flags.writeable = False
        return values

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        """The realizations, for NumPy."""
        values = np.asarray(self.realizations, dtype)
        return values.copy() if copy else values

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self._ensemble.axes, self._ensemble.realizations(), self._ensemble.known())
        return _unpacked, (*state, self.quantities)

    @cached_property
    def mean(self) -> Floats:
        """The mean: as the method knows it, or else over realizations."""
        return self._fields(self._ensemble.mean())

    @cached_property
    def std(self) -> Floats:
        """The standard deviation of realizations, of what varies and what is not known: as the method
        knows it, or else over those drawn."""
        return self._fields(self._ensemble.deviation())

    @property
    def variance(self) -> Floats:
        """The square of :attr:`std`."""
        return np.square(self.std)

    @cached_property
    def aleatoric(self) -> Optional[Floats]:
        """The variance of the solution itself, of methods that tell it apart."""
        return self._part(self._ensemble.aleatoric())

    @cached_property
    def epistemic(self) -> Optional[Floats]:
        """The variance of what is not known of the mean, of methods that tell it apart."""
        return self._part(self._ensemble.epistemic())

    @property
    def novelty(self) -> Optional[float]:
        """1 for an input like those that judged the fit, more for one farther away."""
        return self._ensemble.novelty

    def _part(self, values: Optional[Floats]) -> Optional[Floats]:
        return None if values is None else self._fields(values)

    def quantile(self, level: Levels) -> Floats:
        """The quantile of a level between 0 and 1 at every point; of several, [level, grid...]."""
        return self._at(self._ensemble.quantile, level)

    def exceedance(self, threshold: Levels, channel: Optional[Union[int, str]] = None) -> Floats:
        """The share of realizations above a threshold; of several, [threshold, grid...].

        channel: where there are several, the number or name of the one that the threshold is of.
        """
        channels = self._ensemble.shape[1]
        if channel is None and channels > 1:
            raise ValueError(
                f"the solution has {channels} channels, which need not be alike; say of which the "
                "threshold is, as in channel=0"
            )
        above = self._at(self._ensemble.exceedance, threshold)
        return above if channels == 1 else self.of_channel(above, channel or 0)

    def of_channel(self, values: NDArray[Any], channel: Union[int, str]) -> NDArray[Any]:
        """The part of [..., channel, grid...] that is of one channel, by its number or name."""
        channels = self._ensemble.shape[1]
        place = position(self.quantities, channels, channel)
        return values.take(place, axis=-len(self.dims) - 1) if channels > 1 else values

    def _at(self, statistic: Any, levels: Levels) -> Floats:
        if np.ndim(levels) == 0:
            return self._fields(statistic(float(cast(float, levels))))
        each = [statistic(float(level)) for level in cast("Sequence[float]", levels)]
        if not each:
            raise ValueError("no level is given")
        return self._fields(np.stack(each))

    def to_xarray(
        self,
        quantiles: Sequence[float] = (0.05, 0.5, 0.95),
        thresholds: Sequence[float] = (),
        realizations: bool = True,
    ) -> Any:
        """All of it as an ``xarray.Dataset``: statistics, and the realizations if they are wanted."""
        told = to_attributes(self.quantities)
        squared = {key: text for key, text in told.items() if key != "units"}
        variables: dict[str, Any] = {
            "mean": ([], self.mean, {**told, "long_name": "mean of the solution"}),
            "std": ([], self.std, {**told, "long_name": "standard deviation of the solution"}),
        }
        parts = {
            "aleatoric": (self.aleatoric, "variance of the solution itself"),
            "epistemic": (self.epistemic, "variance of what is not known of the mean"),
        }
        for name, (part, meaning) in parts.items():
            if part is not None:
                variables[name] = ([], part, {**squared, "long_name": meaning})
        coords: dict[str, Any] = {}
        if len(quantiles):
            variables["quantiles"] = (["quantile"], self.quantile(list(quantiles)), told)
            coords["quantile"] = list(quantiles)
        if len(thresholds):
            variables["exceedance"] = (["threshold"], self.exceedance(list(thresholds)), {})
            coords["threshold"] = list(thresholds)
        if realizations:
            variables["realizations"] = (["realization"], self.realizations, told)
        names = [quantity.get("name") for quantity in self.quantities]
        if len(names) > 1 and all(names):
            coords["channel"] = names
        attrs = {} if self.novelty is None else {"novelty": self.novelty}
        return _xarray.dataset(self._grid, variables, coords, attrs)

    def plot(self, channel: Union[int, str] = 0, shown: int = 5, title: Optional[str] = None) -> Any:
        """Draws it by matplotlib and returns the figure.

        On one axis: mean, the 90 % interval and some realizations. On two: mean, standard deviation
        and one realization as maps.
        """
        from ._plot import plot

        return plot(self, channel, shown, title)


def _unpacked(
    axes: str, realizations: NDArray[Any], known: Any, quantities: Sequence[Quantity]
) -> Ensemble:
    """An ensemble from its parts, as it is sent to another process."""
    return Ensemble(_floral.Ensemble.of(axes, realizations, known), quantities)
