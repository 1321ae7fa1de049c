//! Conditions: what the network of factors sees of an input, and features for its coefficients.

use crate::Result;
use crate::heads::factors::Moves;
use crate::regression::{Channels, Kriging, Prediction, Query};

/// Logarithms of deviations end here.
const LEAST: f64 = 1e-24;

/// How each channel of [`conditions`] moves.
pub(super) fn moves(channels: Channels, with_low: bool) -> Vec<Moves> {
    let solution = || (0..channels.solution).map(Moves::AsSolution);
    let input = (0..channels.input).map(Moves::AsInput);
    let low = solution().filter(|_| with_low);
    let even = (0..channels.solution).map(|_| Moves::Even);
    input.chain(low).chain(solution()).chain(even).collect()
}

/// Input, low fidelity, the predicted gap to it and the logarithm of the predicted deviation:
/// [channel, point].
pub(super) fn conditions(query: &Query<'_>, prediction: &Prediction) -> Vec<f64> {
    let low = query.low.unwrap_or(&[]);
    let zeros = std::iter::repeat(&0.0);
    let gap = prediction.mean.iter().zip(low.iter().chain(zeros));
    let logarithm = |v: &f64| 0.5 * v.max(LEAST).ln();
    let mut all = [query.input, low].concat();
    all.extend(gap.map(|(mean, low)| mean - low));
    all.extend(prediction.aleatoric.iter().map(logarithm));
    all
}

/// Mean and mean square of every channel.
pub(super) fn features(conditions: &[f64], points: usize) -> Vec<f64> {
    let moment = |channel: &[f64], k: i32| {
        channel.iter().map(|v| v.powi(k)).sum::<f64>() / channel.len() as f64
    };
    let channels = conditions.chunks_exact(points);
    channels
        .flat_map(|c| [moment(c, 1), moment(c, 2)])
        .collect()
}

/// A query with what the regressions say of it.
pub(super) struct Conditioned {
    pub prediction: Prediction,
    pub conditions: Vec<f64>,
    pub features: Vec<f64>,
}

impl Conditioned {
    pub(super) fn new(kriging: &Kriging, query: &Query<'_>) -> Result<Self> {
        let prediction = kriging.predict(query)?;
        let conditions = conditions(query, &prediction);
        Ok(Self {
            features: features(&conditions, kriging.lattice().len()),
            conditions,
            prediction,
        })
    }
}
