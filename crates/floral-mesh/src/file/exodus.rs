//! Exodus II in NetCDF: blocks of elements, and fields at their nodes over time steps.
//!
//! <https://sandialabs.github.io/seacas-docs/exodusII-new.pdf>

use crate::Error;
use crate::error::format;
use crate::file::Array;
use crate::file::arrays::{self, Arrays, Connectivity, Variable, find, shown};
use crate::file::located::{self, Located, Wanted};
use crate::file::raw::Raw;
use crate::file::vtk_cell;

/// Families of elements by the beginning of their names, with [nodes, VTK type] of the supported
/// ones.
const FAMILIES: [(&str, &[[usize; 2]]); 12] = [
    ("SPH", &[[1, 1]]),
    ("CIRCLE", &[[1, 1]]),
    ("BAR", &[[2, 3], [3, 21]]),
    ("BEAM", &[[2, 3], [3, 21]]),
    ("TRUSS", &[[2, 3], [3, 21]]),
    ("EDGE", &[[2, 3], [3, 21]]),
    ("TRI", &[[3, 5], [6, 22]]),
    ("TET", &[[4, 10], [10, 24]]),
    ("HEX", &[[8, 12], [20, 25]]),
    ("WED", &[[6, 13], [15, 26]]),
    ("PYR", &[[5, 14], [13, 27]]),
    // Shells include triangles; the number of nodes distinguishes them.
    ("SHELL", &[[3, 5], [4, 9], [6, 22], [8, 23], [9, 28]]),
];
const QUADS: &[[usize; 2]] = &[[4, 9], [8, 23], [9, 28]];

/// Whether these arrays follow the Exodus conventions.
pub(crate) fn is_there(arrays: &dyn Arrays) -> bool {
    let has_points = ["coord", "coordx"]
        .iter()
        .any(|n| find(arrays, n).is_some());
    has_points && blocks(arrays).next().is_some()
}

/// The blocks of elements, with their positions in the file.
fn blocks(arrays: &dyn Arrays) -> impl Iterator<Item = (usize, &Variable)> {
    let is_block =
        |own: &Variable| own.name.starts_with("connect") && own.text("elem_type").is_some();
    let variables = arrays.variables().iter().enumerate();
    variables.filter(move |(_, own)| is_block(own))
}

/// Reads the mesh, with the fields at its nodes.
pub(crate) fn read(arrays: &dyn Arrays, wanted: &[Wanted]) -> Result<Raw, Error> {
    let mut raw = Raw::default();
    points(arrays, &mut raw)?;
    let mut found: Vec<(usize, &Variable)> = blocks(arrays).collect();
    // The reader may list names in alphabetical order.
    found.sort_by_key(|(_, own)| own.name["connect".len()..].parse::<u64>().ok());
    let mut first = 0;
    for (variable, own) in found {
        first += push_block(arrays, variable, own, first, &mut raw)?;
    }
    for name in arrays.texts("name_elem_var") {
        raw.leave_cell_data(&text(&name));
    }
    let located = fields(arrays);
    located::take(arrays, &located, wanted, &mut raw)?;
    parameters(arrays, &mut raw)?;
    Ok(raw)
}

/// Coordinates: one array per axis, or a single array in older files.
fn points(arrays: &dyn Arrays, raw: &mut Raw) -> Result<(), Error> {
    let named = ["coordx", "coordy", "coordz"];
    let found = named.iter().filter_map(|name| find(arrays, name));
    let axes = found.map(|variable| arrays::all(arrays, variable));
    let mut axes: Vec<Vec<f64>> = axes.collect::<Result<_, _>>()?;
    if axes.is_empty()
        && let Some(variable) = find(arrays, "coord")
    {
        let [_, nodes] = &arrays.variables()[variable].dimensions[..] else {
            return Err(format(
                "the array coord does not have the dimensions axis and node",
            ));
        };
        let all = arrays::all(arrays, variable)?;
        let along = all.chunks_exact(nodes.length.max(1));
        axes = along.map(<[f64]>::to_vec).collect();
    }
    raw.points = arrays::points(&axes)?;
    Ok(())
}

