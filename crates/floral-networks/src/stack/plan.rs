//! Size of a network and length of its training. They depend on counts alone, so that results do
//! not depend on the machine unless a time budget reduces the steps.

use std::time::Duration;

use floral_data::grid::MOST_AXES;

use crate::kl::{self, Lesson};

/// Fewest points per axis.
const FEWEST_POINTS: usize = 8;

/// Most frequencies kept along an axis, positive and negative; a coarse grid keeps half its number
/// of points. Three axes keep fewer each, since the number of weights grows with their product.
const MOST_MODES: usize = 16;
const MOST_MODES_OF_BLOCKS: usize = 8;

/// Hidden channels, layers, channels of FiLM.
const SIZES: [usize; 3] = [24, 4, 16];

/// Bounds on the number of inputs per step, which is a tenth of all inputs.
const BATCH: [usize; 2] = [4, 16];

/// Number of times that a member sees each of its inputs.
const EPOCHS: usize = 64;

/// Work is points times inputs, summed over all steps of all members. It is bounded by this times
/// the number of inputs ...
const WORK_PER_INPUT: usize = 1 << 19;
/// ... increased by this, and by `MOST_WORK`.
const MORE_INPUTS: usize = 20;
const MOST_WORK: usize = 1 << 27;

/// Fewer steps than these are useless.
const TOO_SHORT: usize = 50;

/// A network and its training.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StackPlan {
    /// Kept frequencies per axis.
    pub modes: Vec<usize>,
    /// Hidden channels, layers, channels of FiLM.
    pub sizes: [usize; 3],
    /// Inputs per step.
    pub batch: usize,
    /// Steps per member.
    pub steps: usize,
    /// The largest learning rate.
    pub rate: f64,
}

impl StackPlan {
    /// The plan for a lesson; none if its grid does not suit the operator.
    pub(super) fn new(lesson: &Lesson<'_>) -> Option<Self> {
        let shape = lesson.lattice.shape();
        let suits =
            (1..=MOST_AXES).contains(&shape.len()) && shape.iter().all(|n| *n >= FEWEST_POINTS);
        let most = match shape.len() {
            MOST_AXES => MOST_MODES_OF_BLOCKS,
            _ => MOST_MODES,
        };
        suits.then(|| Self {
            modes: shape.iter().map(|n| most.min(n / 2)).collect(),
            sizes: SIZES,
            batch: batch(lesson.fields.len()),
            steps: steps(lesson.fields.len(), lesson.lattice.len(), lesson.count()),
            rate: 2e-3,
        })
    }

    /// Reduces the steps to the available time; `seconds` measures the duration of one step.
    pub(super) fn within(
        mut self,
        time: Option<Duration>,
        members: usize,
        seconds: impl Fn(&Self) -> kl::Result<f64>,
    ) -> kl::Result<Self> {
        if let Some(time) = time {
            if time.is_zero() {
                self.steps = 0;
                return Ok(self);
            }
            let fit = time.as_secs_f64() / (seconds(&self)? * members as f64);
            self.steps = self.steps.min(fit as usize);
        }
        Ok(self)
    }

    /// Whether the steps are too few to be useful.
    pub(super) fn is_too_short(&self) -> bool {
        self.steps < TOO_SHORT
    }
}

fn batch(inputs: usize) -> usize {
    (inputs / 10).clamp(BATCH[0], BATCH[1])
}

/// Steps of each member for these counts.
fn steps(inputs: usize, points: usize, members: usize) -> usize {
    let own = inputs - inputs / members.max(1);
    let wanted = (EPOCHS * own).div_ceil(batch(inputs));
    let work = (WORK_PER_INPUT * (inputs + MORE_INPUTS)).min(MOST_WORK);
    wanted.min(work / (points * batch(inputs) * members).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_from_counts_and_are_bounded_on_fine_grids() {
        assert_eq!(steps(100, 16 * 16, 4), 480);
        assert_eq!(steps(1000, 16 * 16, 4), 3000);
        let fine = steps(1000, 64 * 64, 4);
        assert!(fine * 64 * 64 * 16 * 4 <= MOST_WORK && fine > 500, "{fine}");
    }

    #[test]
    fn a_budget_cuts_steps_to_what_it_has_time_for() {
        let plan = StackPlan {
            modes: vec![8],
            sizes: SIZES,
            batch: 4,
            steps: 400,
            rate: 1e-3,
        };
        let steps = |seconds: Option<u64>| {
            let time = seconds.map(Duration::from_secs);
            plan.clone().within(time, 4, |_| Ok(0.1)).unwrap().steps
        };
        assert_eq!([None, Some(40), Some(1000)].map(steps), [400, 100, 400]);
    }
}
