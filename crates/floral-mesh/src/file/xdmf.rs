//! XDMF: meshes and fields described in XML, with their numbers inside or in HDF5 files beside it.
//!
//! <https://www.xdmf.org/index.php/XDMF_Model_and_Format>

use roxmltree::{Document, Node, ParsingOptions};

use crate::Error;
use crate::error::format;
use crate::file::Array;
use crate::file::arrays::{self, shown};
use crate::file::located::{Wanted, last_of, resolved};
use crate::file::raw::Raw;
use crate::file::xdmf_grids::{self, Series, attribute, is, named};
use crate::file::xdmf_items::Items;
use crate::file::xdmf_topology;

/// Reads numbers from another file, by its name and their path in it.
pub type Heavy<'a> = dyn Fn(&str, &str) -> Result<Vec<f64>, Error> + 'a;

/// Reads a description, with the fields at the last time and the requested ones.
pub(crate) fn read(text: &str, heavy: &Heavy, wanted: &[Wanted]) -> Result<Raw, Error> {
    if text.contains("<!ENTITY") {
        return Err(format("uses XML entities; replace them by their values"));
    }
    let options = ParsingOptions {
        // FEniCS declares a document type, which is not used.
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| format(format!("is not well-formed XML: {error}; export it again")))?;
    let domain = named(document.root_element(), "Domain").next();
    let domain = domain.ok_or_else(|| format("has no Domain; it is not an XDMF file"))?;
    let series = xdmf_grids::series(domain)?;
    let items = Items { heavy };
    let last = series[0].last();
    let mut raw = mesh(last, items)?;
    information(domain, &mut raw);
    for own in &series {
        own.check_mesh(own.last(), last, items)?;
        if own.steps.len() > 1 {
            raw.note(last_of(own.steps.len()));
        }
        information(own.last(), &mut raw);
        for field in named(own.last(), "Attribute") {
            take(field, items, &mut raw)?;
        }
    }
    for one in wanted {
        at_time(one, &series, items, &mut raw)?;
    }
    Ok(raw)
}

/// Points and cells of a grid.
fn mesh(grid: Node, items: Items) -> Result<Raw, Error> {
    let mut raw = Raw::default();
    let (topology, geometry) = xdmf_grids::parts(grid)?;
    points(geometry, items, &mut raw)?;
    xdmf_topology::push(topology, items, &mut raw)?;
    Ok(raw)
}

fn points(geometry: Node, items: Items, raw: &mut Raw) -> Result<(), Error> {
    let kind = attribute(geometry, &["GeometryType", "Type"]).unwrap_or("XYZ");
    let each = named(geometry, "DataItem").map(|item| items.numbers(item));
    let each: Vec<Vec<f64>> = each.collect::<Result<_, _>>()?;
    let together = match kind.to_ascii_uppercase().as_str() {
        "XYZ" => 3,
        "XY" => 2,
        "X" => 1,
        "X_Y_Z" | "X_Y" => 0,
        _ => {
            return Err(format(format!(
                "has the geometry {}, which is not supported; write the coordinates of every point \
                 (GeometryType = \"XYZ\")",
                shown(kind)
            )));
        }
    };
    let axes = match &each[..] {
        [all] if together > 0 && all.len().is_multiple_of(together) => {
            let along = |axis: usize| all.iter().skip(axis).step_by(together).copied().collect();
            (0..together).map(along).collect()
        }
        each if together == 0 => each.to_vec(),
        _ => {
            return Err(format(format!(
                "has a geometry {} whose numbers are not those of points; it is damaged",
                shown(kind)
            )));
        }
    };
    raw.points = arrays::points(&axes)?;
    Ok(())
}

/// Adds the values of an attribute: at nodes as a field, of the grid as a parameter.
fn take(field: Node, items: Items, raw: &mut Raw) -> Result<(), Error> {
    let name = attribute(field, &["Name"]).unwrap_or("unnamed");
    match attribute(field, &["Center"]).unwrap_or("Node") {
        center if is(center, "Node") => {
            let array = values(field, name, items, raw.points.len() / 3)?;
            raw.fields.push(array);
        }
        center if is(center, "Grid") => {
            let array = values(field, name, items, 1)?;
            raw.set_parameter(array, None);
        }
        _ => raw.leave_cell_data(name),
    }
    Ok(())
}

/// The numbers of an attribute with this number of rows.
fn values(field: Node, label: &str, items: Items, rows: usize) -> Result<Array, Error> {
    let item = named(field, "DataItem").next();
    let item = item.ok_or_else(|| {
        let label = shown(label);
        format(format!(
            "the attribute {label} has no DataItem; export it again"
        ))
    })?;
    let values = items.numbers(item)?;
    let components = (values.len() / rows.max(1)).max(1);
    Ok(Array {
        name: label.to_owned(),
        components,
        values,
    })
}

/// Reads the numeric Information elements of a grid as parameters.
fn information(grid: Node, raw: &mut Raw) {
    for note in named(grid, "Information") {
        let value = attribute(note, &["Value"]).and_then(|value| value.trim().parse().ok());
        if let (Some(name), Some(value)) = (attribute(note, &["Name"]), value) {
            raw.set_parameter(Array::scalar(name, vec![value]), None);
        }
    }
}

/// Adds a field at the requested time.
fn at_time(one: &Wanted, series: &[Series], items: Items, raw: &mut Raw) -> Result<(), Error> {
    let [(name, index)] = &one.along[..] else {
        return Ok(());
    };
    if !["t", "time"].contains(&name.as_str()) {
        let (field, name) = (shown(&one.field), shown(name));
        let message = format!("{field} has no dimension {name}; its only dimension is t");
        return Err(format(message));
    }
    let has = |grid: Node| {
        let mut fields = named(grid, "Attribute");
        fields
            .find(|own| attribute(*own, &["Name"]) == Some(&one.field))
            .map(|own| own.id())
    };
    // The caller refuses an unknown name, with a list of all names.
    let Some(own) = series.iter().find(|own| has(own.last()).is_some()) else {
        return Ok(());
    };
    let step = resolved(*index, own.steps.len(), &one.field, name)?;
    let grid = own.steps[step];
    own.check_mesh(grid, series[0].last(), items)?;
    let field = has(grid).and_then(|id| grid.document().get_node(id));
    let field = field.ok_or_else(|| {
        let field = shown(&one.field);
        format(format!(
            "field {field} exists at the last time but not at time {step}"
        ))
    })?;
    let array = values(field, &one.label, items, raw.points.len() / 3)?;
    raw.fields.push(array);
    Ok(())
}
