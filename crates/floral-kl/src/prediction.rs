//! What is predicted of a solution: mean, both variances, and how new the input is.

/// Mean and variances of a solution at every point: [channel, point] each.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The mean.
    pub mean: Vec<f64>,
    /// Variance of the solution itself, calibrated.
    pub aleatoric: Vec<f64>,
    /// Variance of what is not known of the mean, calibrated.
    pub epistemic: Vec<f64>,
    /// How far the input is from the training inputs: 1 as the inputs that judged the fit, more for
    /// one farther away.
    pub novelty: f64,
}

impl Prediction {
    /// At some of a grid's points.
    pub fn picked(&self, points: usize, at: &[usize]) -> Self {
        Self {
            mean: picked(&self.mean, points, at),
            aleatoric: picked(&self.aleatoric, points, at),
            epistemic: picked(&self.epistemic, points, at),
            ..self.clone()
        }
    }

    /// The variance of both together, from which intervals are made.
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
