//! Outliers: runs so far from the others of their input that they must be faulty.

use super::Lattice;
use super::case::{Case, Channels};
use super::realizations::{Held, Realizations};

/// Distance from the mean of the other runs, in units of the median distance of all runs, beyond
/// which a run is left out. One of a thousand draws of Student's t with two degrees of freedom is
/// that far.
const FAR: f64 = 50.0;

/// Minimum number of runs of an input; with fewer it is not clear which one is faulty.
const FEWEST: usize = 4;

/// A run that is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// The training input, from 0.
    pub input: usize,
    /// The run, from 0.
    pub realization: usize,
    /// Its distance from the mean of the other runs, in units of the median distance of all runs.
    pub distance: f64,
}

/// The runs of the training cases that are outliers.
pub(super) fn outliers(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Vec<Outlier> {
    let values = |case: &Case<'_>| channels.solution * case.known(lattice);
    let all = cases.iter().flat_map(|case| {
        let runs: Vec<Vec<f64>> = case.realizations.fields(values(case)).collect();
        distances(&runs)
    });
    let mut all: Vec<f64> = all.collect();
    all.sort_by(f64::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or(0.0);
    // If most runs are equal, their median distance is zero and cannot serve as a unit.
    if !median.is_normal() {
        return Vec::new();
    }
    let of = |(input, case): (usize, &Case<'_>)| {
        let far = far_runs(case.realizations, values(case), FAR * median);
        let found = far.into_iter().map(move |(realization, distance)| Outlier {
            input,
            realization,
            distance: distance / median,
        });
        found.collect::<Vec<Outlier>>()
    };
    cases.iter().enumerate().flat_map(of).collect()
}

/// Realizations of each case without its outliers; `None` if it has no outliers.
pub(super) fn without(
    cases: &[Case<'_>],
    outliers: &[Outlier],
    lattice: &Lattice,
    channels: Channels,
) -> Vec<Option<Held>> {
    let kept = |(input, case): (usize, &Case<'_>)| {
        let is_out = |realization: usize| {
            let same = |o: &Outlier| (o.input, o.realization) == (input, realization);
            outliers.iter().any(same)
        };
        let values = channels.solution * case.known(lattice);
        let runs = case.realizations.fields(values).enumerate();
        outliers.iter().any(|o| o.input == input).then(|| {
            let kept = runs.filter(|(r, _)| !is_out(*r));
            let kept: Vec<f64> = kept.flat_map(|(_, run)| run).collect();
            kept.into()
        })
    };
    cases.iter().enumerate().map(kept).collect()
}

/// Runs farther than `far` from the others, found one at a time, the farthest first: a far run
/// shifts the mean of the others and may hide another.
fn far_runs(realizations: Realizations<'_>, values: usize, far: f64) -> Vec<(usize, f64)> {
    let (mut numbers, mut runs): (Vec<usize>, Vec<Vec<f64>>) =
        realizations.fields(values).enumerate().unzip();
    let mut found = Vec::new();
    while runs.len() >= FEWEST {
        let distances = distances(&runs);
        let farthest = (0..runs.len()).max_by(|a, b| distances[*a].total_cmp(&distances[*b]));
        match farthest.filter(|k| distances[*k] > far) {
            Some(k) => {
                runs.remove(k);
                found.push((numbers.remove(k), distances[k]));
            }
            None => break,
        }
    }
    found
}

/// The distance of every run from the mean of the others: n / (n - 1) times that from the mean of
/// all.
fn distances(runs: &[Vec<f64>]) -> Vec<f64> {
    let n = runs.len() as f64;
    if runs.len() < 2 {
        return Vec::new();
    }
    let mut mean = vec![0.0; runs[0].len()];
    for run in runs {
        mean.iter_mut().zip(run).for_each(|(m, v)| *m += v / n);
    }
    let distance = |run: &Vec<f64>| {
        let squares = run.iter().zip(&mean).map(|(v, m)| (v - m).powi(2));
        n / (n - 1.0) * squares.sum::<f64>().sqrt()
    };
    runs.iter().map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_a_thousand_times_too_large_are_found_and_no_others() {
        let run = |r: usize| (0..5).map(move |p| ((r * 5 + p) as f64).sin());
        let mut runs: Vec<f64> = (0..8).flat_map(run).collect();
        assert!(far_runs((&runs).into(), 5, 50.0).is_empty());
        runs[10..15].iter_mut().for_each(|v| *v *= 1000.0);
        runs[30..35].iter_mut().for_each(|v| *v *= -3000.0);
        let found: Vec<usize> = far_runs((&runs).into(), 5, 50.0)
            .iter()
            .map(|f| f.0)
            .collect();
        assert_eq!(found, [6, 2]);
    }
}
