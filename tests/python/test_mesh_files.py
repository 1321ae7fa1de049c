"""`floral import` converts UGRID, Exodus and XDMF files, written by netCDF4, h5py and meshio, to datasets with the same values;
predictions on a mesh are UGRID files that xarray opens.

FLORAL_BIN is the path of the floral command.
"""

import h5py
import meshio
import netCDF4
import numpy as np
import pytest
import xarray as xr

from command import floral

SIDE = 5
CASES, RUNS = 6, 3
PATTERN = "case_{input}_run_{realization}"
random = np.random.default_rng(0)


def plane():
    """A bent square: triangles in its left half, quadrilaterals in its right."""
    i, j = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
    x, y = (i / (SIDE - 1)).ravel(), (j / (SIDE - 1)).ravel()
    corner = (j * SIDE + i)[:-1, :-1]
    quad = lambda a: np.stack([a, a + 1, a + SIDE + 1, a + SIDE], axis=1)
    left, right = quad(corner[:, :2].ravel()), quad(corner[:, 2:].ravel())
    triangles = np.concatenate([left[:, [0, 1, 2]], left[:, [0, 2, 3]]])
    return np.stack([x, y + 0.1 * x * y], axis=1), {"triangle": triangles, "quad": right}


def block():
    """Eight cubes."""
    i = np.arange(3)
    z, y, x = (a.ravel() for a in np.meshgrid(i, i, i, indexing="ij"))
    corner = np.array([a + 3 * b + 9 * c for c in range(2) for b in range(2) for a in range(2)])
    face = np.stack([corner, corner + 1, corner + 4, corner + 3], axis=1)
    return np.stack([x, y, z], axis=1) / 2.0, {"hexahedron": np.concatenate([face, face + 9], axis=1)}


def rod():
    x = np.linspace(0, 1, 9) ** 2
    return np.stack([x, np.sin(x)], axis=1), {"line": np.stack([np.arange(8), np.arange(1, 9)], axis=1)}


#: The load of each case, and the fields of its runs at three times.
LOADS = random.uniform(1, 2, CASES)


def fields(points):
    time = np.arange(1, 4)[:, None]
    waves = random.normal(size=(CASES, RUNS, 1, 1)) * points[:, 0]
    return LOADS[:, None, None, None] * time * (1 + points[:, -1] + 0.1 * waves)


def written(folder, ending, points, write):
    """Writes a file for every run by `write(path, u, load)`, u [time, point]; returns u of every run."""
    every = fields(points)
    for case in range(CASES):
        for run in range(RUNS):
            write(folder / f"case_{case}_run_{run}.{ending}", every[case, run], LOADS[case])
    return every


def imported(folder, ending, *words, code=0):
    options = ["--pattern", f"{PATTERN}.{ending}", *words, "-o", "data.zarr", "--force"]
    done = floral(folder, "import", ".", *options, code=code)
    return done if code else (xr.open_zarr(folder / "data.zarr", consolidated=False).load(), done)


def assert_same(found, every, points, cells, time=-1):
    np.testing.assert_allclose(found["high"].values.reshape(CASES, RUNS, -1), every[:, :, time], rtol=1e-6)
    np.testing.assert_array_equal(found["points"].values, points)
    for kind, nodes in cells.items():
        np.testing.assert_array_equal(found[f"cells_{kind}"].values, nodes)


# UGRID