/// Adds a block of elements, whose first is element `first` of the file; returns its number of
/// elements.
fn push_block(
    arrays: &dyn Arrays,
    variable: usize,
    own: &Variable,
    first: usize,
    raw: &mut Raw,
) -> Result<usize, Error> {
    let [elements, nodes] = &own.dimensions[..] else {
        let name = shown(&own.name);
        return Err(format(format!(
            "{name} does not have the dimensions element and node"
        )));
    };
    if elements.length == 0 {
        return Ok(0);
    }
    let kind = own.text("elem_type").unwrap_or_default();
    let number = vtk_type(kind, nodes.length).ok_or_else(|| {
        let (kind, count) = (shown(kind), nodes.length);
        format(format!(
            "{} has elements {kind} of {count} nodes, which are not supported; mesh with elements of \
             first order, or of second order without nodes within cells",
            shown(&own.name)
        ))
    })?;
    let numbers = arrays::all(arrays, variable)?;
    let connectivity = Connectivity::new(numbers, nodes.length, 1.0, "element");
    for (element, nodes) in connectivity.cells().enumerate() {
        let mut nodes = nodes?;
        to_vtk(number, &mut nodes);
        vtk_cell::push(raw, number, first + element, &nodes)?;
    }
    Ok(elements.length)
}

/// Reorders nodes as in VTK, where the middle nodes of upright edges follow those of the top.
fn to_vtk(number: usize, nodes: &mut [usize]) {
    match (number, nodes.len()) {
        (25, 20) => nodes[12..].rotate_left(4),
        (26, 15) => nodes[9..].rotate_left(3),
        _ => {}
    }
}

/// The VTK type of an element.
fn vtk_type(name: &str, nodes: usize) -> Option<usize> {
    let name = name.to_ascii_uppercase();
    let known = FAMILIES.iter().find(|(begin, _)| name.starts_with(begin));
    let types = match known {
        Some((_, types)) => types,
        None if name.starts_with("QUAD") => QUADS,
        None => return None,
    };
    let found = types.iter().find(|[count, _]| *count == nodes);
    found.map(|[_, number]| *number)
}

/// Fields at nodes: one array per field, or a single array in older files.
fn fields(arrays: &dyn Arrays) -> Vec<Located> {
    let names = arrays.texts("name_nod_var");
    let mut found = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let name = text(name);
        let own = find(arrays, &format!("vals_nod_var{}", i + 1)).map(|at| (at, Vec::new()));
        let all = find(arrays, "vals_nod_var").map(|at| (at, vec![(1, i)]));
        let Some((variable, fixed)) = own.or(all) else {
            continue;
        };
        let rank = arrays.variables()[variable].dimensions.len();
        let is_inside = |(at, i): &(usize, usize)| {
            let dimension = arrays.variables()[variable].dimensions.get(*at);
            dimension.is_some_and(|own| *i < own.length)
        };
        if rank == 2 + fixed.len() && fixed.iter().all(is_inside) {
            found.push(Located {
                name,
                variable,
                points: rank - 1,
                times: Some(0),
                fixed,
            });
        }
    }
    found
}

/// Reads global variables at the last time as parameters.
fn parameters(arrays: &dyn Arrays, raw: &mut Raw) -> Result<(), Error> {
    let Some(variable) = find(arrays, "vals_glo_var") else {
        return Ok(());
    };
    let [times, count] = &arrays.variables()[variable].dimensions[..] else {
        return Ok(());
    };
    let Some(last) = times.length.checked_sub(1) else {
        return Ok(());
    };
    let values = arrays.read(variable, &[last..times.length, 0..count.length])?;
    let named = arrays.texts("name_glo_var").into_iter().zip(values);
    for (name, value) in named {
        raw.set_parameter(Array::scalar(text(&name), vec![value]), None);
    }
    Ok(())
}

/// A padded text of fixed length, without its padding.
fn text(padded: &str) -> String {
    let ended = padded.split('\0').next().unwrap_or_default();
    ended.trim().to_owned()
}
