//! Writing of a trainer's state: the best checkpoint so far, and the last.

use std::time::Instant;

use super::checkpoint::{Checkpoint, Progress};
use super::trainer::Trainer;
use crate::Result;
use crate::storage::name_twice;

impl Trainer<'_> {
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            header: self.header.clone(),
            weights: self.weights.clone(),
            adam: self.adam.clone(),
            average: self
                .average
                .as_ref()
                .map_or(Vec::new(), |average| average.values.clone()),
            regression: Vec::new(),
        }
    }

    /// Writes the best checkpoint, if there is a new one, and then the last. If this is interrupted
    /// at any moment, training from the last checkpoint on disk reaches the same best checkpoint
    /// again. Rank 0 writes for all ranks.
    pub(super) fn write(&mut self) -> Result<()> {
        if !self.ranks.is_first() {
            return Ok(());
        }
        self.run.log().sync()?;
        self.header.progress.seconds = self.seconds_before + self.started.elapsed().as_secs_f64();
        let [best, last] = [self.run.best_path(), self.run.last_path()];
        let is_last = self.best_is_last();
        if let Some(mut checkpoint) = self.unwritten_best.take() {
            if is_last {
                checkpoint.header = self.header.clone();
            }
            checkpoint.write(&best)?;
        }
        // If the best checkpoint is also the last, one file gets both names.
        if !(is_last && name_twice(&best, &last)?) {
            self.checkpoint().write(&last)?;
        }
        self.last_write = Some(Instant::now());
        Ok(())
    }

    /// Whether the unwritten best checkpoint is also the current state.
    fn best_is_last(&self) -> bool {
        let Progress {
            epoch,
            step,
            diverged,
            ..
        } = self.header.progress;
        let best = self.unwritten_best.as_ref();
        step == 0 && !diverged && best.is_some_and(|best| best.header.progress.epoch == epoch)
    }
}
