"""Parameters, meshes and scalar outputs, from arrays to predictions."""

import pickle

import numpy as np
import pytest

import floral

SIDE = 7
CASES = 16


def plane(power=1.0):
    """A square of triangles whose points lie closer to the left edge for a larger power."""
    x, y = np.meshgrid(np.linspace(0, 1, SIDE) ** power, np.linspace(0, 1, SIDE))
    corner = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)[:-1, :-1].ravel()
    lower = np.stack([corner, corner + 1, corner + SIDE + 1], axis=1)
    upper = np.stack([corner, corner + SIDE + 1, corner + SIDE], axis=1)
    return np.stack([x.ravel(), y.ravel()], axis=1), np.concatenate([lower, upper])


def solutions(points, runs=3, seed=0):
    rng = np.random.default_rng(seed)
    load, stiffness = rng.uniform(-1, 1, CASES), rng.uniform(1, 10, CASES)
    noise = 1 + 0.05 * rng.standard_normal((CASES, runs, 1))
    field = np.sin(2 * points[:, 0]) + points[:, 1]
    return {"load": load, "stiffness": stiffness}, (load / stiffness)[:, None, None] * field * noise


@pytest.fixture(scope="module")
def block():
    points, cells = plane()
    parameters, high = solutions(points)
    data = floral.Dataset.from_arrays(parameters=parameters, high=high, points=points, cells=cells)
    return data, floral.fit(data, test=0, method="kriging", progress=False)


def test_numbers_go_in_and_a_mesh_comes_out(block, tmp_path):
    data, model = block
    assert repr(data).endswith("on a mesh of 49 points, 72 cells (triangle)")
    assert list(data.parameters) == ["load", "stiffness"] == model.parameters
    np.testing.assert_array_equal(data.points, plane()[0])
    ensemble = model.sample(parameters={"stiffness": 4.0, "load": 0.3}, realizations=50)
    assert ensemble.mean.shape == (49,) and ensemble.quantile([0.1, 0.9]).shape == (2, 49)
    several = model.sample(parameters={"stiffness": [4.0, 5.0], "load": [0.3, 0.1]}, realizations=5)
    np.testing.assert_array_equal(several[0].mean, ensemble.mean)
    ensemble.to_vtu(tmp_path / "out.vtu", realizations=1)
    assert b"quantile_0.95" in (tmp_path / "out.vtu").read_bytes()
    again = pickle.loads(pickle.dumps(ensemble))
    np.testing.assert_array_equal(again.points, ensemble.points)
    model.save(tmp_path / "block.floral")
    loaded = floral.load(tmp_path / "block.floral")
    np.testing.assert_array_equal(loaded.sample(parameters={"load": 0.3, "stiffness": 4.0}).mean, ensemble.mean)
    with pytest.raises(ImportError, match="pip install meshio"):
        import sys

        sys.modules["meshio"] = None
        try:
            ensemble.to_meshio()
        finally:
            del sys.modules["meshio"]


def test_a_dataset_on_a_mesh_opens_again_and_in_xarray(block):
    xarray = pytest.importorskip("xarray")
    data, _ = block
    opened = floral.Dataset.open(data.path)
    np.testing.assert_array_equal(opened.cells["triangle"], data.cells["triangle"])
    stored = xarray.open_zarr(data.path, consolidated=False)
    assert dict(stored.sizes)["point"] == 49 and stored["parameters"].attrs["parameter_names"] == ["load", "stiffness"]
    assert data.to_xarray()["x"].dims == ("point",)


def test_permuting_the_points_permutes_the_predictions(block):
    data, model = block
    order = np.random.default_rng(3).permutation(49)
    place = np.argsort(order)
    points, cells = plane()
    shuffled = floral.Dataset.from_arrays(
        parameters=data.parameters, high=data.high[..., order], points=points[order], cells=place[cells]
    )
    other = floral.fit(shuffled, test=0, method="kriging", progress=False)
    new = {"load": 0.3, "stiffness": 4.0}
    mean = model.sample(parameters=new, realizations=2).mean
    np.testing.assert_allclose(other.sample(parameters=new, realizations=2).mean, mean[order], atol=1e-6 * np.abs(mean).max())


def test_units_of_parameters_do_not_matter(block):
    data, model = block
    scaled = {**data.parameters, "stiffness": 1000 * data.parameters["stiffness"]}
    points, cells = plane()
    other = floral.fit(
        floral.Dataset.from_arrays(parameters=scaled, high=data.high, points=points, cells=cells),
        test=0, method="kriging", progress=False,
    )
    mean = model.sample(parameters={"load": 0.3, "stiffness": 4.0}, realizations=2).mean
    same = other.sample(parameters={"load": 0.3, "stiffness": 4000.0}, realizations=2).mean
    np.testing.assert_allclose(same, mean, atol=1e-6 * np.abs(mean).max())


