//! Coupling: how an input's prior draws are paired with its realizations.
//!
//! Independent pairs make paths cross, and at a crossing the velocity can only learn the average.
//! Draws and realizations of the same input may be re-paired without changing either distribution;
//! the pairing of least total squared length has the fewest crossings. Pooladian et al. (2023),
//! Tong et al. (2024).

use rayon::prelude::*;

use super::samples::Samples;
use crate::Result;
use crate::flow::Path;
use crate::random::Stream;

/// For every sample, the number of the sample whose stream yields its prior draw.
pub fn nearest(
    samples: &Samples,
    path: &Path,
    stream: &(dyn Fn(usize) -> Stream + Sync),
) -> Result<Vec<usize>> {
    let size = samples.size();
    let of_input = |input: usize| -> Result<Vec<usize>> {
        let all: Vec<usize> = samples.of_input(input).collect();
        let starts: Vec<Vec<f32>> = all
            .iter()
            .map(|&s| path.start(&mut stream(s), size))
            .collect();
        let targets = all.iter().map(|&s| samples.target_of(s));
        let targets = targets.collect::<Result<Vec<_>>>()?;
        let cost = |i: usize, j: usize| square(&targets[i], &starts[j]);
        let columns = assignment(all.len(), cost).into_iter();
        Ok(columns.map(|j| all[j]).collect())
    };
    let inputs = (0..samples.inputs()).into_par_iter();
    let pairs: Result<Vec<_>> = inputs.map(of_input).collect();
    Ok(pairs?.concat())
}

fn square(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum()
}

/// The column of each of n rows in the assignment of least total cost.
///
/// The Hungarian method with potentials, one shortest augmenting path per row: Kuhn (1955), in the
/// form of Jonker & Volgenant (1987), without their initialisation.
fn assignment(n: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let costs: Vec<f64> = (0..n * n).map(|i| cost(i / n, i % n)).collect();
    let mut matching = Matching {
        n,
        costs,
        rows: vec![0.0; n],
        columns: vec![0.0; n + 1],
        row_of: vec![None; n + 1],
    };
    for row in 0..n {
        matching.add(row);
    }
    let mut column_of = vec![0; n];
    for (column, row) in matching.row_of[..n].iter().enumerate() {
        if let Some(row) = row {
            column_of[*row] = column;
        }
    }
    column_of
}

struct Matching {
    n: usize,
    costs: Vec<f64>,
    /// Potentials; the reduced cost of a pair is its cost minus both potentials.
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// The row assigned to each column; the additional last column stands for the row being added.
    row_of: Vec<Option<usize>>,
}

impl Matching {
    /// Assigns a column to one more row, moving other rows along the shortest augmenting path.
    fn add(&mut self, row: usize) {
        let n = self.n;
        let (mut least, mut before) = (vec![f64::INFINITY; n], vec![n; n]);
        let mut visited = vec![false; n + 1];
        self.row_of[n] = Some(row);
        let mut column = n;
        while let Some(row) = self.row_of[column] {
            visited[column] = true;
            let Some((next, step)) = self.closest(row, column, &visited, &mut least, &mut before)
            else {
                return;
            };
            for (j, is_visited) in visited.iter().enumerate() {
                match (is_visited, self.row_of[j]) {
                    (true, Some(row)) => {
                        self.rows[row] += step;
                        self.columns[j] -= step;
                    }
                    _ if j < n => least[j] -= step,
                    _ => {}
                }
            }
            column = next;
        }
        while column != n {
            let previous = before[column];
            self.row_of[column] = self.row_of[previous];
            column = previous;
        }
    }

    /// The unvisited column that is cheapest to reach from any visited one, and that cost.
    fn closest(
        &self,
        row: usize,
        from: usize,
        visited: &[bool],
        least: &mut [f64],
        before: &mut [usize],
    ) -> Option<(usize, f64)> {
        for j in (0..self.n).filter(|j| !visited[*j]) {
            let reduced = self.costs[row * self.n + j] - self.rows[row] - self.columns[j];
            if reduced < least[j] {
                (least[j], before[j]) = (reduced, from);
            }
        }
        let unvisited = (0..self.n).filter(|j| !visited[*j]);
        unvisited
            .map(|j| (j, least[j]))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn total(cost: &[f64], n: usize, columns: &[usize]) -> f64 {
        columns
            .iter()
            .enumerate()
            .map(|(i, j)| cost[i * n + j])
            .sum()
    }

    fn permutations(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let shorter = permutations(n - 1);
        let insert = |p: &Vec<usize>, at: usize| {
            let mut p = p.clone();
            p.insert(at, n - 1);
            p
        };
        let all = shorter
            .iter()
            .flat_map(|p| (0..n).map(move |at| insert(p, at)));
        all.collect()
    }

    #[test]
    fn no_permutation_costs_less_than_the_assignment() {
        let mut rng = Stream::seed_from_u64(3);
        for n in 1..=6 {
            let cost: Vec<f64> = (0..n * n).map(|_| rng.random()).collect();
            let found = assignment(n, |i, j| cost[i * n + j]);
            let best = permutations(n)
                .iter()
                .map(|p| total(&cost, n, p))
                .fold(f64::MAX, f64::min);
            assert!((total(&cost, n, &found) - best).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn points_on_a_line_are_paired_in_their_order() {
        let (a, b) = ([3.0, 1.0, 2.0f64], [10.0, 30.0, 20.0f64]);
        let found = assignment(3, |i, j| (a[i] - b[j]).powi(2));
        assert_eq!(found, [1, 0, 2]);
    }
}
