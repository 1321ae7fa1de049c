//! Checks that the points of an axis cover the domain on which a run was trained; used by `mod.rs`.

use crate::Axis;
use crate::grid::AxisKind;

/// Share of a step that counts as rounding, for coordinates written with few digits.
const ROUNDING: f64 = 0.01;

/// Ratios of lengths that suggest different units, in words.
const TELLING: [(f64, &str); 6] = [
    (10.0, "10 times"),
    (100.0, "100 times"),
    (1e3, "1000 times"),
    (1e6, "a million times"),
    (60.0, "60 times"),
    (180.0 / std::f64::consts::PI, "180/pi times"),
];

/// The axis for points without coordinates, which are assumed to sample the run's domain; adds a
/// note about this assumption.
pub(in crate::predict) fn assumed(run: &Axis, points: usize, notes: &mut Vec<String>) -> Axis {
    if points == run.len() {
        notes.push(format!(
            "axis {} has no coordinates; its {points} points are taken for the run's, from {} to {}",
            run.name,
            short(run.coordinates.first().copied().unwrap_or(f64::NAN)),
            short(run.coordinates.last().copied().unwrap_or(f64::NAN))
        ));
        return run.clone();
    }
    let axis = run.resampled(points);
    notes.push(assumption(&axis));
    axis
}

/// Note that an axis without coordinates is assumed to sample the run's domain.
pub(in crate::predict) fn assumption(axis: &Axis) -> String {
    format!(
        "axis {} has no coordinates; its {} points are taken to sample the run's domain evenly, \
         from {} to {}",
        axis.name,
        axis.len(),
        short(axis.coordinates.first().copied().unwrap_or(f64::NAN)),
        short(axis.coordinates.last().copied().unwrap_or(f64::NAN))
    )
}

/// The axis on the run's domain, or the reason why it does not cover that domain. A deviation of
/// less than a step at the ends only adds a note.
pub(in crate::predict) fn placed(
    run: &Axis,
    axis: Axis,
    notes: &mut Vec<String>,
) -> Result<Axis, String> {
    if coincide(run, &axis) {
        return Ok(Axis {
            units: axis.units,
            long_name: axis.long_name,
            declared: axis.declared,
            ..run.clone()
        });
    }
    let domain = run.domain;
    let (from, to) = reach(run, &axis);
    let step = widest(run).max(widest(&axis)).max(1e-6 * domain.length());
    let beyond = (from - domain.from).abs().max((to - domain.to).abs());
    if domain.is_periodic() && repeats_its_end(run, &axis) {
        return Err(format!(
            "axis {} goes from {from} to {}, so that its last point is the first again: the run's is \
             periodic from {} to {}; leave the last point out",
            run.name,
            axis.coordinates.last().copied().unwrap_or(to),
            domain.from,
            domain.to
        ));
    }
    // NaN counts as beyond the domain.
    if beyond.is_nan() || beyond > step {
        return Err(refusal(run, (from, to)));
    }
    if beyond > ROUNDING * step {
        notes.push(format!(
            "axis {} goes from {} to {}, the run's from {} to {}",
            run.name,
            short(from),
            short(to),
            short(domain.from),
            short(domain.to)
        ));
    }
    let is_inside = domain.holds(&axis.coordinates);
    Ok(Axis {
        domain: if is_inside { domain } else { axis.domain },
        ..axis
    })
}

/// Whether both axes have the same points, up to rounding.
fn coincide(run: &Axis, axis: &Axis) -> bool {
    let largest = run
        .coordinates
        .iter()
        .fold(0.0, |most: f64, x| most.max(x.abs()));
    let rounding = 4.0 * f64::from(f32::EPSILON) * largest;
    let pairs = run.coordinates.iter().zip(&axis.coordinates);
    run.len() == axis.len()
        && pairs
            .map(|(a, b)| (a - b).abs())
            .all(|distance| distance <= rounding)
}

/// Ends of the domain of these points, if the domain were of the same kind as the run's.
fn reach(run: &Axis, axis: &Axis) -> (f64, f64) {
    let first = axis.coordinates.first().copied().unwrap_or(f64::NAN);
    let last = axis.coordinates.last().copied().unwrap_or(f64::NAN);
    if axis.len() == 1 && run.len() > 1 && run.domain.holds(&axis.coordinates) {
        // A single point does not show the extent of the domain.
        return (run.domain.from, run.domain.to);
    }
    let step = axis.spacing();
    match run.domain.kind {
        AxisKind::Closed => (first, last),
        AxisKind::Periodic => (first, last + step),
        AxisKind::Times => (first - step, last),
    }
}

/// Whether a periodic axis stores its first point a second time at the end.
fn repeats_its_end(run: &Axis, axis: &Axis) -> bool {
    let (first, last) = (axis.coordinates.first(), axis.coordinates.last());
    let length = first.zip(last).map_or(0.0, |(first, last)| last - first);
    (length - run.domain.length()).abs() < ROUNDING * axis.spacing()
}

/// The largest distance between neighbours.
fn widest(axis: &Axis) -> f64 {
    let gaps = axis.coordinates.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.fold(0.0, f64::max)
}

fn refusal(run: &Axis, (from, to): (f64, f64)) -> String {
    let units = run.units.as_deref().map(|units| format!(" {units}"));
    let (name, domain) = (&run.name, run.domain);
    let ratio = (to - from) / domain.length();
    let is_near = |times: f64| (ratio / times - 1.0).abs() < 0.1;
    let telling = TELLING
        .iter()
        .find(|(times, _)| is_near(*times) || is_near(1.0 / times));
    let advice = match telling {
        Some((times, words)) => format!(
            "{} is {words} as long: if {name} is in other units, convert it to the run's, or declare its \
             units",
            if is_near(*times) { "it" } else { "the run's" }
        ),
        None => {
            "give the input on the whole of the run's domain, or train a run on this one".into()
        }
    };
    format!(
        "axis {name} goes from {} to {}, but the run was trained from {} to {}{}; {advice}",
        short(from),
        short(to),
        short(domain.from),
        short(domain.to),
        units.unwrap_or_default()
    )
}

/// A number rounded to six significant digits.
pub(in crate::predict) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    format!("{rounded}")
}
