//! The epistemic part: the error of the predicted mean, learned from its errors at judging inputs.

use floral_linalg::{Mat, MatRef, symmetric_eigen};

use super::moments::Moments;
use super::target::Parity;
use super::{Lattice, Symmetries};

/// Errors at judging inputs as factor fields, and their mean square at every point.
///
/// The squared error at an input is modelled as proportional to its novelty n, a posterior variance
/// over its mean: E[e^2(x)] = n v(x), so that v is the mean of e_i^2 / n_i.
pub(super) struct Epistemic {
    /// Factor fields, scaled to unit variance together: [factor, value].
    pub factors: Vec<f32>,
    /// Variance of the mean at every point for an input of novelty 1, framed.
    pub variance: Vec<f64>,
    /// Whether the variance grows with novelty; without judging inputs that is unknown, and it does
    /// not.
    pub grows: bool,
}

/// Maximum number of factors.
const MOST_FACTORS: usize = 24;

/// Least share of the squared errors that counts as epistemic, even if the noise of the runs
/// explains them.
const LEAST: f64 = 0.05;

/// Least novelty: next to a training input the noise of its runs remains.
const LEAST_NOVELTY: f64 = 0.05;

/// Errors of the mean at judging inputs, from which the epistemic part is learned.
pub(super) struct Missed<'a> {
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    /// [judge][channel, point].
    pub errors: &'a [Vec<f64>],
    pub judges: &'a Moments<'a>,
    /// The novelty of each judging input.
    pub novelty: &'a [f64],
    /// The group of each judging input; those of one group were left out together.
    pub groups: &'a [usize],
}

impl Missed<'_> {
    /// The epistemic part; and for every judging input the variance at its novelty that inputs of
    /// other groups predict: [judge][channel, point].
    pub(super) fn learned(&self) -> (Epistemic, Vec<Vec<f64>>) {
        let squares: Vec<[Vec<f64>; 2]> = (0..self.errors.len()).map(|i| self.squares(i)).collect();
        let count = 1 + self.groups.iter().max().copied().unwrap_or(0);
        let values = self.errors[0].len();
        let mut sums = vec![Sums::none(values); count];
        for (group, squares) in self.groups.iter().zip(&squares) {
            sums[*group].add(squares, 1.0);
        }
        let mut all = Sums::none(values);
        sums.iter().for_each(|sum| all.add(&sum.squares, sum.count));
        let left_out = |i: usize| {
            let others = all.less(&sums[self.groups[i]]);
            let growth = growth(self.novelty[i]);
            others.variance().iter().map(|v| growth * v).collect()
        };
        let left_out = (0..self.errors.len()).map(left_out).collect();
        let scaled = |(error, novelty): (&Vec<f64>, &f64)| {
            let unit = growth(*novelty).sqrt();
            error.iter().map(|e| e / unit).collect()
        };
        let scaled: Vec<Vec<f64>> = self.errors.iter().zip(self.novelty).map(scaled).collect();
        let epistemic = Epistemic {
            factors: unit(leading(&scaled)),
            variance: all.variance(),
            grows: true,
        };
        (epistemic, left_out)
    }

    /// Squared errors of one judging input over its growth: minus the part that its runs explain,
    /// and in full.
    fn squares(&self, i: usize) -> [Vec<f64>; 2] {
        let growth = growth(self.novelty[i]);
        let noise = self.judges.variances.get(i);
        let noise = |p: usize| noise.map_or(0.0, |v| v[p] / self.judges.counts[i] as f64);
        let whole = self.errors[i].iter().map(|e| e * e / growth).collect();
        let errors = self.errors[i].iter().enumerate();
        let less = errors.map(|(p, e)| (e * e - noise(p)) / growth).collect();
        [less, whole].map(|field: Vec<f64>| {
            let even = |motion: &_, f: &_| Parity::Even.apply(motion, f);
            self.symmetries.average(self.lattice, &field, even)
        })
    }
}

/// Sums of squared errors over some judging inputs.
#[derive(Clone)]
struct Sums {
    squares: [Vec<f64>; 2],
    count: f64,
}

impl Sums {
    fn none(values: usize) -> Self {
        Self {
            squares: [vec![0.0; values], vec![0.0; values]],
            count: 0.0,
        }
    }

    fn add(&mut self, squares: &[Vec<f64>; 2], count: f64) {
        for (sum, squares) in self.squares.iter_mut().zip(squares) {
            sum.iter_mut().zip(squares).for_each(|(sum, s)| *sum += s);
        }
        self.count += count;
    }

    fn less(&self, other: &Self) -> Self {
        let mut rest = other.clone();
        for (rest, all) in rest.squares.iter_mut().zip(&self.squares) {
            rest.iter_mut().zip(all).for_each(|(r, all)| *r = all - *r);
        }
        rest.count = self.count - other.count;
        rest
    }

    fn variance(&self) -> Vec<f64> {
        let [less, whole] = &self.squares;
        let pairs = less.iter().zip(whole);
        pairs
            .map(|(v, s)| v.max(LEAST * s).max(0.0) / self.count.max(1.0))
            .collect()
    }
}

fn growth(novelty: f64) -> f64 {
    novelty.max(LEAST_NOVELTY)
}

impl Epistemic {
    /// The epistemic part of a mean that no input has judged: at every point of a channel the same
    /// squared error.
    pub(super) fn unjudged(squares: &[f64], points: usize) -> Self {
        Self {
            factors: vec![1.0; squares.len() * points],
            variance: super::constant::uniform(squares, points),
            grows: false,
        }
    }

    /// The factor fields: [channel, point] each.
    pub(super) fn fields(&self, values: usize) -> impl Iterator<Item = &[f32]> {
        self.factors.chunks_exact(values.max(1))
    }

    /// The factor of the variance for a query of this novelty.
    pub(super) fn growth(&self, novelty: f64) -> f64 {
        if self.grows { growth(novelty) } else { 1.0 }
    }
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

/// Factors scaled so that their squares sum to one at every value where any of them is not zero:
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
    use crate::testing;

    #[test]
    fn errors_that_grow_with_novelty_are_learned_and_each_group_is_judged_by_the_others() {
        let lattice = testing::lattice(&[("x", 2)], &[]);
        let symmetries = Symmetries::none(&lattice, 1, 1);
        let errors = [vec![1.0, 2.0], vec![2.0, 4.0], vec![2.0, -4.0]];
        let missed = Missed {
            lattice: &lattice,
            symmetries: &symmetries,
            errors: &errors,
            judges: &Moments::default(),
            novelty: &[0.5, 2.0, 2.0],
            groups: &[0, 1, 1],
        };
        let (found, left_out) = missed.learned();
        assert_eq!(found.variance, [2.0, 8.0]);
        assert_eq!(left_out, [[1.0, 4.0], [4.0, 16.0], [4.0, 16.0]]);
        assert_eq!([0.0, 0.5, 30.0].map(|n| found.growth(n)), [0.05, 0.5, 30.0]);
    }
}
