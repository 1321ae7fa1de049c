//! Meshes by the UGRID conventions 1.0, in NetCDF: lines, faces or volumes, and fields at their
//! nodes or on their faces.
//!
//! <https://ugrid-conventions.github.io/ugrid-conventions/>

use crate::CellKind::{Hexahedron, Line, Pyramid, Quad, Tetrahedron, Triangle, Wedge};
use crate::Error;
use crate::error::format;
use crate::file::Array;
use crate::file::arrays::{self, Arrays, Connectivity, Variable, needed, shown};
use crate::file::dual;
use crate::file::located::{self, Located, Wanted};
use crate::file::polygon;
use crate::file::raw::Raw;

/// The `cf_role` of a variable that describes a mesh.
const TOPOLOGY: &str = "mesh_topology";

/// Whether arrays contain a mesh by these conventions.
pub(crate) fn is_there(arrays: &dyn Arrays) -> bool {
    topologies(arrays).next().is_some()
}

fn topologies(arrays: &dyn Arrays) -> impl Iterator<Item = &Variable> {
    let variables = arrays.variables().iter();
    variables.filter(|own| own.text("cf_role") == Some(TOPOLOGY))
}

/// Reads the mesh of the highest dimension, with the fields at its nodes.
///
/// If the requested fields lie on faces, or if there are no others, the mesh is that of the face
/// centres.
pub(crate) fn read(arrays: &dyn Arrays, wanted: &[Wanted]) -> Result<Raw, Error> {
    let mut raw = Raw::default();
    let topology = chosen(arrays, &mut raw)?;
    let mesh = Ugrid { arrays, topology };
    let coordinates = mesh.points(&mut raw)?;
    let cells = mesh.cells()?;
    let fields = mesh.fields(&coordinates, &cells);
    let taken = if fields.are_of_faces(wanted)? {
        let faces = cells.connectivity.cells().collect::<Result<Vec<_>, _>>()?;
        dual::take(&mut raw, &faces)?;
        fields.note_nodes(&mut raw);
        &fields.on_faces
    } else {
        for (cell, nodes) in cells.connectivity.cells().enumerate() {
            push(&mut raw, cells.what, cell, &nodes?)?;
        }
        let left = fields.on_faces.iter().map(|own| &own.name);
        let left = left.chain(&fields.elsewhere);
        left.for_each(|name| raw.leave_cell_data(name));
        &fields.at_nodes
    };
    located::take(arrays, taken, wanted, &mut raw)?;
    mesh.parameters(&mut raw)?;
    Ok(raw)
}

/// The mesh of the highest dimension; refuses a file with several of them.
fn chosen<'a>(arrays: &'a dyn Arrays, raw: &mut Raw) -> Result<&'a Variable, Error> {
    let dimension = |own: &Variable| own.number("topology_dimension").unwrap_or(f64::NAN);
    let highest = topologies(arrays).map(dimension).fold(f64::NAN, f64::max);
    let is_it = |own: &&Variable| dimension(own) == highest || highest.is_nan();
    let found: Vec<&Variable> = topologies(arrays).filter(is_it).collect();
    for other in topologies(arrays).filter(|own| !is_it(own)) {
        raw.note(format!("the mesh {} is left out", shown(&other.name)));
    }
    match found[..] {
        [one] => Ok(one),
        [first, second, ..] => Err(format(format!(
            "holds the meshes {} and {}; keep one of them",
            shown(&first.name),
            shown(&second.name)
        ))),
        [] => Err(format("holds no mesh (cf_role = \"mesh_topology\")")),
    }
}

/// The arrays of a file, and the one among them that describes the mesh.
struct Ugrid<'a> {
    arrays: &'a dyn Arrays,
    topology: &'a Variable,
}

