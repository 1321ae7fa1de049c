"""Large grids, and data that do not fit into memory, on one machine.

    bench/large

On 512 x 512 points: a dataset, an epoch of the paper's flow with its full width and fewer modes, and
realizations of a new input, each with its times and its peak memory. Then a training whose address space is
limited so that its samples do not fit: they are read from a file, and the weights must equal those of a
training that holds them in memory. Processor seconds are summed over threads; those of training include
reading and validation. The load of the machine is recorded at the start.
"""

import hashlib
import json
import os
import pathlib
import resource
import tempfile
import time

from results import write

FLORAL = os.environ["FLORAL"]
FINE = "--method floral --set network.n_modes=[32,32] --set split.test=1 --set split.validation=1"
SMALL = "--method residual-fno --set network.hidden_channels=4 --set network.film_channels=4 --set network.layers=1"
SMALL += " --set network.n_modes=[8,8] --set optimiser.batch=64"
SMALL += " --set split.test=1 --set split.validation=1 --epochs 1 --seed 3"


def floral(words, folder, address_space=None):
    """Runs a command; returns wall and processor seconds, the peak of resident memory in bytes, and the printed text."""
    said = folder / "said"
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        os.execv(FLORAL, [FLORAL, *words.split()])
    _, status, used = os.wait4(child, 0)
    text = said.read_text()
    if status != 0:
        raise SystemExit(f"floral {words}: {text}")
    seconds = {"seconds": time.monotonic() - start, "processor_seconds": used.ru_utime + used.ru_stime}
    return {**seconds, "peak_bytes": used.ru_maxrss * 1024}, text


def large(folder):
    """Generate, train and sample on 512 x 512 points."""
    side, inputs, realizations, drawn = 512, 4, 2, 4
    made, _ = floral(
        f"generate advection --resolution {side} --inputs {inputs} --realizations {realizations} -o large.zarr", folder
    )
    trained, _ = floral(f"train large.zarr {FINE} --epochs 1 -o large", folder)
    samples, held_out = (inputs - 2) * realizations, realizations
    sampled, _ = floral(
        f"sample large --input large.zarr --inputs 0..1 --realizations {drawn} --solver heun --steps 4 -o out.zarr", folder
    )
    return {
        "grid": f"{side}x{side}",
        "generate": {**made, "realizations": inputs * realizations},
        "train": {
            **trained,
            "settings": FINE,
            "samples": samples,
            "validation_samples": held_out,
            "processor_seconds_per_sample": trained["processor_seconds"] / samples,
        },
        "sample": {**sampled, "realizations": drawn, "processor_seconds_per_realization": sampled["processor_seconds"] / drawn},
    }


def beyond_memory(folder):
    """The same training with and without memory for its samples."""
    inputs, realizations, side = 22, 150, 128
    limit = 600_000_000
    floral(
        f"generate advection --resolution {side} --inputs {inputs} --realizations {realizations} -o many.zarr", folder
    )
    held, _ = floral(f"train many.zarr {SMALL} -o held", folder)
    read, text = floral(f"train many.zarr {SMALL} -o read", folder, limit)
    note = [line for line in text.splitlines() if "are read from a file" in line]
    return {
        "grid": f"{side}x{side}",
        "samples": (inputs - 1) * realizations,
        "sample_bytes": (inputs - 1) * realizations * side * side * 4,
        "address_space": limit,
        "held": held,
        "read_from_file": read,
        "note": note[0].replace("note: ", "") if note else None,
        "same_weights": weights(folder / "held") == weights(folder / "read"),
    }


def weights(run):
    """A hash of the arrays of the last checkpoint, without its header, which contains times."""
    stored = (run / "last.safetensors").read_bytes()
    header = int.from_bytes(stored[:8], "little")
    return hashlib.sha256(stored[8 + header :]).hexdigest()


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        results = {"command": "bench/large", "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        results["large_grid"] = large(folder)
        print(json.dumps(results["large_grid"], indent=2), flush=True)
        results["beyond_memory"] = beyond_memory(folder)
        print(json.dumps(results["beyond_memory"], indent=2), flush=True)
    write("large.json", results)


if __name__ == "__main__":
    main()
