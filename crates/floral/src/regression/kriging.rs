//! Kriging: mean, spread and ignorance of a solution from those of a few training inputs.
//!
//! The mean residual and the variance are each a [`blend`](super::blend) of regressions; what the
//! mean's blend misses at inputs left out is the epistemic part; realizations get their correlation
//! from `spread`.

use rand::Rng;

use super::blend::{Blend, MemberScore};
use super::case::{Case, Channels, Framed, Query};
use super::ignorance::Ignorance;
use super::kernel::Neighbours;
use super::menu;
use super::spread::{Spread, add_draws};
use super::target::{Examples, Parity};
use super::{Lattice, Symmetries};
use crate::{Error, Result};

/// Predicted variances are at least this share of the training inputs' mean variance, so that no
/// point is taken for certain.
const LEAST_VARIANCE: f64 = 1e-3;

/// Mean and variances of a solution at every point: [channel, point] each.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The mean.
    pub mean: Vec<f64>,
    /// Variance of the solution itself.
    pub aleatoric: Vec<f64>,
    /// Variance of what is not known of the mean.
    pub epistemic: Vec<f64>,
}

impl Prediction {
    /// Both variances together, from which intervals are made.
    pub fn total(&self) -> Vec<f64> {
        let both = self.aleatoric.iter().zip(&self.epistemic);
        both.map(|(a, e)| a + e).collect()
    }
}

/// A regression fitted to training cases.
pub struct Kriging {
    lattice: Lattice,
    channels: Channels,
    symmetries: Symmetries,
    with_low: bool,
    mean: Blend,
    variance: Option<Blend>,
    spread: Option<Spread>,
    ignorance: Ignorance,
    least_variance: f64,
}

