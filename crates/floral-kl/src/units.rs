//! Units of a fit: shifts and scales that make it independent of the units and the zero of the
//! data.
//!
//! A value u of a channel is measured as (u - shift) / scale, with the mean and the standard
//! deviation of the training inputs. High and low fidelity share a scale but have separate shifts,
//! so that a constant bias of the low-fidelity solver does not count as a residual.

use serde::{Deserialize, Serialize};

use super::case::{Case, Channels, Query};
use super::realizations::Realizations;
use super::symmetry::Role;
use super::unit::Unit;
use super::{Lattice, Prediction, Symmetries};

/// The units of all channels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Units {
    input: Vec<Unit>,
    /// Empty if there is no low fidelity.
    low: Vec<Unit>,
    solution: Vec<Unit>,
}

/// A case in units of the fit.
pub(super) struct Scaled<'a> {
    query: ScaledQuery,
    realizations: Realizations<'a>,
    points: Option<&'a [usize]>,
}

impl Scaled<'_> {
    pub(super) fn case(&self) -> Case<'_> {
        Case {
            query: self.query.query(),
            realizations: self.realizations,
            points: self.points,
        }
    }
}

/// A query in units of the fit.
pub(super) struct ScaledQuery {
    input: Vec<f64>,
    low: Option<Vec<f64>>,
}

impl ScaledQuery {
    pub(super) fn query(&self) -> Query<'_> {
        Query {
            input: &self.input,
            low: self.low.as_deref(),
        }
    }
}

