"""Several ranks under mpirun: the same bytes for any number of ranks, and after any kill."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

FLORAL = os.environ.get("FLORAL_MPI_BIN")
pytestmark = pytest.mark.skipif(
    not (FLORAL and shutil.which("mpirun")),
    reason="FLORAL_MPI_BIN names no floral that was built with --features mpi, or there is no mpirun",
)

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Copies through shared memory: containers often forbid a process to read the memory of another.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
GENERATE = "generate advection --inputs 6 --realizations 8 --resolution 64 --seed 3 -o data.zarr"
NETWORK = (
    "--set network.hidden_channels=4 --set network.layers=2 --set network.film_channels=4 "
    "--set network.n_modes=[8,8] --set optimiser.batch=16"
)
TRAIN = f"train data.zarr --method floral --epochs 2 --set split.test=1 --set split.validation=1 {NETWORK} -o run"
SAMPLE = "sample run --input data.zarr --inputs 0..3 --realizations 70 --keep 2 --steps 2 -o out.zarr"
EVALUATE = "evaluate run data.zarr --inputs 0..3 --realizations 8 --steps 2 --reference 20 --json"


def command(ranks, words):
    start = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []
    return [*start, FLORAL, "--threads", "1", *words.split()]


def run(ranks, words, folder, code=0):
    done = subprocess.run(
        command(ranks, words), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done


def digest(folder):
    """A hash of every file but the log, whose times differ."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".csv", ".jsonl") and path.name != "lock":
            digests[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digests
    return digests


def weights(folder):
    """Every array of both checkpoints, without the metadata, which contain times."""
    found = {}
    for name in ("best", "last"):
        data = (folder / f"{name}.safetensors").read_bytes()
        start = 8 + int.from_bytes(data[:8], "little")
        for key, array in json.loads(data[8:start]).items():
            if key != "__metadata__":
                begin, end = array["data_offsets"]
                found[name, key] = hashlib.sha256(data[start + begin : start + end]).hexdigest()
    assert found
    return found


def all_of(folder, ranks):
    """The results of the four commands."""
    for words in (GENERATE, TRAIN, SAMPLE):
        run(ranks, words, folder)
    scores = run(ranks, EVALUATE, folder).stdout
    scores = [line for line in scores.splitlines() if "seconds" not in line]
    return digest(folder / "data.zarr"), weights(folder / "run"), digest(folder / "out.zarr"), scores


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    return folder, all_of(folder, 0)


def in_shards(folder, ranks):
    """Data and predictions with two inputs per shard."""
    run(ranks, f"{GENERATE} --shard 2", folder)
    run(ranks, SAMPLE.replace("out.zarr", "shards.zarr") + " --shard 2", folder)
    return digest(folder / "data.zarr"), digest(folder / "shards.zarr")


@pytest.mark.parametrize("ranks", [2, 3])
def test_shards_are_the_same_and_a_killed_job_goes_on(alone, ranks, tmp_path):
    folders = [tmp_path / "one", tmp_path / "several"]
    for folder in folders:
        folder.mkdir()
        shutil.copytree(alone[0] / "run", folder / "run")
    cut(f"{GENERATE} --shard 2", folders[1], None, signal.SIGKILL, 0.6)
    one, several = in_shards(folders[0], 0), in_shards(folders[1], ranks)
    assert one == several
    for array in ("input", "low", "high"):
        assert sum(name.startswith(f"{array}/c.") for name in one[0]) == 3


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_any_number_of_ranks_comes_to_the_same_bytes(alone, ranks, tmp_path):
    assert all_of(tmp_path, ranks) == alone[1]


def test_an_error_common_to_all_ranks_is_reported_once(tmp_path):
    for words in ("generate darcy --set resolution=0 -o d.zarr", "generate nothing -o d.zarr"):
        done = run(3, words, tmp_path, code=2)
        assert done.stderr.count("error:") == 1, done.stderr


def test_a_rank_that_fails_ends_all_by_its_name(alone, tmp_path):
    """Only rank 1 cannot read the run."""
    shutil.copytree(alone[0] / "run", tmp_path / "run")
    shutil.copytree(alone[0] / "data.zarr", tmp_path / "data.zarr")
    script = tmp_path / "rank"
    script.write_text(
        f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && set -- $(echo "$@" | sed s/sample.run/sample\\ none/)\n'
        f'exec {FLORAL} "$@"\n'
    )
    script.chmod(0o755)
    words = ["mpirun", "--oversubscribe", "-n", "3", str(script), *SAMPLE.split()]
    start = time.monotonic()
    done = subprocess.run(words, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "rank 1 of 3: none: does not exist" in done.stderr, done.stderr
    assert time.monotonic() - start < 30


def children(job):
    found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    return sorted(int(pid) for pid in found)


def cut(words, folder, victim, number, after):
    """Starts three ranks and sends a signal to one of them, or to mpirun and thereby to all."""
    job = subprocess.Popen(
        command(3, words), cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    time.sleep(after)
    ranks = children(job)
    # A killed mpirun does not end its ranks; they exit by themselves a little later.
    whole = [job.pid, *ranks] if number == signal.SIGKILL else [job.pid]
    for pid in whole if victim is None else ranks[victim : victim + 1]:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass
    start = time.monotonic()
    job.communicate(timeout=60)
    assert time.monotonic() - start < 30
    return job.returncode


@pytest.mark.parametrize("victim", [0, 2, None])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_killed_goes_on_to_the_same_bytes(alone, victim, number, tmp_path):
    expected = alone[1]
    for words, after in ((GENERATE, 0.6), (TRAIN, 1.2), (SAMPLE, 0.9)):
        cut(words, tmp_path, victim, number, after)
        run(2, words, tmp_path)
    assert digest(tmp_path / "data.zarr") == expected[0]
    assert weights(tmp_path / "run") == expected[1]
    assert digest(tmp_path / "out.zarr") == expected[2]