def ugrid(points, cells, form="NETCDF4", start=0, fill=-1, turned=False, times=False, single="load", faces=False):
    """Returns a function that writes a UGRID file, with the mesh named `mesh2d` as by many models."""
    kind = "edge" if "line" in cells else "face"
    width = max(nodes.shape[1] for nodes in cells.values())
    table = np.concatenate([
        np.pad(nodes + start, ((0, 0), (0, width - nodes.shape[1])), constant_values=fill) for nodes in cells.values()
    ])

    def write(path, u, load):
        with netCDF4.Dataset(path, "w", format=form) as file:
            for name, length in {"node": len(points), "cell": len(table), "corner": width, "time": None}.items():
                file.createDimension(name, length)
            mesh = file.createVariable("mesh2d", "i4", ())
            mesh.cf_role, mesh.topology_dimension = "mesh_topology", np.int32(1 if kind == "edge" else 2)
            mesh.node_coordinates = "node_x node_y"
            setattr(mesh, f"{kind}_node_connectivity", "corners")
            setattr(mesh, f"{kind}_dimension", "cell")
            for axis, along in zip("xy", points.T):
                file.createVariable(f"node_{axis}", "f8", ("node",))[:] = along
                file[f"node_{axis}"].units = "km"
            dims = ("corner", "cell") if turned else ("cell", "corner")
            corners = file.createVariable("corners", "i4", dims, fill_value=fill)
            corners.cf_role, corners.start_index = f"{kind}_node_connectivity", np.int32(start)
            corners[:] = table.T if turned else table
            if times:
                file.createVariable("time", "f8", ("time",))[:] = range(len(u))
            field = file.createVariable("u", "f8", ("time", "node") if times else ("node",))
            field.mesh, field.location, field.units = "mesh2d", "node", "m"
            field[:] = u if times else u[-1]
            if faces:
                own = file.createVariable("depth", "f8", ("cell",))
                own.mesh, own.location = "mesh2d", "face"
                own[:] = 1.0
            if single:
                file.createVariable(single, "f8", ())[...] = load
                file[single].units = "N"

    return write


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"form": "NETCDF3_CLASSIC", "start": 1},
        {"form": "NETCDF3_64BIT_DATA", "fill": 999999, "turned": True},
        {"form": "NETCDF4_CLASSIC", "start": 1, "fill": 0, "times": True},
        {"form": "NETCDF3_64BIT_OFFSET", "times": True},
    ],
    ids=str,
)
def test_ugrid_of_triangles_and_quadrilaterals(tmp_path, options):
    points, cells = plane()
    every = written(tmp_path, "nc", points, ugrid(points, cells, **options))
    found, done = imported(tmp_path, "nc", "--high", "u")
    assert_same(found, every, points, cells)
    np.testing.assert_array_equal(found["parameters"].values.ravel(), LOADS)
    assert ("the last of 3 times" in done.stderr) == options.get("times", False)
    assert found["high"].attrs["units"] == "m" and found["parameters"].attrs["parameter_units"] == ["N"]
    assert found["points"].attrs["units"] == "km"
    with netCDF4.Dataset(tmp_path / "case_1_run_2.nc", "a") as file:
        file["u"].units = "mm"
    refused = imported(tmp_path, "nc", "--high", "u", code=2).stderr
    assert "case_1_run_2.nc: u is in mm, but u in ./case_0_run_0.nc is in m" in refused


def test_ugrid_of_edges(tmp_path):
    points, cells = rod()
    every = written(tmp_path, "nc", points, ugrid(points, cells))
    assert_same(imported(tmp_path, "nc")[0], every, points, cells)


def test_another_time_is_picked_and_may_be_the_input(tmp_path):
    points, cells = plane()
    every = written(tmp_path, "nc", points, ugrid(points, cells, times=True, single=None))
    found, _ = imported(tmp_path, "nc", "--input", "u[t=0]", "--high", "u[time=-2]")
    assert_same(found, every, points, cells, time=1)
    np.testing.assert_allclose(found["input"].values.reshape(CASES, -1), every[:, 0, 0], rtol=1e-6)
    refused = imported(tmp_path, "nc", "--input", "u[t=0]", "--high", "u[t=3]", code=2)
    assert "u[t=3]: t has 3 indices" in refused.stderr
    assert "no dimension layer" in imported(tmp_path, "nc", "--high", "u[layer=0]", code=2).stderr
    assert "give one index" in imported(tmp_path, "nc", "--high", "u[t=0:2]", code=2).stderr


