//! Fields at the points of a mesh, stored in arrays with further dimensions such as times or
//! layers.

use std::ops::Range;

use crate::Error;
use crate::error::format;
use crate::file::Array;
use crate::file::arrays::{Arrays, Dimension, shown};
use crate::file::raw::Raw;

/// Largest number of fields in one array that are read without being named.
const MOST_FIELDS: usize = 64;

/// Names of the dimension of times in every format.
const TIMES: [&str; 2] = ["t", "time"];

/// A field at given indices of its other dimensions, as in `u[time=0]`.
///
/// A file may hold a field at several times or in several layers. By default, [`read_arrays`] and
/// [`read_xdmf`] take the last time, and every layer as a separate field such as `u[layer=0]`.
///
/// [`read_arrays`]: crate::read_arrays
/// [`read_xdmf`]: crate::read_xdmf
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The name of the field in the file.
    pub field: String,
    /// Dimensions, with an index in each, counted from the end if negative; `t` and `time` mean the
    /// dimension of times.
    pub along: Vec<(String, i64)>,
    /// Name of the field once it is read.
    pub label: String,
}

/// An array with values at the points.
pub(crate) struct Located {
    /// The name of the field.
    pub(crate) name: String,
    /// Position of the array.
    pub(crate) variable: usize,
    /// Position of the dimension of the points.
    pub(crate) points: usize,
    /// Position of the dimension of times.
    pub(crate) times: Option<usize>,
    /// Indices along other dimensions that the name implies.
    pub(crate) fixed: Vec<(usize, usize)>,
}

/// Reads all fields at the last time, and the requested fields at other times.
pub(crate) fn take(
    arrays: &dyn Arrays,
    located: &[Located],
    wanted: &[Wanted],
    raw: &mut Raw,
) -> Result<(), Error> {
    for own in located {
        take_last(arrays, own, raw)?;
    }
    for one in wanted {
        let is_read = raw.fields.iter().any(|field| field.name == one.label);
        // The caller refuses an unknown name, with a list of all names.
        let own = located.iter().find(|own| own.name == one.field);
        if let (false, Some(own)) = (is_read, own) {
            take_wanted(arrays, own, one, raw)?;
        }
    }
    Ok(())
}

/// Reads a field at the last time, at all indices of other dimensions.
fn take_last(arrays: &dyn Arrays, own: &Located, raw: &mut Raw) -> Result<(), Error> {
    let dimensions = &arrays.variables()[own.variable].dimensions;
    note_times(own, dimensions, raw);
    let places = own.places(dimensions, &[])?;
    if places.len() > MOST_FIELDS {
        let (name, as_in) = (shown(&own.name), places[0].label(&own.name, dimensions));
        raw.note(format!(
            "{name} holds over {MOST_FIELDS} fields, which are left out; name one, as in {as_in}"
        ));
        return Ok(());
    }
    for place in places {
        let label = place.label(&own.name, dimensions);
        place.push(arrays, own, label, raw)?;
    }
    Ok(())
}

/// Reads a field at the requested indices.
fn take_wanted(
    arrays: &dyn Arrays,
    own: &Located,
    one: &Wanted,
    raw: &mut Raw,
) -> Result<(), Error> {
    let dimensions = &arrays.variables()[own.variable].dimensions;
    let places = own.places(dimensions, &one.along)?;
    if let [place] = &places[..] {
        return place.push(arrays, own, one.label.clone(), raw);
    }
    let as_in = places
        .first()
        .map(|place| place.label(&own.name, dimensions));
    Err(format(format!(
        "{} has {} fields; name one, as in {}",
        shown(&one.label),
        places.len(),
        as_in.unwrap_or_default()
    )))
}

/// Notes which of several times is taken.
fn note_times(own: &Located, dimensions: &[Dimension], raw: &mut Raw) {
    if let Some(times) = own.times.map(|at| dimensions[at].length)
        && times > 1
    {
        raw.note(last_of(times));
    }
}

/// A note that the last of several times is taken.
pub(crate) fn last_of(times: usize) -> String {
    format!("fields are those of the last of {times} times; name another as in u[t=0]")
}

/// An index for every dimension except that of the points.
struct Place {
    /// None for the dimension of the points.
    indices: Vec<Option<usize>>,
    /// Dimensions that appear in the label.
    named: Vec<usize>,
}

