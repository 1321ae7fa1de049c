//! Periodic axes, found by the fields: these continue across the ends as smoothly as inside.
//!
//! Let s_i be the mean square, over all fields, of the second difference f_{i-1} - 2 f_i + f_{i+1},
//! with indices modulo n. An axis of n points is periodic if s_0 and s_{n-1} are at most a few
//! times the median of the others, for every channel of input, low fidelity and solution that
//! varies along it. A second difference detects jumps of the value and of the slope: fields that
//! vanish at both ends continue in value alone.

use crate::Lattice;
use crate::case::{Case, Channels};
use crate::realizations::Realizations;

/// Multiple of the median up to which a second difference is that of a smooth field.
const ROUGH: f64 = 3.0;

/// Share of the median below which the first difference across the ends counts as zero: the last
/// point then repeats the first, or both are held at one value.
const SAME: f64 = 1e-3;

/// Share of a channel's mean square below which differences are round-off.
const ROUND_OFF: f64 = 1e-24;

/// Minimum numbers of points of an axis and of inputs; with fewer nothing is decided.
const FEWEST_POINTS: usize = 8;
const FEWEST_INPUTS: usize = 4;

/// The lattice, with every axis marked as periodic along which the fields are periodic.
pub(super) fn closed(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Lattice {
    let mut closed = lattice.clone();
    for (number, axis) in closed.axes.iter_mut().enumerate() {
        let is_open = axis.even && !axis.periodic && axis.len >= FEWEST_POINTS;
        axis.periodic |=
            is_open && cases.len() >= FEWEST_INPUTS && closes(lattice, channels, cases, number);
    }
    closed
}

fn closes(lattice: &Lattice, channels: Channels, cases: &[Case<'_>], axis: usize) -> bool {
    let inputs = cases.iter().map(|case| case.query.input.into());
    let lows = cases.iter().filter_map(|case| Some(case.query.low?.into()));
    let highs = cases.iter().map(|case| case.realizations);
    let kinds: [(Vec<Realizations<'_>>, usize); 3] = [
        (inputs.collect(), channels.input),
        (lows.collect(), channels.solution),
        (highs.collect(), channels.solution),
    ];
    let of_channels = |(stacks, count): (Vec<Realizations<'_>>, usize)| {
        let seams = (0..count).map(|channel| {
            let points = lattice.len();
            let fields = stacks
                .iter()
                .flat_map(|s| s.of_channel(channel, count, points));
            seam(lattice, axis, fields)
        });
        seams.collect::<Vec<_>>()
    };
    let seams: Vec<Seam> = kinds.into_iter().flat_map(of_channels).collect();
    seams.contains(&Seam::Smooth) && !seams.contains(&Seam::Broken)
}

/// How the fields of a channel continue across the ends of an axis.
#[derive(Clone, Copy, PartialEq)]
enum Seam {
    Smooth,
    Broken,
    /// The fields do not vary along the axis.
    Silent,
}

fn seam(lattice: &Lattice, axis: usize, fields: impl Iterator<Item = Vec<f64>>) -> Seam {
    let n = lattice.axes[axis].len;
    let [mut first, mut second] = [vec![0.0; n], vec![0.0; n]];
    let mut square = 0.0;
    for field in fields {
        let mean = field.iter().sum::<f64>() / field.len() as f64;
        square += field.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        for line in lines(lattice, axis, &field) {
            for i in 0..n {
                let (before, after) = (line[(i + n - 1) % n], line[(i + 1) % n]);
                first[i] += (after - line[i]).powi(2);
                second[i] += (before - 2.0 * line[i] + after).powi(2);
            }
        }
    }
    let (first_inside, second_inside) = (median(&first[..n - 1]), median(&second[1..n - 1]));
    if first.iter().all(|v| *v <= ROUND_OFF * square) {
        return Seam::Silent;
    }
    let is_smooth = second[0].max(second[n - 1]) <= ROUGH * second_inside;
    match is_smooth && first[n - 1] > SAME * first_inside {
        true => Seam::Smooth,
        false => Seam::Broken,
    }
}

/// The lines of a field along an axis.
fn lines<'a>(
    lattice: &'a Lattice,
    axis: usize,
    field: &'a [f64],
) -> impl Iterator<Item = Vec<f64>> + 'a {
    let (n, stride) = (lattice.axes[axis].len, lattice.stride(axis));
    let starts = (0..field.len()).filter(move |p| lattice.position(*p, axis) == 0);
    starts.map(move |p| (0..n).map(|i| field[p + i * stride]).collect())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::Query;
    use crate::testing::lattice;

    const POINTS: usize = 32;

    /// Whether an axis is found to be periodic if eight inputs and their only runs are these
    /// functions of the input's number and of the position from 0 to 1.
    fn is_closed(input: impl Fn(f64, f64) -> f64, run: impl Fn(f64, f64) -> f64) -> bool {
        let field = |i: usize, f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            let at = |p: usize| f(i as f64, p as f64 / POINTS as f64);
            (0..POINTS).map(at).collect()
        };
        let fields = (0..8).map(|i| [field(i, &input), field(i, &run)]);
        let fields: Vec<[Vec<f64>; 2]> = fields.collect();
        let cases = fields.iter().map(|[input, run]| Case {
            query: Query { input, low: None },
            realizations: run.into(),
            points: None,
        });
        let cases: Vec<Case<'_>> = cases.collect();
        let channels = Channels {
            input: 1,
            solution: 1,
        };
        closed(&lattice(&[("x", POINTS)], &[]), channels, &cases).axes[0].periodic
    }

    fn wave(i: f64, x: f64) -> f64 {
        (TAU * x + i).sin() + 0.3 * (2.0 * TAU * x + 3.0 * i).cos()
    }

    #[test]
    fn an_axis_closes_if_all_fields_go_on_across_its_seam() {
        assert!(is_closed(wave, |i, x| wave(i, x).powi(2)));
        assert!(is_closed(|i, _| i, wave));
        assert!(!is_closed(wave, |i, x| wave(i, x) + 0.3 * x));
        assert!(!is_closed(|i, x| wave(i, 0.7 * x), wave));
    }

    #[test]
    fn fields_that_vanish_at_both_ends_and_constant_fields_do_not_close_an_axis() {
        let last = (POINTS - 1) as f64 / POINTS as f64;
        let hill = |i: f64, x: f64| (1.0 + i) * x * (last - x);
        assert!(!is_closed(|i, _| i, hill));
        assert!(!is_closed(
            |i, x| wave(i, x / last),
            |i, x| wave(i, x / last)
        ));
        assert!(!is_closed(|i, _| i, |i, _| 2.0 * i));
    }
}
