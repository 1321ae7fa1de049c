//! A running mean of the weights, which is validated and kept instead of the last weights.

use crate::network::Weight;

/// An exponential moving average whose memory grows with the steps up to its decay.
#[derive(Debug, Clone, PartialEq)]
pub struct Average {
    decay: f64,
    /// The mean of each array.
    pub values: Vec<Vec<f32>>,
}

impl Average {
    /// Starts from these weights; none if the decay is zero.
    pub fn new(decay: f64, weights: &[Weight]) -> Option<Self> {
        (decay > 0.0).then(|| Self {
            decay,
            values: weights.iter().map(|weight| weight.values.clone()).collect(),
        })
    }

    /// Adds the weights after step number `step`.
    pub fn push(&mut self, weights: &[Weight], step: u64) {
        // Shorter memory in early steps, so that the initial weights do not dominate.
        let early = (1.0 + step as f64) / (10.0 + step as f64);
        let keep = self.decay.min(early) as f32;
        for (mean, weight) in self.values.iter_mut().zip(weights) {
            for (mean, value) in mean.iter_mut().zip(&weight.values) {
                *mean = keep * *mean + (1.0 - keep) * value;
            }
        }
    }
}

/// The averaged values as weights with the names and shapes of `like`.
pub fn averaged(like: &[Weight], values: &[Vec<f32>]) -> Vec<Weight> {
    let named = |(weight, values): (&Weight, &Vec<f32>)| Weight {
        values: values.clone(),
        ..weight.clone()
    };
    like.iter().zip(values).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_of_still_weights_is_themselves_and_of_a_jump_lags_behind() {
        let at = |value: f32| {
            vec![Weight {
                name: "w".into(),
                shape: vec![2],
                values: vec![value; 2],
            }]
        };
        let mut average = Average::new(0.99, &at(1.0)).unwrap();
        (0..50).for_each(|step| average.push(&at(1.0), step));
        assert!((averaged(&at(0.0), &average.values)[0].values[0] - 1.0).abs() < 1e-6);
        average.push(&at(2.0), 5000);
        assert!((averaged(&at(0.0), &average.values)[0].values[0] - 1.01).abs() < 1e-6);
        assert_eq!(Average::new(0.0, &at(1.0)), None);
    }
}