def test_values_of_faces_are_read_at_their_centres(tmp_path):
    points, cells = plane()
    written(tmp_path, "nc", points, ugrid(points, cells, faces=True))
    found, done = imported(tmp_path, "nc", "--high", "u")
    assert "values of cells (depth) are left out" in done.stderr and found.sizes["point"] == len(points)
    found, done = imported(tmp_path, "nc", "--high", "depth")
    assert "fields at nodes (u) are left out" in done.stderr and "half a face along the" in done.stderr
    centres = np.concatenate([points[nodes].mean(1) for nodes in cells.values()])
    assert found.sizes["point"] == len(centres) and (found["high"].values == 1).all()
    triangles = len(cells["triangle"])
    np.testing.assert_allclose(found["points"].values[:triangles], centres[:triangles], rtol=1e-12)
    refused = imported(tmp_path, "nc", "--input", "u", "--high", "depth", code=2).stderr
    assert "depth lies on faces but u at nodes; take fields of one place" in refused


def middles(points, cells, kind):
    """The same cells with a node in the middle of every edge, in the node order of VTK and meshio."""
    edges = {"quad8": ["01", "12", "23", "30"], "hexahedron20": "01 12 23 30 45 56 67 74 04 15 26 37".split()}[kind]
    (nodes,) = cells.values()
    pairs = np.sort(nodes[:, [[int(a), int(b)] for a, b in edges]], axis=2)
    every, index = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    whole = np.concatenate([points, points[every].mean(1)])
    return whole, {kind: np.concatenate([nodes, len(points) + index.reshape(len(nodes), -1)], axis=1)}


@pytest.mark.parametrize("ending", ["vtu", "vtk", "msh"])
@pytest.mark.parametrize("kind", ["quad8", "hexahedron20"])
def test_cells_of_second_order_keep_every_node(tmp_path, ending, kind):
    points, cells = block()
    if kind == "quad8":
        points, cells = points[:9, :2], {"quad": cells["hexahedron"][:4, :4]}
    whole, second = middles(points, cells, kind)
    options = {"file_format": "gmsh"} if ending == "msh" else {}
    every = written(tmp_path, ending, whole, of_meshio(whole, second, **options))
    found, done = imported(tmp_path, ending, "--high", "u", "--parameters", "loads.csv")
    assert_same(found, every, whole, {})
    assert "quadratic cells are split into linear ones" in done.stderr


def test_layers_are_fields_of_their_own(tmp_path):
    points, cells = plane()
    plain = ugrid(points, cells)

    def write(path, u, load):
        plain(path, u, load)
        with netCDF4.Dataset(path, "a") as file:
            file.createDimension("layer", 3)
            field = file.createVariable("salinity", "f8", ("node", "layer"))
            field[:] = u.T

    every = written(tmp_path, "nc", points, write)
    found, _ = imported(tmp_path, "nc", "--high", "salinity[layer=1]")
    assert_same(found, every, points, cells, time=1)
    refused = imported(tmp_path, "nc", "--high", "salinity", code=2).stderr
    assert "salinity has 3 fields; name one, as in salinity[layer=0]" in refused


def test_hexagons_become_triangles_and_folded_faces_are_refused(tmp_path):
    angle = np.arange(6) * np.pi / 3
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    cells = {"polygon": np.arange(6)[None]}
    written(tmp_path, "nc", ring, ugrid(ring, cells))
    found, done = imported(tmp_path, "nc")
    assert found["cells_triangle"].shape == (4, 3) and "split into triangles" in done.stderr
    folded = ring[[0, 2, 4, 1, 3, 5]]
    written(tmp_path, "nc", folded, ugrid(folded, cells))
    assert "face 0 of 6 nodes is" in imported(tmp_path, "nc", code=2).stderr


def wrong(points, cells):
    """Invalid meshes, and the expected message for each."""
    nan, same, out = points.copy(), points.copy(), {kind: nodes.copy() for kind, nodes in cells.items()}
    nan[7, 1] = np.nan
    same[3] = same[2]
    kind = next(iter(cells))
    out[kind][5, 1] = len(points)
    flat = {name: nodes.copy() for name, nodes in cells.items()}
    flat[kind][5, 1] = flat[kind][5, 0]
    return [
        (nan, cells, "coordinate 1 of point 7 is NaN"),
        (same, cells, "points 2 and 3 are the same"),
        (points, out, f"{kind} 5 has node {len(points)}, but there are {len(points)} points"),
        (points, flat, f"{kind} 5 has node {flat[kind][5, 0]} twice"),
    ]


