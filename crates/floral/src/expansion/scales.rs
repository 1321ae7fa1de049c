//! Units in which several channels weigh alike, so that a fit does not depend on those of the data:
//! regressions compare and judge whole fields, of which the largest channel would decide alone.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Material;
use crate::metric::RunningMoments;
use crate::regression::{Case, Channels, Lattice, Prediction, Query};

/// What one unit of each channel is; none where there is only one channel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ChannelScales {
    input: Vec<f64>,
    solution: Vec<f64>,
}

/// The values of a case in these units.
pub(super) struct ScaledCase<'a> {
    input: Cow<'a, [f64]>,
    low: Option<Cow<'a, [f64]>>,
    realizations: Cow<'a, [f64]>,
    points: Option<&'a [usize]>,
}

impl ScaledCase<'_> {
    pub fn case(&self) -> Case<'_> {
        Case {
            query: self.query(),
            realizations: &self.realizations,
            points: self.points,
        }
    }

    pub fn query(&self) -> Query<'_> {
        Query {
            input: &self.input,
            low: self.low.as_deref(),
        }
    }
}

impl ChannelScales {
    /// The deviations of the channels over the training inputs.
    pub fn of(material: &Material<'_>) -> Self {
        let points = material.lattice.len();
        let Channels { input, solution } = material.channels;
        let inputs = material.cases.iter().map(|case| (case.query.input, points));
        let solutions = material.cases.iter().map(|case| {
            let known = case.points.map_or(points, <[usize]>::len);
            (case.realizations, known)
        });
        Self {
            input: deviations(inputs, input),
            solution: deviations(solutions, solution),
        }
    }

    /// Whether they are those of so many channels.
    pub fn fit(&self, channels: Channels) -> bool {
        let sound = |scales: &[f64], channels: usize| {
            let positive = |scale: &f64| scale.is_finite() && *scale > 0.0;
            [0, channels].contains(&scales.len()) && scales.iter().all(positive)
        };
        sound(&self.input, channels.input) && sound(&self.solution, channels.solution)
    }

    /// A case in these units.
    pub fn case<'a>(&self, case: &Case<'a>, lattice: &Lattice) -> ScaledCase<'a> {
        let known = case.points.map_or(lattice.len(), <[usize]>::len);
        ScaledCase {
            realizations: over(case.realizations, &self.solution, known),
            points: case.points,
            ..self.query(&case.query, lattice)
        }
    }

    /// A query in these units.
    pub fn query<'a>(&self, query: &Query<'a>, lattice: &Lattice) -> ScaledCase<'a> {
        let points = lattice.len();
        ScaledCase {
            input: over(query.input, &self.input, points),
            low: query.low.map(|low| over(low, &self.solution, points)),
            realizations: Cow::Borrowed(&[]),
            points: None,
        }
    }

    /// A prediction in the units of the data.
    pub fn restored(&self, prediction: Prediction, points: usize) -> Prediction {
        if self.solution.is_empty() {
            return prediction;
        }
        let times = |mut values: Vec<f64>, power: i32| {
            let channels = values.chunks_exact_mut(points.max(1));
            for (channel, scale) in channels.zip(self.solution.iter().cycle()) {
                channel.iter_mut().for_each(|v| *v *= scale.powi(power));
            }
            values
        };
        Prediction {
            mean: times(prediction.mean, 1),
            aleatoric: times(prediction.aleatoric, 2),
            epistemic: times(prediction.epistemic, 2),
            ..prediction
        }
    }

    /// What one unit of a channel of the solution is in the units of the data.
    pub fn unit(&self, channel: usize) -> f64 {
        self.solution.get(channel).copied().unwrap_or(1.0)
    }
}

/// The deviation of each of several channels of stacks of fields, each with its number of points;
/// none of a single channel.
fn deviations<'a>(stacks: impl Iterator<Item = (&'a [f64], usize)>, channels: usize) -> Vec<f64> {
    if channels < 2 {
        return Vec::new();
    }
    let mut moments = vec![RunningMoments::default(); channels];
    for (values, points) in stacks {
        for (i, channel) in values.chunks_exact(points.max(1)).enumerate() {
            moments[i % channels].merge(&RunningMoments::of(channel.iter().copied()));
        }
    }
    // A constant channel carries nothing; its own units do.
    let deviation = |moments: &RunningMoments| match moments.variance().sqrt() {
        deviation if deviation.is_finite() && deviation > 0.0 => deviation,
        _ => 1.0,
    };
    moments.iter().map(deviation).collect()
}

