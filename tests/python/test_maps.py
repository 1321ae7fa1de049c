"""Maps have the last axis to the right, as xarray draws it, unless CF's attribute `axis` says otherwise.

FLORAL_BIN is the path of the floral command.
"""

import base64
import io
import json
import re
import struct
import zlib

import numpy as np
import pytest
import xarray as xr

from command import floral


def pixels(png):
    """Pixels of a PNG with 8-bit colours, from the top row down: [row, column, channel]."""
    stream = io.BytesIO(png[8:])
    data = b""
    while head := stream.read(8):
        length, kind = struct.unpack(">I4s", head)
        chunk = stream.read(length + 4)[:length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8
        if kind == b"IDAT":
            data += chunk
    channels = {2: 3, 6: 4}[colour]
    packed = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height + 1, (width + 1) * channels), int)
    for i, (kind, *values) in enumerate(packed.astype(int)):
        for j, value in enumerate(values, channels):
            left, up, corner = rows[i + 1, j - channels], rows[i, j], rows[i, j - channels]
            nearest = min((left, up, corner), key=lambda other: abs(left + up - corner - other))
            rows[i + 1, j] = (value + [0, left, up, (left + up) // 2, nearest][kind]) % 256
    return rows[1:, channels:].reshape(height, width, channels)


@pytest.mark.parametrize(
    "names, declared, right",
    [(("y", "x"), {}, 1), (("row", "column"), {}, 1), (("x", "y"), {}, 0), (("a", "b"), {"a": "X", "b": "Y"}, 0)],
)
def test_the_last_axis_goes_to_the_right_unless_another_is_declared(tmp_path, names, declared, right):
    random = np.random.default_rng(0)
    sizes = (5, 8)
    first, second = np.linspace(0, 1, sizes[0]), np.linspace(0, 2, sizes[1])
    # Values grow along both axes, faster along the first; one corner has the smallest value.
    shape = 1 + 3 * first[:, None] + 0.5 * second
    inputs = random.uniform(0.5, 1.5, (14, 1, 1)) * shape
    high = inputs[:, None] * (1 + 0.05 * random.normal(size=(14, 6, 1, 1)))
    attributes = {name: {"axis": letter} for name, letter in declared.items()}
    coords = {name: (name, at, attributes.get(name, {})) for name, at in zip(names, (first, second))}
    arrays = {
        "input": (("input", *names), inputs),
        "low": (("input", *names), inputs),
        "high": (("input", "realization", *names), high),
    }
    xr.Dataset(arrays, coords).to_netcdf(tmp_path / "d.nc")
    floral(tmp_path, "import d.nc -o d.zarr")
    data = xr.open_zarr(tmp_path / "d.zarr", consolidated=False)
    assert {name: data[name].attrs["axis"] for name in declared} == declared
    floral(tmp_path, "train d.zarr --method kriging -o run")
    wanted = "report run --data d.zarr --inputs 0..1 --realizations 20"
    floral(tmp_path, f"{wanted} --format json -o numbers")
    assert json.loads((tmp_path / "numbers" / "report.json").read_text())["setting"]["right"] == right
    floral(tmp_path, f"{wanted} --format svg --figure fields-0 -o figures")
    svg = (tmp_path / "figures" / "fields-0.svg").read_text()
    truth = pixels(base64.b64decode(re.search(r"base64,([^\"]+)", svg).group(1)))
    assert truth.shape[:2] == (sizes[1 - right], sizes[right])
    # Values grow along both axes, so that the lower left corner is the smallest and the darkest.
    brightness = truth[..., :3].sum(-1)
    assert brightness[-1, 0] == brightness.min() and brightness[0, -1] == brightness.max()
    first_is_up = right == 1
    grows_up, grows_right = brightness[0, 0] - brightness[-1, 0], brightness[-1, -1] - brightness[-1, 0]
    assert (grows_up > grows_right) == first_is_up
