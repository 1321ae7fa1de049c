"""From data of other programs to a report, by the commands that a user types."""

import json
import os

import numpy as np
import xarray as xr
from importing import X, as_xarray, floral, pdebench


def run(folder, commands):
    """Runs commands one after the other, as a user types them."""
    assert len(commands) < 10
    for command in commands:
        done = floral(folder, *command.split())
    assert (folder / "report.html").stat().st_size > 10_000
    return done


TEN_LINES = """
import numpy as np
r = np.random.default_rng(0)
x = np.linspace(0, 1, 32, endpoint=False)
a = r.random((36, 1)) * np.sin(2 * np.pi * (x + r.random((36, 1))))
noise = 0.1 * r.standard_normal((36, 6, 1)) * np.cos(2 * np.pi * x)
np.savez("mine.npz", x=x, input=a, low=a, high=a[:, None] ** 2 + noise)
"""

TO_A_REPORT = [
    "inspect data.zarr",
    "train data.zarr -o run",
    "evaluate run data.zarr --inputs 0..2 --realizations 50",
    "sample run --input data.zarr --inputs 0..1 --realizations 50 -o predicted.zarr",
    "report run --data data.zarr --inputs 0..2 --realizations 50 -o report.html",
]


def test_from_ten_lines_of_numpy_to_a_report(tmp_path):
    assert len(TEN_LINES.strip().splitlines()) <= 10
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        exec(TEN_LINES, {})
    finally:
        os.chdir(here)
    run(tmp_path, ["import mine.npz -o data.zarr", *TO_A_REPORT])


def test_from_pdebench_to_a_report(tmp_path):
    pdebench(tmp_path)
    run(tmp_path, ["import burgers.hdf5 --periodic x -o data.zarr", *TO_A_REPORT])


def test_from_xarray_to_a_report(tmp_path):
    data = as_xarray()
    cases = xr.concat([(1 + i / 5) * data for i in range(5)], "sample", join="outer")
    cases.to_netcdf(tmp_path / "mine.nc")
    run(tmp_path, ["import mine.nc -o data.zarr", *TO_A_REPORT])


def test_files_are_taken_as_they_are(tmp_path):
    pdebench(tmp_path, inputs=34)
    for words in [
        ["inspect", "burgers.hdf5"],
        ["train", "burgers.hdf5", "-o", "run"],
        ["evaluate", "run", "burgers.hdf5", "--inputs", "0..1", "--realizations", 20],
        ["sample", "run", "--input", "burgers.hdf5", "--inputs", "0..1", "--realizations", 20, "-o", "out.zarr"],
    ]:
        done = floral(tmp_path, *words)
        assert "read from its imported copy" in done.stderr
    assert len(os.listdir(os.path.join(os.environ["FLORAL_CACHE"], "imports"))) == 1
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]
    (tmp_path / "other.h5").write_bytes(b"")
    floral(tmp_path, "inspect", "other.h5", code=2)


def test_unlike_numbers_of_realizations_and_fewer_points_are_trained_on(tmp_path):
    random = np.random.default_rng(1)
    amplitude, phase = random.random((36, 1)) + 0.5, random.random((36, 1))
    input = amplitude * np.sin(2 * np.pi * (X + phase))
    high = input[:, None] + 0.3 * random.standard_normal((36, 12, 1)) * np.cos(2 * np.pi * X)
    for i in range(36):
        high[i, 2 + i % 11 :] = np.nan
    np.savez(tmp_path / "ragged.npz", x=X, input=input, low=input, high=high)
    np.savez(tmp_path / "fewer.npz", x=X, input=input, low=input, high=high[:, :, ::2])
    for name in ("ragged", "fewer"):
        words = [
            ["import", f"{name}.npz", "-o", f"{name}.zarr"],
            ["inspect", f"{name}.zarr"],
            ["train", f"{name}.zarr", "-o", f"{name}-kl"],
            ["train", f"{name}.zarr", "-o", f"{name}-flow", "--method", "floral", "--epochs", 1]
            + ["--set", "network.hidden_channels=4", "--set", "network.n_modes=[4]"],
        ]
        for command in words:
            done = floral(tmp_path, *command)
        for run in (f"{name}-kl", f"{name}-flow"):
            options = ["--inputs", "0..5", "--realizations", 400, "--solver", "heun", "--steps", 5]
            done = floral(tmp_path, "evaluate", run, f"{name}.zarr", *options, "--json")
            if run.endswith("-kl"):
                spread = json.loads(done.stdout)["prediction"]["spread"]["observed"]["spread"]
                truth = 0.3 * np.sqrt(0.5)
                assert 0.5 * truth < spread < 2 * truth
    done = floral(tmp_path, "report", "fewer-kl", "--data", "fewer.zarr", "-o", "report.html", code=2)
    assert "fewer points" in done.stderr
