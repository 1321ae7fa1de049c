"""What a dataset contains: its arrays with NaN where nothing is known, and their metadata."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Callable, Optional

import numpy as np

from . import _floral
from ._arrays import Floats
from ._building import Parts, Solver
from ._files import lacks_chunks_of_high
from ._grid import OnGrid
from ._masks import Points, hidden
from ._quantities import Quantity


class Contents(OnGrid):
    """Base of :class:`Dataset` that reads its arrays."""

    _dataset: _floral.Dataset
    low_solver: Optional[Solver]
    high_solver: Optional[Solver]

    def __len__(self) -> int:
        return self._dataset.inputs

    @property
    def path(self) -> str:
        """The path of the Zarr group."""
        return os.fspath(self._dataset.path)

    @property
    def realizations(self) -> int:
        """The largest number of realizations of an input."""
        return self._dataset.realizations

    def _counts(self) -> list[int]:
        return [self._dataset.realizations_of(index) for index in range(len(self))]

    @property
    def symmetries(self) -> list[str]:
        """The declared symmetries."""
        return self._dataset.symmetries

    @property
    def quantities(self) -> dict[str, list[Quantity]]:
        """The channels of ``input`` and ``solution``: name, units and long name."""
        known: dict[str, list[Quantity]] = json.loads(self._dataset.quantities)
        return known

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the Zarr group."""
        attributes: dict[str, Any] = json.loads(self._dataset.attributes)
        return attributes

    @property
    def input(self) -> Floats:
        """All inputs: [input, grid...]. Here and in low and high, NaN marks points outside of the domain, such as land."""
        return self._grid.shown(self._inputs())

    def _inputs(self) -> Floats:
        """All inputs [input, channel, grid...], whose last channels are parameters."""
        inputs = self._all(self._dataset.input)
        fields = inputs.shape[1] - len(self._parameter_channels())
        return np.concatenate([hidden(inputs[:, :fields], self._outside), inputs[:, fields:]], axis=1)

    @cached_property
    def _outside(self) -> Optional[Points]:
        """Whether each point [grid...] is outside of the domain; None if all are inside, or are not known to be outside."""
        if not self.attrs.get("mask") or self._dataset.has_sensors:
            return None
        inside = self._dataset.points_of(0)
        found = np.ones(int(np.prod(self._grid.shape)), bool)
        found[inside if inside is not None else slice(None)] = False
        return found.reshape(self._grid.shape)

    def _parameter_channels(self) -> list[tuple[int, Quantity]]:
        return [(i, one) for i, one in enumerate(self.quantities["input"]) if one.get("parameter")]

    @property
    def parameters(self) -> dict[str, Floats]:
        """Parameters of the inputs by name, [input] each."""
        known = self._parameter_channels()
        if not known:
            return {}
        # Parameters are constant channels, so that any point has their value.
        inputs = self._all(self._dataset.input)
        values = inputs.reshape(*inputs.shape[:2], -1)[..., 0]
        return {str(one.get("name", f"p{i}")): np.ascontiguousarray(values[:, i]) for i, one in known}

    @property
    def low(self) -> Optional[Floats]:
        """Low-fidelity solutions: [input, grid...]; None if there are none."""
        if not self._dataset.has_low:
            return None
        return self._grid.shown(hidden(self._all(self._dataset.low), self._outside))

    @property
    def high(self) -> Floats:
        """Realizations of the high-fidelity solutions: [input, realization, grid...]; NaN marks missing
        realizations, and points without a sensor or outside of the domain."""
        if not self._has_high:
            raise ValueError("this dataset has no high fidelity; it is a pool of inputs")
        most = self.realizations
        every = [self._high(index) for index in range(len(self))]
        padded = [
            np.concatenate([one, np.full((most - len(one), *one.shape[1:]), np.nan)]) for one in every
        ]
        return self._grid.shown(np.stack(padded))

    def _high(self, index: int) -> Floats:
        """The realizations of one input: [realization, channel, grid...]."""
        high = self._dataset.high(index)
        if not self._dataset.has_sensors:
            return hidden(high, self._outside)
        points = self._dataset.points_of(index)
        whole = np.full((*high.shape[:2], int(np.prod(self._grid.shape))), np.nan)
        whole[..., slice(None) if points is None else points] = high
        return whole.reshape(*high.shape[:2], *self._grid.shape)

    def _check_whole(self, what: str) -> None:
        """Refuses high fidelity that is known on fewer points than the grid has."""
        found = self._dataset.high(0).shape[2:]
        if not self._dataset.has_sensors and found != self._grid.shape:
            raise ValueError(
                f"high is known on {found} points of the grid {self._grid.shape}, which {what} does not support; "
                "import it on one grid, with grid='high'"
            )

    @property
    def _has_high(self) -> bool:
        return self._dataset.has_high and not lacks_chunks_of_high(self.path)

    @property
    def _has_low_realizations(self) -> bool:
        return os.path.isdir(os.path.join(self.path, "low_realizations"))

    def _all(self, read: Callable[[int], Floats]) -> Floats:
        return np.stack([read(index) for index in range(len(self))])

    def _parts(self) -> Parts:
        """The contents, to which an input can be added."""
        here = self._dataset
        if not self._has_high:
            raise ValueError("this dataset has no high fidelity; it is a pool of inputs")
        self._check_whole("adding an input")
        if self._has_low_realizations:
            raise ValueError("low has several realizations; add the input to the files, and import them again")
        if here.has_sensors and self.attrs.get("mask"):
            raise ValueError("this dataset has sensors and points outside of the domain; add the input to the files")
        low = self._all(here.low) if here.has_low else None
        high = [self._high(index) for index in range(len(self))]
        known = (self.quantities, self.low_solver, self.high_solver, here.has_sensors, self._outside)
        return Parts(self._grid, self._all(here.input), low, high, *known, title=self.attrs.get("title"))
