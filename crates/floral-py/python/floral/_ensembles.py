"""The ensembles of several inputs, as one sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Callable, Union, overload

import numpy as np
from numpy.typing import NDArray

from ._arrays import Floats
from ._ensemble import Ensemble, Levels


class Ensembles(Sequence[Ensemble]):
    """One :class:`Ensemble` per input, as :meth:`Model.sample` returns them.

    Fields have a leading axis of inputs: [input, grid...].
    """

    def __init__(self, ensembles: Sequence[Ensemble]) -> None:
        self._ensembles = list(ensembles)

    @overload
    def __getitem__(self, index: int) -> Ensemble: ...

    @overload
    def __getitem__(self, index: slice) -> Ensembles: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Ensemble, Ensembles]:
        if isinstance(index, slice):
            return Ensembles(self._ensembles[index])
        return self._ensembles[index]

    def __len__(self) -> int:
        return len(self._ensembles)

    def __iter__(self) -> Iterator[Ensemble]:
        return iter(self._ensembles)

    def __repr__(self) -> str:
        return f"Ensembles of {len(self)} inputs: {self[0]!r}" if len(self) else "Ensembles of no input"

    def _stacked(self, of: Callable[[Ensemble], Any]) -> NDArray[Any]:
        return np.stack([of(ensemble) for ensemble in self])

    @property
    def mean(self) -> Floats:
        """The means: [input, grid...]."""
        return self._stacked(lambda ensemble: ensemble.mean)

    @property
    def std(self) -> Floats:
        """The standard deviations: [input, grid...]."""
        return self._stacked(lambda ensemble: ensemble.std)

    @property
    def realizations(self) -> NDArray[Any]:
        """All realizations: [input, realization, grid...]."""
        return self._stacked(lambda ensemble: ensemble.realizations)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """The realizations, for NumPy."""
        return np.asarray(self.realizations, dtype)

    def quantile(self, level: Levels) -> Floats:
        """Quantiles: [input, grid...], or [input, level, grid...] for several levels."""
        return self._stacked(lambda ensemble: ensemble.quantile(level))

    def exceedance(self, threshold: Levels, channel: Union[int, str, None] = None) -> Floats:
        """Shares above a threshold: [input, grid...], or [input, threshold, grid...] for several."""
        return self._stacked(lambda ensemble: ensemble.exceedance(threshold, channel))

    def quantity(self, wanted: Any, calibrated: bool = True) -> list[Any]:
        """Quantities of interest of every input, in a list: see :meth:`Ensemble.quantity`."""
        return [ensemble.quantity(wanted, calibrated) for ensemble in self]

    def to_xarray(self, **options: Any) -> Any:
        """Converts the ensembles to an ``xarray.Dataset`` with the dimension ``input``; options as for :meth:`Ensemble.to_xarray`."""
        from ._xarray import module

        datasets = [ensemble.to_xarray(**options) for ensemble in self]
        joined = module().concat(datasets, "input", combine_attrs="drop_conflicts")
        novelty = [ensemble.novelty for ensemble in self]
        joined.attrs.pop("novelty", None)
        return joined if None in novelty else joined.assign(novelty=("input", novelty))
