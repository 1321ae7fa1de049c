"""The semantic part of the fault campaign: valid files with randomly drawn properties, read by floral and by others.

    bench/semantics --files 2400 --seed 1

Each case is one or two files of one format with the arrays input, low and high and coordinates. The dtype and byte
order of every array, packing, fill and missing values, valid ranges, unsigned bits, values that were never
written, units, the order of dimensions, the direction of axes, chunks and compression are drawn at random.
`floral import` reads the files; so do xarray (mask_and_scale) and, for NetCDF, netCDF4-python with its automatic
mask. All have to agree in every value, and with the field from which the file was made.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

import numpy as np

from results import ROOT, write
from semantic_files import draw, written
from semantic_reference import expected, in_units

FLORAL = os.environ["FLORAL"]


def floral(folder, *words):
    done = subprocess.run([FLORAL, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def imported(folder, case):
    """The arrays that floral imports, by name, without the dimension of the single channel."""
    import zarr

    words = ["--sensors"] if case["mask"] == "points" else []
    code, _, error = floral(folder, "import", *case["files"], "-o", "out.zarr", *words)
    if code:
        raise ValueError(f"refused: {error.strip()}")
    group = zarr.open_group(folder / "out.zarr", mode="r")
    found = {name: array[...].astype("f8") for name, array in group.arrays()}
    units = {name: group[name].attrs.get("units") for name in ("input", "low", "high")}
    return {name: values.squeeze({"input": 1, "low": 1, "high": 2}[name]) if name in units else values
            for name, values in found.items()}, units


def direct(folder, case):
    """Smallest and largest values of the arrays of a store in our own layout, opened without import."""
    code, out, error = floral(folder, "inspect", case["files"][0], "--json")
    if code:
        raise ValueError(f"refused by inspect: {error.strip()}")
    ranges = {}
    for array in json.loads(out)["arrays"]:
        channel = array["channels"][0]
        ranges[array["name"]] = (channel["min"], channel["max"])
    return ranges


def same(name, found, wanted, margin):
    """Describes where two arrays differ; None if they agree."""
    if found.shape != wanted.shape:
        return f"{name}: shape {found.shape}, not {wanted.shape}"
    is_close = np.isclose(found, wanted, rtol=margin, atol=margin * np.nanmax(np.abs(wanted)), equal_nan=True)
    if is_close.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~is_close)[0])
    return f"{name}{list(at)}: {found[at]}, not {wanted[at]}"


def differences(folder, case):
    wanted = expected(folder, case)
    if case["is_direct"]:
        ranges = direct(folder, case)
        edges = {name: (np.nanmin(wanted[name]), np.nanmax(wanted[name])) for name in ("input", "low", "high")}
        found = {name: np.array(ranges[name]) for name in edges}
        pairs = [same(f"range of {name}", found[name], np.array(edges[name]), 2e-6) for name in edges]
    else:
        found, units = imported(folder, case)
        pairs = [same(name, found[name], wanted[name], 2e-6) for name in ("input", "low", "high")]
        for axis in case["axes"]:
            margin = 2e-3 * np.diff(wanted[axis]).min() / np.abs(wanted[axis]).max()
            pairs.append(same(axis, found[axis], wanted[axis], max(margin, 1e-7)))
        for name in ("input", "low", "high"):
            if units[name] != in_units(case, name):
                pairs.append(f"{name} is in {units[name]}, not {in_units(case, name)}")
    return [pair for pair in pairs if pair]


def run(seed, index, keep=None):
    """The properties of a case, and the differences between floral and the references."""
    warnings.simplefilter("ignore")
    case = draw(seed, index)
    folder = pathlib.Path(keep) if keep else pathlib.Path(tempfile.mkdtemp(prefix="semantics-"))
    try:
        with np.errstate(all="ignore"):
            written(folder, case)
            return case["traits"], differences(folder, case)
    except Exception as error:  # An error of the campaign itself is reported as well.
        return case["traits"], [f"{error}" if isinstance(error, ValueError) else traceback.format_exc(limit=-3)]
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=2400, help="files to read, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="60 files, and nothing is written")
    parser.add_argument("--case", type=int, help="one case alone, whose files are kept in ./semantics-case")
    arguments = parser.parse_args()
    if arguments.case is not None:
        shutil.rmtree("semantics-case", ignore_errors=True)
        os.mkdir("semantics-case")
        traits, found = run(arguments.seed, arguments.case, "semantics-case")
        print(json.dumps(traits), *found, sep="\n")
        sys.exit(bool(found))
    start, files, cases, finds = time.perf_counter(), 0, 0, []
    wanted = 60 if arguments.short else arguments.files
    counts = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        while files < wanted:
            batch = range(cases, cases + 60)
            for index, (traits, found) in zip(batch, pool.map(run, [arguments.seed] * 60, batch)):
                if files >= wanted:
                    break
                cases, files = cases + 1, files + traits["files"]
                counts.update(trait for trait in traits["list"])
                if found:
                    finds.append({"case": index, "traits": traits, "found": found})
                    print(f"case {index}: {'; '.join(found)}  {traits}", file=sys.stderr)
    seconds = round(time.perf_counter() - start)
    print(f"{files} files in {cases} cases, {len(finds)} different, {seconds} s, seed {arguments.seed}")
    if not arguments.short:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        report = {
            "command": f"bench/semantics --files {arguments.files} --seed {arguments.seed}",
            "commit": commit.stdout.strip(),
            "files": files,
            "cases": cases,
            "different": len(finds),
            "seconds": seconds,
            "traits": dict(sorted(counts.items())),
            "finds": finds,
        }
        write("semantics.json", report)
    sys.exit(bool(finds))


if __name__ == "__main__":
    main()
