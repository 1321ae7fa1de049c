"""Models, caches, identities and paths: changed, mixed or oversized data are noticed or refused.

FLORAL_BIN is the path of the floral command.
"""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

POINTS, INPUTS, REALIZATIONS = 16, 24, 4
SPLIT = ("--set", "split.test=4", "--set", "split.validation=4")
KRIGING = ("--method", "kriging", *SPLIT)
NETWORK = ("--epochs", 1, "--set", "network.hidden_channels=4", "--set", "network.layers=1", *SPLIT)


def floral(folder, *words):
    command = [os.environ["FLORAL_BIN"], "--threads", "1", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def succeed(folder, *words):
    done = floral(folder, *words)
    assert done.returncode == 0, f"{words}\n{done.stderr}"
    return done


def refuse(folder, *words):
    """Returns the one-line error of a command that is refused."""
    done = floral(folder, "-q", *words)
    assert done.returncode == 2, f"{words}\n{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.stderr


def fields(scale=1.0):
    random = np.random.default_rng(0)
    a = random.normal(size=(INPUTS, 1, POINTS)).cumsum(-1)
    noise = 0.1 * random.normal(size=(INPUTS, REALIZATIONS, 1, POINTS))
    return scale * a, 0.9 * a, a[:, None] + noise


def dataset(folder, name, order=slice(None), scale=1.0):
    a, low, high = fields(scale)
    np.savez(folder / f"{name}.npz", input=a[order], low=low[order], high=high[order])
    succeed(folder, "import", f"{name}.npz", "-o", f"{name}.zarr")


def files(path):
    """The bytes of every file below a folder, by name."""
    walk = os.walk(path)
    names = [os.path.join(folder, name) for folder, _, found in walk for name in found]
    return {name: open(name, "rb").read() for name in sorted(names)}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    dataset(folder, "a")
    succeed(folder, "train", "a.zarr", *KRIGING, "-o", "run")
    succeed(folder, "train", "a.zarr", "--train-inputs", 9, *KRIGING, "-o", "other")
    succeed(folder, "export", "run", "-o", "model.floral")
    return folder


def parts(path):
    """The header of a model file as text and parsed, and its arrays."""
    bytes = path.read_bytes()
    end = 8 + struct.unpack("<Q", bytes[:8])[0]
    return bytes[:end], json.loads(bytes[8:end]), bytes[end:]


def test_a_changed_model_is_refused_in_one_line(trained, tmp_path):
    head, header, arrays = parts(trained / "model.floral")
    ours = json.loads(header["__metadata__"]["floral"])
    ours["grid"]["axes"][0]["coordinates"].reverse()
    header["__metadata__"]["floral"] = json.dumps(ours)
    compact, loose = json.dumps(header, separators=(",", ":")), json.dumps(header)
    rewritten = [struct.pack("<Q", len(text)) + text.encode() + arrays for text in (compact, loose)]
    flipped = []
    whole = head + arrays
    for place in np.random.default_rng(1).integers(0, len(whole), 12):
        changed = bytearray(whole)
        changed[place] ^= 1 << int(place) % 8
        flipped.append(bytes(changed))
    other = parts(trained / "other/best.safetensors")[2]
    sample = ("--input", trained / "a.zarr", "--inputs", "0..1", "--realizations", 5, "-o", "s.npz")
    assert head + other != whole
    for damaged in [*rewritten, *flipped, head + other, head + arrays[:-1]]:
        (tmp_path / "x.floral").write_bytes(damaged)
        assert "x.floral" in refuse(tmp_path, "sample", "x.floral", *sample)
    shutil.copytree(trained / "run", tmp_path / "run")
    (tmp_path / "run/best.safetensors").write_bytes(flipped[0])
    for words in [("sample", "run", *sample), ("export", "run", "-o", "y.floral")]:
        assert "best.safetensors" in refuse(tmp_path, *words)
    assert not (tmp_path / "y.floral").exists() and not (tmp_path / "s.npz").exists()
    (tmp_path / "x.floral").write_bytes(whole)
    assert "checksum" not in succeed(tmp_path, "sample", "x.floral", *sample).stderr


def test_an_older_model_is_read_with_a_note(tmp_path):
    formats = os.path.join(os.path.dirname(__file__), "../../crates/floral/tests/fixtures/formats")
    shutil.copytree(os.path.join(formats, "dataset-1.zarr"), tmp_path / "d.zarr")
    shutil.copy(os.path.join(formats, "floral-2.floral"), tmp_path / "old.floral")
    words = ("--input", "d.zarr", "--inputs", "0..1", "--realizations", 2, "-o", "s.npz")
    assert "format 2, which has no checksum" in succeed(tmp_path, "sample", "old.floral", *words).stderr


@pytest.mark.parametrize("order", ["reversed", "shuffled", "appended"])
def test_training_inputs_are_known_in_any_order(trained, tmp_path, order):
    orders = {
        "reversed": np.arange(INPUTS)[::-1],
        "shuffled": np.random.default_rng(2).permutation(INPUTS),
        "appended": np.concatenate([np.arange(INPUTS), [4, 0]]),
    }
    copy = orders[order]
    dataset(tmp_path, "copy", copy)
    done = succeed(tmp_path, "evaluate", trained / "run", "copy.zarr", "--inputs", f"0..{len(copy)}", "--realizations", 5, "--json")
    expected = [int(i) for i in np.flatnonzero(copy >= 4)]
    assert json.loads(done.stdout)["seen_inputs"] == expected
    assert f"{len(expected)} of these {len(copy)} inputs were used in training" in done.stderr
    done = succeed(tmp_path, "evaluate", trained / "run", "copy.zarr", "--realizations", 5, "--json")
    chosen = json.loads(done.stdout)
    expected = {"reversed": (INPUTS - 4, INPUTS), "shuffled": (0, INPUTS), "appended": (0, 4)}[order]
    assert (chosen["inputs"]["start"], chosen["inputs"]["end"]) == expected
    assert ("used in training" in done.stderr) == (order == "shuffled")


def test_data_that_are_replaced_while_they_are_read_are_refused(tmp_path):
    def generate(seed):
        words = ("generate", "1dcr", "--inputs", 300, "--realizations", 20, "--resolution", 64)
        succeed(tmp_path, "-q", *words, "--seed", seed, "--force", "-o", "d.zarr")

    generate(1)
    train = ["train", "d.zarr", *KRIGING]
    succeed(tmp_path, *train, "-o", "whole")
    whole = json.loads(parts(tmp_path / "whole/best.safetensors")[1]["__metadata__"]["floral"])
    for i, delay in enumerate((0.02, 0.05, 0.09)):
        generate(1)
        command = [os.environ["FLORAL_BIN"], "--threads", "1", "-q", *map(str, train), "-o", f"run{i}"]
        training = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        training.send_signal(signal.SIGSTOP)
        generate(2)
        training.send_signal(signal.SIGCONT)
        words = training.communicate()[1]
        if training.returncode:
            assert "d.zarr" in words and len(words.strip().splitlines()) == 1, words
            assert not (tmp_path / f"run{i}/best.safetensors").exists()
        else:
            found = json.loads(parts(tmp_path / f"run{i}/best.safetensors")[1]["__metadata__"]["floral"])
            # The command started after the exchange of the data, or ended before it.
            assert found["data"]["seed"] == 2 or found["scaling"] == whole["scaling"]


def test_copies_are_known_by_contents_and_kept_in_the_cache(tmp_path):
    a, low, high = fields()
    for factor in (1, 1000):
        np.savez(tmp_path / "d.npz", input=a, low=low, high=factor * high)
        os.utime(tmp_path / "d.npz", (1e9, 1e9))
        found = json.loads(succeed(tmp_path, "inspect", "d.npz", "--json").stdout)["arrays"]
        found = {array["name"]: array["max"] for array in found}
        assert found["high"] == pytest.approx(float((factor * high).max()), rel=1e-5)
    assert os.listdir(tmp_path) == ["d.npz"]
    cache = os.environ["FLORAL_CACHE"]
    assert len(os.listdir(os.path.join(cache, "imports"))) == 1


def test_a_changed_solver_is_asked_again(tmp_path):
    def solver(value):
        text = f'import sys, numpy as np\nnp.savez(sys.argv[2], low=0 * np.load(sys.argv[1])["input"] + {value})'
        (tmp_path / "solve.py").write_text(text)

    a, _, high = fields()
    np.savez(tmp_path / "d.npz", input=a, high=high)
    np.savez(tmp_path / "new.npz", input=a[:1] + 0.01)
    succeed(tmp_path, "import", "d.npz", "-o", "d.zarr")
    solver(1)
    command = ("--low-command", f"{sys.executable} solve.py {{input}} {{output}}")
    succeed(tmp_path, "train", "d.zarr", *KRIGING, *command, "-o", "run")
    succeed(tmp_path, "export", "run", "-o", "model.floral")

    def mean(model, *more):
        words = ("sample", model, "--input", "new.npz", "--realizations", 5, "-o", "s.npz", *command, *more)
        succeed(tmp_path, *words, "--force")
        return np.load(tmp_path / "s.npz")["mean"].mean()

    def kept():
        return len(list((tmp_path / "run/low-cache").glob("*.npz")))

    first = mean("run")
    count = kept()
    assert mean("run") == first and kept() == count
    assert mean("run", "--low-version", "2") == first and kept() == count + 1
    solver(50)
    assert abs(mean("run") - first) > 10 and kept() == count + 2
    assert mean("model.floral") == mean("run")
    assert len(os.listdir(os.path.join(os.environ["FLORAL_CACHE"], "low-cache"))) == 1


def test_no_command_writes_over_what_it_reads(trained, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(trained, folder)
    (folder / "points.csv").write_text("x\n3\n")
    os.symlink("a.zarr", folder / "link")
    before = files(folder)
    sample = ("sample", "run", "--input", "a.zarr", "--realizations", 5, "--force", "-o")
    for words in [
        (*sample, "a.zarr"),
        (*sample, "./link"),
        (*sample, "run"),
        (*sample, "a.zarr/sub.zarr"),
        (*sample, "points.csv", "--points", "points.csv"),
        ("sample", "run", "--input", "a.npz", "--realizations", 5, "--force", "-o", "a.npz"),
        ("import", "a.zarr", "--force", "-o", "a.zarr"),
        ("import", "a.npz", "--force", "-o", "a.npz"),
        ("train", "a.zarr", *KRIGING, "-o", "a.zarr"),
        ("train", "a.zarr", *KRIGING, "-o", "link"),
        ("export", "run", "--force", "-o", "run/best.safetensors"),
        ("export", "model.floral", "--force", "-o", "model.floral"),
        ("report", "run", "--data", "a.zarr", "--realizations", 5, "--force", "-o", "a.zarr"),
        ("report", "run", "--data", "a.zarr", "--realizations", 5, "--force", "-o", "run/config.toml"),
        ("report", "run", "--data", "a.zarr", "--realizations", 5, "--format", "svg", "-o", "a.zarr"),
    ]:
        assert "which the command reads" in refuse(folder, *words), words
        assert files(folder) == before, words


def test_sizes_beyond_memory_are_refused(trained, tmp_path):
    a, most = trained / "a.zarr", 10**13
    sample = ("sample", trained / "run", "--input", a, "-o", "s.zarr")
    evaluate = ("evaluate", trained / "run", a, "--inputs", "0..1", "--realizations")
    for words in [
        (*sample, "--realizations", 5, "--resolution", most),
        (*sample, "--realizations", 5, "--resolution", 2**63),
        (*sample, "--realizations", most, "--keep", most),
        (*evaluate, most),
        (*evaluate, 2**64 - 1),
        ("report", trained / "run", "--data", a, "--inputs", "0..1", "--realizations", most, "-o", "r.html"),
        ("generate", "1dcr", "--inputs", most, "-o", "g.zarr"),
        ("generate", "1dcr", "--inputs", 2, "--realizations", most, "-o", "g.zarr"),
        ("generate", "1dcr", "--inputs", 2, "--resolution", most, "-o", "g.zarr"),
        ("train", a, "--train-inputs", most, "-o", "t"),
        ("train", a, "--train-resolution", most, "-o", "t"),
    ]:
        refuse(tmp_path, *words)
    assert os.listdir(tmp_path) == []


def test_values_that_cannot_be_computed_with_are_refused_by_training(tmp_path):
    dataset(tmp_path, "huge", scale=1e300)
    for method in (KRIGING, SPLIT, ("--method", "fno", *NETWORK)):
        words = refuse(tmp_path, "train", "huge.zarr", *method, "-o", "run")
        assert "e300" in words or "e301" in words or "e299" in words, words
        assert not (tmp_path / "run/best.safetensors").exists()
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
