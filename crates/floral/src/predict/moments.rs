//! Mean and variance of what is predicted of one input: those that the method knows, or else those of
//! its draws.
//!
//! The one place that decides. Prediction stores, evaluations, reports and ensembles in memory ask
//! here, and so give the same numbers for the same run and input, however many realizations are drawn.

use std::borrow::Cow;
use std::fmt;

use crate::kl::Prediction;
use crate::sample::EnsembleStatistics;

/// Where mean and variance of a run's predictions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentSource {
    /// The method has them in closed form.
    Known,
    /// The same, but of channels with a transform, whose law is not normal, from this many draws of
    /// their own; the number of realizations asked for does not matter.
    KnownBeforeTransforms {
        /// Draws of their own.
        draws: usize,
    },
    /// The realizations that are drawn.
    Draws,
}

impl MomentSource {
    /// Whether variances are known in two parts, what varies and what is not known.
    pub fn has_parts(self) -> bool {
        self != Self::Draws
    }
}

/// As the attribute of a stored array.
impl fmt::Display for MomentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => f.write_str("known in closed form, without drawing"),
            Self::KnownBeforeTransforms { draws } => write!(
                f,
                "known in closed form; of channels with a transform, from {draws} draws of their own"
            ),
            Self::Draws => f.write_str("of the realizations drawn"),
        }
    }
}

/// Mean and variances of one input's solution: [channel, point] each.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments<'a> {
    /// The mean.
    pub mean: Cow<'a, [f64]>,
    /// The variance of realizations: of what varies and of what is not known, calibrated. None of a
    /// single draw of a method that does not know it.
    pub variance: Option<Cow<'a, [f64]>>,
    /// The variance of the solution itself, which is that of realizations where they are all that is
    /// known.
    pub aleatoric: Option<Cow<'a, [f64]>>,
    /// Whether they carry the sampling error of the draws.
    pub is_drawn: bool,
}

impl<'a> Moments<'a> {
    /// Those that the method knows, or else those of the draws.
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

    /// The standard deviation of realizations; none as the variance.
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