def test_wrong_meshes_of_ugrid_are_refused_with_the_first_bad_index(tmp_path):
    points, cells = plane()
    for bad_points, bad_cells, words in wrong(points, cells):
        written(tmp_path, "nc", points, ugrid(bad_points, bad_cells))
        assert words in imported(tmp_path, "nc", code=2).stderr


def test_grids_in_netcdf_are_still_grids(tmp_path):
    x = np.linspace(0, 1, 9)
    high = random.normal(size=(6, 4, 9))
    data = xr.Dataset({"input": (("input", "x"), high[:, 0]), "high": (("input", "realization", "x"), high)}, {"x": x})
    data.to_netcdf(tmp_path / "grid.nc")
    assert "axis x" in floral(tmp_path, "import", "grid.nc").stdout


# Exodus


def exodus(points, cells, form, apart=True, fields_apart=True, steps=True):
    """Returns a function that writes a file as the Exodus library does."""
    names = {"triangle": "TRI3", "quad": "SHELL4", "hexahedron": "HEX8", "line": "BAR2"}

    def texts(file, name, dimension, words):
        values = file.createVariable(name, "S1", (dimension, "len_name"))
        for i, text in enumerate(words):
            values[i] = netCDF4.stringtochar(np.array([text.ljust(32, "\0")], "S32"))[0]

    def write(path, u, load):
        with netCDF4.Dataset(path, "w", format=form) as file:
            file.api_version, file.version, file.floating_point_word_size = np.float32(8.1), np.float32(8.1), np.int32(8)
            sizes = {"len_name": 32, "time_step": None, "num_dim": points.shape[1], "num_nodes": len(points)}
            for name, length in {**sizes, "num_nod_var": 2, "num_glo_var": 1, "num_el_blk": len(cells)}.items():
                file.createDimension(name, length)
            if apart:
                for axis, along in zip("xyz", points.T):
                    file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = along
            else:
                file.createVariable("coord", "f8", ("num_dim", "num_nodes"))[:] = points.T
            for i, (kind, nodes) in enumerate(cells.items(), 1):
                file.createDimension(f"num_el_in_blk{i}", len(nodes))
                file.createDimension(f"num_nod_per_el{i}", nodes.shape[1])
                connect = file.createVariable(f"connect{i}", "i4", (f"num_el_in_blk{i}", f"num_nod_per_el{i}"))
                connect.elem_type = names[kind]
                connect[:] = nodes + 1
            texts(file, "name_nod_var", "num_nod_var", ["u", "other"])
            texts(file, "name_glo_var", "num_glo_var", ["load"])
            file.createVariable("time_whole", "f8", ("time_step",))
            if fields_apart:
                for i, own in enumerate([u, 0 * u], 1):
                    file.createVariable(f"vals_nod_var{i}", "f8", ("time_step", "num_nodes"))[:] = own
            else:
                both = file.createVariable("vals_nod_var", "f8", ("time_step", "num_nod_var", "num_nodes"))
                both[:] = np.stack([u, 0 * u], axis=1)
            file["time_whole"][:] = range(len(u))
            loads = file.createVariable("vals_glo_var", "f8", ("time_step", "num_glo_var"))
            loads[:] = np.full((len(u), 1), load)

    return write


