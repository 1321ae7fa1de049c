"""`floral import` recognises the files of public collections."""

import h5py
import numpy as np
from importing import imported, pdebench, random


def test_pdebench_is_recognised(tmp_path):
    tensor = pdebench(tmp_path)
    found, output = imported(tmp_path, "burgers.hdf5", "--periodic", "x")
    assert "PDEBench" in output and "tensor[t=1:]" in output
    np.testing.assert_array_equal(found["input"][:, 0], tensor[:, 0])
    np.testing.assert_array_equal(found["high"][:, 0, 0], tensor[:, -1])
    assert found["x"].attrs["domain"]["kind"] == "periodic"
    assert found["high"].dtype == np.float32
    later, _ = imported(tmp_path, "burgers.hdf5", "--high", "tensor[t=1:]")
    assert later["high"].dims == ("input", "realization", "channel", "t", "x")
    np.testing.assert_array_equal(later["high"][:, 0, 0], tensor[:, 1:])
    np.testing.assert_array_equal(later["input"][:, 0, 3], tensor[:, 0])
    np.testing.assert_allclose(later["t"], np.linspace(0.2, 1, 5), atol=1e-6)


def test_pdebench_of_darcy_and_by_seeds(tmp_path):
    nu, tensor = random.random((4, 6, 8)), random.random((4, 1, 6, 8))
    with h5py.File(tmp_path / "darcy.hdf5", "w") as file:
        file["nu"], file["tensor"] = nu, tensor
        file["x-coordinate"], file["y-coordinate"] = np.arange(6) / 5, np.arange(8) / 7
    found, _ = imported(tmp_path, "darcy.hdf5")
    np.testing.assert_array_equal(found["input"][:, 0], nu)
    np.testing.assert_array_equal(found["high"][:, 0], tensor)
    with h5py.File(tmp_path / "seeds.h5", "w") as file:
        for i in range(12):
            file[f"{i:04d}/data"] = random.random((5, 6, 8, 2)) + i
            for axis, n in {"t": 5, "x": 6, "y": 8}.items():
                file[f"{i:04d}/grid/{axis}"] = np.linspace(0, 1, n)
    found, output = imported(tmp_path, "seeds.h5")
    assert "PDEBench" in output and found.sizes["input"] == 12
    with h5py.File(tmp_path / "seeds.h5") as file:
        last = np.moveaxis(file["0011/data"][-1], -1, 0)
    np.testing.assert_array_equal(found["high"][11, 0], last)


def test_the_well_is_recognised(tmp_path):
    density, velocity = random.random((4, 3, 6, 8)), random.random((4, 3, 6, 8, 2))
    with h5py.File(tmp_path / "well.hdf5", "w") as file:
        file.attrs["n_trajectories"] = 4
        dimensions = file.create_group("dimensions")
        dimensions.attrs["spatial_dims"] = ["x", "y"]
        along = {"time": np.arange(3.0), "x": np.arange(6) / 6, "y": np.arange(8) / 4}
        for name, values in along.items():
            dimensions[name] = values
        boundary = file.create_group("boundary_conditions/x_periodic")
        boundary.attrs["bc_type"], boundary.attrs["associated_dims"] = "PERIODIC", ["x"]
        for name, values, varies in [
            ("t0_fields/density", density, (True, True, [True, True])),
            ("t0_fields/bed", density[:, 0, :, 0], (True, False, [True, False])),
            ("t1_fields/velocity", velocity, (True, True, [True, True])),
            ("scalars/alpha", np.arange(4.0), (True, False, None)),
        ]:
            file[name] = values
            attributes = file[name].attrs
            attributes["sample_varying"], attributes["time_varying"] = varies[:2]
            if varies[2]:
                attributes["dim_varying"] = varies[2]
    found, output = imported(tmp_path, "well.hdf5")
    assert "The Well" in output
    assert found["high"].attrs["channel_names"] == ["density", "velocity_x", "velocity_y"]
    names = ["bed", "density", "velocity_x", "velocity_y", "alpha"]
    assert found["input"].attrs["channel_names"] == names
    np.testing.assert_array_equal(found["high"][:, 0, 0], density[:, -1])
    np.testing.assert_array_equal(found["high"][:, 0, 2], velocity[:, -1, ..., 1])
    np.testing.assert_array_equal(found["input"][:, 0, :, 5], density[:, 0, :, 0])
    assert (found["input"][2, 4] == 2.0).all()
    assert found["x"].attrs["domain"]["kind"] == "periodic"
    assert found["y"].attrs["domain"]["kind"] == "closed"


def test_pdearena_is_recognised(tmp_path):
    fields = {name: random.random((4, 3, 6, 8)) for name in ("u", "vx", "vy")}
    with h5py.File(tmp_path / "arena.h5", "w") as file:
        for split in ("train", "valid"):
            for name, values in fields.items():
                file[f"{split}/{name}"] = values + (split == "valid")
            for name, n in {"t": 3, "x": 6, "y": 8}.items():
                file[f"{split}/{name}"] = np.tile(np.arange(n), (4, 1))
            for name in ("dt", "dx", "dy"):
                file[f"{split}/{name}"] = np.ones(4)
            file[f"{split}/buo_y"] = np.arange(4) / 10
    found, output = imported(tmp_path, "arena.h5")
    assert "PDEArena" in output
    assert found["input"].attrs["channel_names"] == ["u", "vx", "vy", "buo_y"]
    np.testing.assert_array_equal(found["high"][:, 0, 1], fields["vx"][:, -1])
    found, _ = imported(tmp_path, "arena.h5", "--prefix", "valid")
    np.testing.assert_array_equal(found["high"][:, 0, 1], fields["vx"][:, -1] + 1)
