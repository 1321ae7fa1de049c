//! Channels by label: every file takes the channels in the order of the first file, and low
//! fidelity in the order of high fidelity.

use super::reading::Reading;
use super::role::Role;
use super::stack::Stack;
use super::unit::Unit;
use crate::quantity::order;
use crate::{Error, Quantity, Result};

/// The labels of channels: the coordinates of their dimension, unless they are numbers that only
/// count from 0 or 1. If the dimension has no name: the only list of texts that has the right
/// length and is named like a dimension of channels.
pub(super) fn labels(
    unit: &Unit<'_>,
    dimension: Option<&str>,
    count: usize,
) -> Result<Option<Vec<String>>> {
    let Some(name) = dimension else {
        let beside = &unit.source.beside;
        let mut lists = beside.labels.iter().filter(|(name, list)| {
            let name = name.rsplit('/').next().unwrap_or(name);
            Role::named(name) == Role::Channel && list.len() == count
        });
        let only = lists.next().filter(|_| lists.next().is_none());
        return Ok(only.map(|(_, list)| list.clone()));
    };
    if let Some(why) = unit.unread(name) {
        let reason = format!("the labels {name} of channels cannot be read: the array {why}");
        return Err(Error::bad_file(&unit.source.path, reason));
    }
    if let Some(texts) = unit.texts(name) {
        return Ok((texts.len() == count).then(|| texts.to_vec()));
    }
    let Some(index) = unit
        .find(name)
        .filter(|&i| unit.variable(i).shape == [count])
    else {
        return Ok(None);
    };
    let numbers = unit.source.read_all(index)?;
    let is_counted = |first: f64| {
        let mut numbers = numbers.iter().enumerate();
        numbers.all(|(i, number)| *number == first + i as f64)
    };
    let texts = numbers.iter().map(f64::to_string).collect();
    Ok((!is_counted(0.0) && !is_counted(1.0)).then_some(texts))
}

/// Puts the channels of a unit in the order of the first unit, and the channels of low fidelity in
/// the order of high fidelity.
pub(super) fn align(reading: &mut Reading<'_>, first: Option<&Reading<'_>>) -> Result<()> {
    let unit = reading.unit.clone();
    if let Some(first) = first {
        let pairs = [
            (&mut reading.input, &first.input),
            (&mut reading.low, &first.low),
            (&mut reading.high, &first.high),
        ];
        for (own, first_of) in pairs {
            for (own, before) in own.iter_mut().zip(first_of) {
                follow(
                    &unit,
                    own,
                    &ordered(&first.unit, before)?,
                    "those of the first file",
                )?;
            }
        }
        return Ok(());
    }
    for stack in reading.input.iter().chain(&reading.high) {
        stack.part.labels(&unit)?;
    }
    if let ([low], [high]) = (&mut reading.low[..], &reading.high[..]) {
        let (of_high, of_low) = (ordered(&unit, high)?, low.part.labels(&unit)?);
        if of_low.is_some() && of_high.is_some() {
            follow(&unit, low, &of_high, "those of high fidelity")?;
        }
    }
    Ok(())
}

/// The labels of a stack's channels in the order in which they are read.
fn ordered(unit: &Unit<'_>, stack: &Stack) -> Result<Option<Vec<String>>> {
    let labels = stack.part.labels(unit)?;
    Ok(labels.map(|labels| match &stack.order {
        Some(order) => order.iter().map(|&i| labels[i].clone()).collect(),
        None => labels,
    }))
}

/// Reads the channels of a stack in the order of these labels; refuses other labels.
fn follow(
    unit: &Unit<'_>,
    stack: &mut Stack,
    wanted: &Option<Vec<String>>,
    whose: &str,
) -> Result<()> {
    let found = stack.part.labels(unit)?;
    let words = |labels: &Option<Vec<String>>| match labels {
        Some(labels) => format!("({})", labels.join(", ")),
        None => "without labels".to_owned(),
    };
    let place = match (wanted, &found) {
        _ if stack.part.channels() < 2 || *wanted == found => return Ok(()),
        (Some(wanted), Some(found)) => {
            let [wanted, found] = [wanted, found].map(|list| list.iter().map(|l| Some(l.as_str())));
            order(wanted, found)
        }
        _ => None,
    };
    if place.is_none() {
        return Err(Error::bad_file(
            &unit.source.path,
            format!(
                "{}the channels of {} are {}, but {whose} are {}; label both alike",
                unit.subject(),
                stack.part.pick.name,
                words(&found),
                words(wanted)
            ),
        ));
    }
    stack.order = place;
    Ok(())
}

/// The quantities of the solution if there is only low fidelity: named by the labels of the
/// channels, but not by the name of the array.
pub(super) fn of_low_alone(reading: &Reading<'_>, mut low: Vec<Quantity>) -> Result<Vec<Quantity>> {
    let mut start = 0;
    for stack in &reading.low {
        let variable = reading.unit.variable(stack.part.variable);
        let is_named = variable
            .text(crate::storage::array_metadata::NAME)
            .is_some();
        let count = stack.part.channels();
        if !is_named && stack.part.labels(&reading.unit)?.is_none() {
            let own = low.iter_mut().skip(start).take(count);
            own.for_each(|quantity| quantity.name = None);
        }
        start += count;
    }
    Ok(low)
}
