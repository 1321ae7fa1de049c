"""Valid files with randomly drawn properties, for bench/semantics.py; their meaning is known before they are written."""

import numpy as np

from semantic_encoding import encoded, plain

FORMATS = {
    # Name: NumPy types, whether the byte order can be chosen, whether attributes are stored.
    "NETCDF3_CLASSIC": (["i1", "i2", "i4", "f4", "f8"], False, True),
    "NETCDF3_64BIT_OFFSET": (["i1", "i2", "i4", "f4", "f8"], False, True),
    "NETCDF3_64BIT_DATA": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"], False, True),
    "NETCDF4": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"], True, True),
    "NETCDF4_CLASSIC": (["i1", "i2", "i4", "f4", "f8"], True, True),
    "HDF5": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"], True, True),
    "Zarr v2": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"], True, True),
    "Zarr v3": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"], True, True),
    "npz": (["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"], True, False),
}

# From UDUNITS: a value x in the unit is factor x + offset in the first unit of its family.
UNITS = {
    "length": {"m": (1, 0), "mm": (1e-3, 0), "cm": (1e-2, 0), "1.5 m": (1.5, 0), "feet": (0.3048, 0), "metres": (1, 0)},
    "temperature": {
        "K": (1, 0),
        "degC": (1, 273.15),
        "deg K": (1, 0),
        "degrees Kelvin": (1, 0),
        "degrees Celsius": (1, 273.15),
        "degF": (5 / 9, 459.67 * 5 / 9),
    },
    "pressure": {"Pa": (1, 0), "hPa": (100, 0), "kPa": (1e3, 0), "N m-2": (1, 0), "1e-1 kPa": (100, 0), "kg/m/s2": (1, 0)},
    "time": {"s": (1, 0), "2.5 s": (2.5, 0), "min": (60, 0), "hours": (3600, 0), "milliseconds": (1e-3, 0)},
    "speed": {"m s-1": (1, 0), "m/s": (1, 0), "km/h": (1 / 3.6, 0), "cm s^-1": (1e-2, 0), "meters per second": (1, 0)},
    "none": {None: (1, 0)},
}
AXES = {
    "m": {"m": (1, 0), "cm": (1e-2, 0), "km": (1e3, 0), "1.5 m": (1.5, 0)},
    "s": {"s": (1, 0), "minutes": (60, 0)},
    "dates": {
        "hours since 2000-01-01": (1, 0),
        "hours since 2000-01-01 06:00:00": (1, 6),
        "days since 2000-01-01": (24, 0),
        "hours since 1999-12-31 00:00:00 UTC": (1, -24),
    },
    "none": {None: (1, 0)},
}
CENTRES = {"temperature": 290.0, "pressure": 2e3}


def draw(seed, index):
    """A case: fields in the first units of their families, and how each file stores them."""
    random = np.random.default_rng([seed, index])
    choice = lambda values: values[int(random.integers(len(values)))]
    form = choice(list(FORMATS))
    keeps = FORMATS[form][2]
    is_direct = form == "Zarr v3" and random.random() < 0.3
    files = 1 if is_direct or random.random() < 0.7 else 2
    axes = ["x", "y"][: 1 + (random.random() < 0.4)]
    if random.random() < 0.2:
        axes[0] = "time"
    lengths = {"input": choice([2, 3]), "realization": choice([4, 5]), "x": choice([7, 8]), "y": choice([11, 12])}
    lengths["time"] = lengths["x"]
    solution, inputs = (choice(list(UNITS)) if keeps else "none" for _ in range(2))
    axis_families = {a: (choice(["dates", "s", "none"]) if a == "time" else choice(["m", "none"])) if keeps else "none" for a in axes}
    shape = [lengths[a] for a in axes]
    case = {
        "format": form,
        "is_direct": is_direct,
        "axes": axes,
        "lengths": lengths,
        "mask": "none" if is_direct else choice(["none", "none", "absent", "points"]),
        "families": {"input": inputs, "low": solution, "high": solution},
        "axis_families": axis_families,
        "names": names(random, choice, form, is_direct),
        "coordinates": {a: coordinates(random, choice, lengths[a]) for a in axes},
        "is_named": form != "npz" and not (form == "HDF5" and random.random() < 0.3),
        "parts": [],
        "files": [],
    }
    orders = {name: [int(i) for i in random.permutation(len(axes))] for name in ("input", "low", "high")}
    for number in range(files):
        case["parts"].append(part(random, choice, case, number, shape, orders))
    case["traits"] = {"files": files, "list": traits(case)}
    return case


def names(random, choice, form, is_direct):
    if is_direct:
        return {"input": "input", "realization": "realization"}
    return {"input": choice(["input", "sample", "case"]), "realization": choice(["realization", "member"])}


def coordinates(random, choice, points):
    """Increasing whole numbers, evenly spaced or not, which every type stores exactly."""
    steps = np.full(points, choice([1, 2, 3])) if random.random() < 0.7 else random.integers(1, 5, points)
    return int(random.integers(-5, 20)) + np.cumsum(steps).astype("f8")