def test_predictions_on_another_mesh_are_interpolated(block):
    _, model = block
    new = {"load": 0.3, "stiffness": 4.0}
    fine = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9], [0.5, 0.5]])
    cells = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    with pytest.raises(ValueError, match="does not cover the run's"):
        model.sample(parameters=new, points=fine, cells=cells)
    points, triangles = plane(1.3)
    there = model.sample(parameters=new, points=points, cells=triangles, realizations=10).mean
    # All solutions are multiples of one field, and so is the prediction on any mesh.
    field = lambda points: np.sin(2 * points[:, 0]) + points[:, 1]
    here, own = model.sample(parameters=new, realizations=10).mean, field(plane()[0])
    expected = (here @ own) / (own @ own) * field(points)
    assert np.abs(there - expected).max() < 0.02 * np.abs(expected).max()


def test_a_mesh_of_another_domain_is_refused(block):
    _, model = block
    points, cells = plane()
    new = {"parameters": {"load": 0.3, "stiffness": 4.0}, "cells": cells, "realizations": 2}
    for other in (1000 * points, 3 * points, 1.2 * points, points + [5.0, 0.0]):
        with pytest.raises(ValueError, match=r"outside of the box from \[0.0, 0.0\] to \[1.0, 1.0\].*in its units"):
            model.sample(points=other, **new)
    assert np.isfinite(model.sample(points=1.02 * points, **new).mean).all()
    parameters, high = solutions(points)
    scaled = floral.Dataset.from_arrays(parameters=parameters, high=high, points=1000 * points, cells=cells)
    with pytest.raises(ValueError, match="in its units"):
        model.sample(scaled, inputs=[0])


def test_low_fidelity_of_a_new_input_may_be_on_its_own_mesh():
    points, cells = plane()
    parameters, high = solutions(points)
    corners, quad = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), [[0, 1, 2, 3]]
    low = np.linspace(1.0, 2.0, CASES)[:, None] * corners[:, 0]
    coarse = {"low_points": corners, "low_cells": quad}
    data = floral.Dataset.from_arrays(parameters=parameters, high=high, points=points, cells=cells, low=low, **coarse)
    model = floral.fit(data, test=0, method="kriging", progress=False)
    new = {"parameters": {"load": 0.3, "stiffness": 4.0}, "realizations": 2}
    expected = model.sample(low=1.5 * points[:, 0], **new).mean
    for given in (1.5 * corners[:, 0], lambda _: 1.5 * corners[:, 0]):
        np.testing.assert_allclose(model.sample(low=given, **coarse, **new).mean, expected, atol=1e-9)
    with pytest.raises(ValueError, match="low_points is the mesh of low; give low too"):
        model.sample(**coarse, **new)


def test_low_fidelity_on_a_mesh_of_its_own_is_interpolated():
    points, cells = plane()
    parameters, high = solutions(points)
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    slope = np.linspace(1.0, 2.0, CASES)
    known = {"parameters": parameters, "high": high, "points": points, "cells": cells}
    coarse = {"low_points": corners, "low_cells": [[0, 1, 2, 3]]}
    low = slope[:, None] * (corners[:, 0] + 2 * corners[:, 1])
    data = floral.Dataset.from_arrays(**known, low=low, **coarse)
    found = data.to_xarray()["low"].values.reshape(CASES, -1)
    np.testing.assert_allclose(found, slope[:, None] * (points[:, 0] + 2 * points[:, 1]), atol=1e-6)
    with pytest.warns(UserWarning, match="points lie outside of the mesh of low, by 0.559 at most"):
        floral.Dataset.from_arrays(**known, low=low, low_points=0.5 * corners[:, :] + [0.0, 0.25], low_cells=[[0, 1, 2, 3]])
    with pytest.raises(ValueError, match="low_points is the mesh of low"):
        floral.Dataset.from_arrays(**known, **coarse)


def test_scalar_outputs_need_no_grid():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(30, 2))
    data = floral.Dataset.from_arrays(parameters=x, high=np.sin(3 * x[:, 0]))
    assert data.high.shape == (30, 1) and repr(data).endswith("on a single point")
    model = floral.fit(data, test=0, method="kriging", progress=False)
    one = model.sample(parameters=[0.5, 0.5], realizations=10)
    assert np.shape(one.mean) == () and one.realizations.shape == (10,)
    assert abs(float(one.mean) - np.sin(1.5)) < 0.2
    assert model.sample(parameters=x[:3], realizations=10).mean.shape == (3,)


