//! Benchmarks: the speed of this build on this machine, compared with the machine's limit.
//!
//! A [`MeasuredNetwork`] is a network on a grid with random weights and data. Its [`Work`] is the
//! work that users wait for: the velocity, a training step, the prior, full sampling. Each is timed
//! by a [`Stopwatch`] and compared with the [`matrix_peak`] of the same run.

mod case;
mod measurement;
mod peak;
mod prior;
mod processor_time;
mod rates;
pub mod resident;
mod sampling;
mod stopwatch;
mod training;
mod velocity;

pub use case::MeasuredNetwork;
pub use measurement::{Measurement, Work, measure};
pub use peak::matrix_peak;
pub use prior::PriorBatch;
pub use rates::{training_rate, update_rate};
pub use sampling::FullSampling;
pub use stopwatch::Stopwatch;
pub use training::TrainingStep;
pub use velocity::VelocityBatch;