@pytest.mark.parametrize("mesh", [plane, block, rod])
@pytest.mark.parametrize(
    "options",
    [
        {"form": "NETCDF3_CLASSIC", "apart": False, "fields_apart": False},
        {"form": "NETCDF3_64BIT_OFFSET"},
        {"form": "NETCDF3_64BIT_DATA"},
        {"form": "NETCDF4"},
    ],
    ids=str,
)
def test_exodus_in_every_form_of_netcdf(tmp_path, mesh, options):
    points, cells = mesh()
    every = written(tmp_path, "exo", points, exodus(points, cells, **options))
    found, done = imported(tmp_path, "exo", "--high", "u")
    assert_same(found, every, points, cells)
    np.testing.assert_array_equal(found["parameters"].values.ravel(), LOADS)
    assert "the last of 3 times" in done.stderr
    found, _ = imported(tmp_path, "exo", "--high", "u[t=0]")
    assert_same(found, every, points, cells, time=0)


def of_meshio(points, cells, **options):
    """Returns a function that writes a file by meshio, with a table of loads beside it."""

    def write(path, u, load):
        whole = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
        meshio.Mesh(whole, dict(cells), point_data={"u": u[-1]}).write(path, **options)
        rows = "".join(f"{case},{value}\n" for case, value in enumerate(LOADS))
        (path.parent / "loads.csv").write_text("case,load\n" + rows)

    return write


@pytest.mark.parametrize("mesh", [plane, block])
def test_exodus_of_meshio(tmp_path, mesh):
    points, cells = mesh()
    every = written(tmp_path, "e", points, of_meshio(points, cells))
    assert_same(imported(tmp_path, "e", "--parameters", "loads.csv")[0], every, points, cells)


def test_wrong_meshes_of_exodus_are_refused_with_the_first_bad_index(tmp_path):
    points, cells = plane()
    for bad_points, bad_cells, words in wrong(points, cells):
        written(tmp_path, "exo", points, exodus(bad_points, bad_cells, "NETCDF4"))
        assert words in imported(tmp_path, "exo", "--high", "u", code=2).stderr


# XDMF


@pytest.mark.parametrize("mesh", [plane, block])
@pytest.mark.parametrize("form", ["HDF", "XML"])
def test_xdmf_of_meshio(tmp_path, mesh, form):
    points, cells = mesh()
    every = written(tmp_path, "xdmf", points, of_meshio(points, cells, data_format=form))
    assert_same(imported(tmp_path, "xdmf", "--parameters", "loads.csv")[0], every, points, cells)


def test_xdmf_of_meshio_over_time(tmp_path):
    points, cells = plane()
    one = of_meshio(points, cells)

    def write(path, u, load):
        one(path, u, load)
        with meshio.xdmf.TimeSeriesWriter(path) as file:
            file.write_points_cells(np.pad(points, ((0, 0), (0, 1))), list(cells.items()))
            for time, own in enumerate(u):
                file.write_data(time, point_data={"u": own})

    # meshio writes the HDF5 file to the working directory.
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        every = written(tmp_path, "xdmf", points, write)
    found, done = imported(tmp_path, "xdmf", "--parameters", "loads.csv")
    assert_same(found, every, points, cells)
    assert "the last of 3 times" in done.stderr
    found, _ = imported(tmp_path, "xdmf", "--high", "u[t=1]", "--parameters", "loads.csv")
    assert_same(found, every, points, cells, time=1)
    refused = imported(tmp_path, "xdmf", "--high", "u[t=3]", "--parameters", "loads.csv", code=2)
    assert "t has 3 indices, from 0 or from -3" in refused.stderr


