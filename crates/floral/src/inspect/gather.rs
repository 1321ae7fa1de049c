//! One pass over a dataset, input by input, that gathers every sum a summary needs.

use rayon::prelude::*;

use super::{ArraySummary, LowFidelity};
use crate::dataset::{Dataset, Realizations};
use crate::metric::error::ratio;
use crate::metric::{BandSpectra, MeanFieldError, RunningMoments};
use crate::{Field, Result};

/// Inputs read and summed side by side; the sums are added in the order of the inputs, so that
/// they do not depend on the number of threads.
const SIDE_BY_SIDE: usize = 32;

/// The sums over all inputs.
pub(super) struct Gathered {
    input: Ranged,
    low: Ranged,
    high: Ranged,
    comparison: Option<Comparison>,
}

/// The range of an array, and the first input with a value that is not finite.
#[derive(Default)]
struct Ranged {
    moments: RunningMoments,
    first_non_finite: Option<usize>,
}

/// Low against high.
struct Comparison {
    error: MeanFieldError,
    spectra: BandSpectra,
    channels: Vec<Channel>,
    variance_norms: f64,
    inputs: usize,
    realizations: usize,
}

/// Sums over one channel.
#[derive(Default, Clone)]
struct Channel {
    solution: RunningMoments,
    residual: RunningMoments,
    /// The unbiased variance among realizations at each point.
    among: RunningMoments,
    low: RunningMoments,
    mean: RunningMoments,
    /// Low plus the mean of high: its variance gives their covariance.
    both: RunningMoments,
}

/// What one input contributes.
struct Part {
    input: RunningMoments,
    low: Option<(Field, RunningMoments)>,
    high: Option<(Realizations, RunningMoments)>,
}

impl Part {
    fn read(dataset: &Dataset, index: usize) -> Result<Self> {
        let range = |values: &[f64]| RunningMoments::of(values.iter().copied());
        let low = dataset.has_low().then(|| dataset.low(index)).transpose()?;
        let high = dataset
            .has_high()
            .then(|| dataset.high(index))
            .transpose()?;
        Ok(Self {
            input: range(dataset.input(index)?.values()),
            low: low.map(|low| (low.clone(), range(low.values()))),
            high: high.map(|high| {
                let moments = range(high.values());
                (high, moments)
            }),
        })
    }

    fn comparison(&self, dataset: &Dataset) -> Option<Comparison> {
        let ((low, _), (high, _)) = (self.low.as_ref()?, self.high.as_ref()?);
        let mut comparison = Comparison::new(dataset);
        comparison.push(low, high);
        Some(comparison)
    }
}

/// Reads everything once.
pub(super) fn gather(dataset: &Dataset) -> Result<Gathered> {
    let mut gathered = Gathered {
        input: Ranged::default(),
        low: Ranged::default(),
        high: Ranged::default(),
        comparison: None,
    };
    let indices: Vec<usize> = (0..dataset.inputs()).collect();
    for batch in indices.chunks(SIDE_BY_SIDE) {
        let parts: Vec<_> = batch
            .par_iter()
            .map(|&index| {
                let part = Part::read(dataset, index)?;
                let comparison = part.comparison(dataset);
                let low = part.low.map(|(_, range)| range).unwrap_or_default();
                let high = part.high.map(|(_, range)| range).unwrap_or_default();
                Ok((index, part.input, low, high, comparison))
            })
            .collect::<Result<_>>()?;
        for (index, input, low, high, comparison) in parts {
            gathered.input.add(index, &input);
            gathered.low.add(index, &low);
            gathered.high.add(index, &high);
            gathered.compare(comparison);
        }
    }
    Ok(gathered)
}

impl Gathered {
    fn compare(&mut self, part: Option<Comparison>) {
        match (&mut self.comparison, part) {
            (Some(whole), Some(part)) => whole.merge(&part),
            (whole @ None, part) => *whole = part,
            (Some(_), None) => {}
        }
    }

    /// The ranges of the arrays that exist.
    pub(super) fn arrays(&self, dataset: &Dataset) -> Vec<ArraySummary> {
        let shape = |first: &[usize]| [first, &dataset.grid().shape()].concat();
        let (inputs, solution) = (dataset.inputs(), dataset.solution_channels().unwrap_or(0));
        let mut arrays = vec![
            self.input
                .summary("input", shape(&[inputs, dataset.input_channels()])),
        ];
        if dataset.has_low() {
            arrays.push(self.low.summary("low", shape(&[inputs, solution])));
        }
        if dataset.has_high() {
            let shape = shape(&[inputs, dataset.realizations(), solution]);
            arrays.push(self.high.summary("high", shape));
        }
        arrays
    }

