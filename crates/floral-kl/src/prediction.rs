//! The prediction of a solution: mean, both variances, and novelty of the input.

/// Mean and variances of a solution at every point: [channel, point] each.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The mean.
    pub mean: Vec<f64>,
    /// Variance of the solution itself, calibrated.
    pub aleatoric: Vec<f64>,
    /// Variance of the error of the mean, calibrated.
    pub epistemic: Vec<f64>,
    /// Novelty, the distance of the input from the training inputs: 1 for an input like those that
    /// judged the fit, more for one farther away.
    pub novelty: f64,
}

impl Prediction {
    /// The prediction at some of a grid's points.
    pub fn picked(&self, points: usize, at: &[usize]) -> Self {
        Self {
            mean: picked(&self.mean, points, at),
            aleatoric: picked(&self.aleatoric, points, at),
            epistemic: picked(&self.epistemic, points, at),
            ..self.clone()
        }
    }

    /// The sum of both variances, from which intervals are made.
    pub fn total(&self) -> Vec<f64> {
        let both = self.aleatoric.iter().zip(&self.epistemic);
        both.map(|(a, e)| a + e).collect()
    }
}

/// Values at some points of every channel.
fn picked(values: &[f64], points: usize, at: &[usize]) -> Vec<f64> {
    let channels = values.chunks_exact(points.max(1));
    channels
        .flat_map(|channel| at.iter().map(|&index| channel[index]))
        .collect()
}
