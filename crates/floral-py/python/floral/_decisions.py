"""Decisions: sensitivity to uncertain parameters, unbiased means, and which input to simulate next."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _floral, _xarray
from ._appending import one_of
from ._arrays import finite, numbers
from ._dataset import Dataset
from ._files import PathLike
from ._parameters import by_name
from ._progress import Progress, watching
from ._summary import Summary


@dataclasses.dataclass(frozen=True)
class Uniform:
    """Uniform distribution between two bounds."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Normal:
    """Normal distribution with a mean and a standard deviation."""

    mean: float
    std: float


@dataclasses.dataclass(frozen=True)
class Lognormal:
    """Log-normal distribution; ``factor`` is the ratio of the 84 % quantile to the median."""

    median: float
    factor: float


@dataclasses.dataclass(frozen=True)
class Loguniform:
    """Log-uniform distribution between two bounds: the logarithm is uniform."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Triangular:
    """Triangular distribution: the density rises linearly from ``low`` to ``mode`` and falls linearly to ``high``."""

    low: float
    mode: float
    high: float


Law = Union[Uniform, Normal, Lognormal, Loguniform, Triangular, float]
Quantities = Union[str, Sequence[str]]


def laws(inputs: Mapping[str, Law]) -> str:
    """The distribution of each parameter as TOML, for the extension."""
    lines = []
    for name, law in inputs.items():
        key = json.dumps(name)
        if dataclasses.is_dataclass(law):
            numbers = ", ".join(f"{key} = {_number(value)}" for key, value in dataclasses.asdict(law).items())
            lines.append(f"{key} = {{ law = '{type(law).__name__.lower()}', {numbers} }}")
        else:
            lines.append(f"{key} = {_number(law)}")
    return "\n".join(lines)


def _number(value: Any) -> str:
    value = float(value)
    return repr(value) if math.isfinite(value) else str(value)


def named(quantity: Quantities) -> list[str]:
    """Definitions ``NAME = EXPRESSION``; expressions without a name are called ``quantity``, or ``quantity0`` and so on."""
    texts = [quantity] if isinstance(quantity, str) else list(quantity)
    several = len(texts) > 1

    def one(index: int, text: str) -> str:
        name, equals, rest = text.partition("=")
        allowed = all(c.isalnum() or c in "_-" for c in name.strip())
        if equals and name.strip() and allowed and not rest.startswith("="):
            return text
        return f"quantity{index if several else ''} = {text}"

    return [one(index, text) for index, text in enumerate(texts)]


class Sensitivity(Summary):
    """The result of :meth:`Model.sensitivity`: a dict as in the command's ``--json``, which prints as a table.

    Attributes refer to the first quantity; ``sensitivity["quantities"]`` has all quantities.
    """

    def _indices(self, kind: str, what: str) -> dict[str, Any]:
        return {one["name"]: one[kind][what] for one in self["quantities"][0]["indices"]}

    @property
    def first(self) -> dict[str, float]:
        """First-order indices by parameter."""
        return self._indices("first", "value")

    @property
    def total(self) -> dict[str, float]:
        """Total indices by parameter."""
        return self._indices("total", "value")

    @property
    def first_intervals(self) -> dict[str, list[float]]:
        """90 % intervals of the first-order indices; they include the model's own uncertainty."""
        return self._indices("first", "interval")

    @property
    def total_intervals(self) -> dict[str, list[float]]:
        """90 % intervals of the total indices."""
        return self._indices("total", "interval")

    @property
    def shares(self) -> dict[str, Optional[float]]:
        """Shares of the variance: ``input``, ``inherent`` and ``ignorance`` (epistemic; None if the method does not separate it)."""
        variance = self["quantities"][0]["variance"]
        return {name: variance[name] for name in ("input", "inherent", "ignorance")}

    @property
    def statistics(self) -> dict[str, float]:
        """Mean, standard deviation, quantiles and superquantile over inputs and realizations."""
        return {one["name"]: one["value"] for one in self["quantities"][0]["statistics"]}


def unbiased_mean(
    model: Any,
    fresh: Union[Dataset, PathLike],
    pool: Union[Dataset, PathLike],
    quantity: Quantities,
    *,
    realizations: int = 64,
    seed: int = 0,
    cost_high: Optional[float] = None,
    cost_low: Optional[float] = None,
    budget: Optional[float] = None,
    progress: Progress = True,
) -> Summary:
    """Estimates the mean of a quantity without the model's bias, from a few fresh runs and predictions at many more inputs.

    fresh: inputs that the model has not seen, with high-fidelity solutions.
    pool: many more inputs from the same distribution.

    The result prints as a table; ``result["quantities"]`` has a dict for each quantity with ``mean``,
    ``standard_error``, ``interval``, ``gain``, ``bias``, ``p_value`` and, with costs, the best ``split`` of a budget.
    """
    wanted = {
        "quantities": named(quantity),
        "realizations": realizations,
        "seed": seed,
        "cost_high": cost_high,
        "cost_low": cost_low,
        "budget": budget,
    }
    with watching(progress) as watcher:
        numbers, text = _floral.unbiased_mean(
            model._model, path_of(fresh), path_of(pool), json.dumps(wanted), watcher
        )
    return Summary(f'{{"quantities": {numbers}}}', text)


