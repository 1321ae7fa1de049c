"""Small datasets and a model that the tests of the package share."""

import matplotlib
import numpy as np
import pytest

import floral

matplotlib.use("agg")


@pytest.fixture(scope="session")
def curves():
    """Ten inputs on sixteen points of a line, with low fidelity and six realizations each."""
    rng = np.random.default_rng(3)
    x = np.linspace(0.0, 2.0, 16)
    a = rng.uniform(1.0, 4.0, 10)[:, None] * x
    low = np.sin(a)
    high = low[:, None] * (1 + 0.1 * rng.normal(size=(10, 6, 1))) + 0.2 * a[:, None]
    return {"input": a, "low": low, "high": high, "coords": {"x": x}}


@pytest.fixture(scope="session")
def data(curves):
    return floral.Dataset.from_arrays(**curves)


@pytest.fixture(scope="session")
def model(data):
    return floral.fit(data, test=2, validation=0, progress=False)