def part(random, choice, case, number, shape, orders):
    """One file: fields, masks, and for each array its dimensions, units, stored numbers and attributes."""
    lengths, kinds = case["lengths"], FORMATS[case["format"]]
    count, members = lengths["input"], lengths["realization"]
    keeps_order = not case["is_named"] or case["is_direct"]
    first = case["parts"][0] if number else None
    result = {"arrays": {}, "coordinates": {}, "is_compressed": bool(random.random() < 0.5), "is_unlimited": bool(random.random() < 0.4)}
    mask = np.zeros((count, members, *shape), bool)
    if case["mask"] == "absent":
        for i in range(count):
            mask[i, members - int(random.integers(0, 3)) :] = True
    if case["mask"] == "points":
        points = random.random((count, *shape)) < 0.3
        points.reshape(count, -1)[:, 0] = False
        mask |= points[:, None]
    for name in ("input", "low", "high"):
        leading = [count, members] if name == "high" else [count]
        family = case["families"][name]
        truth = CENTRES.get(family, 5.0) + random.normal(size=(*leading, *shape)) * 2
        units = choice(list(UNITS[family]))
        if case["is_direct"] and name == "high":
            units = result["arrays"]["low"]["units"]
        target = (first or result)["arrays"].get("high" if name != "input" else "input", {}).get("units")
        has_units = True
        # An array without units is taken to have the units of the others.
        if target is not None and (number or name == "low") and random.random() < 0.1:
            units, has_units = target, False
        factor, offset = UNITS[family][units]
        dimensions = [case["names"]["input"]] + [case["names"]["realization"]] * (name == "high")
        dimensions += [case["axes"][i] for i in (sorted(orders[name]) if keeps_order else orders[name])]
        own = mask if name == "high" else np.zeros(truth.shape, bool)
        array = {"dims": dimensions, "units": units, "has_units": has_units, "truth": truth, "mask": own}
        array.update(encoded(random, (truth - offset) / factor, own, kinds, case["format"]))
        if has_units and units is not None:
            array["attributes"]["units"] = units
        result["arrays"][name] = reordered(random, case, name, array, keeps_order)
    is_reversed = {a: not case["is_direct"] and random.random() < 0.3 for a in case["axes"]}
    for axis in case["axes"]:
        family = case["axis_families"][axis]
        units = choice(list(AXES[family]))
        factor, offset = AXES[family][units]
        result["coordinates"][axis] = plain(random, (case["coordinates"][axis] - offset) / factor, kinds)
        result["coordinates"][axis]["units"] = units
        if units is not None:
            result["coordinates"][axis]["attributes"]["units"] = units
        if is_reversed[axis]:
            flip(result, axis)
    return result


def reordered(random, case, name, array, keeps_order):
    """The stored numbers with their dimensions in any order; fields follow the order of the axes of the case."""
    canonical = [case["names"]["input"]] + [case["names"]["realization"]] * (name == "high") + case["axes"]
    dims = list(array["dims"])
    if not keeps_order:
        leading = [d for d in dims if d not in case["axes"]]
        axes = [d for d in dims if d in case["axes"]]
        for dimension in leading:
            axes.insert(int(random.integers(len(axes) + 1)), dimension)
        dims = axes
    array["raw"] = np.ascontiguousarray(array["raw"].transpose([canonical.index(d) for d in dims]))
    array["dims"] = dims
    if case["is_direct"]:
        at = 2 if name == "high" else 1
        array["raw"], array["dims"] = np.expand_dims(array["raw"], at), dims[:at] + ["channel"] + dims[at:]
    return array


def flip(result, axis):
    """Reverses an axis in every array of a file."""
    result["coordinates"][axis]["raw"] = result["coordinates"][axis]["raw"][::-1].copy()
    for array in result["arrays"].values():
        array["raw"] = np.flip(array["raw"], array["dims"].index(axis)).copy()


def traits(case):
    found = {case["format"], f"mask {case['mask']}", f"{len(case['axes'])} axes", f"{len(case['parts'])} files"}
    if case["is_direct"]:
        found.add("opened directly")
    for part in case["parts"]:
        for name, array in part["arrays"].items():
            found.add(f"{array['raw'].dtype.str[1:]}")
            found.update(key for key in array["attributes"] if key != "units")
            found.update(array["traits"])
            if array["raw"].dtype.byteorder == ">":
                found.add("big-endian")
            if array["dims"][0] != case["names"]["input"]:
                found.add("another order of dimensions")
        if len({part["arrays"][name]["units"] for name in ("low", "high")}) > 1:
            found.add("low in other units")
    if len(case["parts"]) > 1:
        units = [part["arrays"]["high"]["units"] for part in case["parts"]]
        found.update({"files in other units"} if len(set(units)) > 1 else set())
    return sorted(found)


def written(folder, case):
    """Writes the files of a case."""
    from semantic_formats import WRITERS

    for number, part in enumerate(case["parts"]):
        case["files"].append(WRITERS[case["format"]](folder, f"{number + 1}", case, part))
