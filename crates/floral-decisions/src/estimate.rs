//! One estimate of a quantity from a process and another predictor, weighted and scaled by their
//! errors at left-out runs.
//!
//! With the errors p of the process and m of the other predictor at runs that neither had seen, the
//! other predictor gets the share w between 0 and 1 that minimises sum (w m + (1 - w) p)^2 + k s
//! w^2 (stacking: Wolpert, Neural Networks 5 (1992)). Here s is the mean variance that the process
//! expects of its own errors; k runs' worth of it favours the process while runs are few.

/// Weight of the prior belief, in runs.
const WEIGHT: f64 = 4.0;

/// Errors at a run that neither predictor had seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Error of the process.
    pub process: f64,
    /// Error of the other predictor.
    pub other: f64,
    /// The sampling variance of the run.
    pub noise: f64,
}

/// How the two predictors combine into one estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Share of the other predictor.
    pub share: f64,
    /// Factor of the variances of the process.
    pub stretch: f64,
}

impl Estimate {
    /// The combination fitted to their errors; `unknown` is the mean variance that the process
    /// expects of its own errors. Without errors the estimate is that of the process.
    pub fn new(pairs: &[Pair], unknown: f64) -> Self {
        let apart = |one: &Pair| one.process - one.other;
        let squares: f64 = pairs.iter().map(|one| apart(one).powi(2)).sum();
        let gain: f64 = pairs.iter().map(|one| one.process * apart(one)).sum();
        let own = WEIGHT * unknown.max(0.0);
        let share = match squares + own > 0.0 {
            true => (gain / (squares + own)).clamp(0.0, 1.0),
            false => 0.0,
        };
        let error = |one: &Pair| (one.process - share * apart(one)).powi(2) - one.noise;
        let sum: f64 = pairs.iter().map(error).sum();
        let stretch = match unknown > 0.0 {
            true => (WEIGHT + sum.max(0.0) / unknown) / (WEIGHT + pairs.len() as f64),
            false => 1.0,
        };
        Self { share, stretch }
    }

    /// The combined value of the process and the other predictor.
    pub fn between(&self, process: f64, other: f64) -> f64 {
        process + self.share * (other - process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(count: usize, process: f64, other: f64, unknown: f64) -> Estimate {
        let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let pair = |i: usize| Pair {
            process: process * signs[i % 4][0],
            other: other * signs[i % 4][1],
            noise: 0.0,
        };
        Estimate::new(&(0..count).map(pair).collect::<Vec<Pair>>(), unknown)
    }

    #[test]
    fn the_better_predictor_has_the_larger_share() {
        // For independent errors the shares are inverse to the variances.
        assert!((estimate(4000, 1.0, 0.5, 1.0).share - 0.8).abs() < 2e-3);
        assert!((estimate(4000, 0.5, 1.0, 0.25).share - 0.2).abs() < 2e-3);
        assert!(estimate(4000, 0.5, 100.0, 0.25).share < 1e-3);
        let one = estimate(4000, 1.0, 0.5, 1.0);
        assert!((one.between(10.0, 20.0) - 18.0).abs() < 0.1);
    }

    #[test]
    fn it_is_as_wide_as_it_errs_and_without_errors_as_the_process_says() {
        assert_eq!(
            Estimate::new(&[], 2.0),
            Estimate {
                share: 0.0,
                stretch: 1.0
            }
        );
        assert!((estimate(4000, 3.0, 900.0, 1.0).stretch - 9.0).abs() < 0.1);
        assert!((estimate(8, 1.0, 1e9, 1.0).stretch - 1.0).abs() < 1e-6);
        let noisy = [Pair {
            process: 1.0,
            other: 1.0,
            noise: 1.0,
        }; 4];
        assert!((Estimate::new(&noisy, 1.0).stretch - 0.5).abs() < 1e-12);
        assert_eq!(Estimate::new(&noisy, 0.0).stretch, 1.0);
    }
}
