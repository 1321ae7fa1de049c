//! Means, variances and residuals of the cases, framed, on the whole lattice.

use std::sync::Arc;

use floral_linalg::{Mat, MatRef};

use super::case::{Case, Channels, Framed};
use super::interpolation::Interpolation;
use super::large::judging;
use super::residuals::{MeanError, deviations, mean_and_variance, residuals};
use super::scattered::roots;
use super::target::Sample;
use super::{Lattice, Symmetries};

/// Maximum number of inputs whose residuals determine the lengths of an interpolation.
const MOST_FIELDS: usize = 8;

/// Maximum number of realizations per input from which the error of its mean is estimated; fewer if
/// those of all inputs together would take more than `MOST_NOISE` values of memory.
const MOST_DEVIATIONS: usize = 64;
const MOST_NOISE: usize = 1 << 25;

/// Residuals, means and variances of a list of cases.
#[derive(Default)]
pub(super) struct Moments<'a> {
    pub framed: Vec<Framed>,
    /// Low fidelity, framed: [input][channel, point], or empty.
    lows: Vec<Vec<f64>>,
    /// Mean minus low fidelity: [input][channel, point].
    pub residuals: Vec<Vec<f64>>,
    /// Sample variances: [input][channel, point]; empty if an input has a single realization.
    pub variances: Vec<Vec<f64>>,
    /// The points at which an input is known; `None` means all.
    pub known: Vec<Option<Vec<usize>>>,
    /// Number of realizations of each input.
    pub counts: Vec<usize>,
    /// Interpolation weights from an input's known points to the lattice: [point, known].
    weights: Vec<Option<Arc<Mat<f64>>>>,
    /// Interpolated residuals of realizations that are known at some points only:
    /// [realization, channel, point].
    pub interpolated: Vec<Option<Vec<f64>>>,
    /// Estimated errors of the means.
    noise: Vec<MeanError<'a>>,
    /// Number of realizations per input from which these errors are estimated.
    deviations: usize,
    /// Square roots of the weights of scattered points.
    roots: Option<Vec<f64>>,
    /// Points of a large domain at which regressions are judged, if all inputs are known
    /// everywhere.
    at: Option<Vec<usize>>,
}

impl<'a> Moments<'a> {
    /// `interpolation` is the one fitted to the training cases.
    pub(super) fn new(
        lattice: &'a Lattice,
        channels: Channels,
        symmetries: &Symmetries,
        cases: &[Case<'a>],
        interpolation: Option<&Interpolation<'_>>,
    ) -> Self {
        let values = cases.len() * channels.solution * lattice.len();
        let mut all = Self {
            deviations: (MOST_NOISE / values.max(1)).clamp(2, MOST_DEVIATIONS),
            roots: roots(lattice),
            at: judging(lattice).filter(|_| cases.iter().all(|case| case.points.is_none())),
            ..Self::default()
        };
        let mut last: Option<(Vec<usize>, Arc<Mat<f64>>)> = None;
        for case in cases {
            let weights = case.points.zip(interpolation).map(|(points, by)| {
                let same = last.take().filter(|last| last.0 == points);
                let these = same.unwrap_or_else(|| (points.to_vec(), Arc::new(by.weights(points))));
                last.insert(these).1.clone()
            });
            all.push(lattice, channels, symmetries, case, weights);
        }
        if all.variances.len() < cases.len() {
            all.variances.clear();
        }
        all
    }

    fn push(
        &mut self,
        lattice: &'a Lattice,
        channels: Channels,
        symmetries: &Symmetries,
        case: &Case<'a>,
        weights: Option<Arc<Mat<f64>>>,
    ) {
        let framed = Framed::new(&case.query, symmetries);
        let residuals = residuals(lattice, channels, case, framed.size);
        let values = channels.solution * case.known(lattice);
        let (mean, variance, count) = mean_and_variance(&residuals, values);
        match &weights {
            Some(weights) => {
                let bring = |fields: &[f64]| interpolate(weights, fields);
                let positive = |v: Vec<f64>| bring(&v).iter().map(|v| v.max(0.0)).collect();
                let everywhere = bring(&residuals);
                self.residuals.push(bring(&mean));
                self.variances.extend(variance.map(positive));
                let values = everywhere.len() / count;
                let off = deviations(&everywhere, values, self.deviations);
                self.noise.push(MeanError::Fields(off));
                self.interpolated.push(Some(everywhere));
            }
            None => {
                self.noise.push(MeanError::Runs {
                    lattice,
                    channels,
                    case: *case,
                    size: framed.size,
                    most: self.deviations,
                });
                self.residuals.push(mean);
                self.variances.extend(variance);
                self.interpolated.push(None);
            }
        }
        self.lows.push(framed.low.clone());
        self.framed.push(framed);
        self.known.push(case.points.map(<[usize]>::to_vec));
        self.counts.push(count);
        self.weights.push(weights);
    }

    /// If an input has a single realization, takes the squared left-out errors of the mean as
    /// variances. They hold aleatoric and epistemic variance together.
    pub(super) fn complete_variances(&mut self, errors: &[Vec<f64>]) {
        if self.variances.len() == self.framed.len() || errors.len() != self.framed.len() {
            return;
        }
        let errors: Vec<Vec<f64>> = (0..errors.len())
            .map(|i| self.completed(i, &errors[i]))
            .collect();
        let square = |error: &Vec<f64>| error.iter().map(|e| e * e).collect();
        self.variances = errors.iter().map(square).collect();
        for (i, error) in errors.into_iter().enumerate() {
            // Two realizations of mean zero, with the error as their only factor.
            let opposite = error.iter().map(|e| -e).collect();
            self.interpolated[i] = Some([error, opposite].concat());
        }
    }

    /// A field of an input, interpolated from its known points. field: [channel, point] -> the same
    /// shape.
    pub(super) fn completed(&self, input: usize, field: &[f64]) -> Vec<f64> {
        let both = self.known[input].as_ref().zip(self.weights[input].as_ref());
        let Some((known, weights)) = both else {
            return field.to_vec();
        };
        let channels = field.chunks_exact(weights.nrows());
        let values = channels.flat_map(|channel| known.iter().map(|&p| channel[p]));
        interpolate(weights, &values.collect::<Vec<f64>>())
    }

    /// Inputs with a predicted mean in place of low fidelity.
    pub(super) fn around(&self, residuals: &[Vec<f64>]) -> Vec<Framed> {
        let pairs = self.framed.iter().zip(residuals);
        pairs
            .map(|(framed, residual)| framed.around(residual))
            .collect()
    }

    /// The sample of inputs with their mean residuals as targets.
    pub(super) fn means(&self) -> Sample<'_> {
        self.sample(&self.framed, &self.residuals)
    }