impl Ugrid<'_> {
    /// Reads the points; returns the positions of their coordinate arrays.
    fn points(&self, raw: &mut Raw) -> Result<Vec<usize>, Error> {
        let whose = &self.topology.name;
        let names = self.topology.text("node_coordinates").ok_or_else(|| {
            let whose = shown(whose);
            format(format!("{whose} has no attribute node_coordinates"))
        })?;
        let names = names.split_whitespace();
        let found = names.map(|name| needed(self.arrays, name, whose));
        let found: Vec<usize> = found.collect::<Result<_, _>>()?;
        let mut axes = Vec::new();
        for &variable in &found {
            let own = &self.arrays.variables()[variable];
            if own.dimensions.len() != 1 {
                let (name, rank) = (shown(&own.name), own.dimensions.len());
                return Err(format(format!(
                    "the coordinate {name} has {rank} dimensions, not that of the nodes alone"
                )));
            }
            if own.text("units").is_some_and(|u| u.starts_with("degree")) {
                raw.note("longitudes and latitudes are taken as coordinates of a plane");
            }
            axes.push(arrays::all(self.arrays, variable)?);
        }
        raw.points = arrays::points(&axes)?;
        raw.length = self.common_unit(&found);
        Ok(found)
    }

    /// The unit shared by all of these arrays, if there is one.
    fn common_unit(&self, variables: &[usize]) -> Option<String> {
        let unit = |at: &usize| self.arrays.variables()[*at].text("units");
        let first = variables.first().and_then(unit)?;
        let is_common = variables.iter().all(|at| unit(at) == Some(first));
        is_common.then(|| first.to_owned())
    }

    /// The cells of the mesh's dimension.
    fn cells(&self) -> Result<UgridCells, Error> {
        let dimension = self.topology.number("topology_dimension");
        let (what, place) = match dimension {
            Some(1.0) => ("edge", "edge_node_connectivity"),
            Some(2.0) => ("face", "face_node_connectivity"),
            Some(3.0) => ("volume", "volume_node_connectivity"),
            _ => {
                let (name, found) = (shown(&self.topology.name), dimension.unwrap_or(f64::NAN));
                return Err(format(format!(
                    "{name} has the topology_dimension {found}, not 1, 2 or 3"
                )));
            }
        };
        let name = self.topology.text(place).ok_or_else(|| {
            let whose = shown(&self.topology.name);
            format(format!("{whose} has no attribute {place}"))
        })?;
        let variable = needed(self.arrays, name, &self.topology.name)?;
        self.connectivity(variable, what)
    }

    /// Reads nodes [cell, node], from an array that may be stored as [node, cell].
    fn connectivity(&self, variable: usize, what: &'static str) -> Result<UgridCells, Error> {
        let own = &self.arrays.variables()[variable];
        let [first, second] = &own.dimensions[..] else {
            let (name, rank) = (shown(&own.name), own.dimensions.len());
            return Err(format(format!(
                "{name} has {rank} dimensions, not those of {what}s and their nodes"
            )));
        };
        let start = own.number("start_index").unwrap_or(0.0);
        let mut numbers = arrays::all(self.arrays, variable)?;
        let along = self.topology.text(&format!("{what}_dimension"));
        let is_turned = along.is_some_and(|name| name == second.name && name != first.name);
        let mut width = second.length;
        if is_turned {
            width = first.length;
            let cells = second.length;
            let turned = (0..cells).flat_map(|cell| (0..width).map(move |i| i * cells + cell));
            numbers = turned.map(|at| numbers[at]).collect();
        }
        let dimension = if is_turned { second } else { first };
        Ok(UgridCells {
            what,
            dimension: dimension.name.clone(),
            connectivity: Connectivity::new(numbers, width, start, what),
        })
    }

    /// Arrays with values, by the location of these values.
    fn fields(&self, coordinates: &[usize], cells: &UgridCells) -> Fields {
        let variables = self.arrays.variables();
        let nodes = coordinates.first().map(|at| &variables[*at].dimensions[0]);
        let mut found = Fields::default();
        for (variable, own) in variables.iter().enumerate() {
            let is_other = own.text("mesh").is_some_and(|m| m != self.topology.name);
            if is_other || coordinates.contains(&variable) || own.text("cf_role").is_some() {
                continue;
            }
            let along = |name: &str| {
                let points = own.position(name)?;
                Some(Located {
                    name: own.name.clone(),
                    variable,
                    points,
                    times: self.times(own, points),
                    fixed: Vec::new(),
                })
            };
            match own.text("location") {
                Some("face") if cells.what == "face" => match along(&cells.dimension) {
                    Some(own) => found.on_faces.push(own),
                    None => found.elsewhere.push(own.name.clone()),
                },
                Some("face" | "edge" | "volume") => found.elsewhere.push(own.name.clone()),
                _ => found
                    .at_nodes
                    .extend(nodes.and_then(|own| along(&own.name))),
            }
        }
        found
    }

    /// Position of the dimension of times of an array, found by its name or by the coordinate of
    /// this name.
    fn times(&self, own: &Variable, points: usize) -> Option<usize> {
        let is_time = |name: &str| {
            let coordinate = arrays::find(self.arrays, name).map(|at| &self.arrays.variables()[at]);
            matches!(name, "time" | "t")
                || coordinate.is_some_and(|own| {
                    own.text("standard_name") == Some("time")
                        || own.text("axis") == Some("T")
                        || own.text("units").is_some_and(|u| u.contains(" since "))
                })
        };
        let dimensions = own.dimensions.iter();
        let position = dimensions.into_iter().position(|own| is_time(&own.name));
        position.filter(|at| *at != points)
    }

    /// Reads single numbers, such as loads, as parameters.
    fn parameters(&self, raw: &mut Raw) -> Result<(), Error> {
        let variables = self.arrays.variables();
        let mappings = variables.iter().filter_map(|own| own.text("grid_mapping"));
        let mappings: Vec<&str> = mappings.collect();
        for (variable, own) in variables.iter().enumerate() {
            let is_meaningless = mappings.contains(&own.name.as_str())
                || ["cf_role", "grid_mapping_name", "axis"]
                    .iter()
                    .any(|name| own.text(name).is_some());
            if own.dimensions.is_empty() && !is_meaningless {
                let values = self.arrays.read(variable, &[])?;
                raw.set_parameter(Array::scalar(&own.name, values), own.text("units"));
            }
        }
        Ok(())
    }
}

