//! Units of arrays, files and parameters: each channel is converted to the first units found for
//! it, or refused if no conversion is known.

use super::quantity::quantities;
use super::reading::Reading;
use super::source::leaf;
use crate::storage::array_metadata::UNITS;
use crate::units::{Conversion, relation};
use crate::{Error, Quantities, Quantity, Result};

/// The fields of a unit, as named in messages.
const ROLES: [&str; 3] = ["input", "low fidelity", "high fidelity"];
const INPUT: usize = 0;
const LOW: usize = 1;
const HIGH: usize = 2;

/// The units of a channel of the dataset, and the data that define them.
struct Wanted {
    units: String,
    role: usize,
    owner: String,
}

/// A conversion in words, and the files that it applies to.
struct Made {
    words: String,
    files: Vec<String>,
}

/// Finds the conversions that bring each channel to the same units in every unit, stores these
/// units in `quantities`, and describes the conversions. Data without units are taken to have the
/// units of the others.
pub(super) fn agree(
    readings: &mut [Reading<'_>],
    axes: &[String],
    quantities: &mut Quantities,
) -> Result<Vec<String>> {
    let own: Vec<_> = readings.iter().map(|r| of_unit(r, axes)).collect();
    let input = wanted(readings, &own, &[INPUT]);
    let solution = wanted(readings, &own, &[HIGH, LOW]);
    let mut made = Vec::new();
    for (reading, own) in readings.iter_mut().zip(&own) {
        let mut of = |role: usize, wanted: &[Option<Wanted>]| {
            conversions(reading, role, &own[role], wanted, &mut made)
        };
        reading.conversions = [
            of(INPUT, &input)?,
            of(LOW, &solution)?,
            of(HIGH, &solution)?,
        ];
    }
    let both = [
        (&mut quantities.input, input),
        (&mut quantities.solution, solution),
    ];
    for (quantities, wanted) in both {
        for (quantity, wanted) in quantities.iter_mut().zip(wanted) {
            quantity.units = wanted.map(|wanted| wanted.units);
        }
    }
    Ok(notes(&made, readings.len()))
}

/// The channels of input, low and high fidelity of a unit, as described by its arrays.
fn of_unit(reading: &Reading<'_>, axes: &[String]) -> [Vec<Quantity>; 3] {
    let of = |stacks| quantities(&reading.unit, stacks, axes);
    let mut input = of(&reading.input);
    input.extend(parameters(reading));
    [input, of(&reading.low), of(&reading.high)]
}

/// The quantities of a unit's parameters.
pub(super) fn parameters(reading: &Reading<'_>) -> Vec<Quantity> {
    let quantity = |(name, _): &(String, Vec<f64>)| {
        let array = reading.unit.find(name).map(|i| reading.unit.variable(i));
        let units = array
            .and_then(|array| array.text(UNITS))
            .unwrap_or_default();
        Quantity::named(leaf(name)).with_units(units)
    };
    reading.parameters.iter().map(quantity).collect()
}

/// The units of each channel: those of the first unit that has any, in the first possible role.
fn wanted(
    readings: &[Reading<'_>],
    own: &[[Vec<Quantity>; 3]],
    roles: &[usize],
) -> Vec<Option<Wanted>> {
    let lengths = own
        .iter()
        .flat_map(|own| roles.iter().map(|&role| own[role].len()));
    let of_channel = |i: usize| {
        roles.iter().find_map(|&role| {
            readings.iter().zip(own).find_map(|(reading, own)| {
                let units = own[role].get(i)?.units.clone()?;
                let owner = format!("{} of {}", what(role, i, &own[role]), file(reading));
                Some(Wanted { units, role, owner })
            })
        })
    };
    (0..lengths.max().unwrap_or(0)).map(of_channel).collect()
}

/// The conversions of the channels of a unit's field to the wanted units.
fn conversions(
    reading: &Reading<'_>,
    role: usize,
    own: &[Quantity],
    wanted: &[Option<Wanted>],
    made: &mut Vec<Made>,
) -> Result<Vec<Conversion>> {
    let channels = own.iter().zip(wanted).enumerate();
    let conversion = |(i, (quantity, wanted)): (usize, (&Quantity, &Option<Wanted>))| {
        let Some(wanted) = wanted else {
            return Ok(Conversion::NONE);
        };
        let (what, to) = (what(role, i, own), &wanted.units);
        let Some(from) = &quantity.units else {
            // Low fidelity without units has those of high fidelity; this usual case needs no note.
            if wanted.role == role {
                let words = format!("{what} has no units, and is taken to be in {to}");
                add(made, words, file(reading));
            }
            return Ok(Conversion::NONE);
        };
        let Some(conversion) = relation(from, to).conversion() else {
            let reason = format!(
                "{}{what} is in {from}, but {} is in {to}; convert one of them",
                reading.unit.subject(),
                wanted.owner
            );
            return Err(Error::bad_file(&reading.unit.source.path, reason));
        };
        if !conversion.is_none() {
            let words = format!("{what} is converted from {from} to {to}, {conversion}");
            add(made, words, file(reading));
        }
        Ok(conversion)
    };
    channels.map(conversion).collect()
}

/// Records a conversion of a file, merged with the same conversion of other files.
fn add(made: &mut Vec<Made>, words: String, file: String) {
    match made.iter_mut().find(|made| made.words == words) {
        Some(made) => made.files.push(file),
        None => made.push(Made {
            words,
            files: vec![file],
        }),
    }
}

/// A channel of a field in words.
fn what(role: usize, channel: usize, quantities: &[Quantity]) -> String {
    let role = ROLES[role];
    match (
        quantities.len(),
        quantities.get(channel).and_then(|q| q.name.as_ref()),
    ) {
        (1, _) => role.to_owned(),
        (_, Some(name)) => format!("{name} of {role}"),
        (_, None) => format!("channel {channel} of {role}"),
    }
}

/// The name of a unit's file and group.
fn file(reading: &Reading<'_>) -> String {
    let name = reading.unit.source.path.file_name().unwrap_or_default();
    let path = format!("{}/{}", name.to_string_lossy(), reading.unit.group);
    path.trim_end_matches('/').to_owned()
}

/// The conversions in words, with their files unless all files are affected.
fn notes(made: &[Made], units: usize) -> Vec<String> {
    let note = |made: &Made| match &made.files[..] {
        files if files.len() == units => made.words.clone(),
        [one] => format!("{} ({one})", made.words),
        files => format!("{} ({} of {units} files)", made.words, files.len()),
    };
    made.iter().map(note).collect()
}