/// Fields [.., channel, point] over the scales of their channels, if there are any.
fn over<'a>(values: &'a [f64], scales: &[f64], points: usize) -> Cow<'a, [f64]> {
    if scales.is_empty() {
        return Cow::Borrowed(values);
    }
    let mut scaled = values.to_vec();
    let channels = scaled.chunks_exact_mut(points.max(1));
    for (channel, scale) in channels.zip(scales.iter().cycle()) {
        channel.iter_mut().for_each(|v| *v /= scale);
    }
    Cow::Owned(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansion::Expansion;
    use crate::random::{Purpose, Stream, stream};
    use crate::regression::{Recipe, Symmetries};
    use crate::{Axis, Grid, Silent};

    const POINTS: usize = 10;
    const TWO: Channels = Channels {
        input: 1,
        solution: 2,
    };

    /// Input, low fidelity and realizations of two channels in units of these sizes.
    fn solved(k: usize, units: [f64; 2]) -> [Vec<f64>; 3] {
        let slope = 1.0 + 0.2 * k as f64;
        let at = |c: usize, i: usize| (slope * (i as f64 / 9.0) + c as f64).sin();
        let both = |f: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let places = (0..2).flat_map(|c| (0..POINTS).map(move |i| (c, i)));
            places.map(|(c, i)| units[c] * f(c, i)).collect()
        };
        let input = (0..POINTS).map(|i| slope * i as f64).collect();
        let low = both(&|c, i| 0.9 * at(c, i));
        let high = (0..6).flat_map(|r| {
            let part = (r as f64 - 2.5) / 10.0;
            both(&move |c, i| at(c, i) * at(c, i) + part * (1.0 + at(1 - c, i)))
        });
        [input, low, high.collect()]
    }

    /// Prediction and some realizations of one input, of a fit to others.
    fn predicted(units: [f64; 2]) -> (Prediction, Vec<f64>) {
        let grid = Grid::new(vec![Axis::closed("x", POINTS)]);
        let lattice = Lattice::new(&grid, &[]).unwrap();
        let all: Vec<[Vec<f64>; 3]> = (0..9).map(|k| solved(k, units)).collect();
        let cases: Vec<Case<'_>> = all
            .iter()
            .map(|[input, low, realizations]| Case {
                query: Query {
                    input,
                    low: Some(low),
                },
                realizations,
                points: None,
            })
            .collect();
        let material = Material {
            lattice: &lattice,
            channels: TWO,
            symmetries: &Symmetries::none(&lattice, 1, 2),
            cases: &cases[1..],
            held_out: &[],
        };
        let fitted = Expansion::fit((Recipe::Kernels, false), &material, 0, &Silent).unwrap();
        let fitted = Expansion::from_bytes(&fitted.to_bytes()).unwrap();
        let draws = fitted.draws(&cases[0].query).unwrap();
        let mut rngs: Vec<Stream> = (0..3).map(|j| stream(5, Purpose::Prior, 0, j)).collect();
        let mut out = vec![0.0; 3 * 2 * POINTS];
        draws.draw_many(&mut rngs, &mut out);
        let prediction = fitted.predict(&cases[0].query).unwrap();
        assert_eq!(&prediction, draws.prediction());
        (prediction, out)
    }

    #[test]
    fn a_fit_does_not_depend_on_the_units_of_a_channel() {
        let units = [1e-3, 1e5];
        let (plain, plain_draws) = predicted([1.0, 1.0]);
        let (other, other_draws) = predicted(units);
        let unit = |i: usize| units[i / POINTS % 2];
        let close = |found: f64, expected: f64, unit: f64| {
            assert!(
                (found - unit * expected).abs() < 1e-5 * unit,
                "{found} {expected}"
            );
        };
        for i in 0..2 * POINTS {
            close(other.mean[i], plain.mean[i], unit(i));
            close(other.aleatoric[i], plain.aleatoric[i], unit(i).powi(2));
            close(other.epistemic[i], plain.epistemic[i], unit(i).powi(2));
        }
        // Deviations are drawn in f32, as sums of several factors.
        for (i, (found, expected)) in other_draws.iter().zip(&plain_draws).enumerate() {
            let expected = expected * unit(i);
            let gap = (found - expected).abs();
            assert!(gap < 1e-4 * unit(i), "{found} {expected}");
        }
        assert!((other.novelty / plain.novelty - 1.0).abs() < 1e-6);
    }
}
