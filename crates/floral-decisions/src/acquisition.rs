//! Which inputs of a pool to simulate, so that a quantity becomes known over the whole pool.
//!
//! Given the runs so far, the quantity at the inputs of the pool is normal with covariance C, for
//! each of several kernels of a [`process`](crate::process). A run at input b with noise variance
//! s_b leaves C - C_b C_b' / (C_bb + s_b); it removes sum_a C_ab^2 / (C_bb + s_b) of the variance
//! summed over the pool. The next input is the one that removes most on average over kernels
//! (active learning by expected reduction: Cohn, Neural Networks 9 (1996); Gramacy & Lee,
//! Technometrics 51 (2009)). The following input is chosen with the remaining covariance, so that
//! the inputs of a batch are spread out.

use crate::process::Known;
use crate::{Error, Result};

/// A chosen input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Its position in the pool.
    pub input: usize,
    /// Share of the pool's variance that remains after this input and those chosen before it.
    pub left: f64,
}

/// Chooses `count` free inputs, one after another, each of which removes most of the variance.
///
/// `known` is the posterior of each kernel at all inputs, `noise` the sampling variance of a run at
/// each.
pub fn choose(
    known: &[Known],
    noise: &[f64],
    is_free: &[bool],
    count: usize,
) -> Result<Vec<Choice>> {
    let n = noise.len();
    if is_free.len() != n || known.iter().any(|one| one.covariance.len() != n * n) {
        let sizes: Vec<usize> = known.iter().map(|one| one.covariance.len()).collect();
        return Err(Error::new(
            "pool",
            format!("{sizes:?} covariances of {n} inputs; {} are needed", n * n),
        ));
    }
    let mut left: Vec<Unknown> = known.iter().map(|one| Unknown::new(one, noise)).collect();
    let mut free = is_free.to_vec();
    let sum = |left: &[Unknown]| left.iter().map(Unknown::trace).sum::<f64>();
    let all = sum(&left);
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let removed = |i: usize| left.iter().map(|one| one.removed(i)).sum::<f64>();
        let candidates: Vec<(usize, f64)> = (0..n)
            .filter(|i| free[*i])
            .map(|i| (i, removed(i)))
            .collect();
        let next = candidates
            .iter()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some(&(next, _)) = next else { break };
        free[next] = false;
        left.iter_mut().for_each(|one| one.condition(next));
        chosen.push(Choice {
            input: next,
            left: if all > 0.0 { sum(&left) / all } else { 0.0 },
        });
    }
    Ok(chosen)
}

/// The posterior covariance of one kernel.
struct Unknown {
    /// [input, input].
    covariance: Vec<f64>,
    /// Error variance of a run at each input.
    noise: Vec<f64>,
}

impl Unknown {
    fn new(known: &Known, noise: &[f64]) -> Self {
        Self {
            covariance: known.covariance.clone(),
            noise: noise.iter().map(|v| v + known.noise).collect(),
        }
    }

    fn trace(&self) -> f64 {
        let n = self.noise.len();
        (0..n).map(|i| self.covariance[i * n + i].max(0.0)).sum()
    }

    /// The row of an input, and its variance including the error of a run.
    fn row(&self, input: usize) -> (&[f64], f64) {
        let n = self.noise.len();
        let row = &self.covariance[input * n..(input + 1) * n];
        (row, row[input] + self.noise[input])
    }

    /// The variance that a run removes from the pool.
    fn removed(&self, input: usize) -> f64 {
        let (row, own) = self.row(input);
        match own > 0.0 {
            true => row.iter().map(|c| c * c).sum::<f64>() / own,
            false => 0.0,
        }
    }

    fn condition(&mut self, input: usize) {
        let (row, own) = self.row(input);
        if own <= 0.0 {
            return;
        }
        let (n, column) = (self.noise.len(), row.to_vec());
        for (a, row) in self.covariance.chunks_exact_mut(n).enumerate() {
            let factor = column[a] / own;
            row.iter_mut()
                .zip(&column)
                .for_each(|(c, other)| *c -= factor * other);
        }
    }
}

/// Largest number of inputs from which first inputs are chosen, evenly spaced in the pool; all
/// pairs of them need a distance.
const MOST_CANDIDATES: usize = 512;