def fenics(points, cells, place="{name}:/", grids=None):
    """Returns a function that writes XDMF and HDF5 as FEniCS does: with a DOCTYPE, includes, and a grid per time."""
    (kind, nodes), = cells.items()
    names = {"triangle": "Triangle", "hexahedron": "Hexahedron", "line": "PolyLine"}

    def write(path, u, load):
        heavy = path.with_suffix(".h5")
        at = place.format(name=heavy.name)
        with h5py.File(heavy, "w") as file:
            file["Mesh/0/mesh/topology"], file["Mesh/0/mesh/geometry"] = nodes, points
            for step, own in enumerate(u):
                file.create_dataset(f"Fields/u/{step}", data=own[:, None], chunks=True, compression="gzip")
        item = lambda shape, name: f'<DataItem Dimensions="{shape[0]} {shape[1]}" Format="HDF">{at}{name}</DataItem>'
        mesh = (
            f'<Topology NumberOfElements="{len(nodes)}" TopologyType="{names[kind]}" NodesPerElement="{nodes.shape[1]}">'
            f'{item(nodes.shape, "Mesh/0/mesh/topology")}</Topology>'
            f'<Geometry GeometryType="{"XYZ"[: points.shape[1]]}">{item(points.shape, "Mesh/0/mesh/geometry")}</Geometry>'
        )
        include = (
            '<xi:include xpointer="xpointer(//Grid[@Name=&quot;TimeSeries&quot;]/Grid[1]/*[self::Topology or '
            'self::Geometry])"/>'
        )
        steps = "".join(
            f'<Grid Name="mesh" GridType="Uniform">{include if step else mesh}<Time Value="{step}"/>'
            f'<Attribute Name="u" AttributeType="Scalar" Center="Node">{item((len(points), 1), f"Fields/u/{step}")}</Attribute>'
            "</Grid>"
            for step in range(len(u))
        )
        path.write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>\n'
            '<Xdmf Version="3.0" xmlns:xi="http://www.w3.org/2001/XInclude"><Domain>'
            f'<Information Name="load" Value="{float(load)}"/>'
            f'<Grid Name="TimeSeries" GridType="Collection" CollectionType="Temporal">{steps}</Grid></Domain></Xdmf>'
        )

    return write


@pytest.mark.parametrize("mesh", [plane, block, rod])
def test_xdmf_as_fenics_writes_it(tmp_path, mesh):
    points, cells = mesh()
    if "quad" in cells:
        cells = {"triangle": np.concatenate([cells["triangle"], cells["quad"][:, :3], cells["quad"][:, [0, 2, 3]]])}
    every = written(tmp_path, "xdmf", points, fenics(points, cells))
    found, _ = imported(tmp_path, "xdmf")
    assert_same(found, every, points, cells)
    np.testing.assert_allclose(found["parameters"].values.ravel(), LOADS)
    assert_same(imported(tmp_path, "xdmf", "--high", "u[t=-2]")[0], every, points, cells, time=1)


@pytest.mark.parametrize("place", ["/etc/passwd:/", "../{name}:/", "link.h5:/"])
def test_xdmf_reads_no_file_outside_of_its_folder(tmp_path, place):
    points, cells = block()
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.h5").write_bytes(b"")
    (inner / "link.h5").symlink_to(tmp_path / "secret.h5")
    written(inner, "xdmf", points, fenics(points, cells, place=place))
    assert "not in its folder" in imported(inner, "xdmf", code=2).stderr


@pytest.mark.parametrize(
    "change, words",
    [
        (("<xi:include xpointer=", '<xi:include href="other.xdmf" xpointer='), "includes another file"),
        (("[]>", '[<!ENTITY a "b">]>'), "uses XML entities"),
        (('Format="HDF"', 'Format="Binary"'), "write them as HDF or XML"),
        (("Hexahedron", "3DSMesh"), "has the topology \"3DSMesh\", which is not supported"),
        (("Hexahedron", "Hexahedron_20"), "write cells of first order"),
        (("27 1", "28 1"), "with 27 numbers; it is damaged"),
        (("Fields/u/2", "Fields/v/2"), "has no array /Fields/v/2"),
        (("</Domain>", ""), "not well-formed XML"),
    ],
)
def test_what_is_wrong_with_xdmf_is_said(tmp_path, change, words):
    points, cells = block()
    one = fenics(points, cells)

    def write(path, u, load):
        one(path, u, load)
        path.write_text(path.read_text().replace(*change))

    written(tmp_path, "xdmf", points, write)
    assert words in imported(tmp_path, "xdmf", code=2).stderr


def test_wrong_meshes_of_xdmf_are_refused_with_the_first_bad_index(tmp_path):
    points, cells = block()
    for bad_points, bad_cells, words in wrong(points, cells):
        written(tmp_path, "xdmf", points, fenics(bad_points, bad_cells))
        assert words in imported(tmp_path, "xdmf", code=2).stderr