def path_of(data: Union[Dataset, PathLike]) -> str:
    """The path of a dataset."""
    return data.path if isinstance(data, Dataset) else os.fspath(data)


def _pool(pool: Any, low: Any, coords: Optional[Mapping[str, Any]]) -> Dataset:
    """Converts a pool to a dataset."""
    if isinstance(pool, Dataset):
        return pool
    if isinstance(pool, (str, os.PathLike)):
        return Dataset.open(pool, progress=False)
    if _xarray.is_dataset(pool):
        low, pool = _xarray.variable(pool, "low") if low is None else low, _xarray.variable(pool, "input")
    is_named = not _xarray.is_array(pool) and isinstance(by_name(pool), Mapping)
    return Dataset.pool(**{"parameters" if is_named else "input": pool}, low=low, coords=coords)


class Loop:
    """Chooses which inputs of a pool to simulate in order to learn a quantity of interest.

    ``ask`` returns the inputs to simulate next, ``tell`` takes their solutions:

        loop = floral.Loop(inputs, "peak = max(u)")
        while loop.std > 0.01:
            for index in loop.ask(2):
                loop.tell(index, solve(inputs[index]))
    """

    def __init__(
        self,
        pool: Any,
        quantity: str,
        *,
        low: Any = None,
        coords: Optional[Mapping[str, Any]] = None,
        start: int = 5,
        method: str = "floral-kl",
        folder: Optional[PathLike] = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """pool: inputs, and low fidelity if there is any, as a dataset, such as :meth:`Dataset.pool` makes, or a path; or
            an array [input, grid...], with ``low`` of the same shape and ``coords``, coordinates by axis in the order of
            the axes; or parameters by name, a number per input each, as a dict or a table of pandas, with ``coords`` of
            the solutions unless these are scalars.
        start: number of runs before the first fit.
        folder: where runs and fits are kept; a loop in an existing folder continues. By default the folder is temporary
            and removed with this object.
        settings: settings of the fits, by section as in the command's ``--set``.
        """
        self._temporary = None if folder is not None else tempfile.TemporaryDirectory(prefix="floral-loop-")
        place = self._temporary.name if self._temporary else os.fspath(folder)  # type: ignore[arg-type]
        text = json.dumps({"method": method, **settings})
        (definition,) = named(quantity)
        self._pool = _pool(pool, low, coords)
        self._place = place
        self._loop = _floral.Loop(self._pool._dataset, place, definition, start, text, seed)
        #: The state at each :meth:`ask`: dicts with the number of runs, mean, std and the inputs chosen.
        self.curve: list[dict[str, Any]] = []

    @property
    def std(self) -> float:
        """The epistemic standard deviation of the quantity's mean, root mean square over the pool; infinite before the first fit."""
        found = self.curve[-1]["std"] if self.curve else None
        return math.inf if found is None else float(found)

    @property
    def estimates(self) -> dict[str, NDArray[Any]]:
        """The quantity after the last fit: arrays ``input`` (indices into the pool), ``mean``, and ``std`` (epistemic standard deviation of the mean)."""
        path = os.path.join(self._place, "quantity.csv")
        if not os.path.exists(path):
            raise ValueError("there is no fit yet; pass the first solutions to tell(), then call ask()")
        found = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
        return {"input": found[:, 0].astype(int), "mean": found[:, 1], "std": found[:, 2]}

    def ask(self, count: int = 1, *, progress: Progress = False) -> list[int]:
        """Fits if there are new runs, and returns the inputs to simulate next; the first call returns those of the first fit."""
        with watching(progress) as watcher:
            found = json.loads(self._loop.ask(count, watcher))
        self.curve.append(found)
        return [int(index) for index in found["inputs"]]

    def tell(self, index: int, high: Any) -> None:
        """Adds the realizations of an input: [realization, grid...], or [realization, channel, grid...]; or an
        ``xarray.DataArray``, whose axes are matched by name."""
        grid, outside = self._pool._grid, self._pool._outside
        values = one_of("high", high, grid) if _xarray.is_array(high) else numbers("high", high)
        if grid.is_single and values.ndim == 1:
            values = values[:, None]
        if values.ndim == len(grid.dims) + 1:
            values = values[:, None]
        if values.shape[2:] == grid.shape:
            finite(f"high of input {index}", values, ["realization"], outside)
        self._loop.tell(index, np.ascontiguousarray(values))

    def skip(self, index: int, reason: str = "skipped") -> None:
        """Excludes an input: :meth:`ask` does not return it again."""
        self._loop.skip(index, reason)

    @property
    def model(self) -> Any:
        """The model of the last fit."""
        from ._fit import load

        run = self._loop.run()
        if run is None:
            raise ValueError("there is no fit yet; pass the first solutions to tell(), then call ask()")
        return load(run)