impl Located {
    /// The indices at which the array holds a field: the requested ones, otherwise the last time,
    /// and all indices of other dimensions.
    fn places(
        &self,
        dimensions: &[Dimension],
        along: &[(String, i64)],
    ) -> Result<Vec<Place>, Error> {
        let mut indices = vec![None; dimensions.len()];
        for (at, index) in &self.fixed {
            indices[*at] = Some(*index);
        }
        for (name, index) in along {
            let at = self.dimension(dimensions, name)?;
            indices[at] = Some(resolved(*index, dimensions[at].length, &self.name, name)?);
        }
        if let Some(at) = self.times {
            // Without times there is no field.
            let Some(last) = dimensions[at].length.checked_sub(1) else {
                return Ok(Vec::new());
            };
            indices[at].get_or_insert(last);
        }
        let is_free = |at: &usize| indices[*at].is_none() && *at != self.points;
        let free: Vec<usize> = (0..dimensions.len()).filter(is_free).collect();
        let lengths = free.iter().map(|at| dimensions[*at].length);
        let count = lengths.clone().fold(1, usize::saturating_mul);
        // At most one more than a caller accepts.
        let places = (0..count.min(MOST_FIELDS + 1)).map(|place| {
            let mut own = indices.clone();
            let mut rest = place;
            for (at, length) in free.iter().zip(lengths.clone()).rev() {
                own[*at] = Some(rest % length);
                rest /= length;
            }
            let is_named = |at: &&usize| dimensions[**at].length > 1;
            Place {
                indices: own,
                named: free.iter().filter(is_named).copied().collect(),
            }
        });
        Ok(places.collect())
    }

    fn dimension(&self, dimensions: &[Dimension], name: &str) -> Result<usize, Error> {
        let own = dimensions.iter().position(|own| own.name == name);
        let times = self.times.filter(|_| TIMES.contains(&name));
        let is_other = |at: &usize| *at != self.points;
        own.or(times).filter(is_other).ok_or_else(|| {
            let others = dimensions.iter().enumerate();
            let others = others.filter(|(at, _)| *at != self.points);
            let names: Vec<String> = others.map(|(_, own)| shown(&own.name)).collect();
            format(format!(
                "{} has no dimension {} beside that of the points, but ({})",
                shown(&self.name),
                shown(name),
                names.join(", ")
            ))
        })
    }
}

/// An index, counted from the end if negative.
pub(crate) fn resolved(index: i64, length: usize, field: &str, name: &str) -> Result<usize, Error> {
    let length_ = i64::try_from(length).unwrap_or(i64::MAX);
    let found = if index < 0 {
        index.saturating_add(length_)
    } else {
        index
    };
    let found = usize::try_from(found).ok().filter(|own| *own < length);
    found.ok_or_else(|| {
        let (field, name) = (shown(field), shown(name));
        format(format!(
            "{field}[{name}={index}]: {name} has {length} indices, from 0 or from -{length}"
        ))
    })
}

impl Place {
    /// The label of the field, with the indices that distinguish it.
    fn label(&self, name: &str, dimensions: &[Dimension]) -> String {
        let index = |at: &usize| {
            let index = self.indices[*at].unwrap_or(0);
            match dimensions[*at].name.as_str() {
                "" => format!("dim_{at}={index}"),
                own => format!("{own}={index}"),
            }
        };
        let named: Vec<String> = self.named.iter().map(index).collect();
        match named[..] {
            [] => name.to_owned(),
            _ => format!("{name}[{}]", named.join(",")),
        }
    }

    /// Reads the field and its unit.
    fn push(
        &self,
        arrays: &dyn Arrays,
        own: &Located,
        label: String,
        raw: &mut Raw,
    ) -> Result<(), Error> {
        let variable = &arrays.variables()[own.variable];
        if let Some(unit) = variable.text("units").filter(|unit| !unit.is_empty()) {
            raw.units.insert(label.clone(), unit.to_owned());
        }
        let each = variable.dimensions.iter().zip(&self.indices).enumerate();
        let range = |(at, (dimension, index)): (usize, (&Dimension, &Option<usize>))| {
            let index = index.unwrap_or(0);
            match at == own.points {
                true => 0..dimension.length,
                false => index..index + 1,
            }
        };
        let ranges: Vec<Range<usize>> = each.map(range).collect();
        let values = arrays.read(own.variable, &ranges)?;
        raw.fields.push(Array::scalar(label, values));
        Ok(())
    }
}
