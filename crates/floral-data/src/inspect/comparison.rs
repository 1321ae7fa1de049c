//! Comparison of low and high fidelity: sums over inputs, channel by channel; for `gather.rs`.

use super::{ChannelSkill, LowFidelity, Skill};
use crate::Quantity;
use crate::dataset::{Dataset, Realizations};
use crate::metric::error::ratio;
use crate::metric::{BandSpectra, MeanFieldError, RunningMoments};

/// Sums that compare low with high fidelity.
pub(super) struct Comparison {
    channels: Vec<Channel>,
    shape: Vec<usize>,
    /// Whether fields cover a full grid, as spectra require.
    has_spectra: bool,
    /// Whether the dataset has two or more realizations per input.
    has_spread: bool,
}

/// Sums over one channel.
struct Channel {
    solution: RunningMoments,
    residual: RunningMoments,
    /// The unbiased variance over realizations at each point, of inputs with at least two.
    among: RunningMoments,
    /// The variance of the mean over realizations: that variance divided by their number.
    of_mean: RunningMoments,
    low: RunningMoments,
    mean: RunningMoments,
    /// Low fidelity plus the mean of high fidelity: its variance yields their covariance.
    both: RunningMoments,
    spectra: BandSpectra,
    inputs: Vec<Squares>,
}

/// Squared norms of one input's fields.
#[derive(Clone, Copy)]
struct Squares {
    error: f64,
    mean: f64,
    variance: f64,
    points: usize,
}

impl Comparison {
    pub fn new(dataset: &Dataset) -> Self {
        let shape = dataset.high_shape();
        let channels = 0..dataset.solution_channels().unwrap_or(0);
        Self {
            channels: channels.map(|_| Channel::new(&shape)).collect(),
            shape,
            has_spectra: !dataset.has_sensors()
                && dataset.mask().is_none()
                && dataset.grid().mesh().is_none(),
            has_spread: dataset.realizations() > 1,
        }
    }

    /// Adds one input; `low` is given at the points of high fidelity.
    pub fn push(&mut self, low: &[f64], high: &Realizations) {
        let (mean, variance) = moments_over_realizations(high);
        let points = mean.len() / self.channels.len().max(1);
        for (c, channel) in self.channels.iter_mut().enumerate() {
            let part = c * points..(c + 1) * points;
            let low = &low[part.clone()];
            channel.push(low, &mean[part.clone()], self.has_spectra);
            channel.push_variance(&variance[part.clone()], high.len());
            for realization in high.iter() {
                for (solution, low) in realization[part.clone()].iter().zip(low) {
                    channel.solution.push(*solution);
                    channel.residual.push(solution - low);
                }
            }
        }
    }

