"""The model that calibrates quantities of interest of its ensembles, also after they are pickled."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Optional

from . import _floral


class Calibrating:
    """A model, which all ensembles that it draws share: pickled together, they hold it once."""

    def __init__(self, model: Optional[_floral.Model] = None, contents: bytes = b"") -> None:
        self._model = model
        self._contents = contents

    @property
    def model(self) -> _floral.Model:
        """The model, which is read from the bytes of its file when it is first needed."""
        if self._model is None:
            self._model = loaded(self._contents)
        return self._model

    def __reduce__(self) -> tuple[Any, ...]:
        return Calibrating, (None, self._contents if self._model is None else self._model.bytes)


def loaded(contents: bytes) -> _floral.Model:
    """Reads a model from the bytes of its file."""
    with tempfile.TemporaryDirectory(prefix="floral-") as folder:
        path = os.path.join(folder, "model.floral")
        with open(path, "wb") as file:
            file.write(contents)
        return _floral.Model.load(path)