impl Kriging {
    /// Fits mean and spread to the cases.
    pub fn fit(
        lattice: &Lattice,
        channels: Channels,
        symmetries: &Symmetries,
        cases: &[Case<'_>],
    ) -> Result<Self> {
        check(lattice, channels, cases)?;
        let values = channels.solution * lattice.len();
        let framed: Vec<Framed> = cases
            .iter()
            .map(|c| Framed::new(&c.query, symmetries))
            .collect();
        let moments: Vec<Moments> = cases
            .iter()
            .zip(&framed)
            .map(|c| Moments::new(c.0, c.1, values))
            .collect();
        let examples = |targets: Vec<Vec<f64>>, parity| Examples {
            framed: &framed,
            targets,
            parity,
        };
        let residuals = moments.iter().map(|m| m.residual.clone()).collect();
        let mean = Blend::new(
            &menu::mean(),
            lattice,
            symmetries,
            &examples(residuals, Parity::Odd),
        );
        let variances: Option<Vec<Vec<f64>>> = moments.iter().map(|m| m.variance.clone()).collect();
        let ignorance = Ignorance::new(lattice, symmetries, &mean.errors, &moments);
        let mut fitted = Self {
            lattice: lattice.clone(),
            channels,
            symmetries: symmetries.clone(),
            with_low: cases[0].query.low.is_some(),
            mean,
            variance: None,
            spread: None,
            ignorance,
            least_variance: 0.0,
        };
        if let Some(variances) = variances {
            fitted.least_variance = LEAST_VARIANCE * average(variances.iter().flatten());
            let examples = examples(variances, Parity::Even);
            fitted.variance = Some(Blend::new(
                &menu::variance(),
                lattice,
                symmetries,
                &examples,
            ));
            let neighbours = Neighbours::new(lattice, symmetries, &framed);
            let realizations: Vec<&[f64]> = cases.iter().map(|case| case.realizations).collect();
            fitted.spread = Spread::new(&realizations, values, neighbours);
        }
        Ok(fitted)
    }

    /// Mean and variances of the solution of a query.
    pub fn predict(&self, query: &Query<'_>) -> Result<Prediction> {
        let framed = self.framed(query)?;
        Ok(self.prediction(query, &framed))
    }

    /// Realizations of the solution of a query, of what is not known too: [realization, channel,
    /// point].
    pub fn sample(&self, query: &Query<'_>, count: usize, rng: &mut impl Rng) -> Result<Vec<f64>> {
        let framed = self.framed(query)?;
        let prediction = self.prediction(query, &framed);
        let deviation = |variance: &[f64]| variance.iter().map(|v| v.sqrt()).collect::<Vec<f64>>();
        let mut out = prediction.mean.repeat(count);
        if let Some(spread) = &self.spread {
            let factors = spread.factors(&framed, &self.symmetries);
            add_draws(&factors, &deviation(&prediction.aleatoric), rng, &mut out);
        }
        let factors = self.ignorance.factors();
        add_draws(factors, &deviation(&prediction.epistemic), rng, &mut out);
        Ok(out)
    }

    /// The candidates for the mean, and what they achieved at inputs left out.
    pub fn mean_scores(&self) -> &[MemberScore] {
        &self.mean.scores
    }

    /// The candidates for the variance; none if inputs have one realization each.
    pub fn variance_scores(&self) -> &[MemberScore] {
        self.variance.as_ref().map_or(&[], |blend| &blend.scores)
    }

    fn framed(&self, query: &Query<'_>) -> Result<Framed> {
        self.channels.check(&self.lattice, query)?;
        if query.low.is_some() != self.with_low {
            return Err(mixed_low());
        }
        Ok(Framed::new(query, &self.symmetries))
    }

    fn prediction(&self, query: &Query<'_>, framed: &Framed) -> Prediction {
        let mut mean = self.mean.predict(framed);
        for (value, low) in mean.iter_mut().zip(query.low.unwrap_or(&[])) {
            *value += low;
        }
        let least = self.least_variance * Parity::Even.size(framed);
        let aleatoric = match &self.variance {
            Some(blend) => blend
                .predict(framed)
                .into_iter()
                .map(|v| v.max(least))
                .collect(),
            None => vec![0.0; mean.len()],
        };
        let unknown = self.mean.novelty(framed) * Parity::Even.size(framed);
        Prediction {
            mean,
            aleatoric,
            epistemic: self
                .ignorance
                .variance()
                .iter()
                .map(|v| v * unknown)
                .collect(),
        }
    }
}

/// Mean residual and variance of one case's realizations, framed.
pub(super) struct Moments {
    /// Mean minus low fidelity: [channel, point].
    pub residual: Vec<f64>,
    /// Sample variance; none of a single realization.
    pub variance: Option<Vec<f64>>,
    /// Number of realizations.
    pub count: usize,
}

impl Moments {
    fn new(case: &Case<'_>, framed: &Framed, values: usize) -> Self {
        let count = case.realizations.len() / values;
        let (mut mean, mut square) = (vec![0.0; values], vec![0.0; values]);
        for realization in case.realizations.chunks_exact(values) {
            mean.iter_mut()
                .zip(realization)
                .for_each(|(m, v)| *m += v / count as f64);
        }
        for realization in case.realizations.chunks_exact(values) {
            let parts = square.iter_mut().zip(realization.iter().zip(&mean));
            parts.for_each(|(s, (v, m))| *s += (v - m) * (v - m));
        }
        let size = framed.size;
        let unit = (count as f64 - 1.0) * size * size;
        let low = case
            .query
            .low
            .map_or_else(|| vec![0.0; values], <[f64]>::to_vec);
        Self {
            residual: mean.iter().zip(&low).map(|(m, l)| (m - l) / size).collect(),
            variance: (count > 1).then(|| square.iter().map(|s| s / unit).collect()),
            count,
        }
    }
}

fn average<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    if count > 0.0 { sum / count } else { 0.0 }
}

fn check(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Result<()> {
    let Some(first) = cases.first() else {
        return Err(Error::Config {
            context: "kriging".into(),
            reason: "there are no training inputs; give at least one".into(),
        });
    };
    for case in cases {
        channels.check_case(lattice, case)?;
        if case.query.low.is_some() != first.query.low.is_some() {
            return Err(mixed_low());
        }
    }
    Ok(())
}

fn mixed_low() -> Error {
    Error::Config {
        context: "kriging".into(),
        reason: "some inputs have low fidelity and some have not; give it for all or for none"
            .into(),
    }
}
