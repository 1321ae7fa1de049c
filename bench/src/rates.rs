//! The training speed of a machine, as two rates for `floral plan`.

use super::{MeasuredNetwork, Stopwatch, TrainingStep};
use floral::Result;
use floral::cost::training_flops;
use floral::train::adam::Adam;

/// Number of weights for timing the optimiser: more than caches hold.
const WEIGHTS: usize = 1 << 22;

/// Useful operations per second in training steps of this case.
pub fn training_rate(case: &MeasuredNetwork, watch: &Stopwatch) -> Result<f64> {
    let mut step = TrainingStep::new(case, true)?;
    let seconds = watch.best(|| step.run())?;
    let flops = training_flops(&case.network(), &case.grid, case.batch, case.inputs);
    Ok(flops / seconds)
}

/// Weights per second that the optimiser updates.
pub fn update_rate(watch: &Stopwatch) -> Result<f64> {
    let mut weights = vec![0.1f32; WEIGHTS];
    let gradient = vec![1e-3f32; WEIGHTS];
    let mut adam = Adam::new(std::iter::once(WEIGHTS));
    let seconds = watch.best(|| {
        let pair = (weights.as_mut_slice(), gradient.as_slice());
        adam.step(1e-3, 1e-4, 1.0, std::iter::once(pair));
        Ok(())
    })?;
    Ok(WEIGHTS as f64 / seconds)
}