    /// Adds the sums of `other`, gathered over later inputs.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.channels.iter_mut().zip(&other.channels) {
            mine.merge(theirs);
        }
    }

    /// The skill; several channels are pooled in units of their standard deviation.
    pub fn summary(&self, quantities: &[Quantity]) -> LowFidelity {
        let all: Vec<(&Channel, f64)> = match self.channels.as_slice() {
            [one] => vec![(one, 1.0)],
            several => several.iter().map(|c| (c, c.precision())).collect(),
        };
        let mut spectra = BandSpectra::new(&self.shape);
        for (channel, weight) in &all {
            spectra.merge_weighted(&channel.spectra, *weight);
        }
        let each = self.channels.iter().zip(quantities);
        let each = each.map(|(channel, quantity)| ChannelSkill {
            quantity: quantity.clone(),
            skill: self.skill(&[(channel, 1.0)]),
        });
        LowFidelity {
            skill: self.skill(&all),
            bands: match self.has_spectra {
                true => spectra.bands(),
                false => Vec::new(),
            },
            channels: if all.len() > 1 {
                each.collect()
            } else {
                Vec::new()
            },
        }
    }

    /// The skill over channels, whose squares are scaled by these weights.
    fn skill(&self, channels: &[(&Channel, f64)]) -> Skill {
        let over_channels = |f: &dyn Fn(&Channel) -> f64, is_square: bool| {
            let weight = |weight: f64| if is_square { weight } else { 1.0 };
            let values = channels.iter().map(|(c, w)| weight(*w) * f(c));
            values.sum::<f64>() / channels.len() as f64
        };
        let spread = self.has_spread;
        let (error, variance_norms) = self.pooled(channels);
        Skill {
            mean_l2: error.mean_l2(),
            rmse: error.rmse(),
            nrmse: error.nrmse(),
            pdebench_rmse: error.pdebench_rmse(),
            pdebench_nrmse: error.pdebench_nrmse(),
            rmse_floor: over_channels(&|c| c.of_mean.mean(), true).sqrt(),
            variance_norm: spread.then(|| variance_norms / self.inputs() as f64),
            residual_to_solution_variance: over_channels(
                &|c| ratio(c.residual.variance(), c.solution.variance()),
                false,
            ),
            random_share: spread.then(|| {
                let share = |c: &Channel| ratio(c.among.mean(), c.residual.variance()).min(1.0);
                over_channels(&share, false)
            }),
            correlation: over_channels(&Channel::correlation, false),
        }
    }

    /// The errors over channels, whose squares are scaled by these weights, and the sum over inputs
    /// of the norm of the variance field.
    fn pooled(&self, channels: &[(&Channel, f64)]) -> (MeanFieldError, f64) {
        let (mut error, mut variance_norms) = (MeanFieldError::default(), 0.0);
        for i in 0..self.inputs() {
            let sum = |of: &dyn Fn(Squares) -> f64, power: i32| -> f64 {
                let terms = channels
                    .iter()
                    .map(|(c, w)| w.powi(power) * of(c.inputs[i]));
                terms.sum()
            };
            let (square, truth) = (sum(&|s| s.error, 1), sum(&|s| s.mean, 1));
            let points: usize = channels.iter().map(|(c, _)| c.inputs[i].points).sum();
            error.push_squares(square, truth, points);
            variance_norms += sum(&|s| s.variance, 2).sqrt();
        }
        (error, variance_norms)
    }

    fn inputs(&self) -> usize {
        self.channels.first().map_or(0, |c| c.inputs.len())
    }
}

impl Channel {
    fn new(shape: &[usize]) -> Self {
        Self {
            solution: RunningMoments::default(),
            residual: RunningMoments::default(),
            among: RunningMoments::default(),
            of_mean: RunningMoments::default(),
            low: RunningMoments::default(),
            mean: RunningMoments::default(),
            both: RunningMoments::default(),
            spectra: BandSpectra::new(shape),
            inputs: Vec::new(),
        }
    }

    fn push(&mut self, low: &[f64], mean: &[f64], has_spectrum: bool) {
        if has_spectrum {
            self.spectra.push(low, mean);
        }
        for (low, mean) in low.iter().zip(mean) {
            self.low.push(*low);
            self.mean.push(*mean);
            self.both.push(low + mean);
        }
        self.inputs.push(Squares {
            error: low.iter().zip(mean).map(|(l, m)| (l - m).powi(2)).sum(),
            mean: mean.iter().map(|m| m * m).sum(),
            variance: 0.0,
            points: low.len(),
        });
    }

    /// Adds the variance over the realizations of the last input.
    fn push_variance(&mut self, variance: &[f64], realizations: usize) {
        for variance in variance.iter().filter(|_| realizations > 1) {
            self.among.push(*variance);
            self.of_mean.push(variance / realizations as f64);
        }
        if let Some(input) = self.inputs.last_mut() {
            input.variance = variance.iter().map(|v| v * v).sum();
        }
    }

    fn merge(&mut self, other: &Self) {
        self.solution.merge(&other.solution);
        self.residual.merge(&other.residual);
        self.among.merge(&other.among);
        self.of_mean.merge(&other.of_mean);
        self.low.merge(&other.low);
        self.mean.merge(&other.mean);
        self.both.merge(&other.both);
        self.spectra.merge(&other.spectra);
        self.inputs.extend_from_slice(&other.inputs);
    }

    /// The inverse variance of the solution; zero for a constant channel.
    fn precision(&self) -> f64 {
        match self.solution.variance() {
            0.0 => 0.0,
            variance => 1.0 / variance,
        }
    }

    /// Pearson's correlation, from Var(a + b) = Var(a) + Var(b) + 2 Cov(a, b).
    fn correlation(&self) -> f64 {
        let (a, b) = (self.low.variance(), self.mean.variance());
        ratio(0.5 * (self.both.variance() - a - b), (a * b).sqrt())
    }
}

