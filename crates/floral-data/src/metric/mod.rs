//! Metrics: the error of predictions, as plain functions of numbers.

pub mod calibration;
pub mod crps;
pub mod energy_score;
pub mod ensemble;
pub mod error;
pub mod fields;
pub mod moments;
pub mod radial_spectrum;
pub mod sorted;
pub mod spectrum;
pub mod variance;
pub mod variance_sampling;

#[cfg(test)]
pub mod testing;

pub use calibration::{Coverage, Interval, RankHistogram, SpreadSkill, interval_coverage};
pub use crps::Crps;
pub use energy_score::{PAIR_LAGS, energy_score};
pub use ensemble::EnsembleScores;
pub use error::{CorrectedErrors, MeanFieldError};
pub use fields::{Fields, centred};
pub use moments::RunningMoments;
pub use radial_spectrum::RadialSpectrum;
pub use sorted::SortedMembers;
pub use spectrum::{Band, BandSpectra};
pub use variance::{CorrectedVariance, Sampled, VarianceError};
pub use variance_sampling::FourthMoments;