def test_what_is_wrong_with_parameters_is_said(block):
    _, model = block
    for parameters, words in [
        ({"load": 0.3}, "'stiffness' is missing; the model has load, stiffness"),
        ({"load": 0.3, "stiffness": 4.0, "lenght": 1.0}, "'lenght' is unknown"),
        ({"load": float("nan"), "stiffness": 4.0}, "load is nan; give finite numbers"),
        ({"load": [0.3, 0.4], "stiffness": 4.0}, "one number for each of 2 inputs"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.sample(parameters=parameters)
    with pytest.raises(ValueError, match="parameters are needed: load, stiffness"):
        model.sample()
    with pytest.raises(ValueError, match="a mesh has no resolution"):
        model.sample(parameters={"load": 0.3, "stiffness": 4.0}, resolution=64)


def test_what_is_wrong_with_a_mesh_is_said():
    points, cells = plane()
    parameters, high = solutions(points)
    given = {"parameters": parameters, "high": high, "points": points, "cells": cells}

    def refusal(**changed):
        with pytest.raises(ValueError) as error:
            floral.Dataset.from_arrays(**{**given, **changed})
        return str(error.value)

    bad = cells.copy()
    bad[5, 1] = 49
    assert "5" in refusal(cells=bad) and "49" in refusal(cells=bad)
    nan = points.copy()
    nan[7, 0] = np.nan
    assert "point 7 is NaN" in refusal(points=nan)
    assert "(49,) but input has (48,)" in refusal(points=points[:-1], cells=None)
    assert "are the same" in refusal(points=np.concatenate([points[:-1], points[:1]]))
    assert "[cell, 3]" in refusal(cells={"triangle": cells[:, :2]})
    assert "exclude each other" in refusal(coords={"x": np.arange(49.0)})
    assert "Fourier layers need a grid" in _refused_fit(given)


def test_a_network_of_points_fits_and_samples_a_mesh():
    points, cells = plane()
    parameters, high = solutions(points)
    data = floral.Dataset.from_arrays(parameters=parameters, high=high, points=points, cells=cells)
    sizes = {"kind": "slices", "hidden_channels": 8, "layers": 1, "film_channels": 8, "slices": 4, "heads": 2}
    model = floral.fit(data, method="flora", test=2, validation=2, epochs=2, network=sizes, progress=False)
    ensemble = model.sample(parameters={"load": 0.3, "stiffness": 4.0}, realizations=3, steps=4)
    assert np.isfinite(np.asarray(ensemble.mean)).all() and np.asarray(ensemble.std).max() > 0


def _refused_fit(given):
    with pytest.raises(ValueError) as error:
        floral.fit(floral.Dataset.from_arrays(**given), method="fno", progress=False)
    return str(error.value)


def test_scores_do_not_depend_on_where_a_mesh_is_fine():
    """The same smooth fields on two meshes, one with most points at the left edge."""
    scores = []
    for power in (1.0, 2.0):
        points, cells = plane(power)
        parameters, high = solutions(points, runs=4)
        data = floral.Dataset.from_arrays(parameters=parameters, high=high, points=points, cells=cells)
        model = floral.fit(data, test=4, method="kriging", progress=False)
        found = floral.evaluate(model, data, realizations=200)
        scores.append(found["prediction"]["mean"]["rmse"])
    assert abs(scores[1] / scores[0] - 1) < 0.1


class Grid:
    """The part of PyVista's interface that is used: points, cells by VTK's type numbers, conversion of other datasets."""

    def __init__(self, points, cells_dict):
        self.points, self.cells_dict = points, cells_dict


class Image:
    def __init__(self, points, pixels):
        self.made = Grid(points, pixels)

    def cast_to_unstructured_grid(self):
        return self.made


def made_on(mesh, count):
    """A dataset on a mesh of another library with this number of points."""
    high = np.random.default_rng(0).normal(size=(4, 2, count))
    return floral.Dataset.from_arrays(parameters={"load": np.arange(4.0)}, high=high, points=mesh)


def area(data):
    """The area of the triangles and quadrilaterals of a mesh in the plane."""
    around = [data.points[nodes] for nodes in data.cells.values()]
    cross = lambda p, q: p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0]
    return sum(0.5 * cross(p, np.roll(p, -1, axis=1)).sum() for p in around)


def test_meshes_of_pyvista_and_meshio_are_taken_as_they_are():
    points, cells = plane()
    space = np.pad(points, ((0, 0), (0, 1))).astype("f4")
    data = made_on(Grid(space, {np.uint8(5): cells, np.uint8(3): cells[:, :2]}), 49)
    np.testing.assert_array_equal(data.cells["triangle"], cells)
    np.testing.assert_allclose(data.points, points, atol=1e-7)
    corner = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)[:-1, :-1].ravel()
    pixels = np.stack([corner, corner + 1, corner + SIDE, corner + SIDE + 1], axis=1)
    data = made_on(Image(space, {8: pixels}), 49)
    assert list(data.cells) == ["quad"] and abs(area(data) - 1) < 1e-6
    with pytest.raises(ValueError, match="of VTK's type 25"):
        made_on(Grid(space, {25: np.arange(20)[None]}), 49)
    with pytest.raises(ValueError, match="leave out cells"):
        floral.Dataset.from_arrays(parameters=[0.0, 1.0], high=np.ones((2, 2, 49)), points=Grid(space, {5: cells}), cells=cells)


