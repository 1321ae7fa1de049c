//! The network stacked on the regressions of FLORAL-KL: a small version of the paper's residual
//! operator, in which the regressions replace the low-fidelity solution.
//!
//! `floral_kl` defines what remains to be learned, a [`Lesson`]. `plan` sets the size of a network
//! and the length of its training, `member` trains one for each part of the inputs, `corrector`
//! evaluates and stores it.

mod corrector;
mod member;
mod plan;

use corrector::Corrector;
use plan::StackPlan;

use crate::kl::{self, Event, Learner, Lesson, Network};

/// Trains networks on the residuals of regressions, and restores stored ones.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    /// The seed of initial weights, batches and motions.
    pub seed: u64,
}

impl Learner for Stack {
    fn learn(&self, lesson: &Lesson<'_>) -> kl::Result<Vec<Box<dyn Network>>> {
        let Some(plan) = StackPlan::new(lesson) else {
            return Ok(Vec::new());
        };
        let (members, asked) = (lesson.count(), plan.steps);
        let plan = plan.within(lesson.time, members, |plan| member::seconds(plan, lesson))?;
        if plan.steps < asked {
            let steps = plan.steps;
            lesson.observer.observe(&Event::Cut { steps, asked });
        }
        if plan.is_too_short() {
            return Ok(Vec::new());
        }
        let member = |part| -> kl::Result<Box<dyn Network>> {
            Ok(Box::new(member::trained(&plan, lesson, self.seed, part)?))
        };
        (0..members).map(member).collect()
    }

    fn restore(&self, bytes: &[u8]) -> kl::Result<Box<dyn Network>> {
        Ok(Box::new(Corrector::from_bytes(bytes)?))
    }
}

/// Converts an error of the networks to one of the regressions.
fn failed(error: crate::Error) -> kl::Error {
    match error {
        crate::Error::Interrupted => kl::Error::Interrupted,
        other => kl::Error::Numerical {
            what: format!("the network stacked on the regressions: {other}"),
            advice: "look for extreme values in the data, or choose other units".into(),
        },
    }
}
