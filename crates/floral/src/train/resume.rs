//! Continuing a training from a checkpoint, and refusals: other settings, other data, a loss that
//! is not finite.

use super::checkpoint::{Checkpoint, Header};
use super::differences::{differences, goes_on};
use super::trainer::Trainer;
use crate::dataset::Dataset;
use crate::operator::{Weight, with_weights};
use crate::{Error, Result};

impl Trainer<'_> {
    /// Continues from a checkpoint. Data and settings must be the same, except for more epochs or
    /// more patience.
    pub(super) fn restore(&mut self, checkpoint: Checkpoint, dataset: &Dataset) -> Result<()> {
        let there = &checkpoint.header.config;
        match differences(there, &self.config) {
            Some(differences) if !goes_on(there, &self.config) => {
                return Err(self.run.edited(&differences));
            }
            _ => {}
        }
        let same = |header: &Header| {
            (
                header.shapes.clone(),
                header.scaling.clone(),
                header.data.clone(),
            )
        };
        if same(&checkpoint.header) != same(&self.header) {
            return Err(self.run.other_data(dataset));
        }
        self.seconds_before = checkpoint.header.progress.seconds;
        self.header.progress = checkpoint.header.progress;
        self.header.progress.finished &= self.is_over();
        self.adam = checkpoint.adam;
        if let Some(average) = &mut self.average {
            average.values = checkpoint.average;
        }
        self.place(checkpoint.weights)
            .map_err(Error::in_file(self.run.last_path()))
    }

    /// Puts weights into the network, sorted into the network's own order together with their
    /// moments and running means.
    pub(super) fn place(&mut self, mut weights: Vec<Weight>) -> Result<()> {
        let network = self.model.network.clone();
        // A checkpoint lists its weights in the order of the file.
        let place = |name: &str| self.weights.iter().position(|weight| weight.name == name);
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&i| place(&weights[i].name));
        self.adam.first = order
            .iter()
            .map(|&i| std::mem::take(&mut self.adam.first[i]))
            .collect();
        self.adam.second = order
            .iter()
            .map(|&i| std::mem::take(&mut self.adam.second[i]))
            .collect();
        if let Some(average) = self
            .average
            .as_mut()
            .filter(|a| a.values.len() == order.len())
        {
            let values = order
                .iter()
                .map(|&i| std::mem::take(&mut average.values[i]));
            average.values = values.collect();
        }
        weights.sort_by_key(|weight| place(&weight.name));
        self.model.network = with_weights(network, weights.clone())?;
        self.weights = weights;
        Ok(())
    }

    /// Writes the best checkpoint so far, and a last checkpoint that marks the next step as
    /// divergent.
    pub(super) fn diverge<T>(&mut self) -> Result<T> {
        self.header.progress.diverged = true;
        self.write()?;
        Err(self.diverged())
    }

    pub(super) fn diverged(&self) -> Error {
        let kept = match self.header.progress.best {
            Some((_, best)) => format!("the best checkpoint, of epoch {best}, is kept"),
            None => "no epoch was finished".into(),
        };
        Error::numerical(
            format!(
                "training diverged in epoch {}: the loss is not finite",
                self.header.progress.epoch + 1
            ),
            format!(
                "{kept}; the same settings would diverge again: start a new run with a smaller \
                 optimiser.learning_rate or optimiser.clip, or without the outliers of the dataset"
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::Silent;
    use crate::operator::Device;
    use crate::predict::testing::{Play, play};
    use crate::ranks::Alone;
    use crate::train::trainer::Trainer;
    use crate::train::{Method, RunFolder, Training, train};

    #[test]
    fn a_run_that_diverges_keeps_its_best_and_does_not_diverge_again() {
        let play = play();
        let (device, alone) = (Device::flex(), Alone::default());
        let path = play.folder.path().join("run");
        let run = RunFolder::create(&path, &Play::config(Method::Floral)).unwrap();
        let training = Training::of(&alone, &run, &play.dataset, &Silent).unwrap();
        let mut trainer = Trainer::new(&training, &device).unwrap();
        trainer.epoch(&Silent).unwrap();
        trainer.epoch(&Silent).unwrap();
        assert_eq!(
            run.best().unwrap().header.progress.epoch,
            1,
            "not yet written"
        );
        let mut weights = trainer.weights.clone();
        weights[0].values.fill(f32::MAX);
        trainer.place(weights).unwrap();
        let words = trainer.epoch(&Silent).unwrap_err().to_string();
        drop(trainer);
        for part in [
            "diverged in epoch 3:",
            "of epoch 2, is kept",
            "smaller optimiser.learning_rate",
        ] {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(run.best().unwrap().header.progress.epoch, 2);
        let last = std::fs::read(run.last_path()).unwrap();
        let again = train(&run, &play.dataset, &device, &Silent);
        assert_eq!(again.unwrap_err().to_string(), words);
        assert_eq!(std::fs::read(run.last_path()).unwrap(), last);
    }
}
