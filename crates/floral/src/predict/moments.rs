//! Mean and variance of the prediction for one input: those known without drawing, or else those of
//! the draws.
//!
//! The choice is made only here. Prediction stores, evaluations, reports and ensembles in memory
//! therefore give the same numbers for the same run and input, however many realizations are drawn.

use std::borrow::Cow;
use std::fmt;

use crate::kl::Prediction;
use crate::sample::EnsembleStatistics;

/// Origin of mean and variance in a run's predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentSource {
    /// The method has them in closed form.
    Known,
    /// Closed form, except for transformed channels, whose distribution is not normal: these use a
    /// fixed number of separate draws, independent of the number of realizations.
    KnownBeforeTransforms {
        /// Number of separate draws.
        draws: usize,
    },
    /// The drawn realizations.
    Draws,
}

impl MomentSource {
    /// Whether aleatoric and epistemic variance are known separately.
    pub fn has_parts(self) -> bool {
        self != Self::Draws
    }
}

/// The text of the attribute of a stored array.
impl fmt::Display for MomentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => f.write_str("known in closed form, without drawing"),
            Self::KnownBeforeTransforms { draws } => write!(
                f,
                "known in closed form; for transformed channels, from {draws} separate draws"
            ),
            Self::Draws => f.write_str("from the drawn realizations"),
        }
    }
}

/// Mean and variances of one input's solution, [channel, point] each.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments<'a> {
    /// The mean.
    pub mean: Cow<'a, [f64]>,
    /// The variance of realizations, aleatoric plus epistemic, after calibration. `None` for a
    /// single draw if the method has no closed form.
    pub variance: Option<Cow<'a, [f64]>>,
    /// The variance of the solution itself; equal to `variance` if only draws are known.
    pub aleatoric: Option<Cow<'a, [f64]>>,
    /// Whether the moments are computed from draws and so have a sampling error.
    pub is_drawn: bool,
}

impl<'a> Moments<'a> {
    /// The moments known without drawing, or else those of the draws.
    pub fn of(known: Option<&'a Prediction>, draws: &'a EnsembleStatistics) -> Self {
        match known {
            Some(known) => Self {
                mean: Cow::Borrowed(&known.mean),
                variance: Some(Cow::Owned(known.total())),
                aleatoric: Some(Cow::Borrowed(&known.aleatoric)),
                is_drawn: false,
            },
            None => {
                let variance = (draws.count() > 1).then(|| Cow::Owned(draws.variance()));
                Self {
                    mean: Cow::Borrowed(draws.mean()),
                    aleatoric: variance.clone(),
                    variance,
                    is_drawn: true,
                }
            }
        }
    }

    /// The standard deviation of realizations; `None` if the variance is `None`.
    pub fn deviation(&self) -> Option<Vec<f64>> {
        let variance = self.variance.as_ref()?;
        Some(variance.iter().map(|v| v.max(0.0).sqrt()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Wanted;

    fn draws(fields: &[[f32; 2]]) -> EnsembleStatistics {
        let mut draws = EnsembleStatistics::new(2, 0, &Wanted::default()).unwrap();
        fields.iter().for_each(|field| draws.push(field).unwrap());
        draws
    }

    #[test]
    fn what_is_known_comes_before_what_is_drawn() {
        let known = Prediction {
            mean: vec![1.0, 2.0],
            aleatoric: vec![6.0, 0.0],
            epistemic: vec![3.0, 1.5],
            novelty: 1.0,
        };
        let draws = draws(&[[7.0, 7.0], [9.0, 7.0]]);
        let moments = Moments::of(Some(&known), &draws);
        assert_eq!(*moments.mean, [1.0, 2.0]);
        assert_eq!(moments.variance.as_deref(), Some(&[9.0, 1.5][..]));
        assert_eq!(moments.deviation().unwrap()[0], 3.0);
        assert_eq!(moments.aleatoric.as_deref(), Some(&[6.0, 0.0][..]));
        assert!(!moments.is_drawn);
        let moments = Moments::of(None, &draws);
        assert_eq!(*moments.mean, [8.0, 7.0]);
        assert_eq!(moments.variance.as_deref(), Some(&[2.0, 0.0][..]));
        assert_eq!(moments.aleatoric, moments.variance);
        assert!(moments.is_drawn);
    }

    #[test]
    fn a_single_draw_has_no_spread() {
        let draws = draws(&[[7.0, 7.0]]);
        let moments = Moments::of(None, &draws);
        assert!(moments.variance.is_none() && moments.deviation().is_none());
    }
}
