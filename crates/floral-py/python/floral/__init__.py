"""FLORAL learns, from a few expensive stochastic simulations, the distribution of the residual between a
low-fidelity solution and the true one.

>>> import numpy as np
>>> import floral
>>> x = np.linspace(0.0, 1.0, 24)
>>> rng = np.random.default_rng(0)
>>> a = rng.uniform(1.0, 4.0, 30)[:, None] * x              # thirty inputs
>>> low = np.sin(a)                                         # a low-fidelity solver
>>> high = low[:, None] * (1 + 0.1 * rng.normal(size=(30, 8, 1))) + 0.1 * (a**2)[:, None]
>>> data = floral.Dataset.from_arrays(input=a, low=low, high=high, coords={"x": x})
>>> data.inspect()["verdict"]["worth"]                      # print(data.inspect()) shows all
'somewhat'
>>> model = floral.fit(data, test=4, validation=4, progress=False)
>>> new = 2.5 * x
>>> ensemble = model.sample(new, low=np.sin(new), realizations=200)
>>> ensemble.mean.shape, ensemble.exceedance(0.3).shape
((24,), (24,))

Results are bit for bit those of the command ``floral``. Long computations show a progress bar if tqdm is
installed, let other Python threads run, and stop at Ctrl-C.
"""

from __future__ import annotations

from . import errors, metrics, problems
from ._dataset import Dataset
from ._decisions import (
    Loguniform,
    Lognormal,
    Loop,
    Normal,
    Sensitivity,
    Triangular,
    Uniform,
    unbiased_mean,
)
from ._ensemble import Ensemble
from ._ensembles import Ensembles
from ._fit import evaluate, fit, load
from ._floral import __version__, set_threads, threads
from ._interest import QuantityOfInterest
from ._model import Model
from ._observations import Observations

__all__ = [
    "Dataset",
    "Ensemble",
    "Ensembles",
    "Lognormal",
    "Loguniform",
    "Loop",
    "Model",
    "Normal",
    "Observations",
    "QuantityOfInterest",
    "Sensitivity",
    "Triangular",
    "Uniform",
    "__version__",
    "errors",
    "evaluate",
    "fit",
    "load",
    "metrics",
    "problems",
    "set_threads",
    "threads",
    "unbiased_mean",
]