/// The cells of a mesh.
struct UgridCells {
    /// Their name in the conventions: edge, face or volume.
    what: &'static str,
    /// Name of their dimension.
    dimension: String,
    connectivity: Connectivity,
}

/// Fields by the location of their values.
#[derive(Default)]
struct Fields {
    at_nodes: Vec<Located>,
    on_faces: Vec<Located>,
    /// Names of fields at other locations.
    elsewhere: Vec<String>,
}

impl Fields {
    /// Whether fields on faces are to be read: if one of them is requested, or if there are no
    /// others.
    fn are_of_faces(&self, wanted: &[Wanted]) -> Result<bool, Error> {
        let among = |fields: &[Located]| {
            let is_it = |one: &&Wanted| fields.iter().any(|own| own.name == one.field);
            wanted.iter().find(is_it).map(|one| shown(&one.label))
        };
        match (among(&self.on_faces), among(&self.at_nodes)) {
            (None, None) => Ok(self.at_nodes.is_empty() && !self.on_faces.is_empty()),
            (on_faces, None) => Ok(on_faces.is_some()),
            (None, Some(_)) => Ok(false),
            (Some(face), Some(node)) => Err(format(format!(
                "{face} lies on faces but {node} at nodes; take fields of one place"
            ))),
        }
    }

    /// Notes which fields at nodes are left out.
    fn note_nodes(&self, raw: &mut Raw) {
        let names: Vec<String> = self.at_nodes.iter().map(|own| shown(&own.name)).collect();
        if !names.is_empty() {
            raw.note(format!(
                "fields at nodes ({}) are left out",
                names.join(", ")
            ));
        }
    }
}

fn push(raw: &mut Raw, what: &str, cell: usize, nodes: &[usize]) -> Result<(), Error> {
    let kind = match (what, nodes.len()) {
        ("edge", 2) => Line,
        ("face", 3) => Triangle,
        ("face", 4) => Quad,
        ("face", 5..) => return polygon::push(raw, cell, nodes),
        ("volume", 4) => Tetrahedron,
        ("volume", 5) => Pyramid,
        ("volume", 6) => Wedge,
        ("volume", 8) => Hexahedron,
        (what, count) => {
            return Err(format(format!(
                "{what} {cell} has {count} nodes, which is not a supported {what}; remove it"
            )));
        }
    };
    raw.cells.push(kind, nodes.iter().copied());
    Ok(())
}