def test_a_mesh_of_meshio_is_taken_as_it_is():
    meshio = pytest.importorskip("meshio")
    points, cells = plane()
    mesh = meshio.Mesh(points, [("triangle", cells), ("line", cells[:, :2])])
    np.testing.assert_array_equal(made_on(mesh, 49).cells["triangle"], cells)
    # Mid-edge nodes of quadratic cells keep their values.
    six = meshio.Mesh([[0, 0], [2, 0], [0, 2], [1, 0], [1, 1], [0, 1]], [("triangle6", np.arange(6)[None])])
    data = made_on(six, 6)
    assert data.cells["triangle"].shape == (4, 3) and area(data) == 2


def test_meshes_and_bases_of_scikit_fem_are_taken_as_they_are():
    skfem = pytest.importorskip("skfem")
    for mesh, kind in [
        (skfem.MeshLine().refined(3), "line"),
        (skfem.MeshTri().refined(2), "triangle"),
        (skfem.MeshQuad().refined(2), "quad"),
        (skfem.MeshTet().refined(1), "tetra"),
        (skfem.MeshHex().refined(1), "hexahedron"),
    ]:
        data = made_on(mesh, mesh.nvertices)
        assert list(data.cells) == [kind] and len(data.cells[kind]) == mesh.nelements
        np.testing.assert_array_equal(data.points, mesh.p.T)
    mesh = skfem.MeshTri().refined(2)
    for element, cells in [(skfem.ElementTriP1(), mesh.nelements), (skfem.ElementTriP2(), 4 * mesh.nelements)]:
        basis = skfem.Basis(mesh, element)
        data = made_on(basis, basis.N)
        assert len(data.cells["triangle"]) == cells and abs(area(data) - 1) < 1e-12
        np.testing.assert_array_equal(data.points, basis.doflocs.T)
    for element in [skfem.ElementTriP0(), skfem.ElementTriCR(), skfem.ElementVector(skfem.ElementTriP1())]:
        with pytest.raises(ValueError, match=f"a basis of {type(element).__name__}"):
            made_on(skfem.Basis(mesh, element), 5)


def test_predictions_on_a_mesh_of_another_library(block):
    skfem = pytest.importorskip("skfem")
    _, model = block
    mesh = skfem.MeshTri().refined(2)
    new = {"load": 0.3, "stiffness": 4.0}
    ensemble = model.sample(parameters=new, points=mesh, realizations=5)
    assert ensemble.mean.shape == (mesh.nvertices,)


def test_files_with_meshes_are_opened(tmp_path):
    points, cells = plane()
    rng = np.random.default_rng(0)
    u = rng.normal(size=(5, 2, 49))
    words = lambda values: " ".join(map(repr, np.asarray(values).ravel().tolist()))
    for case in range(5):
        for run in range(2):
            (tmp_path / f"case_{case}_run_{run}.xdmf").write_text(
                f'<Xdmf><Domain><Grid><Topology TopologyType="Triangle"><DataItem>{words(cells)}</DataItem></Topology>'
                f'<Geometry GeometryType="XY"><DataItem>{words(points)}</DataItem></Geometry>'
                f'<Attribute Name="u"><DataItem>{words(u[case, run])}</DataItem></Attribute></Grid></Domain></Xdmf>'
            )
    (tmp_path / "loads.csv").write_text("case,load\n" + "".join(f"{case},{case + 1}\n" for case in range(5)))
    options = {"pattern": "case_{input}_run_{realization}.xdmf", "high": "u", "parameters": tmp_path / "loads.csv"}
    data = floral.Dataset.open(tmp_path, **options)
    np.testing.assert_allclose(data.high, u, rtol=1e-6)
    np.testing.assert_array_equal(data.cells["triangle"], cells)
    assert data.parameters["load"].tolist() == [1, 2, 3, 4, 5] and "5 inputs, up to 2 realizations" in str(data.found)
    with pytest.raises(floral.errors.BadFileError, match="has no point data"):
        floral.Dataset.open(tmp_path, **{**options, "high": "v"})
    np.savez(tmp_path / "grid.npz", input=np.ones((3, 8)), high=np.ones((3, 2, 8)))
    with pytest.raises(ValueError, match="pattern.*none is found"):
        floral.Dataset.open(tmp_path / "grid.npz", pattern="{input}.vtu")
