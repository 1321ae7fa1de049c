//! An example: the coefficients of one input's realizations, with features of that input.

use crate::{Error, Result};

/// Coefficients of one input.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Numbers that describe the input, the same for every input.
    pub features: Vec<f64>,
    /// [draw, dimension].
    pub coefficients: Vec<f64>,
}

/// Coefficients of mean zero and deviation one, for each input: [draw, dimension].
///
/// Mean and deviation of a solution are known from elsewhere; the law is about what they leave open.
pub(super) fn whitened(examples: &[Example], dimension: usize) -> Vec<Vec<f32>> {
    let moments: Vec<Vec<Moments>> = examples
        .iter()
        .map(|example| {
            (0..dimension)
                .map(|k| Moments::new(example, k, dimension))
                .collect()
        })
        .collect();
    let shrunk: Vec<Shrunk> = (0..dimension)
        .map(|k| Shrunk::new(moments.iter().map(|of_input| of_input[k])))
        .collect();
    let whiten = |(example, moments): (&Example, &Vec<Moments>)| {
        let unit = |(i, value): (usize, &f64)| {
            let (moments, shrunk) = (moments[i % dimension], shrunk[i % dimension]);
            ((value - moments.mean) / shrunk.deviation(&moments)) as f32
        };
        example.coefficients.iter().enumerate().map(unit).collect()
    };
    examples.iter().zip(&moments).map(whiten).collect()
}

/// Refuses examples that do not have the same number of features or whole draws.
pub(super) fn check(examples: &[&Example], dimension: usize) -> Result<()> {
    let features = examples.first().map_or(0, |example| example.features.len());
    for example in examples {
        let (found, draws) = (
            example.coefficients.len(),
            example.coefficients.len() / dimension.max(1),
        );
        if dimension == 0 || found != draws * dimension || example.features.len() != features {
            return Err(Error::Shape {
                what: "features and coefficients of an input".into(),
                found: vec![example.features.len(), found],
                expected: vec![features, draws.max(1) * dimension],
            });
        }
        let mut all = example.features.iter().chain(&example.coefficients);
        if !all.all(|value| value.is_finite()) {
            return Err(Error::Numerical {
                what: "features or coefficients of an input are not finite".into(),
                advice: "leave that input out".into(),
            });
        }
    }
    Ok(())
}

/// Of one coefficient of one input.
#[derive(Clone, Copy)]
struct Moments {
    draws: f64,
    /// Zero of a single draw, which has nothing else to tell.
    mean: f64,
    variance: f64,
    /// Mean fourth power about the mean.
    fourth: f64,
}

impl Moments {
    fn new(example: &Example, k: usize, dimension: usize) -> Self {
        let values = || example.coefficients.iter().skip(k).step_by(dimension);
        let draws = values().count().max(1) as f64;
        let mean = if draws > 1.0 {
            values().sum::<f64>() / draws
        } else {
            0.0
        };
        let power = |p: i32| values().map(|v| (v - mean).powi(p)).sum::<f64>();
        Self {
            draws,
            mean,
            variance: power(2) / (draws - 1.0).max(1.0),
            fourth: power(4) / draws,
        }
    }
}

/// Variances of inputs, drawn to a common one as far as they differ by chance.
///
/// A few draws of a law with heavy tails do not tell its variance, and division by it would bend the
/// law that is to be learned. Efron & Morris (1975), for logarithms of variances.
#[derive(Clone, Copy)]
struct Shrunk {
    /// Mean logarithm of the variances.
    centre: f64,
    /// The share of an input's own distance from it.
    own: f64,
    /// What is left of the variance on average.
    level: f64,
}

impl Shrunk {
    fn new(moments: impl Iterator<Item = Moments> + Clone) -> Self {
        let moments = moments.filter(|m| m.variance > 0.0);
        let inputs = moments.clone().count() as f64;
        let mean =
            |of: &dyn Fn(Moments) -> f64| moments.clone().map(of).sum::<f64>() / inputs.max(1.0);
        let centre = mean(&|m| m.variance.ln());
        let apart =
            mean(&|m| (m.variance.ln() - centre).powi(2)) * inputs / (inputs - 1.0).max(1.0);
        let kurtosis = mean(&|m| m.fourth) / mean(&|m| m.variance * m.variance);
        let chance = mean(&|m| (kurtosis - 1.0).max(0.0) / m.draws);
        let mut shrunk = Self {
            centre,
            own: if apart > chance {
                1.0 - chance / apart
            } else {
                0.0
            },
            level: 1.0,
        };
        shrunk.level = mean(&|m| (m.variance.sqrt() / shrunk.deviation(&m)).powi(2));
        shrunk
    }

    fn deviation(&self, moments: &Moments) -> f64 {
        if !(moments.variance > 0.0 && self.level > 0.0) {
            return 1.0;
        }
        let apart = self.own * (moments.variance.ln() - self.centre);
        (self.level * (self.centre + apart).exp()).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::random::{Purpose, stream};

    fn example(input: u64, deviation: f64) -> Example {
        let rng = &mut stream(1, Purpose::Realization, input, 0);
        let draw = |_| deviation * rng.sample::<f64, _>(StandardNormal);
        Example {
            features: Vec::new(),
            coefficients: (0..40).map(draw).collect(),
        }
    }

    #[test]
    fn inputs_that_differ_are_brought_to_one_deviation_and_others_keep_their_ratio() {
        let ratio = |deviations: [f64; 2]| {
            let of = |i: u64| example(i, deviations[i as usize % 2]);
            let examples: Vec<Example> = (0..30).map(of).collect();
            let white = whitened(&examples, 1);
            let sum = |values: &[f32]| values.iter().map(|v| f64::from(v * v)).sum::<f64>();
            let of = |odd: usize| {
                white
                    .iter()
                    .skip(odd)
                    .step_by(2)
                    .map(|w| sum(w))
                    .sum::<f64>()
            };
            let own = |i: usize| examples[i].coefficients.iter().map(|v| v * v).sum::<f64>();
            (
                of(1) / of(0),
                sum(&white[0]) / sum(&white[1]) / (own(0) / own(1)),
            )
        };
        let (apart, _) = ratio([1.0, 5.0]);
        assert!((apart - 1.0).abs() < 0.2, "{apart}");
        let (_, alike) = ratio([1.0, 1.0]);
        assert!((alike - 1.0).abs() < 0.5, "{alike}");
    }
}
