"""Quantities of interest: numbers such as ``max(u)`` on every realization, and their distributions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Callable, Optional, Union, cast, overload

import numpy as np
from numpy.typing import NDArray

from . import _floral
from ._arrays import Floats
from ._calibrating import Calibrating
from ._sampling import plain

#: An expression, or a function of the array of realizations that returns one number for each.
Wanted = Union[str, Callable[[NDArray[Any]], Any]]


#: The least number of left-out inputs that a calibration factor needs.
FEWEST = 3


class QuantityOfInterest:
    """A quantity of interest of an :class:`Ensemble`, as :meth:`Ensemble.quantity` returns it: its values
    over realizations, and their statistics.

    >>> import numpy as np
    >>> from floral import QuantityOfInterest
    >>> peak = QuantityOfInterest("peak", np.arange(1.0, 100.0), units="K")
    >>> peak
    peak: mean 50 K, std 28.72 K, 90 % from 5 to 95 K, over 99 realizations
    >>> peak.mean, peak.quantile(0.9), round(peak.exceedance(80.0), 3)
    (50.0, 90.0, 0.192)
    >>> round(peak.standard_error("exceedance", 80.0), 3)
    0.04
    """

    def __init__(
        self, name: str, values: Any, units: Optional[str] = None, stretch: Optional[float] = None
    ) -> None:
        #: Its name: the part before ``=``, or the expression itself.
        self.name = name
        #: Its units, as far as known.
        self.units = units
        #: The factor by which calibration multiplied deviations from the median; None without calibration.
        self.stretch = stretch
        #: The value on every realization, read-only.
        self.values: Floats = np.array(values, np.float64, order="C")
        self.values.flags.writeable = False
        if self.values.ndim != 1:
            raise ValueError(f"{name}: values have the shape {self.values.shape}; give one number per realization")
        try:
            self._distribution = _floral.Distribution(self.values)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        """The values, for NumPy."""
        values = np.asarray(self.values, dtype)
        return values.copy() if copy else values

    def __reduce__(self) -> tuple[Any, ...]:
        return QuantityOfInterest, (self.name, self.values, self.units, self.stretch)

    def __repr__(self) -> str:
        units = f" {self.units}" if self.units not in (None, "", "1") else ""
        interval = ""
        if len(self) >= 19:
            low, high = self.quantile(0.05), self.quantile(0.95)
            interval = f", 90 % from {low:.4g} to {high:.4g}{units}"
        spread = f"mean {self.mean:.4g}{units}, std {self.std:.4g}{units}"
        stretched = "" if self.stretch is None else f", stretched by {self.stretch:.3g}"
        return f"{self.name}: {spread}{interval}, over {len(self)} realizations{stretched}"

    @cached_property
    def mean(self) -> float:
        """The mean over realizations."""
        return self._distribution.mean()[0]

    @cached_property
    def std(self) -> float:
        """The standard deviation over realizations."""
        return self._distribution.std()[0]

    def quantile(self, level: float) -> float:
        """The quantile of a level between 0 and 1; a level beyond the outermost realizations is refused."""
        return self._distribution.quantile(float(level))[0]

    def exceedance(self, threshold: float) -> float:
        """The probability of a value above a threshold."""
        return self._distribution.exceedance(float(threshold))[0]

    def superquantile(self, level: float) -> float:
        """The superquantile (conditional value at risk): the mean of the largest share 1 - level."""
        return self._distribution.superquantile(float(level))[0]

    def standard_error(self, statistic: str = "mean", at: Optional[float] = None) -> float:
        """The standard error of a statistic due to the finite number of realizations.

        statistic: ``mean``, ``std``, ``quantile``, ``exceedance`` or ``superquantile``.
        at: the level or threshold of the last three.
        """
        if statistic in ("mean", "std"):
            return cast("tuple[float, float]", getattr(self._distribution, statistic)())[1]
        if statistic not in ("quantile", "exceedance", "superquantile"):
            known = "mean, std, quantile, exceedance, superquantile"
            raise ValueError(f"unknown statistic {statistic!r}; choose one of {known}")
        if at is None:
            raise ValueError(f"give the level or threshold of the {statistic}, as in at=0.9")
        return cast("tuple[float, float]", getattr(self._distribution, statistic)(float(at)))[1]


class OfInterest:
    """Mixin that computes the quantities of interest of an ensemble."""

    _ensemble: _floral.Ensemble
    _calibrating: Optional[Calibrating]
    quantities: list[dict[str, str]]

    @overload
    def quantity(self, wanted: Wanted, calibrated: bool = True) -> QuantityOfInterest: ...

    @overload
    def quantity(
        self, wanted: Mapping[str, Wanted], calibrated: bool = True
    ) -> dict[str, QuantityOfInterest]: ...

    @overload
    def quantity(self, wanted: list[Wanted], calibrated: bool = True) -> list[QuantityOfInterest]: ...

    def quantity(self, wanted: Any, calibrated: bool = True) -> Any:
        """The distribution of a quantity of interest. The quantity is an expression such as ``"max(u)"`` or
        ``"left = mean(u, x < 0.5)"``, or a function that maps the array of realizations,
        [realization, grid...], to one number for each.

        A dict of names and quantities gives a dict, a list gives a list. Expressions are those of
        ``floral sample --quantity``. They refer to channels and axes by name; ``u`` is the solution if it has a
        single channel, ``input`` and ``low`` are the input and its low-fidelity solution.

        calibrated: whether deviations from the median are multiplied by the factor that gives intervals of this
            quantity their nominal coverage at left-out training inputs, as stored in the model. The factor is
            :attr:`QuantityOfInterest.stretch`; it is None for networks, given readings, or if the model stores no
            left-out inputs.

        >>> import numpy as np
        >>> import floral
        >>> x = np.linspace(0.0, 1.0, 16)
        >>> rng = np.random.default_rng(0)
        >>> a = rng.uniform(1.0, 2.0, 12)[:, None] * x
        >>> high = a[:, None] + 0.1 * rng.normal(size=(12, 6, 1))
        >>> data = floral.Dataset.from_arrays(input=a, high=high, coords={"x": x})
        >>> model = floral.fit(data, test=2, validation=2, progress=False)
        >>> ensemble = model.sample(1.5 * x, realizations=200)
        >>> peak = ensemble.quantity("max(u)")
        >>> bool(1.2 < peak.mean < 1.8), len(peak.values)
        (True, 200)
        >>> same = ensemble.quantity(lambda u: u.max(axis=-1))
        >>> bool(np.array_equal(peak.values, same.values))
        True
        >>> both = ensemble.quantity({"left": "mean(u, x < 0.5)", "right": "mean(u, x > 0.5)"})
        >>> both["left"].mean < both["right"].mean
        True
        """
        if isinstance(wanted, Mapping):
            return {name: self._quantity(one, calibrated, str(name)) for name, one in wanted.items()}
        if not isinstance(wanted, str) and isinstance(wanted, Sequence):
            return [self._quantity(one, calibrated) for one in wanted]
        return self._quantity(wanted, calibrated)

    def _quantity(self, wanted: Wanted, calibrated: bool, name: Optional[str] = None) -> QuantityOfInterest:
        model = self._calibrating.model if calibrated and self._calibrating else None
        if isinstance(wanted, str):
            known = json.dumps(self.quantities, default=plain)
            values, found, units = _floral.quantity(self._ensemble, wanted, known)
            stretch, bounds, _ = model.calibration(wanted) if model else (None, None, None)
            return QuantityOfInterest(name or found, stretched(values, stretch, bounds), units, stretch)
        if not callable(wanted):
            raise TypeError(f"{wanted!r} is neither an expression nor a function of realizations")
        realizations = cast("Any", self).realizations
        values = np.asarray(wanted(realizations), np.float64)
        count = self._ensemble.shape[0]
        if values.shape != (count,):
            raise ValueError(
                f"the function returned an array of shape {values.shape} for {count} realizations; return "
                "one number for each, as in lambda u: u.max(axis=-1)"
            )
        stretch = model and stretch_of(model, wanted, realizations.shape[1:])
        found = str(getattr(wanted, "__name__", "quantity"))
        return QuantityOfInterest(name or found, stretched(values, stretch), stretch=stretch)


def stretched(values: Floats, stretch: Optional[float], bounds: Any = None) -> Floats:
    """Multiplies deviations from the median by `stretch`, and clips to `bounds`."""
    if stretch is None:
        return values
    middle = np.median(values)
    found = middle + stretch * (values - middle)
    return found if bounds is None else np.clip(found, *bounds)


def stretch_of(model: _floral.Model, function: Callable[[NDArray[Any]], Any], shape: Any) -> Optional[float]:
    """The calibration factor of a function, from the left-out inputs that a model stores; None if these are too few or
    on another grid."""
    judged = []
    for index in range(model.judging_inputs):
        runs, draws = model.judging_input(index)
        if int(np.prod(shape)) != int(np.prod(runs.shape[1:])):
            return None
        both = [np.asarray(function(fields.reshape(-1, *shape)), np.float64) for fields in (draws, runs)]
        if all(np.isfinite(values).all() for values in both):
            judged.append((both[0].tolist(), both[1].tolist()))
    return _floral.stretch(judged) if len(judged) >= FEWEST else None