impl Units {
    /// The units of the training cases.
    ///
    /// A channel whose sign a symmetry changes is not shifted; with a scaling symmetry, no channel
    /// is.
    pub(super) fn new(
        lattice: &Lattice,
        channels: Channels,
        symmetries: &Symmetries,
        cases: &[Case<'_>],
    ) -> Self {
        let points = lattice.len();
        let inputs = cases.iter().map(|case| (case.query.input.into(), points));
        let lows = cases
            .iter()
            .filter_map(|case| Some((case.query.low?.into(), points)));
        let highs = cases
            .iter()
            .map(|case| (case.realizations, case.known(lattice)));
        let moves = |role: Role, channel: usize| {
            let flips = |motion: &super::Motion| motion.factors(role)[channel] < 0.0;
            symmetries.scale.is_none() && !symmetries.motions.iter().any(flips)
        };
        let weights = lattice.points().map(|points| points.weights());
        // Values that are known at some points only all have the same weight.
        let weights = weights.filter(|_| cases.iter().all(|case| case.points.is_none()));
        let units = |stacks: Vec<(Realizations<'_>, usize)>, count: usize, role: Role| {
            let unit = |c: usize| match weights {
                Some(weights) => Unit::weighed(&stacks, count, c, (moves(role, c), weights)),
                None => Unit::of(&stacks, count, c, moves(role, c)),
            };
            (0..count).map(unit).collect::<Vec<Unit>>()
        };
        let solution = units(highs.collect(), channels.solution, Role::Solution);
        let lows: Vec<(Realizations<'_>, usize)> = lows.collect();
        let low = if lows.is_empty() {
            Vec::new()
        } else {
            let own = units(lows, channels.solution, Role::Solution);
            let shared = own.iter().zip(&solution);
            shared
                .map(|(low, high)| Unit {
                    shift: low.shift,
                    scale: high.scale,
                })
                .collect()
        };
        Self {
            input: units(inputs.collect(), channels.input, Role::Input),
            low,
            solution,
        }
    }

    /// Whether all units are finite and there is one for every channel.
    pub(super) fn fit(&self, channels: Channels) -> bool {
        let sound =
            |unit: &Unit| unit.shift.is_finite() && unit.scale.is_finite() && unit.scale > 0.0;
        let all = [&self.input, &self.low, &self.solution];
        self.input.len() == channels.input
            && self.solution.len() == channels.solution
            && (self.low.is_empty() || self.low.len() == channels.solution)
            && all.into_iter().flatten().all(sound)
    }

    /// Converts a case to these units.
    pub(super) fn case<'a>(&'a self, case: &Case<'a>, lattice: &Lattice) -> Scaled<'a> {
        let known = case.known(lattice);
        Scaled {
            query: self.query(&case.query, lattice),
            realizations: case.realizations.in_units(&self.solution, known),
            points: case.points,
        }
    }

    /// Converts a query to these units.
    pub(super) fn query(&self, query: &Query<'_>, lattice: &Lattice) -> ScaledQuery {
        let points = lattice.len();
        ScaledQuery {
            input: rounded(measured(query.input, &self.input, points)),
            low: query
                .low
                .map(|low| rounded(measured(low, &self.low, points))),
        }
    }

    /// Converts a prediction back to the units of the data.
    pub(super) fn restored(&self, mut prediction: Prediction, points: usize) -> Prediction {
        let mean = prediction.mean.chunks_exact_mut(points.max(1));
        for (channel, unit) in mean.zip(&self.solution) {
            channel
                .iter_mut()
                .for_each(|v| *v = *v * unit.scale + unit.shift);
        }
        for variance in [&mut prediction.aleatoric, &mut prediction.epistemic] {
            let channels = variance.chunks_exact_mut(points.max(1));
            for (channel, unit) in channels.zip(&self.solution) {
                channel
                    .iter_mut()
                    .for_each(|v| *v *= unit.scale * unit.scale);
            }
        }
        prediction
    }

    /// Converts input and low fidelity of a query back to the units of the data.
    pub(super) fn given(&self, query: &Query<'_>, points: usize) -> [Vec<f64>; 2] {
        let back = |values: &[f64], units: &[Unit]| {
            let unit = |at: usize| &units[at / points.max(1)];
            let values = values.iter().enumerate();
            values
                .map(|(at, v)| v * unit(at).scale + unit(at).shift)
                .collect()
        };
        let low = query.low.unwrap_or(&[]);
        [back(query.input, &self.input), back(low, &self.low)]
    }

    /// The units of the solution's channels.
    pub(super) fn solution(&self) -> &[Unit] {
        &self.solution
    }

    /// The value of zero in each channel of the input, in these units.
    pub(super) fn zeros_of_input(&self) -> Vec<f64> {
        let zero = |unit: &Unit| -unit.shift / unit.scale;
        self.input.iter().map(zero).collect()
    }

    /// The constant residual with which the prediction equals low fidelity itself: shift of low
    /// fidelity minus shift of the solution, over the scale, per channel.
    pub(super) fn bias_of_low(&self) -> Vec<f64> {
        let both = self.low.iter().zip(&self.solution);
        both.map(|(low, high)| (low.shift - high.shift) / high.scale)
            .collect()
    }
}

impl Unit {
    /// The mean (zero unless it `moves`) and the deviation of one channel of stacks
    /// [.., channel, point], each with its number of points.
    fn of(
        stacks: &[(Realizations<'_>, usize)],
        channels: usize,
        channel: usize,
        moves: bool,
    ) -> Self {
        let values = || {
            let fields = stacks.iter();
            let fields = fields.flat_map(|(stack, n)| stack.of_channel(channel, channels, *n));
            fields.flatten()
        };
        let count = values().count().max(1) as f64;
        // Divided before they are added, so that no sum of finite values overflows.
        let shift = if moves {
            values().map(|v| v / count).sum()
        } else {
            0.0
        };
        let largest = values().map(|v| (v - shift).abs()).fold(0.0, f64::max);
        let square = values()
            .map(|v| ((v - shift) / largest).powi(2))
            .sum::<f64>();
        Self::new(shift, largest * (square / count).sqrt())
    }

    /// The same with quadrature weights of mean 1.
    fn weighed(
        stacks: &[(Realizations<'_>, usize)],
        channels: usize,
        channel: usize,
        (moves, weights): (bool, &[f64]),
    ) -> Self {
        let values = || {
            let fields = stacks.iter();
            let fields = fields.flat_map(|(stack, n)| stack.of_channel(channel, channels, *n));
            fields.flat_map(|field| field.into_iter().zip(weights))
        };
        let count = values().count().max(1) as f64;
        let shift = match moves {
            true => values().map(|(v, w)| w * (v / count)).sum(),
            false => 0.0,
        };
        let largest = values().map(|(v, _)| (v - shift).abs()).fold(0.0, f64::max);
        let squares = values().map(|(v, w)| w * ((v - shift) / largest).powi(2));
        Self::new(shift, largest * (squares.sum::<f64>() / count).sqrt())
    }

    fn new(shift: f64, scale: f64) -> Self {
        // A channel that differs from its mean by round-off is constant: its scale stays 1.
        let is_constant = !scale.is_normal() || scale <= 1e-13 * shift.abs();
        Self {
            shift,
            scale: if is_constant { 1.0 } else { scale },
        }
    }
}

/// Inputs and low fidelity in units are rounded to multiples of this. Data that differ by
/// round-off, as after a change of units, then give the same fit; its searches would otherwise
/// magnify the difference.
const RESOLUTION: f64 = 1.0 / (1_u64 << 32) as f64;

/// Converts fields [.., channel, point] to the units of their channels.
fn measured(values: &[f64], units: &[Unit], points: usize) -> Vec<f64> {
    let channels = values.chunks_exact(points.max(1)).zip(units.iter().cycle());
    channels
        .flat_map(|(channel, unit)| channel.iter().map(|v| unit.measured(*v)))
        .collect()
}

/// Rounds values to multiples of [`RESOLUTION`].
fn rounded(mut values: Vec<f64>) -> Vec<f64> {
    let round = |v: &mut f64| *v = RESOLUTION * (*v / RESOLUTION).round();
    values.iter_mut().for_each(round);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_mean_and_deviation_whatever_their_size() {
        for (shift, scale) in [(0.0, 1.0), (1e8, 1e-3), (-3.0, 1e150), (0.0, 1e-200)] {
            let values: Vec<f64> = [-1.0, 1.0, -1.0, 1.0].map(|v| shift + scale * v).to_vec();
            let unit = Unit::of(&[((&values).into(), 2)], 1, 0, true);
            assert!((unit.shift - shift).abs() <= 1e-9 * shift.abs().max(scale));
            assert!((unit.scale / scale - 1.0).abs() < 1e-4, "{unit:?}");
        }
    }

    #[test]
    fn channels_have_units_of_their_own_and_constants_that_of_the_data() {
        let values = vec![1.0, 3.0, 7.0, 7.0, -1.0, -3.0, 7.0, 7.0];
        let unit = |c, moves| Unit::of(&[((&values).into(), 2)], 2, c, moves);
        let [first, second] = [0, 1].map(|c| unit(c, true));
        assert_eq!((first.shift, first.scale), (0.0, 5.0_f64.sqrt()));
        assert_eq!((second.shift, second.scale), (7.0, 1.0));
        let kept = unit(1, false);
        assert_eq!((kept.shift, kept.scale), (0.0, 7.0));
    }
}
