//! The epistemic part: how far the predicted mean may be off, from what it missed at judging inputs.

use floral_linalg::{Mat, MatRef, symmetric_eigen};

use super::moments::Moments;
use super::target::Parity;
use super::{Lattice, Symmetries};

/// Errors at judging inputs as factor fields, and their mean square at every point.
pub(super) struct Epistemic {
    /// Of unit variance together: [factor, value].
    pub factors: Vec<f32>,
    /// Variance of the mean at every point, framed.
    pub variance: Vec<f64>,
    /// Squared errors grow with this power of novelty.
    pub exponent: f64,
    /// Mean of that power over the judging inputs.
    pub mean_power: f64,
    /// Novelty up to which that power was learned; beyond, it is at least the usual one.
    pub learned_to: f64,
}

/// Factors kept of the errors.
const MOST_FACTORS: usize = 24;

/// Novelty, beside the largest of a judging input, that counts as like theirs.
const MARGIN: f64 = 2.0;

/// Share of the errors' squares that is taken for ignorance even if realizations explain them.
const LEAST: f64 = 0.05;

/// The power of novelty if no judging input tells it.
const USUAL_EXPONENT: f64 = 0.5;

/// Added to the variance of the logarithm of novelty, so that few inputs do not invent a power.
const SHRINK: f64 = 0.05;

impl Epistemic {
    /// errors: [judge][channel, point]; novelty of each judge, if it is known.
    pub(super) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        errors: &[Vec<f64>],
        judges: &Moments,
        novelty: Option<&[f64]>,
    ) -> Self {
        let count = errors.len() as f64;
        let (mut variance, mut square) = (vec![0.0; errors[0].len()], vec![0.0; errors[0].len()]);
        for (i, error) in errors.iter().enumerate() {
            let noise = judges.variances.get(i);
            for (p, error) in error.iter().enumerate() {
                let noise = noise.map_or(0.0, |v| v[p] / judges.counts[i] as f64);
                variance[p] += (error * error - noise) / count;
                square[p] += error * error / count;
            }
        }
        let [variance, square] = [variance, square].map(|field| {
            symmetries.average(lattice, &field, |motion, f| Parity::Even.apply(motion, f))
        });
        let pairs = variance.iter().zip(&square);
        let exponent = novelty.map_or(USUAL_EXPONENT, |novelty| exponent(errors, novelty));
        let power = |novelty: &[f64]| {
            let sum: f64 = novelty.iter().map(|n| n.powf(exponent)).sum();
            sum / count
        };
        Self {
            variance: pairs.map(|(v, s)| v.max(LEAST * s)).collect(),
            factors: unit(leading(errors)),
            exponent,
            mean_power: novelty.map_or(1.0, power),
            learned_to: novelty.map_or(f64::INFINITY, |novelty| {
                MARGIN * novelty.iter().copied().fold(0.0, f64::max)
            }),
        }
    }

    /// Of a mean that no input has judged: as far off, everywhere in a channel, as a field of this
    /// mean square.
    pub(super) fn unjudged(squares: &[f64], points: usize) -> Self {
        Self {
            factors: vec![1.0; squares.len() * points],
            variance: super::constant::uniform(squares, points),
            // Nothing is known of how errors grow.
            exponent: 0.0,
            mean_power: 1.0,
            learned_to: f64::INFINITY,
        }
    }

    /// The factor fields: [channel, point] each.
    pub(super) fn fields(&self, values: usize) -> impl Iterator<Item = &[f32]> {
        self.factors.chunks_exact(values.max(1))
    }

    /// The variance's factor for a query of this novelty: 1 on average over the judges.
    ///
    /// Judges that are all alike may tell no growth at all; of a query unlike any of them that says
    /// nothing.
    pub(super) fn growth(&self, novelty: f64) -> f64 {
        let inside = novelty.min(self.learned_to).powf(self.exponent) / self.mean_power;
        if novelty <= self.learned_to {
            return inside;
        }
        let beyond = novelty / self.learned_to.max(f64::MIN_POSITIVE);
        inside * beyond.powf(self.exponent.max(USUAL_EXPONENT))
    }
}

/// The slope of the logarithm of squared errors over that of novelty.
fn exponent(errors: &[Vec<f64>], novelty: &[f64]) -> f64 {
    let square = |error: &Vec<f64>| error.iter().map(|v| v * v).sum::<f64>();
    let y = errors.iter().map(|e| square(e).max(f64::MIN_POSITIVE).ln());
    let x = novelty.iter().map(|n| n.max(f64::MIN_POSITIVE).ln());
    let (x, y): (Vec<f64>, Vec<f64>) = (x.collect(), y.collect());
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let pairs = || x.iter().zip(&y);
    let covariance: f64 = pairs().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (x - mx).powi(2)).sum::<f64>() / x.len() as f64;
    (covariance / (variance + SHRINK)).clamp(0.0, 1.0)
}

/// The leading directions of error fields: [factor][value].
fn leading(errors: &[Vec<f64>]) -> Vec<Vec<f64>> {
    if errors.len() <= MOST_FACTORS {
        return errors.to_vec();
    }
    let values = errors[0].len();
    let all = errors.concat();
    let all = MatRef::from_column_major_slice(&all, values, errors.len());
    let gram: Mat<f64> = all.transpose() * all;
    let Some((_, vectors)) = symmetric_eigen(&gram) else {
        return errors[..MOST_FACTORS].to_vec();
    };
    let fields = all * vectors.subcols(0, MOST_FACTORS);
    let field = |k: usize| (0..values).map(|p| fields[(p, k)]).collect();
    (0..MOST_FACTORS).map(field).collect()
}

/// Factors scaled so that their squares sum to one at every point where any of them is not zero:
/// [factor, value].
fn unit(fields: Vec<Vec<f64>>) -> Vec<f32> {
    let values = fields.first().map_or(0, Vec::len);
    let mut squares = vec![0.0; values];
    for field in &fields {
        squares.iter_mut().zip(field).for_each(|(s, v)| *s += v * v);
    }
    let unit = |(v, square): (&f64, &f64)| {
        if *square > 0.0 {
            v / square.sqrt()
        } else {
            0.0
        }
    };
    let fields = fields
        .iter()
        .flat_map(|field| field.iter().zip(&squares).map(unit));
    fields.map(|v| v as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(exponent: f64) -> Epistemic {
        Epistemic {
            factors: Vec::new(),
            variance: Vec::new(),
            exponent,
            mean_power: 1.0,
            learned_to: 4.0,
        }
    }

    #[test]
    fn far_from_all_judges_errors_grow_even_if_among_them_they_do_not() {
        let flat = learned(0.0);
        assert_eq!([0.5, 1.0, 4.0].map(|n| flat.growth(n)), [1.0; 3]);
        assert!((flat.growth(16.0) - 2.0).abs() < 1e-12);
        assert!((flat.growth(400.0) - 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_power_learned_from_judges_holds_beyond_them() {
        let steep = learned(0.8);
        for novelty in [0.1, 3.9, 4.0, 4.1, 100.0_f64] {
            assert!((steep.growth(novelty) / novelty.powf(0.8) - 1.0).abs() < 1e-12);
        }
    }
}
