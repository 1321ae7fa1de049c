//! A batch of prior fields.

use rayon::prelude::*;

use super::MeasuredNetwork;
use floral::Result;
use floral::flow::Prior;
use floral::random::{Purpose, stream};

/// The paper's prior on a grid, and memory for a batch.
pub struct PriorBatch {
    prior: Box<dyn Prior>,
    fields: Vec<f32>,
    points: usize,
}

impl PriorBatch {
    /// Prepares the prior, as a run does once.
    pub fn new(case: &MeasuredNetwork) -> Result<Self> {
        Ok(Self {
            prior: case.config().prior.on(&case.unit_grid())?,
            fields: vec![0.0; case.batch * case.points()],
            points: case.points(),
        })
    }

    /// Draws the batch, one field per task.
    pub fn run(&mut self) -> Result<()> {
        let fields = self.fields.par_chunks_mut(self.points).enumerate();
        fields.for_each(|(i, field)| {
            self.prior
                .draw(&mut stream(0, Purpose::Prior, 0, i as u64), field);
        });
        Ok(())
    }
}
