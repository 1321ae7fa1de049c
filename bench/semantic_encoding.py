"""Encodes known values as stored numbers of randomly drawn types: packing, fill values, valid ranges, unsigned bits."""

import numpy as np

# netCDF's default fill values, stored where nothing was written.
DEFAULTS = {"i2": -32767, "u2": 65535, "i4": -2147483647, "u4": 4294967295, "f4": 9.969209968386869e36, "f8": 9.969209968386869e36}


def byte_order(random, kind, may_choose):
    is_big = may_choose and kind[1:] != "1" and random.random() < 0.3
    return np.dtype((">" if is_big else "<") + kind)


def encoded(random, values, mask, kinds, form):
    """Stored numbers and attributes of values that are missing under the mask."""
    types, may_choose, keeps = kinds
    kind = types[int(random.integers(len(types)))]
    if kind == "f2" and np.abs(values).max() > 6e4 or kind[0] != "f" and not keeps:
        kind = "f4"
    dtype = byte_order(random, kind, may_choose)
    if not keeps:
        raw = np.where(mask, np.nan, values).astype(dtype)
        return {"raw": raw, "attributes": {}, "traits": [], "quantum": 1e-3 * np.abs(values).max() if kind == "f2" else 0}
    if kind[0] == "f":
        return floats(random, values, mask, dtype, form)
    return integers(random, values, mask, dtype, form)


def floats(random, values, mask, dtype, form):
    attributes, traits = {}, []
    stored = values
    kind = dtype.str[1:]
    quantum = {"f2": 2e-3, "f4": 4e-7, "f8": 0}[kind] * np.abs(values).max()
    if random.random() < 0.3 and kind != "f2":
        scale, offset = scaling(random, values, 10.0)
        stored = (values - float(offset)) / float(scale)
        attributes.update(scale_factor=scale, add_offset=offset)
        quantum += 1e-6 * (np.abs(values).max() + abs(float(offset)))
    odd = [-6e4, 5e4] if kind == "f2" else [-999.0 * 1e6, 1e20, -1e30, 9.96921e36]
    odd = [float(v) for v in random.permutation(odd)]
    markers = [np.nan]
    if random.random() < 0.5:
        markers.append(odd[0])
        attributes["_FillValue"] = dtype.type(odd[0])
    if random.random() < 0.3:
        wide = np.float64 if random.random() < 0.5 else dtype.type
        traits += ["missing_value of another type"] * (wide is np.float64 and kind != "f8")
        markers.append(odd[1])
        attributes["missing_value"] = wide(odd[1])
    if random.random() < 0.3:
        low, high = np.floor(stored.min()) - 1, np.ceil(stored.max()) + 1
        attributes.update(bounds(random, dtype.type(low), dtype.type(high), dtype))
        markers.append(2 * abs(high) + 100 if "valid_max" in attributes or "valid_range" in attributes else -2 * abs(low) - 100)
    if form.startswith("NETCDF") and "_FillValue" not in attributes:
        markers.append(DEFAULTS[kind])
        traits.append("never written")
    raw = stored.astype(dtype)
    plant(random, raw, mask, np.array(markers).astype(dtype))
    return {"raw": raw, "attributes": attributes, "traits": traits, "quantum": quantum}


def integers(random, values, mask, dtype, form):
    attributes, traits = {}, []
    kind, bits = dtype.str[1:], 8 * dtype.itemsize
    # With `_Unsigned`, the bits may be meant with another sign than the type has.
    is_signed = kind[0] == "i"
    if is_signed and random.random() < 0.3:
        is_signed, attributes["_Unsigned"] = False, "true"
    elif not is_signed and form.startswith("Zarr") and not mask.any() and bits < 64 and random.random() < 0.3:
        is_signed, attributes["_Unsigned"] = True, "false"
    if "_Unsigned" in attributes and form != "HDF5":
        # xarray misreads big-endian numbers whose sign differs from that of the type.
        dtype = dtype.newbyteorder("<")
    lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    # The outermost numbers are reserved for missing values; wide types have enough of them.
    first, last = max(lowest + 8, -(10**6)), min(highest - 8, 10**6)
    is_whole = values.min() > first and values.max() < last and np.ptp(values) > 5 and random.random() < 0.3
    if is_whole:
        codes, quantum = np.rint(values), 0.5
    else:
        scale, offset = scaling(random, values, last - first, first)
        codes = np.clip(np.rint((values - float(offset)) / float(scale)), first, last)
        quantum = float(scale) * 1.01 + 1e-6 * (np.abs(values).max() + abs(float(offset)))
        attributes.update(scale_factor=scale, add_offset=offset)
    markers = []
    # xarray accepts no unsigned fill value if the bits are signed.
    if random.random() < 0.5 and attributes.get("_Unsigned") != "false":
        markers.append(lowest + 1)
        attributes["_FillValue"] = stored_as(lowest + 1, dtype)
    if random.random() < 0.3:
        markers.append(highest - 1)
        missing = stored_as(highest - 1, dtype)
        attributes["missing_value"] = np.float64(missing) if bits < 64 and random.random() < 0.3 and "_Unsigned" not in attributes else missing
    if random.random() < 0.3:
        attributes.update(bounds(random, stored_as(first, dtype), stored_as(last, dtype), dtype))
        markers.append(last + 2 if "valid_max" in attributes or "valid_range" in attributes else first - 2)
    if form.startswith("NETCDF") and "_FillValue" not in attributes and kind in DEFAULTS and "_Unsigned" not in attributes:
        markers.append(DEFAULTS[kind])
        traits.append("never written")
    if mask.any() and not markers:
        markers.append(lowest + 1)
        attributes["_FillValue"] = stored_as(lowest + 1, dtype)
    raw = np.array([stored_as(int(code), dtype) for code in codes.ravel()], dtype).reshape(codes.shape)
    plant(random, raw, mask, np.array([stored_as(marker, dtype) for marker in markers], dtype))
    return {"raw": raw, "attributes": attributes, "traits": traits, "quantum": quantum}


def stored_as(code, dtype):
    """A number whose bits a type may read with another sign."""
    bits = 8 * dtype.itemsize
    code = int(code) % 2**bits
    if dtype.kind == "i" and code >= 2 ** (bits - 1):
        code -= 2**bits
    return dtype.type(code)


def scaling(random, values, span, first=0.0):
    """Scale factor and offset, of one type, that map a span of stored numbers to the values."""
    kind = np.float32 if random.random() < 0.5 else np.float64
    scale = kind(1.02 * (np.ptp(values) + 1e-3 * np.abs(values).max()) / span)
    middle = (values.min() + values.max()) / 2
    return scale, kind(middle - float(scale) * (first + span / 2))


def bounds(random, low, high, dtype):
    both = np.array([low, high], dtype.newbyteorder("="))
    return [{"valid_range": both}, {"valid_min": both[0]}, {"valid_max": both[1]}, {"valid_min": both[0], "valid_max": both[1]}][
        int(random.integers(4))
    ]


def plant(random, raw, mask, markers):
    if mask.any():
        raw[mask] = markers[random.integers(len(markers), size=int(mask.sum()))]


def plain(random, values, kinds):
    """Encodes coordinates: as integers if they are whole numbers, as floats otherwise."""
    types, may_choose, _ = kinds
    is_whole = (values == np.rint(values)).all()
    options = [t for t in ("i2", "i4", "f4", "f8") if t in types and (t[0] == "f" or is_whole)]
    dtype = byte_order(random, options[int(random.integers(len(options)))], may_choose)
    return {"raw": values.astype(dtype), "attributes": {}}