/// Mean and unbiased variance at every point; the variance of a single realization is zero.
fn moments_over_realizations(high: &Realizations) -> (Vec<f64>, Vec<f64>) {
    let size = high.shape()[1..].iter().product();
    let (mut mean, mut squares) = (vec![0.0; size], vec![0.0; size]);
    for (seen, realization) in high.iter().enumerate() {
        for ((mean, squares), value) in mean.iter_mut().zip(&mut squares).zip(realization) {
            let step = value - *mean;
            *mean += step / (seen + 1) as f64;
            *squares += step * (value - *mean);
        }
    }
    let degrees = (high.len().max(2) - 1) as f64;
    (mean, squares.iter().map(|s| s / degrees).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Arrays;
    use crate::inspect::{Summary, inspect};
    use crate::{Axis, Field, Grid};

    const POINTS: usize = 8;

    fn field(channels: usize, values: impl Fn(usize, usize) -> f64) -> Field {
        let all = (0..channels).flat_map(|c| (0..POINTS).map(move |i| (c, i)));
        let values = all.map(|(c, i)| values(c, i)).collect();
        Field::from_values(channels, &[POINTS], values).unwrap()
    }

    /// A dataset of two channels, the second in units that multiply its values by `factor`.
    fn inspected(factor: f64) -> Summary {
        let factors = [1.0, factor];
        let grid = Grid::new(vec![Axis::closed("x", POINTS)]);
        let quantities = [
            Quantity::named("deflection").with_units("m"),
            Quantity::named("pressure").with_units("Pa"),
        ];
        let mut arrays = Arrays::new(grid).quantities(quantities.clone(), quantities);
        for k in 0..3usize {
            let wave = |c: usize, i: usize| ((c + 1) as f64 * (i + k) as f64 * 0.7).sin();
            let low = field(2, |c, i| factors[c] * wave(c, i));
            let high: Vec<Field> = (0..4)
                .map(|r| field(2, |c, i| factors[c] * (wave(c, i) + 0.1 * (r * i) as f64)))
                .collect();
            arrays.push(&low, Some(&low), &high).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
        inspect(&dataset).unwrap()
    }

    #[test]
    fn pooled_skill_does_not_depend_on_the_units_of_a_channel() {
        let (small, large) = (inspected(1.0), inspected(1e5));
        let pooled = |summary: &Summary| {
            let skill = summary.low_fidelity.as_ref().unwrap().skill.clone();
            [
                skill.mean_l2,
                skill.rmse,
                skill.nrmse,
                skill.pdebench_nrmse,
                skill.rmse_floor,
                skill.variance_norm.unwrap(),
                skill.residual_to_solution_variance,
                skill.correlation,
            ]
        };
        for (one, other) in pooled(&small).into_iter().zip(pooled(&large)) {
            assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
        }
        let bands = |summary: &Summary| summary.low_fidelity.as_ref().unwrap().bands.clone();
        for (one, other) in bands(&small).iter().zip(bands(&large)) {
            assert!((one.energy - other.energy).abs() < 1e-9);
        }
    }

    #[test]
    fn channels_are_summarized_by_name_in_their_own_units() {
        let summary = inspected(1e5);
        let high = &summary.arrays[2];
        assert!(high.range.is_none());
        assert_eq!(high.channels[1].quantity.units.as_deref(), Some("Pa"));
        assert!(high.channels[1].range.max > 1e5 && high.channels[0].range.max < 10.0);
        let low = summary.low_fidelity.unwrap();
        let [first, second] = low.channels.as_slice() else {
            panic!("two channels");
        };
        assert_eq!(second.quantity.name.as_deref(), Some("pressure"));
        assert!(second.skill.rmse > 1e4 * first.skill.rmse);
        let text = serde_json::to_string(&low.channels).unwrap();
        assert!(text.starts_with(r#"[{"name":"deflection","units":"m","mean_l2":"#));
    }

    #[test]
    fn one_channel_is_summarized_as_an_array_and_alone() {
        let grid = Grid::new(vec![Axis::closed("x", POINTS)]);
        let mut arrays = Arrays::new(grid);
        let one = field(1, |_, i| i as f64);
        arrays
            .push(&one, Some(&one), std::slice::from_ref(&one))
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
        let summary = serde_json::to_value(inspect(&dataset).unwrap()).unwrap();
        assert_eq!(summary["arrays"][0]["max"], 7.0);
        assert!(summary["low_fidelity"].get("channels").is_none());
        assert!(summary.get("notes").is_none());
    }
}
