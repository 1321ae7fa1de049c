"""Sizes, damaged models and awkward data: a refusal is an ordinary exception, and the session continues."""

import numpy as np
import pytest

import floral


def test_sizes_beyond_memory_are_refused(curves, model, tmp_path):
    a, low = curves["input"][0] + 0.1, curves["low"][0]
    for sizes in ({"resolution": 10**13}, {"realizations": 10**13}):
        with pytest.raises(ValueError, match="of memory"):
            model.sample(a, low=low, **sizes)
    with pytest.raises(ValueError, match="of memory"):
        floral.problems.generate("1dcr", path=tmp_path / "d.zarr", inputs=10**13)
    assert model.sample(a, low=low, realizations=3).mean.shape == (16,)


def test_a_model_file_with_a_flipped_bit_is_refused(tmp_path, model):
    path = tmp_path / "flipped.floral"
    model.save(path)
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, len(whole), 20):
        flipped = bytearray(whole)
        flipped[place] ^= 1
        path.write_bytes(flipped)
        with pytest.raises(floral.errors.BadFileError, match="flipped.floral"):
            floral.load(path)


@pytest.mark.parametrize("factor", [0.0, 1.0, 1e150, 1e300])
def test_nothing_but_exceptions_comes_of_awkward_data(curves, factor):
    """A panic would not be caught by `except Exception`."""
    low = factor * curves["low"]
    data = {**curves, "low": low, "high": np.repeat(low[:, None], 3, axis=1)}
    try:
        model = floral.fit(floral.Dataset.from_arrays(**data), test=2, validation=0, progress=False)
        mean = np.asarray(model.sample(curves["input"][0], low=low[0], realizations=5).mean)
    except Exception as error:
        assert str(error)
    else:
        assert np.isfinite(mean).all()
