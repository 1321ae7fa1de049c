//! Describes how far an input lies outside the training range.

use super::Case;
use super::alignment::extent::short;
use crate::quantity::labels;
use crate::train::Header;
use crate::train::ranges::{ChannelRange, root_mean_square};
use crate::{Field, Quantity};

/// Accepted excess beyond the range of training values, as a share of that range. If there are few
/// training inputs, a new one usually exceeds their range by a little.
const FAR: f64 = 0.5;

/// Accepted distance of a field's norm from the mean over training inputs, in standard deviations.
const DEVIATIONS: f64 = 6.0;

/// Lower bound of that standard deviation, as a share of the mean norm; for training inputs that
/// all have the same norm.
const LEAST: f64 = 0.05;

/// Number of inputs that are listed individually.
const NAMED: usize = 3;

/// Departures of one input from the training range, one phrase per channel; none for older
/// checkpoints, which lack the ranges.
pub(super) fn departures(header: &Header, case: &Case) -> Vec<String> {
    let (ranges, quantities) = (&header.ranges, &header.quantities);
    let input = (
        "the input",
        &ranges.input,
        &quantities.input,
        Some(&case.input),
    );
    let low = (
        "the low-fidelity solution",
        &ranges.low,
        &quantities.solution,
        case.low.as_ref(),
    );
    let mut found = Vec::new();
    for (what, ranges, quantities, field) in [input, low] {
        if let Some(field) = field.filter(|field| field.channels() == ranges.len()) {
            found.extend(of_field(what, ranges, quantities, field));
        }
    }
    found
}

/// Notes on the departures of inputs, each given with its name in messages; only the first inputs
/// are listed.
pub(super) fn notes(departures: &[(Option<String>, Vec<String>)]) -> Vec<String> {
    let far: Vec<_> = departures
        .iter()
        .filter(|(_, far)| !far.is_empty())
        .collect();
    let mut notes: Vec<String> = far
        .iter()
        .take(NAMED)
        .map(|(label, far)| match label {
            Some(label) => format!("{label}: {}", far.join("; ")),
            None => far.join("; "),
        })
        .collect();
    if far.len() > NAMED {
        let more = far.len() - NAMED;
        notes.push(format!(
            "{more} more inputs are far outside the training range"
        ));
    }
    notes
}

fn of_field(
    what: &str,
    ranges: &[ChannelRange],
    quantities: &[Quantity],
    field: &Field,
) -> Vec<String> {
    let points = field.values().len() / field.channels().max(1);
    let channels = ranges
        .iter()
        .zip(field.values().chunks_exact(points.max(1)));
    let channels = channels.zip(labels(quantities)).zip(quantities);
    channels
        .filter_map(|(((range, values), label), quantity)| {
            let words = departure(range, values, quantity.units.as_deref())?;
            let has_label = ranges.len() > 1 || quantity.name.is_some();
            Some(if has_label {
                format!("{label} of {what} {words}")
            } else {
                format!("{what} {words}")
            })
        })
        .collect()
}

/// Description of how values depart from a range, if they do.
fn departure(range: &ChannelRange, values: &[f64], units: Option<&str>) -> Option<String> {
    let (min, max) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
            (min.min(*value), max.max(*value))
        });
    let units = units.map_or(String::new(), |units| format!(" {units}"));
    let span = range.max - range.min;
    let (above, below) = (max - range.max, range.min - min);
    if above.max(below) > FAR * span {
        let value = if above > below { max } else { min };
        let beyond = match above.max(below) / span {
            times if times.is_finite() => format!(": {times:.1} times that range beyond it"),
            _ => String::new(),
        };
        return Some(format!(
            "reaches {}{units}, and training inputs go from {} to {}{units}{beyond}",
            short(value),
            short(range.min),
            short(range.max)
        ));
    }
    let norm = root_mean_square(values);
    let deviation = range.norm_deviation.max(LEAST * range.norm);
    let deviations = (norm - range.norm).abs() / deviation;
    (deviations > DEVIATIONS).then(|| {
        format!(
            "has root mean square {}{units}, {deviations:.1} standard deviations from that of the \
             training inputs ({}{units}, standard deviation {})",
            short(norm),
            short(range.norm),
            short(deviation)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: ChannelRange = ChannelRange {
        min: -1.0,
        max: 3.0,
        norm: 2.0,
        norm_deviation: 0.1,
    };

    #[test]
    fn an_input_like_those_of_training_departs_from_nothing() {
        for values in [[-1.0, 3.0, 1.0], [-2.0, 2.0, 1.0], [2.5, -1.5, 1.0]] {
            assert_eq!(departure(&RANGE, &values, None), None);
        }
    }

    #[test]
    fn values_beyond_the_range_are_reported_with_their_distance() {
        let words = departure(&RANGE, &[0.0, 11.0], Some("Pa")).unwrap();
        let expected = "reaches 11 Pa, and training inputs go from -1 to 3 Pa: 2.0 times that range \
                        beyond it";
        assert_eq!(words, expected);
        let words = departure(&RANGE, &[-9.0, 1.0], None).unwrap();
        assert!(words.starts_with("reaches -9, "), "{words}");
    }

    #[test]
    fn a_field_of_another_size_is_reported() {
        let words = departure(&RANGE, &[0.1, 0.1], None).unwrap();
        let expected = "has root mean square 0.1, 19.0 standard deviations from that of the training \
                        inputs (2, standard deviation 0.1)";
        assert_eq!(words, expected);
    }

    #[test]
    fn a_channel_that_never_varied_may_not_change() {
        let constant = ChannelRange {
            min: 5.0,
            max: 5.0,
            norm: 5.0,
            norm_deviation: 0.0,
        };
        assert_eq!(departure(&constant, &[5.0, 5.0], None), None);
        let words = departure(&constant, &[5.0, 6.0], None).unwrap();
        assert!(words.contains("from 5 to 5"), "{words}");
    }

    #[test]
    fn only_the_first_inputs_are_listed() {
        let label = |index: usize| Some(format!("input {index}"));
        let far = |index| (label(index), vec!["is far".to_owned()]);
        let notes = notes(&[
            far(0),
            (label(1), Vec::new()),
            far(2),
            far(3),
            far(4),
            far(5),
        ]);
        assert_eq!(notes.len(), 4);
        assert_eq!(notes[1], "input 2: is far");
        assert_eq!(notes[3], "2 more inputs are far outside the training range");
    }
}
