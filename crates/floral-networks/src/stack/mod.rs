//! The network stacked on the regressions of FLORAL-KL: the paper's residual operator, small, with the
//! regressions in the place of low fidelity.
//!
//! `floral_kl` says what is left to learn, a [`Lesson`]; `plan` how large a network is and how long it
//! is trained, `member` trains one for each part of the inputs, `corrector` evaluates and stores it.

mod corrector;
mod member;
mod plan;

use corrector::Corrector;
use plan::StackPlan;

use crate::kl::{self, Event, Learner, Lesson, Network};

/// Trains networks on what regressions miss, and reads those that were stored.
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

/// An error of the engine as one of the regressions.
fn failed(error: crate::Error) -> kl::Error {
    match error {
        crate::Error::Interrupted => kl::Error::Interrupted,
        other => kl::Error::Numerical {
            what: format!("the network on what regressions miss: {other}"),
            advice: "look for extreme values in the data, or choose other units".into(),
        },
    }
}
