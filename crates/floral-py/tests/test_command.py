"""The command of the wheel: it and the package give bit-identical results."""

import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import xarray

import floral

FLORAL = str(pathlib.Path(sys.executable).parent / "floral")


def run(folder, words, code=0):
    done = subprocess.run(
        [FLORAL, *words.split()], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"floral {words}\n{done.stdout}\n{done.stderr}"
    return done


def test_the_wheel_brings_the_command_with_its_exit_codes(tmp_path):
    assert run(tmp_path, "--version").stdout == f"floral {floral.__version__}\n"
    assert "Usage: floral" in run(tmp_path, "--help").stdout
    assert "unrecognized subcommand" in run(tmp_path, "sow", 2).stderr
    assert run(tmp_path, "inspect none.zarr", 2).stderr.startswith("error: none.zarr")


def test_package_and_command_give_the_same_bits(tmp_path):
    run(tmp_path, "generate 1dcr --inputs 12 --realizations 5 --resolution 16 -o data.zarr")
    split = "--set split.test=2 --set split.validation=2"
    network = "--set network.hidden_channels=4 --set network.film_channels=4"
    flow = f"--method floral --epochs 1 --set network.layers=2 {network}"
    solver = "--solver midpoint --steps 3"
    data = floral.Dataset.open(tmp_path / "data.zarr")
    same = floral.problems.residual1d(inputs=12, realizations=5, resolution=16)
    np.testing.assert_array_equal(data.high, same.high)
    sizes = {"hidden_channels": 4, "film_channels": 4, "layers": 2}
    for name, flags, settings in (
        ("kl", "", {}),
        ("flow", flow, {"method": "floral", "epochs": 1, "network": sizes}),
    ):
        run(tmp_path, f"train data.zarr {split} {flags} --seed 3 -o {name}")
        sampled = f"--realizations 70 --keep 70 --seed 5 {solver}"
        run(tmp_path, f"sample {name} --input data.zarr --inputs 1..3 {sampled} -o {name}.zarr")
        stored = xarray.open_zarr(tmp_path / f"{name}.zarr")
        model = floral.fit(same, test=2, validation=2, seed=3, progress=False, **settings)
        for position, index in enumerate((1, 2)):
            ensemble = model.sample(
                data.input[index],
                low=data.low[index],
                index=index,
                realizations=70,
                seed=5,
                solver="midpoint",
                steps=3,
            )
            kept = stored.realizations.values[position, :, 0]
            np.testing.assert_array_equal(ensemble.realizations, kept)
            mean = stored["mean"].values[position, 0]
            np.testing.assert_array_equal(ensemble.mean.astype(np.float32), mean)


def test_a_model_file_serves_both(tmp_path, data, model):
    data.save(tmp_path / "data.zarr")
    model.save(tmp_path / "model.floral")
    given = "--input data.zarr --inputs 0..1 --realizations 10 --keep 10"
    run(tmp_path, f"sample model.floral {given} -o out.zarr")
    kept = xarray.open_zarr(tmp_path / "out.zarr").realizations.values[0, :, 0]
    ensemble = model.sample(data.input[0], low=data.low[0], realizations=10)
    np.testing.assert_array_equal(ensemble.realizations, kept)
    table = run(tmp_path, "evaluate model.floral data.zarr --realizations 20").stdout
    assert "model.floral: floral-kl" in table
    run(tmp_path, "train data.zarr --set split.test=2 --set split.validation=0 -o run")
    run(tmp_path, "export run -o again.floral")
    run(tmp_path, "export run -o again.floral")  # exporting twice is allowed
    (tmp_path / "other.floral").write_bytes(b"of somebody else")
    assert "--force" in run(tmp_path, "export run -o other.floral", 2).stderr
    loaded = floral.load(tmp_path / "again.floral")
    copy = loaded.sample(data.input[0], low=data.low[0], realizations=10)
    np.testing.assert_array_equal(ensemble.realizations, copy.realizations)


def interrupted(command, folder, seconds=1.5):
    """Sends Ctrl-C after some seconds; returns the exit code and standard error."""
    # A background job of a shell ignores Ctrl-C, and so do its child processes unless they reset the handler.
    listen = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=folder, text=True, preexec_fn=listen, **pipes)
    assert process.stdout.readline() == "begun\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    # The fit would take hours. Its checkpoint is saved before it exits, which a busy disk may delay.
    _, output = process.communicate(timeout=600)
    return process.returncode, output


FIT = """
import floral, threading
data = floral.problems.darcy(inputs=12, realizations=8, resolution=32)
ticks = []
def tick():
    while True:
        ticks.append(1)
        threading.Event().wait(0.01)
threading.Thread(target=tick, daemon=True).start()
print("begun", flush=True)
try:
    floral.fit(data, method="floral", test=1, validation=1, epochs=10000)
except KeyboardInterrupt:
    # Other threads have gone on meanwhile.
    raise SystemExit(7 if len(ticks) > 20 else 8)
"""


def test_control_c_stops_a_fit_and_other_threads_go_on_meanwhile(tmp_path):
    code, output = interrupted([sys.executable, "-c", FIT], tmp_path)
    assert code == 7, output


def test_an_error_of_a_progress_function_stops_the_work(data):
    stages = []

    def progress(stage, done, total, words):
        stages.append((stage, done, total))
        if len(stages) > 2:
            raise RuntimeError("enough")

    try:
        floral.fit(data, method="floral", test=1, validation=1, epochs=10**6, progress=progress)
    except RuntimeError as error:
        assert str(error) == "enough"
    else:
        raise AssertionError("the work went on")
    assert stages[0][0] == "training" and stages[0][1] < stages[-1][1] < stages[-1][2]


FORKED = """
import multiprocessing, numpy as np, floral
data = floral.problems.residual1d(inputs=8, realizations=3, resolution=16)
model = floral.fit(data, test=0, validation=0)
def mean(index):
    return model.sample(data.input[index], low=data.low[index], realizations=100).mean
with multiprocessing.get_context("fork").Pool(2) as pool:
    there = pool.map(mean, range(4))
assert all(np.array_equal(mean(index), there[index]) for index in range(4))
"""


def test_forked_processes_have_threads_of_their_own(tmp_path):
    subprocess.run([sys.executable, "-c", FORKED], cwd=tmp_path, check=True, timeout=120)