    /// The comparison, where there was something to compare.
    pub(super) fn low_fidelity(&self) -> Option<LowFidelity> {
        self.comparison.as_ref().map(Comparison::summary)
    }
}

impl Ranged {
    fn add(&mut self, index: usize, part: &RunningMoments) {
        if part.non_finite() > 0 && self.first_non_finite.is_none() {
            self.first_non_finite = Some(index);
        }
        self.moments.merge(part);
    }

    fn summary(&self, name: &'static str, shape: Vec<usize>) -> ArraySummary {
        ArraySummary {
            name,
            shape,
            min: self.moments.min(),
            max: self.moments.max(),
            mean: self.moments.mean(),
            deviation: self.moments.variance().sqrt(),
            non_finite: self.moments.non_finite(),
            first_non_finite_input: self.first_non_finite,
        }
    }
}

impl Comparison {
    fn new(dataset: &Dataset) -> Self {
        Self {
            error: MeanFieldError::default(),
            spectra: BandSpectra::new(&dataset.grid().shape()),
            channels: vec![Channel::default(); dataset.solution_channels().unwrap_or(0)],
            variance_norms: 0.0,
            inputs: 0,
            realizations: dataset.realizations(),
        }
    }

    fn push(&mut self, low: &Field, high: &Realizations) {
        let (mean, variance) = moments_over_realizations(high);
        self.error.push(low.values(), &mean);
        self.variance_norms += variance.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.inputs += 1;
        let points = mean.len() / self.channels.len().max(1);
        for (c, channel) in self.channels.iter_mut().enumerate() {
            let part = c * points..(c + 1) * points;
            let (low, mean) = (&low.values()[part.clone()], &mean[part.clone()]);
            self.spectra.push(low, mean);
            channel.push(low, mean, &variance[part.clone()]);
            for realization in high.iter() {
                for (solution, low) in realization[part.clone()].iter().zip(low) {
                    channel.solution.push(*solution);
                    channel.residual.push(solution - low);
                }
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.error.merge(&other.error);
        self.spectra.merge(&other.spectra);
        self.variance_norms += other.variance_norms;
        self.inputs += other.inputs;
        for (mine, theirs) in self.channels.iter_mut().zip(&other.channels) {
            mine.merge(theirs);
        }
    }

    fn summary(&self) -> LowFidelity {
        let over_channels = |f: &dyn Fn(&Channel) -> f64| {
            self.channels.iter().map(f).sum::<f64>() / self.channels.len() as f64
        };
        let spread = self.realizations > 1;
        LowFidelity {
            mean_l2: self.error.mean_l2(),
            rmse: self.error.rmse(),
            nrmse: self.error.nrmse(),
            pdebench_rmse: self.error.pdebench_rmse(),
            pdebench_nrmse: self.error.pdebench_nrmse(),
            rmse_floor: (over_channels(&|c| c.among.mean()) / self.realizations as f64).sqrt(),
            variance_norm: spread.then(|| self.variance_norms / self.inputs as f64),
            residual_to_solution_variance: over_channels(&|c| {
                ratio(c.residual.variance(), c.solution.variance())
            }),
            random_share: spread
                .then(|| over_channels(&|c| ratio(c.among.mean(), c.residual.variance()).min(1.0))),
            correlation: over_channels(&Channel::correlation),
            bands: self.spectra.bands(),
        }
    }
}

impl Channel {
    fn push(&mut self, low: &[f64], mean: &[f64], variance: &[f64]) {
        for ((low, mean), variance) in low.iter().zip(mean).zip(variance) {
            self.low.push(*low);
            self.mean.push(*mean);
            self.both.push(low + mean);
            self.among.push(*variance);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.solution.merge(&other.solution);
        self.residual.merge(&other.residual);
        self.among.merge(&other.among);
        self.low.merge(&other.low);
        self.mean.merge(&other.mean);
        self.both.merge(&other.both);
    }

    /// Pearson's, from Var(a + b) = Var(a) + Var(b) + 2 Cov(a, b).
    fn correlation(&self) -> f64 {
        let (a, b) = (self.low.variance(), self.mean.variance());
        ratio(0.5 * (self.both.variance() - a - b), (a * b).sqrt())
    }
}

/// Mean and unbiased variance at every point; a single realization has variance zero.
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
