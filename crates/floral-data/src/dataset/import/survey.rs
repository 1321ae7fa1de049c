//! A first pass over every value: missing values, inputs to keep, ranges, and a checksum. Nothing
//! is written before it has succeeded.

use rayon::prelude::*;

use super::ImportOptions;
use super::frame::Frame;
use super::reading::Reading;
use super::stack::Stack;
use crate::dataset::mask::Common;
use crate::dataset::sensors;
use crate::grid::Mask;
use crate::observer::{Observer, go_on};
use crate::{Advice, Checksum, Error, Result};

/// An input that is kept, and the realizations kept for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    /// Index of its unit.
    pub unit: usize,
    /// Its index in the unit.
    pub index: usize,
    /// The kept realizations of high fidelity.
    pub realizations: Vec<usize>,
}

/// Smallest and largest value of a channel.
pub(super) type Extent = (f64, f64);

/// The result of the survey.
#[derive(Debug, Clone, Default)]
pub(super) struct Survey {
    /// The kept inputs, in order.
    pub kept: Vec<Kept>,
    /// Absent realizations: every value is missing.
    pub absent: usize,
    /// Inputs without a low-fidelity solution.
    pub absent_low: usize,
    /// Realizations left out because a value is missing.
    pub skipped_realizations: usize,
    /// Inputs left out because a value is missing.
    pub skipped_inputs: usize,
    /// Extents of the channels of input, low and high fidelity.
    pub extents: [Vec<Extent>; 3],
    /// Points outside the domain: those where every input lacks values.
    pub mask: Option<Mask>,
    /// Checksum of all kept values.
    pub checksum: Checksum,
}

/// The result for one input.
#[derive(Default)]
struct Seen {
    kept: Option<Kept>,
    absent: usize,
    absent_low: usize,
    skipped: usize,
    extents: [Vec<Extent>; 3],
    checksum: Checksum,
}

