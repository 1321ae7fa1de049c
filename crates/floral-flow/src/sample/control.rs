//! The step size of one row: shorter where the error is large, longer where it is small.
//!
//! Hairer, Norsett & Wanner (1993), Solving Ordinary Differential Equations I, section II.4: the
//! elementary controller, as in torchdiffeq. Their PI controller took a third more steps when
//! tried: it is cautious where the error estimate scatters, which fast waves in time cause.

use super::RowCost;
use super::failure::Failure;

/// Aims slightly below the tolerance.
const SAFETY: f64 = 0.9;
/// A step is at most this many times shorter than the one before.
const LARGEST_CUT: f64 = 5.0;
/// A step is at most this many times longer than the one before.
const LARGEST_GROWTH: f64 = 10.0;
/// Exponent of the error, for a method of order 5.
const EXPONENT: f64 = 0.2;
/// Smallest step: far below what a single-precision velocity can resolve, far above rounding in
/// time.
const SMALLEST_STEP: f64 = 1e-10;
/// The last step is stretched by up to a tenth rather than followed by a short one: the error at
/// which the controller aims, 0.9^5, grows to 0.95.
const STRETCH: f64 = 1.1;

/// Time, next step and cost of a row.
#[derive(Debug, Clone)]
pub(super) struct Control {
    pub(super) time: f64,
    pub(super) cost: RowCost,
    step: f64,
    just_rejected: bool,
}

impl Control {
    /// A row at time 0 that has already cost some evaluations.
    pub(super) fn new(step: f64, evaluations: usize) -> Self {
        Self {
            time: 0.0,
            cost: RowCost {
                evaluations,
                ..RowCost::default()
            },
            step,
            just_rejected: false,
        }
    }

    pub(super) fn arrived(&self) -> bool {
        self.time == 1.0
    }

    /// Length of the next step; zero once the row has arrived.
    pub(super) fn trial(&self) -> f64 {
        if self.lands() {
            1.0 - self.time
        } else {
            self.step
        }
    }

    /// Accepts or rejects the trial step by its error in units of the tolerance; true if accepted.
    pub(super) fn judge(&mut self, error: f64, evaluations: usize) -> Result<bool, Failure> {
        self.cost.evaluations += evaluations;
        let demand = error.powf(EXPONENT);
        if error <= 1.0 {
            self.accept(demand);
            return Ok(true);
        }
        self.cost.rejected += 1;
        self.just_rejected = true;
        // A NaN error counts as very large: `min` returns its other argument.
        self.step = self.trial() / (demand / SAFETY).min(LARGEST_CUT);
        if self.step < SMALLEST_STEP {
            return Err(Failure::StepTooSmall(self.step));
        }
        Ok(false)
    }

    fn accept(&mut self, demand: f64) {
        let trial = self.trial();
        self.time = if self.lands() { 1.0 } else { self.time + trial };
        self.cost.accepted += 1;
        let cut = demand / SAFETY;
        let step = trial / cut.clamp(1.0 / LARGEST_GROWTH, LARGEST_CUT);
        self.step = if self.just_rejected {
            step.min(trial)
        } else {
            step
        };
        self.just_rejected = false;
    }

    fn lands(&self) -> bool {
        self.time + STRETCH * self.step >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_errors_lengthen_the_step_and_large_ones_shorten_it() {
        let mut control = Control::new(0.01, 0);
        assert!(control.judge(1e-9, 6).unwrap());
        assert_eq!(control.time, 0.01);
        assert!((control.trial() - 0.1).abs() < 1e-15);
        let long = control.trial();
        assert!(!control.judge(1e9, 6).unwrap());
        assert_eq!((control.time, control.trial()), (0.01, long / 5.0));
        let step = control.trial();
        assert!(control.judge(1e-9, 6).unwrap());
        assert_eq!(control.trial(), step, "no growth right after a rejection");
        let cost = control.cost;
        assert_eq!((cost.accepted, cost.rejected, cost.evaluations), (2, 1, 18));
    }

    #[test]
    fn the_last_step_lands_on_time_one_and_then_the_row_idles() {
        let mut control = Control::new(0.333, 0);
        while !control.arrived() {
            assert!(control.judge(1.0, 6).unwrap());
        }
        assert_eq!((control.time, control.trial()), (1.0, 0.0));
    }

    #[test]
    fn errors_that_no_step_cures_end_in_a_failure() {
        for error in [f64::NAN, f64::INFINITY, 1e3] {
            let mut control = Control::new(0.1, 0);
            let failure = std::iter::repeat_with(|| control.judge(error, 6)).find_map(Result::err);
            assert!(matches!(failure, Some(Failure::StepTooSmall(step)) if step < SMALLEST_STEP));
        }
    }
}