# Predictions


@pytest.fixture(scope="module", params=[plane, block, rod], ids=["plane", "block", "rod"])
def predicted(request, tmp_path_factory):
    """Predictions on a mesh as one file, and the same predictions in Zarr."""
    folder = tmp_path_factory.mktemp("predicted")
    points, cells = request.param()
    written(folder, "exo", points, exodus(points, cells, "NETCDF4"))
    imported(folder, "exo", "--high", "u")
    floral(folder, "train", "data.zarr", "--method", "kriging", "--set", "split.test=0", "--set", "split.validation=0", "-o", "run")
    words = ["--parameters", "load=1.5", "--quantile", 0.05, "--quantile", 0.95, "--exceed", 2, "--keep", 3, "--realizations", 20]
    for name in ["out.nc", "out.zarr"]:
        floral(folder, "sample", "run", *words, "--quantity", "mesh = max(u)", "-o", name)
    return folder, points, cells


def test_predictions_are_fields_at_the_nodes_of_a_ugrid_mesh(predicted):
    folder, points, cells = predicted
    raw = xr.open_dataset(folder / "out.nc", mask_and_scale=False)
    assert "UGRID-1.0" in raw.attrs["Conventions"]
    # The quantity is called `mesh`, so that the mesh gets the next free name.
    mesh = raw["mesh2"]
    assert mesh.dims == () and mesh.attrs["cf_role"] == "mesh_topology"
    place = {1: "edge", 2: "face", 3: "volume"}[int(mesh.attrs["topology_dimension"])]
    axes = [raw[name] for name in mesh.attrs["node_coordinates"].split()]
    np.testing.assert_array_equal(np.stack(axes, axis=1), points)
    nodes = raw[mesh.attrs[f"{place}_node_connectivity"]]
    assert nodes.attrs["cf_role"] == f"{place}_node_connectivity" and nodes.attrs["start_index"] == 0
    assert nodes.dims[0] == mesh.attrs[f"{place}_dimension"]
    rows = [list(row[row >= 0]) for row in nodes.values]
    assert rows == [list(row) for block in cells.values() for row in block]
    stored = xr.open_zarr(folder / "out.zarr", consolidated=False)
    for name in ["mean", "std", "quantiles", "exceedance", "realizations"]:
        field = raw[name]
        assert field.attrs["mesh"] == "mesh2" and field.attrs["location"] == "node"
        assert field.dims[-1] == axes[0].dims[0] == "point"
        np.testing.assert_array_equal(field, stored[name])
    assert raw["mesh"].dims[0] == "input" and "mesh" not in raw["mesh"].attrs
    # Fields keep their coordinates, and netCDF4 reads the same values.
    assert set(mesh.attrs["node_coordinates"].split()) <= set(xr.open_dataset(folder / "out.nc")["mean"].coords)
    with netCDF4.Dataset(folder / "out.nc") as file:
        np.testing.assert_array_equal(file["mean"][:], raw["mean"].values)
        assert np.ma.count(file[nodes.name][:]) == sum(map(len, rows))


def test_predictions_are_read_as_a_mesh_again(predicted, tmp_path):
    folder, points, cells = predicted
    (tmp_path / "a.nc").write_bytes((folder / "out.nc").read_bytes())
    (tmp_path / "loads.csv").write_text("case,load\na,1.5\n")
    floral(tmp_path, "import", "a.nc", "--high", "mean", "--parameters", "loads.csv", "-o", "again.zarr")
    again = xr.open_zarr(tmp_path / "again.zarr", consolidated=False).load()
    np.testing.assert_array_equal(again["points"].values, points)
    for kind, nodes in cells.items():
        np.testing.assert_array_equal(again[f"cells_{kind}"].values, nodes)
    mean = xr.open_dataset(folder / "out.nc")["mean"].values
    np.testing.assert_allclose(again["high"].values.ravel(), mean.ravel(), rtol=1e-6)
