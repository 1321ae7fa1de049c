//! A mesh in the UGRID conventions 1.0, for NetCDF files of fields at its points.
//!
//! <https://ugrid-conventions.github.io/ugrid-conventions/>

use floral_mesh::{CellKind, Mesh};
use serde_json::{Map, Value, json};

use crate::grid::POINT;
use crate::storage::{Supplement, SupplementArray};

/// Fills the rows of cells that have fewer nodes than the widest cell.
const FILL: f64 = -1.0;

const AXES: [&str; 3] = ["x", "y", "z"];

/// UGRID's names of cells of dimension 1, 2 and 3.
const PLACES: [&str; 3] = ["edge", "face", "volume"];

/// The arrays and attributes that add a mesh to a file with the arrays `taken`; none for a mesh
/// without cells, for which the conventions define no topology.
pub fn supplement(mesh: &Mesh, units: Option<&str>, taken: &[&str]) -> Option<Supplement> {
    let place = PLACES.get(mesh.cells().first()?.kind().dimension() - 1)?;
    let name = free(taken);
    let named = |what: &str| format!("{name}_{what}");
    let axes = &AXES[..mesh.points().dimension()];
    let coordinates: Vec<String> = axes
        .iter()
        .map(|axis| named(&format!("node_{axis}")))
        .collect();
    let list = coordinates.join(" ");
    let nodes = named(&format!("{place}_nodes"));
    let topology = attributes(json!({
        "cf_role": "mesh_topology",
        "long_name": "topology of the mesh",
        "topology_dimension": mesh.dimension(),
        "node_coordinates": list,
        format!("{place}_node_connectivity"): nodes,
        format!("{place}_dimension"): named(place),
    }));
    let mut arrays = vec![whole(name.clone(), Vec::new(), topology, vec![0.0])];
    arrays.push(connectivity(mesh, nodes, &named(place), place));
    if *place == "volume" {
        let shapes = named("volume_shapes");
        let key = "volume_shape_type".to_owned();
        arrays[0].attributes.insert(key, shapes.clone().into());
        arrays.push(shape_types(mesh, shapes, &named(place)));
    }
    for (axis, own) in coordinates.into_iter().enumerate() {
        arrays.push(along(mesh, axis, own, units));
    }
    Some(Supplement {
        arrays,
        attributes: attributes(json!({"Conventions": "CF-1.8 UGRID-1.0"})),
        along: (
            POINT.to_owned(),
            attributes(json!({"mesh": name, "location": "node", "coordinates": list})),
        ),
    })
}

/// The coordinates of the nodes along an axis.
fn along(mesh: &Mesh, axis: usize, name: String, units: Option<&str>) -> SupplementArray {
    let mut about = attributes(json!({"long_name": format!("{} of the nodes", AXES[axis])}));
    about.extend(units.map(|units| ("units".to_owned(), units.into())));
    let values = mesh.points().rows().iter().map(|row| row[axis]).collect();
    let dimensions = vec![(POINT.to_owned(), mesh.points().count())];
    let array = whole(name, dimensions, about, values);
    SupplementArray {
        is_whole: false,
        ..array
    }
}

/// A name for the mesh that is not a prefix of any taken name.
fn free(taken: &[&str]) -> String {
    let is_taken = |name: &String| taken.iter().any(|other| other.starts_with(name.as_str()));
    let names = (1..).map(|i| match i {
        1 => "mesh".to_owned(),
        i => format!("mesh{i}"),
    });
    let mut names = names.skip_while(is_taken);
    names.next().unwrap_or_default()
}

/// The nodes of all cells, block by block.
fn connectivity(mesh: &Mesh, name: String, cells: &str, place: &str) -> SupplementArray {
    let widths = mesh.cells().iter().map(|block| block.kind().nodes());
    let width = widths.clone().max().unwrap_or(0);
    let mut about = attributes(json!({
        "cf_role": format!("{place}_node_connectivity"),
        "long_name": format!("nodes of every {place}"),
        "start_index": 0,
    }));
    if widths.min() != Some(width) {
        about.insert("_FillValue".into(), json!(FILL as i64));
    }
    let mut values = Vec::new();
    for nodes in mesh.cells().iter().flat_map(|block| block.iter()) {
        values.extend(nodes.iter().map(|node| *node as f64));
        values.extend(vec![FILL; width - nodes.len()]);
    }
    let count = values.len() / width.max(1);
    let dimensions = vec![(cells.to_owned(), count), (format!("{name}_max"), width)];
    whole(name, dimensions, about, values)
}

/// The shape of every volume, as numbered by the conventions; these define no pyramids.
fn shape_types(mesh: &Mesh, name: String, cells: &str) -> SupplementArray {
    let shapes = [
        (CellKind::Tetrahedron, "tetrahedron"),
        (CellKind::Wedge, "wedge"),
        (CellKind::Hexahedron, "hexahedron"),
        (CellKind::Pyramid, "pyramid"),
    ];
    let meanings: Vec<&str> = shapes.iter().map(|(_, meaning)| *meaning).collect();
    let about = attributes(json!({
        "cf_role": "volume_shape_type",
        "long_name": "shape of every volume",
        "flag_values": [0, 1, 2, 3],
        "flag_meanings": meanings.join(" "),
    }));
    let of_block = |kind: CellKind| shapes.iter().position(|(own, _)| *own == kind);
    let blocks = mesh.cells().iter();
    let each = blocks.flat_map(|block| {
        let shape = of_block(block.kind()).unwrap_or(0) as f64;
        vec![shape; block.count()]
    });
    let values: Vec<f64> = each.collect();
    whole(name, vec![(cells.to_owned(), values.len())], about, values)
}

fn whole(
    name: String,
    dimensions: Vec<(String, usize)>,
    attributes: Map<String, Value>,
    values: Vec<f64>,
) -> SupplementArray {
    SupplementArray {
        name,
        dimensions,
        attributes,
        values,
        is_whole: true,
    }
}

fn attributes(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use floral_mesh::{Cells, Points};

    use super::*;

    fn mesh() -> Mesh {
        let points = Points::new(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 2.0, 0.5], 2).unwrap();
        let quads = Cells::new(CellKind::Quad, vec![0, 1, 2, 3]).unwrap();
        let triangles = Cells::new(CellKind::Triangle, vec![1, 4, 2]).unwrap();
        Mesh::new(points, vec![quads, triangles]).unwrap()
    }

    #[test]
    fn every_name_that_a_topology_gives_is_that_of_an_array() {
        let found = supplement(&mesh(), Some("m"), &["mean", "meshed", "mesh2"]).unwrap();
        let names: Vec<&str> = found.arrays.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names[0], "mesh3");
        let topology = &found.arrays[0].attributes;
        for attribute in ["node_coordinates", "face_node_connectivity"] {
            let given = topology[attribute].as_str().unwrap();
            assert!(
                given.split(' ').all(|name| names.contains(&name)),
                "{given}"
            );
        }
    }

    #[test]
    fn cells_with_fewer_nodes_are_filled() {
        let found = supplement(&mesh(), None, &[]).unwrap();
        let nodes = &found.arrays[1];
        assert_eq!(nodes.values, [0.0, 1.0, 2.0, 3.0, 1.0, 4.0, 2.0, FILL]);
        assert_eq!(nodes.attributes["_FillValue"], -1);
    }

    #[test]
    fn points_without_cells_have_no_topology() {
        let cloud = Mesh::new(Points::new(&[0.0, 0.0, 1.0, 0.5], 2).unwrap(), Vec::new()).unwrap();
        assert!(supplement(&cloud, None, &[]).is_none());
    }
}
