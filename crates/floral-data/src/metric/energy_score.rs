//! Energy score: the CRPS of whole fields, which also depends on the correlation between points.

use rayon::prelude::*;

use super::fields::Fields;
use crate::Result;

/// Number of lags that bounds the cost of large ensembles: 80 000 pairs of 2500 members.
pub const PAIR_LAGS: usize = 32;

/// The fair energy score of an ensemble, averaged over observations; 0 is perfect.
///
/// members: [member, point], observations: [observation, point].
///
/// ES = sum_i ||x_i - y|| / m - sum_{i<j} ||x_i - x_j|| / (m (m - 1))
///
/// The norm is the root mean square over points, which is the Euclidean norm over sqrt(points). It
/// tends to the norm of the function space, so that scores on coarse and fine grids are comparable.
/// At one point the score is the fair CRPS, and for one member it is the root mean square error.
/// Gneiting & Raftery (2007), section 4.3; fair as in Ferro (2014).
///
/// Pairs consist of members j and j + l, cyclically, at `lags` lags spread evenly over 1..=m/2.
/// They are all pairs if `lags` reaches m/2. Members are exchangeable, so that any set of pairs
/// chosen independently of the values gives an unbiased mean. A few pairs per member add less noise
/// than the members themselves (Blom 1976); [`PAIR_LAGS`] is enough. Members that are not in random
/// order, such as a sorted ensemble or a Markov chain, have to be permuted first, unless `lags`
/// covers all pairs.
pub fn energy_score(members: Fields, observations: Fields, lags: usize) -> Result<f64> {
    members.check_same_grid(observations)?;
    let error = mean_over(members.count(), |i| {
        let distances = observations.iter().map(|y| rms(members.field(i), y));
        distances.sum::<f64>() / observations.count() as f64
    });
    let pairs = pairs(members.count(), lags.max(1));
    let spread = mean_over(pairs.len(), |k| {
        let (i, j) = pairs[k];
        rms(members.field(i), members.field(j))
    });
    Ok(error - 0.5 * spread)
}

/// The distinct pairs of m members at lags spread evenly over 1..=m/2.
fn pairs(m: usize, lags: usize) -> Vec<(usize, usize)> {
    let half = m / 2;
    let lags = lags.min(half);
    (0..lags)
        .map(|k| 1 + k * half / lags)
        .flat_map(|lag| {
            // At lag m/2, each pair would occur twice.
            let count = if 2 * lag == m { half } else { m };
            (0..count).map(move |j| (j, (j + lag) % m))
        })
        .collect()
}

/// The mean of `value` over 0..count, summed in order for any number of threads; 0 if count is 0.
fn mean_over(count: usize, value: impl Fn(usize) -> f64 + Send + Sync) -> f64 {
    let values: Vec<f64> = (0..count).into_par_iter().map(value).collect();
    values.iter().sum::<f64>() / count.max(1) as f64
}

/// Root mean square difference of two fields.
fn rms(a: &[f32], b: &[f32]) -> f64 {
    // Eight independent sums let the compiler use vector registers.
    let mut lanes = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f64 = rest.map(|(a, b)| square(*a, *b)).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += square(*a, *b);
        }
    }
    ((lanes.iter().sum::<f64>() + rest) / a.len() as f64).sqrt()
}

fn square(a: f32, b: f32) -> f64 {
    let difference = f64::from(a) - f64::from(b);
    difference * difference
}

#[cfg(test)]
mod tests {
    use super::super::crps::Crps;
    use super::super::sorted::SortedMembers;
    use super::super::testing::{mean_and_error, normals, on_threads};
    use super::*;
    use std::collections::BTreeSet;

    fn score(members: &[f32], observations: &[f32], points: usize, lags: usize) -> f64 {
        let members = Fields::new(members, points).unwrap();
        energy_score(members, Fields::new(observations, points).unwrap(), lags).unwrap()
    }