    /// The sample of inputs without low fidelity, `alone`, with their mean solutions as targets.
    pub(super) fn about_nothing<'s>(
        &'s self,
        alone: &'s [Framed],
        solutions: &'s [Vec<f64>],
    ) -> Sample<'s> {
        self.sample(alone, solutions)
    }

    /// Inputs without low fidelity.
    pub(super) fn alone(&self) -> Vec<Framed> {
        self.framed.iter().map(Framed::alone).collect()
    }

    /// Mean solutions, framed.
    pub(super) fn solutions(&self) -> Vec<Vec<f64>> {
        let solution = |(framed, residual): (&Framed, &Vec<f64>)| framed.around(residual).low;
        self.framed
            .iter()
            .zip(&self.residuals)
            .map(solution)
            .collect()
    }

    /// Whether there is low fidelity.
    pub(super) fn has_low(&self) -> bool {
        self.framed
            .first()
            .is_some_and(|framed| !framed.low.is_empty())
    }

    /// Whether every input has a variance.
    pub(super) fn has_variances(&self) -> bool {
        self.variances.len() == self.framed.len()
    }

    /// The sample of inputs, framed as given, with their variances as targets.
    pub(super) fn spreads<'s>(&'s self, framed: &'s [Framed]) -> Sample<'s> {
        match self.has_variances() {
            true => self.sample(framed, &self.variances),
            false => self.means().none(),
        }
    }

    fn sample<'s>(&'s self, framed: &'s [Framed], targets: &'s [Vec<f64>]) -> Sample<'s> {
        Sample {
            framed,
            targets,
            hidden: &self.lows,
            known: &self.known,
            noise: &self.noise,
            roots: self.roots.as_deref(),
            at: self.at.as_deref(),
        }
    }
}

/// The interpolation from known points of the training cases to the lattice; `None` if all are
/// known everywhere.
pub(super) fn interpolation<'a>(
    lattice: &'a Lattice,
    channels: Channels,
    symmetries: &Symmetries,
    cases: &[Case<'_>],
) -> Option<Interpolation<'a>> {
    let sparse = cases.iter().filter(|case| case.points.is_some());
    let field = |case: &Case<'_>| {
        let size = Framed::new(&case.query, symmetries).size;
        let residuals = residuals(lattice, channels, case, size);
        mean_and_variance(&residuals, channels.solution * case.known(lattice)).0
    };
    let fields = sparse.take(MOST_FIELDS);
    let fields: Vec<(&[usize], Vec<f64>)> = fields
        .filter_map(|case| Some((case.points?, field(case))))
        .collect();
    (!fields.is_empty()).then(|| Interpolation::fitted(lattice, &fields))
}

/// Interpolates fields at known points, [field, known], to the lattice: [field, point].
fn interpolate(weights: &Mat<f64>, fields: &[f64]) -> Vec<f64> {
    let known = weights.ncols();
    let count = fields.len() / known;
    let fields = MatRef::from_column_major_slice(fields, known, count);
    // About each field's own mean: far from all known points the field tends to it, not to zero.
    let mean = |k: usize| (0..known).map(|j| fields[(j, k)]).sum::<f64>() / known as f64;
    let means: Vec<f64> = (0..count).map(mean).collect();
    let centred = Mat::from_fn(known, count, |j, k| fields[(j, k)] - means[k]);
    let all = weights * centred;
    let field = |k: usize| (0..weights.nrows()).map(move |p| (p, k));
    let places = (0..count).flat_map(field);
    places.map(|(p, k)| all[(p, k)] + means[k]).collect()
}