/// The first inputs, before any run: each brings the pool closest to the chosen inputs, by the sum
/// of squared distances to the nearest of them (the BUILD phase of PAM: Kaufman & Rousseeuw,
/// Finding Groups in Data, 1990). `features`, one list per input, are scaled to equal spread.
/// Returns fewer than `count` if there are fewer inputs, and at most 512.
pub fn representative(features: &[Vec<f64>], count: usize) -> Vec<usize> {
    let square =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum() };
    let n = features.len().min(MOST_CANDIDATES);
    let candidates: Vec<usize> = (0..n).map(|k| k * features.len() / n).collect();
    let row = |a: &usize| -> Vec<f64> {
        let others = candidates.iter();
        others
            .map(|b| square(&features[*a], &features[*b]))
            .collect()
    };
    let distances: Vec<Vec<f64>> = candidates.iter().map(row).collect();
    let mut nearest = vec![f64::INFINITY; n];
    let mut free: Vec<usize> = (0..n).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count && !free.is_empty() {
        let left = |i: usize| -> f64 {
            let pairs = distances[i].iter().zip(&nearest);
            pairs.map(|(d, near)| d.min(*near)).sum()
        };
        let sums: Vec<f64> = free.iter().map(|i| left(*i)).collect();
        let best = (0..free.len()).min_by(|a, b| sums[*a].total_cmp(&sums[*b]));
        let next = free.remove(best.unwrap_or(0));
        for (near, distance) in nearest.iter_mut().zip(&distances[next]) {
            *near = near.min(*distance);
        }
        chosen.push(candidates[next]);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squared exponential covariances of points on a line, with these standard deviations.
    fn line(x: &[f64], deviations: &[f64]) -> Known {
        let n = x.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let covariance = pairs
            .map(|(i, j)| deviations[i] * deviations[j] * (-0.5 * (x[i] - x[j]).powi(2)).exp());
        Known {
            means: vec![0.0; n],
            covariance: covariance.collect(),
            noise: 0.0,
        }
    }

    #[test]
    fn the_input_that_says_most_of_all_others_comes_first_and_a_batch_is_spread() {
        // Three close together, one isolated with a larger variance, two far away.
        let x = [0.0, 0.1, 0.2, 10.0, 20.0, 20.1];
        let known = line(&x, &[1.0, 1.0, 1.0, 1.2, 1.0, 1.0]);
        let chosen = choose(&[known], &[1e-3; 6], &[true; 6], 3).unwrap();
        let order: Vec<usize> = chosen.iter().map(|c| c.input).collect();
        assert_eq!(order[0], 1, "the middle of three");
        assert!(order[1] == 4 || order[1] == 5);
        assert_eq!(order[2], 3);
        assert!(chosen.is_sorted_by(|a, b| a.left >= b.left) && chosen[2].left < 0.05);
    }

    #[test]
    fn noisy_runs_remove_less_and_inputs_that_are_not_free_are_left() {
        let known = [line(&[0.0, 5.0], &[1.0, 0.9])];
        let choose = |noise: [f64; 2], free: [bool; 2]| choose(&known, &noise, &free, 2).unwrap();
        assert_eq!(choose([0.0, 0.0], [true, true])[0].input, 0);
        assert_eq!(choose([9.0, 0.0], [true, true])[0].input, 1);
        assert_eq!(choose([0.0, 0.0], [false, true]).len(), 1);
        assert!(choose([0.0, 0.0], [false, false]).is_empty());
        assert!(super::choose(&known, &[0.0; 3], &[true; 3], 1).is_err());
    }

    #[test]
    fn an_input_counts_by_what_it_removes_on_average_over_kernels() {
        // For one kernel two inputs are almost equal; for the other all are independent.
        let [near, far] = [
            line(&[0.0, 0.1, 9.0], &[1.0, 1.0, 1.2]),
            line(&[0.0, 9.0, 18.0], &[0.1, 0.1, 2.0]),
        ];
        let first = |known: &[Known]| choose(known, &[0.0; 3], &[true; 3], 1).unwrap()[0].input;
        assert_eq!(first(std::slice::from_ref(&near)), 0);
        assert_eq!(first(&[near, far]), 2);
    }

    #[test]
    fn first_inputs_represent_the_pool_and_not_its_extremes() {
        let features = |all: &[f64]| all.iter().map(|x| vec![*x]).collect::<Vec<_>>();
        // Two groups and an isolated extreme, which is chosen last.
        let pool = features(&[0.0, 0.1, 0.2, 1.0, 1.1, 1.2, 2.0]);
        assert_eq!(representative(&pool, 3), [3, 1, 6]);
        assert_eq!(representative(&pool, 99).len(), 7);
        assert!(representative(&[], 2).is_empty() && representative(&pool, 0).is_empty());
        let large: Vec<f64> = (0..5000).map(f64::from).collect();
        let chosen = representative(&features(&large), 3);
        assert!((chosen[0] as f64 - 2500.0).abs() < 20.0, "{chosen:?}");
    }
}