/// Surveys all inputs; fails on the first that is invalid.
pub(super) fn survey(
    readings: &[Reading<'_>],
    frame: &Frame,
    options: &ImportOptions,
    observer: &dyn Observer,
) -> Result<Survey> {
    let inputs: Vec<(usize, usize)> = readings
        .iter()
        .enumerate()
        .flat_map(|(unit, reading)| (0..reading.inputs).map(move |index| (unit, index)))
        .collect();
    let mask = mask(readings, frame, &inputs, options, observer)?;
    let look = |&(unit, index): &(usize, usize)| {
        go_on(observer)?;
        let seen = look(&readings[unit], frame, index, (options, mask.as_ref()))?;
        let kept = seen.0.map(|realizations| Kept {
            unit,
            index,
            realizations,
        });
        Ok(Seen { kept, ..seen.1 })
    };
    let seen: Vec<Result<Seen>> = inputs.par_iter().with_max_len(1).map(look).collect();
    let mut survey = Survey {
        mask,
        ..Survey::default()
    };
    for seen in seen {
        survey.add(seen?);
    }
    if survey.kept.is_empty() {
        let path = readings
            .first()
            .map(|reading| reading.unit.source.path.as_path());
        let reason = "has no input without missing values";
        return Err(Error::bad_file(
            path.unwrap_or(std::path::Path::new("")),
            reason,
        ));
    }
    Ok(survey)
}

impl Survey {
    fn add(&mut self, seen: Seen) {
        self.absent += seen.absent;
        self.absent_low += seen.absent_low;
        self.skipped_realizations += seen.skipped;
        let Some(kept) = seen.kept else {
            self.skipped_inputs += 1;
            return;
        };
        self.kept.push(kept);
        self.checksum = self.checksum.bytes(seen.checksum.to_string().as_bytes());
        for (own, seen) in self.extents.iter_mut().zip(seen.extents) {
            if seen.is_empty() {
                continue;
            }
            if own.is_empty() {
                *own = seen;
            } else {
                for (own, seen) in own.iter_mut().zip(seen) {
                    *own = (own.0.min(seen.0), own.1.max(seen.1));
                }
            }
        }
    }
}

/// Surveys one input. Returns the realizations to keep (none if the input is left out) and the
/// result.
fn look(
    reading: &Reading<'_>,
    frame: &Frame,
    index: usize,
    (options, mask): (&ImportOptions, Option<&Mask>),
) -> Result<(Option<Vec<usize>>, Seen)> {
    let points = frame.grid.len();
    let mut seen = Seen::default();
    let (input, low) = (reading.input(index, points)?, reading.low(index)?);
    for (name, values) in [("the input", &input), ("the low-fidelity solution", &low)] {
        // A missing low-fidelity solution may be computed later.
        let is_absent = name != "the input" && values.iter().all(|value| value.is_nan());
        match missing(values, mask) {
            0 => {}
            _ if is_absent => seen.absent_low = 1,
            _ if options.skip_missing => return Ok((None, seen)),
            n => return Err(missing_values(reading, index, name, n, values.len(), mask)),
        }
    }
    seen.extents[0] = extents(&input, points);
    if !reading.low.is_empty() && seen.absent_low == 0 {
        let channels = low.len() / points / realizations(&reading.low).max(1);
        seen.extents[1] = merged(&extents(&low, points), channels);
    }
    seen.checksum = seen.checksum.numbers(&input).numbers(&low);
    if reading.high.is_empty() {
        return Ok((Some(Vec::new()), seen));
    }
    let kept = seen.look_at_high(reading, frame, index, (options, mask))?;
    Ok(((!kept.is_empty()).then_some(kept), seen))
}

impl Seen {
    /// The realizations of an input to keep.
    fn look_at_high(
        &mut self,
        reading: &Reading<'_>,
        frame: &Frame,
        index: usize,
        (options, mask): (&ImportOptions, Option<&Mask>),
    ) -> Result<Vec<usize>> {
        let high = reading.high(index)?;
        let points = frame.high_grid().len();
        let size = (high.len() / realizations(&reading.high).max(1)).max(1);
        let (mut kept, mut first) = (Vec::new(), None);
        for (i, realization) in high.chunks_exact(size).enumerate() {
            let is_absent = realization.iter().all(|value| value.is_nan());
            match missing(realization, mask) {
                n if n == 0 || options.sensors && !is_absent => {
                    if options.sensors {
                        check_sensors(reading, index, realization, points, &mut first)?;
                    }
                    kept.push(i);
                    self.checksum = self.checksum.numbers(realization);
                    let extents = extents(realization, points);
                    let all = [std::mem::take(&mut self.extents[2]), extents].concat();
                    self.extents[2] = merged(&all, size / points);
                }
                _ if is_absent => self.absent += 1,
                _ if options.skip_missing => self.skipped += 1,
                n => {
                    let name = format!("realization {i} of the high-fidelity solution");
                    return Err(missing_values(reading, index, &name, n, size, mask));
                }
            }
        }
        if kept.is_empty() && !options.skip_missing {
            let name = "the high-fidelity solution";
            let all = high.len();
            return Err(missing_values(reading, index, name, all, all, mask));
        }
        Ok(kept)
    }
}

/// Refuses realizations of an input that were measured at other points than the `first`.
fn check_sensors(
    reading: &Reading<'_>,
    index: usize,
    realization: &[f64],
    points: usize,
    first: &mut Option<Vec<usize>>,
) -> Result<()> {
    let refused = |why: &str| {
        let reason = format!("input {index}: high fidelity {why}");
        Error::bad_file(&reading.unit.source.path, reason)
    };
    let at = sensors::measured(realization, points).map_err(refused)?;
    match first.get_or_insert_with(|| at.clone()) == &at {
        true => Ok(()),
        false => Err(refused(sensors::UNLIKE)),
    }
}

/// Number of values that are not finite, except NaN outside the domain.
fn missing(values: &[f64], mask: Option<&Mask>) -> usize {
    match mask {
        Some(mask) => mask.missing(values),
        None => values.iter().filter(|value| !value.is_finite()).count(),
    }
}

/// The points where every input lacks values. Reading stops as soon as no such point is left.
fn mask(
    readings: &[Reading<'_>],
    frame: &Frame,
    inputs: &[(usize, usize)],
    options: &ImportOptions,
    observer: &dyn Observer,
) -> Result<Option<Mask>> {
    let points = frame.grid.len();
    let common = |&(unit, index): &(usize, usize)| {
        go_on(observer)?;
        let reading = &readings[unit];
        let mut common = Common::new(points);
        let input = reading.input(index, points)?;
        common.add(&input, input.len() / points.max(1));
        let mut solution = |stacks: &[Stack], values: Vec<f64>| {
            let channels = stacks.iter().map(|stack| stack.part.channels());
            common.add(&values, channels.sum());
        };
        solution(&reading.low, reading.low(index)?);
        if !options.sensors && frame.high.is_none() {
            solution(&reading.high, reading.high(index)?);
        }
        Ok::<_, Error>(common)
    };
    let Some(first) = inputs.first() else {
        return Ok(None);
    };
    let mut all = common(first)?;
    for other in &inputs[1..] {
        if !all.is_some() {
            break;
        }
        all.and(&common(other)?);
    }
    Ok(Mask::new(&frame.grid.shape(), all.outside()))
}

/// Number of realizations of a solution.
pub(super) fn realizations(stacks: &[Stack]) -> usize {
    let counts = stacks.iter().filter_map(|stack| stack.part.realizations());
    counts.max().unwrap_or(usize::from(!stacks.is_empty()))
}

/// The extent of each of several fields.
fn extents(values: &[f64], points: usize) -> Vec<Extent> {
    let fields = values.chunks_exact(points.max(1));
    fields
        .map(|field| {
            let smallest = field.iter().copied().fold(f64::INFINITY, f64::min);
            (
                smallest,
                field.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            )
        })
        .collect()
}

/// The extents of channels, merged over several fields.
fn merged(fields: &[Extent], channels: usize) -> Vec<Extent> {
    let mut merged = vec![(f64::INFINITY, f64::NEG_INFINITY); channels];
    for (i, field) in fields.iter().enumerate() {
        let own = &mut merged[i % channels.max(1)];
        *own = (own.0.min(field.0), own.1.max(field.1));
    }
    merged
}

fn missing_values(
    reading: &Reading<'_>,
    index: usize,
    name: &str,
    missing: usize,
    values: usize,
    mask: Option<&Mask>,
) -> Error {
    let beyond = match mask {
        Some(mask) => format!(
            ", besides those at {} points that no input has",
            mask.count()
        ),
        None => String::new(),
    };
    Error::bad_file(
        &reading.unit.source.path,
        format!(
            "input {index}: {missing} of {values} values of {name} are NaN, infinite or missing{beyond}"
        ),
    )
    .advised(Advice::SkipMissing)
}
