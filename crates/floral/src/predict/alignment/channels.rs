//! Matches the channels of inputs with those of a run, by name, and converts units; used by
//! `mod.rs`.

use super::Verdict;
use crate::Quantity;
use crate::dataset::view::Source;
use crate::quantity::{labels, order};
use crate::units::{Conversion, Relation, relation};

/// The given channel for each channel of the run, with its unit conversion. If their numbers
/// differ, the shapes are refused later.
pub(super) fn sources(
    what: &str,
    run: &[Quantity],
    given: &[Quantity],
    notes: &mut Vec<String>,
) -> Verdict<Vec<Source>> {
    let as_given = (0..given.len()).collect();
    if run.len() != given.len() {
        let source = |channel| Source {
            channel,
            conversion: Conversion::NONE,
        };
        return Ok((0..given.len()).map(source).collect());
    }
    let order = match permutation(run, given) {
        Some(order) if order != as_given => {
            let named = |quantities: &[Quantity]| labels(quantities).join(", ");
            notes.push(format!(
                "the channels of its {what} are ({}), the run's ({}): reordered",
                named(given),
                named(run)
            ));
            order
        }
        _ => as_given,
    };
    let channels = run.iter().zip(order).enumerate();
    let channels = channels.map(|(i, (run, channel))| {
        let quantity = &given[channel];
        if let (Some(ours), Some(theirs)) = (&run.name, &quantity.name)
            && !ours.eq_ignore_ascii_case(theirs)
        {
            return Err(format!(
                "channel {channel} of its {what} is {theirs}, but the run was trained on {ours} \
                 there; give that, or correct the name"
            ));
        }
        let what = match &run.name {
            Some(name) => format!("{name} of its {what}"),
            None => format!("channel {i} of its {what}"),
        };
        let conversion = conversion(&what, &run.units, &quantity.units, notes)?;
        Ok(Source {
            channel,
            conversion,
        })
    });
    channels.collect()
}

/// Index of the given channel for each channel of the run, if all channels have distinct names.
fn permutation(run: &[Quantity], given: &[Quantity]) -> Option<Vec<usize>> {
    fn names(list: &[Quantity]) -> impl Iterator<Item = Option<&str>> {
        list.iter().map(|quantity| quantity.name.as_deref())
    }
    order(names(run), names(given))
}

/// Names and units of the aligned channels: those of the run, or the given ones if the run has
/// none.
pub(super) fn seen(run: &[Quantity], given: &[Quantity], sources: &[Source]) -> Vec<Quantity> {
    let described = |i: usize, source: &Source| {
        let ours = run.get(i).cloned().unwrap_or_default();
        let theirs = &given[source.channel];
        Quantity {
            name: ours.name.or(theirs.name.clone()),
            units: ours.units.or(theirs.units.clone()),
            long_name: ours.long_name.or(theirs.long_name.clone()),
            parameter: ours.parameter || theirs.parameter,
        }
    };
    sources
        .iter()
        .enumerate()
        .map(|(i, s)| described(i, s))
        .collect()
}

/// Conversion from the given units to the run's; none if either is unknown.
pub(super) fn conversion(
    what: &str,
    run: &Option<String>,
    given: &Option<String>,
    notes: &mut Vec<String>,
) -> Verdict<Conversion> {
    let (Some(run), Some(given)) = (run, given) else {
        return Ok(Conversion::NONE);
    };
    match relation(given, run) {
        Relation::Same => Ok(Conversion::NONE),
        Relation::Converted(conversion) => {
            notes.push(format!(
                "{what} is in {given}, the run's in {run}: converted to {run}, {conversion}"
            ));
            Ok(conversion)
        }
        Relation::Apart => Err(format!(
            "{what} is in {given}, but the run was trained in {run}, which measures \
             something else; convert the values to {run}"
        )),
        Relation::Unknown => Err(format!(
            "{what} is in {given}, but the run was trained in {run}, and how they are related is not \
             known; convert the values to {run} and say so in the attribute units"
        )),
    }
}
