"""Predictions given readings, from the shell: exact readings are reproduced on grids, meshes and through transforms, units
are converted, results have the same bytes on any number of threads, and bad readings give a one-line error.

FLORAL_BIN is the path of the floral command.
"""

import json

import numpy as np
import pytest
import xarray as xr

from command import floral

SPLIT = ["--set", "split.test=4", "--set", "split.validation=0", "--set", "without=network"]


def readings(folder, text):
    (folder / "readings.csv").write_text(text)
    return ["--observe", "readings.csv"]


def sample(folder, run, data, *words, code=0):
    options = ["--input", data, "--inputs", "0..1", "--realizations", 200, "--keep", 200, "--force"]
    return floral(folder, "sample", run, *options, *words, "-o", "out.zarr", code=code)


def drawn(folder):
    found = xr.open_zarr(folder / "out.zarr", consolidated=False).load()
    return found, found["realizations"].values[0, :, 0].astype(float)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Heat along a rod in kelvin, with 16 inputs."""
    folder = tmp_path_factory.mktemp("observe")
    rng = np.random.default_rng(0)
    x = np.linspace(0, 2, 24)
    a = rng.uniform(1, 3, (16, 1)) * np.sin(x)
    waves = rng.normal(size=(16, 15, 1)) * np.sin(2 * x) + rng.normal(size=(16, 15, 1)) * np.cos(3 * x)
    high = 300 + 20 * np.exp(0.3 * a[:, None] + 0.2 * waves)
    data = xr.Dataset({"input": (("input", "x"), a), "high": (("input", "realization", "x"), high)}, {"x": x})
    data["x"].attrs["units"] = "m"
    data["high"].attrs["units"] = "K"
    data.to_netcdf(folder / "rod.nc", format="NETCDF3_64BIT")
    floral(folder, "import", "rod.nc", "-o", "rod.zarr")
    floral(folder, "train", "rod.zarr", *SPLIT, "-o", "rod")
    floral(folder, "train", "rod.zarr", *SPLIT, "--set", "transform=log", "-o", "log")
    return folder


@pytest.mark.parametrize("run", ["rod", "log"])
def test_exact_readings_are_reproduced_and_units_converted(folder, run):
    x = np.linspace(0, 2, 24)
    text = f"value [degC],x [mm]\n{50.0},{1000 * x[5]}\n{62.0},{1000 * x[15]}\n"
    done = sample(folder, run, "rod.zarr", *readings(folder, text))
    found, u = drawn(folder)
    np.testing.assert_allclose(u[:, 5], 323.15, rtol=1e-6)
    np.testing.assert_allclose(u[:, 15], 335.15, rtol=1e-6)
    assert found["std"].values.ravel()[5] < 1e-3
    np.testing.assert_allclose(found["mean"].values.ravel(), u.mean(0), rtol=0.01)
    assert "conditioned on 2 readings: chi-square" in done.stderr
    assert found.attrs["observed_readings"] == 2 and 0 <= found.attrs["observed_p_value"] <= 1


def test_a_total_is_kept_and_quantities_are_those_of_the_conditioned_field(folder):
    words = ["--observe-quantity", "mean(u) = 332", "--quantity", "total = mean(u)"]
    sample(folder, "rod", "rod.zarr", *words)
    found, _ = drawn(folder)
    np.testing.assert_allclose(found["total"].values, 332, rtol=1e-6)
    assert found["total_epistemic"].values.ravel()[0] < 1e-6


def test_the_same_bytes_on_any_number_of_threads_and_in_any_order(folder):
    rows = ["0.3,323,0.1", "1.1,331,0.2", "1.9,333,0.1"]
    realizations = []
    for threads, order in ((1, rows), (2, rows[::-1])):
        words = readings(folder, "\n".join(["x,value,std", *order]) + "\n")
        sample(folder, "rod", "rod.zarr", *words, "--threads", threads)
        realizations.append(drawn(folder)[1])
    np.testing.assert_array_equal(*realizations)


def test_readings_in_the_cells_of_a_mesh(tmp_path):
    rng = np.random.default_rng(1)
    n = 6
    x, y = (m.ravel() for m in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n)))
    corner = np.arange(n * n).reshape(n, n)[:-1, :-1].ravel()
    triangles = np.concatenate([np.stack([corner, corner + 1, corner + n + 1], 1), np.stack([corner, corner + n + 1, corner + n], 1)])
    lines = ["# vtk DataFile Version 3.0", "u", "ASCII", "DATASET UNSTRUCTURED_GRID", f"POINTS {n * n} double"]
    lines += [f"{a} {b} 0" for a, b in zip(x, y)] + [f"CELLS {len(triangles)} {4 * len(triangles)}"]
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles] + [f"CELL_TYPES {len(triangles)}", *["5"] * len(triangles)]
    lines += [f"POINT_DATA {n * n}", "SCALARS u double 1", "LOOKUP_TABLE default"]
    table = ["case,load"]
    for case in range(10):
        load = rng.uniform(1, 2)
        table.append(f"{case},{load}")
        for run in range(6):
            u = load * x + rng.normal() * x * y + rng.normal() * np.sin(3 * y) + 0.05 * rng.normal(size=n * n)
            path = tmp_path / f"cases/case_{case}/run_{run}.vtk"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*lines, *map(str, u)]) + "\n")
    (tmp_path / "params.csv").write_text("\n".join(table) + "\n")
    words = ["--pattern", "case_{input}/run_{realization}.vtk", "--high", "u", "--parameters", "params.csv"]
    floral(tmp_path, "import", "cases", *words, "-o", "mesh.zarr")
    floral(tmp_path, "train", "mesh.zarr", *SPLIT, "-o", "mesh")
    sample(tmp_path, "mesh", "mesh.zarr", *readings(tmp_path, "y,x,value\n0.45,0.33,1.25\n"), "--quantity", "there = at(u, 0.33, 0.45)")
    found, _ = drawn(tmp_path)
    np.testing.assert_allclose(found["there"].values, 1.25, atol=1e-5)
    placed = json.loads(floral(tmp_path, "suggest", "mesh", "--sensors", 2, "--input", "mesh.zarr", "--inputs", "0..1", "--json").stdout)
    assert [len(sensor["coordinates"]) for sensor in placed["sensors"]] == [2, 2]
    refused = sample(tmp_path, "mesh", "mesh.zarr", *readings(tmp_path, "y,x,value\n0.45,1.33,1.25\n"), code=2)
    assert "outside of the mesh" in refused.stderr


def test_readings_beside_the_prediction_are_noted(folder):
    done = sample(folder, "rod", "rod.zarr", *readings(folder, "x,value,std\n1,500,0.1\n"))
    assert "the readings contradict the prediction" in done.stderr


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "the header is"),
        ("x,value,std\n", "holds no readings"),
        ("1,20,0.1\n", "must name the columns x,value"),
        ("x,value\n3,20\n", "line 2: x = 3: outside of the domain, from 0 to 2"),
        ("x,value\n1,nan\n", 'line 2: "nan" is not a number'),
        ("x,value,std\n1,20,-1\n", "std is -1"),
        ("x,value [m]\n1,20\n", "value is in m, which does not convert to the K"),
        ("x,value,channel\n1,20,v\n", "unknown channel"),
        ("x,value\n1,20\n1,21\n", "both are exact"),
    ],
)
def test_bad_readings_get_one_line(folder, text, words):
    done = sample(folder, "rod", "rod.zarr", *readings(folder, text), code=2)
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    "run, asked, words",
    [
        ("rod", "max(u) = 3", "it is not linear in the solution"),
        ("rod", "mean(v) = 3", "unknown name `v`"),
        ("rod", "mean(u)", "EXPRESSION = VALUE"),
        ("log", "mean(u) = 3", "learned through log"),
    ],
)
def test_bad_quantities_get_one_line(folder, run, asked, words):
    done = sample(folder, run, "rod.zarr", "--observe-quantity", asked, code=2)
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1, done.stderr


SMALL = ["--epochs", 2, "--set", "network.hidden_channels=4", "--set", "network.layers=1"]


def test_a_flow_reproduces_exact_readings_on_any_number_of_threads(folder):
    x = np.linspace(0, 2, 24)
    floral(folder, "train", "rod.zarr", "--method", "flora", *SMALL, "-o", "flora")
    asked = readings(folder, f"x,value,std\n{x[5]},323,0\n{x[15]},335,0.5\n")
    done = sample(folder, "flora", "rod.zarr", *asked, "--threads", 1)
    found, u = drawn(folder)
    np.testing.assert_allclose(u[:, 5], 323, rtol=1e-6)
    assert 0 < u[:, 15].std() < 5 and u[:, 10].std() > 0
    assert "by the covariance of 256 draws" in done.stderr and found.attrs["observed_readings"] == 2
    sample(folder, "flora", "rod.zarr", *asked, "--threads", 2)
    np.testing.assert_array_equal(drawn(folder)[1], u)
    many = "x,value,std\n" + "".join(f"{0.02 * i},320,1\n" for i in range(65))
    refused = sample(folder, "flora", "rod.zarr", *readings(folder, many), code=2).stderr
    assert "65 are more than the 64 that 256 draws of the run suffice for" in refused
    refused = floral(folder, "suggest", "flora", "--sensors", 2, "--input", "rod.zarr", "--inputs", "0..1", code=2).stderr
    assert "a network does not place sensors; use a run of floral-kl or kriging" in refused


def test_several_inputs_and_regressions_by_networks_are_refused(folder):
    words = ["--input", "rod.zarr", "--inputs", "0..2", *readings(folder, "x,value\n1,20\n"), "-o", "no.zarr"]
    assert "choose one of them (as in --inputs 3..4)" in floral(folder, "sample", "rod", *words, code=2).stderr
    floral(folder, "train", "rod.zarr", "--method", "fno", *SMALL, "-o", "fno")
    words[3] = "0..1"
    refused = floral(folder, "sample", "fno", *words, code=2).stderr
    assert "fno predicts one solution and no distribution" in refused