    #[test]
    fn at_one_point_the_energy_score_is_the_crps() {
        for m in [1, 2, 3, 10, 31] {
            let (members, observations) = (normals(1, m), normals(2, 4));
            let mut crps = Crps::default();
            crps.push(&SortedMembers::new(&mut members.clone()), &observations);
            let energy = score(&members, &observations, 1, m);
            assert!((energy - crps.fair()).abs() < 1e-12);
        }
    }

    #[test]
    fn energy_score_of_a_perfect_ensemble_is_zero_and_of_one_member_the_error() {
        let field = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(score(&field.repeat(5), &field.repeat(2), 4, PAIR_LAGS), 0.0);
        assert_eq!(score(&[1.0, 2.0], &[2.0, 1.0], 2, PAIR_LAGS), 1.0);
    }

    /// Reference: the double sums, computed with NumPy.
    #[test]
    fn energy_score_of_a_small_ensemble() {
        let members = [
            1.0, 2.0, 0.5, 0.0, 0.5, -1.0, 2.0, 1.5, 0.0, 0.25, -0.5, 1.0,
        ];
        let observations = [0.5, 1.0, 0.0, 1.0, 1.0, 1.0];
        assert!((score(&members, &observations, 3, 9) - 0.23522742304840127).abs() < 1e-12);
    }

    #[test]
    fn the_score_of_a_repeated_field_does_not_depend_on_resolution() {
        let (coarse, seen) = (normals(1, 12 * 5), normals(2, 5));
        let refine = |values: &[f32]| -> Vec<f32> { values.iter().flat_map(|v| [*v; 4]).collect() };
        let fine = score(&refine(&coarse), &refine(&seen), 20, 6);
        assert!((fine - score(&coarse, &seen, 5, 6)).abs() < 1e-12);
    }

    #[test]
    fn pairs_are_distinct_and_all_of_them_when_lags_suffice() {
        for m in 1..12 {
            for lags in 1..8 {
                let ordered = |&(i, j): &(usize, usize)| (i.min(j), i.max(j));
                let pairs = pairs(m, lags);
                let distinct: BTreeSet<_> = pairs.iter().map(ordered).collect();
                assert_eq!(distinct.len(), pairs.len());
                assert!(distinct.iter().all(|(i, j)| i < j));
                assert!(lags < m / 2 || pairs.len() == m * (m - 1) / 2);
            }
        }
    }

    #[test]
    fn a_few_pairs_give_the_same_mean_score_as_all() {
        // Paired differences over independent ensembles, within four standard errors.
        let (m, points) = (20, 3);
        let differences = (0..2000).map(|seed| {
            let (members, seen) = (normals(2 * seed, m * points), normals(2 * seed + 1, points));
            score(&members, &seen, points, 2) - score(&members, &seen, points, m)
        });
        let (mean, error) = mean_and_error(differences);
        assert!(error > 0.0 && mean.abs() < 4.0 * error);
    }

    #[test]
    fn the_score_is_least_for_the_true_dependence_between_points() {
        // Two equal values. For two independent ones the CRPS is as good, but the energy score is
        // not.
        let twice = |draws: Vec<f32>| -> Vec<f32> { draws.iter().flat_map(|v| [*v; 2]).collect() };
        let observations = twice(normals(1, 2000));
        let dependent = score(&twice(normals(2, 1000)), &observations, 2, PAIR_LAGS);
        let independent = score(&normals(3, 2000), &observations, 2, PAIR_LAGS);
        assert!(dependent < independent);
    }

    #[test]
    fn the_score_is_the_same_on_any_number_of_threads() {
        let (members, seen) = (normals(1, 40 * 37), normals(2, 3 * 37));
        let of = |threads| on_threads(threads, || score(&members, &seen, 37, 5));
        assert_eq!(of(1).to_bits(), of(2).to_bits());
    }

    #[test]
    fn fields_on_another_grid_are_refused() {
        let (two, three) = (Fields::new(&[0.0; 6], 2), Fields::new(&[0.0; 6], 3));
        assert!(energy_score(two.unwrap(), three.unwrap(), 1).is_err());
    }
}
