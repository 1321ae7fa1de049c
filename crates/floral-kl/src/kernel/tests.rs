//! Tests of kernel regression against brute force on the enlarged training set, with inputs left
//! out.

use std::sync::Arc;

use floral_linalg::{Mat, solve_positive};

use super::fit::Fitting;
use super::{Covariance, Kernel, KernelFit, Resemblance, Rows};
use crate::case::Framed;
use crate::folds::Folds;
use crate::symmetry::{Motion, Role, roll};
use crate::target::{Examples, Parity, Sample};
use crate::testing::lattice;
use crate::{Lattice, Symmetries};

const KERNELS: [Covariance; 3] = [
    Covariance::Linear,
    Covariance::SquaredExponential { length: 1.5 },
    Covariance::Matern52 { length: 1.5 },
];

fn plain(covariance: Covariance) -> Kernel {
    Kernel {
        covariance,
        share: 0.5,
        smoothing: 0.0,
    }
}

fn setting() -> (Lattice, Symmetries) {
    let lattice = lattice(&[("t", 2), ("x", 6)], &["x"]);
    let declared = ["roll:x", "reflect:x:-"].map(|text| text.parse().unwrap());
    let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
    (lattice, symmetries)
}

/// A field without any symmetry.
fn field(seed: usize) -> Vec<f64> {
    (0..12)
        .map(|i| ((7 * i + 5 * seed * seed + i * i * seed) as f64).sin())
        .collect()
}

fn framed(count: usize) -> Vec<Framed> {
    let one = |i| Framed {
        input: field(i),
        low: field(i + 100),
        size: 1.0,
        points: 12,
    };
    (0..count).map(one).collect()
}

fn completed(fitting: &Fitting<'_>, ridge: f64) -> KernelFit {
    let mut fit = fitting.settled(ridge, None);
    fitting.complete(1.0, &mut fit);
    fit
}

/// Inputs with their targets: [input][value].
struct Known {
    framed: Vec<Framed>,
    targets: Vec<Vec<f64>>,
    everywhere: Vec<Option<Vec<usize>>>,
}

impl Known {
    fn new(framed: &[Framed], first: usize) -> Self {
        let numbers = first..first + framed.len();
        Self {
            targets: numbers.map(|i| field(i + 50)).collect(),
            everywhere: vec![None; framed.len()],
            framed: framed.to_vec(),
        }
    }

    fn sample(&self) -> Sample<'_> {
        Sample {
            framed: &self.framed,
            targets: &self.targets,
            hidden: &[],
            known: &self.everywhere,
            noise: &[],
            roots: None,
            at: None,
        }
    }
}

fn examples<'a>(train: &'a Known, held: &'a Known, folds: &'a Folds) -> Examples<'a> {
    Examples {
        train: train.sample(),
        held: held.sample(),
        parity: Parity::Odd,
        folds,
    }
}

/// Fits these inputs; also returns the ridge that was chosen.
fn fit_and_ridge(covariance: Covariance, framed: &[Framed]) -> (KernelFit, f64) {
    let (lattice, symmetries) = setting();
    let rows = Arc::new(Rows::new(&lattice, &symmetries, framed, &plain(covariance)));
    let [train, held] = [Known::new(framed, 0), Known::new(&[], 0)];
    let folds = Folds::single(framed.len());
    let examples = examples(&train, &held, &folds);
    let fitting = Fitting::new(covariance, &rows, &symmetries, &examples, None).unwrap();
    let ridge = fitting.best_ridge(None).unwrap();
    (completed(&fitting, ridge), ridge)
}

fn fit(covariance: Covariance, framed: &[Framed]) -> KernelFit {
    fit_and_ridge(covariance, framed).0
}

/// All twelve positions of the group.
fn positions() -> Vec<Motion> {
    let (lattice, symmetries) = setting();
    let steps = (0..6).map(|s| roll(&lattice, 1, s, [1, 1]));
    let both = steps.flat_map(|r| {
        symmetries
            .motions
            .iter()
            .map(move |m| m.then(&r))
            .collect::<Vec<_>>()
    });
    both.collect()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance)
}

#[test]
fn block_circulant_systems_agree_with_regression_on_every_copy() {
    let (all, query) = (framed(4), &framed(6)[5]);
    for covariance in KERNELS {
        let (fit, ridge) = fit_and_ridge(covariance, &all[..3]);
        // The mean over a group with reflections that change signs is zero.
        let features = |framed: &Framed, motion: &Motion| -> Vec<f64> {
            let norm = |of: fn(&Framed) -> &Vec<f64>| {
                let square = all[..3].iter().flat_map(of).map(|v| v * v).sum::<f64>();
                (0.5 / (square / 3.0)).sqrt()
            };
            let input = motion.apply(Role::Input, &framed.input);
            let low = motion.apply(Role::Solution, &framed.low);
            let input = input.iter().map(|v| v * norm(|f| &f.input));
            input
                .chain(low.iter().map(|v| v * norm(|f| &f.low)))
                .collect()
        };
        let kernel = |a: &[f64], b: &[f64]| {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            covariance.between(dot(a, a), dot(b, b), dot(a, b))
        };
        let copies = (0..3).flat_map(|i| positions().into_iter().map(move |m| (i, m)));
        let copies: Vec<(usize, Motion)> = copies.collect();
        let rows: Vec<Vec<f64>> = copies.iter().map(|(i, m)| features(&all[*i], m)).collect();
        let gram = Mat::from_fn(36, 36, |i, j| {
            kernel(&rows[i], &rows[j]) + if i == j { ridge } else { 0.0 }
        });
        let targets: Vec<Vec<f64>> = copies
            .iter()
            .map(|(i, m)| m.apply(Role::Solution, &field(i + 50)))
            .collect();
        let y = Mat::from_fn(36, 12, |i, p| targets[i][p]);
        let c = solve_positive(&gram, &y).unwrap();
        let own = features(query, &positions()[0]);
        let expected: Vec<f64> = (0..12)
            .map(|p| (0..36).map(|i| kernel(&own, &rows[i]) * c[(i, p)]).sum())
            .collect();
        assert!(
            close(&fit.predict(query), &expected, 1e-9),
            "{covariance:?}"
        );
    }
}

#[test]
fn an_input_left_out_is_predicted_as_if_it_had_never_been_seen() {
    let all = framed(4);
    for covariance in KERNELS {
        let (lattice, symmetries) = setting();
        let resemblance = Resemblance::new(&lattice, &symmetries, &all, &plain(covariance));
        let none = Known::new(&[], 0);
        let settled = |framed: &[Framed]| {
            let train = Known::new(framed, 0);
            let folds = Folds::single(framed.len());
            let examples = examples(&train, &none, &folds);
            let rows = Arc::new(Rows::seen(resemblance.clone(), &symmetries, framed));
            let fitting = Fitting::new(covariance, &rows, &symmetries, &examples, None).unwrap();
            completed(&fitting, 0.3)
        };
        let [whole, without] = [settled(&all[..]), settled(&all[..3])];
        assert!(close(&whole.judged[3], &without.predict(&all[3]), 1e-9));
    }
}

#[test]
fn inputs_held_out_are_judged_by_what_is_predicted_of_them() {
    let all = framed(5);
    let (lattice, symmetries) = setting();
    let rows = Rows::new(&lattice, &symmetries, &all[..3], &plain(KERNELS[0]));
    let rows = Arc::new(rows);
    let [train, held] = [Known::new(&all[..3], 0), Known::new(&all[3..], 3)];
    for covariance in KERNELS {
        let folds = Folds::single(3);
        let examples = examples(&train, &held, &folds);
        let mut fit = KernelFit::new(covariance, &rows, &symmetries, &examples).unwrap();
        fit.learn_posterior(1.0, &examples);
        for (judged, framed) in fit.judged.iter().zip(&all[3..]) {
            assert!(close(judged, &fit.predict(framed), 1e-9));
        }
        let novelty = [3, 4].map(|i| fit.novelty(&all[i]));
        assert!((novelty[0] + novelty[1] - 2.0).abs() < 1e-9, "{novelty:?}");
    }
}

#[test]
fn predictions_move_with_their_query() {
    let (all, query) = (framed(3), &framed(6)[5]);
    for covariance in KERNELS {
        let fit = fit(covariance, &all);
        let there = fit.predict(query);
        for motion in positions() {
            let moved = Framed {
                input: motion.apply(Role::Input, &query.input),
                low: motion.apply(Role::Solution, &query.low),
                size: 1.0,
                points: 12,
            };
            let expected = motion.apply(Role::Solution, &there);
            assert!(close(&fit.predict(&moved), &expected, 1e-10));
            assert!((fit.novelty(&moved) - fit.novelty(query)).abs() < 1e-9);
        }
    }
}

#[test]
fn a_training_input_is_less_novel_than_another() {
    let all = framed(4);
    let fit = fit(KERNELS[1], &all[..3]);
    assert!(fit.novelty(&all[0]) < fit.novelty(&all[3]));
}

#[test]
fn eigenvectors_that_are_left_out_change_no_novelty() {
    let (lattice, symmetries) = setting();
    let (all, query) = (framed(5), &framed(8)[7]);
    let [train, none] = [Known::new(&all, 0), Known::new(&[], 0)];
    let folds = Folds::single(all.len());
    let examples = examples(&train, &none, &folds);
    for covariance in KERNELS {
        let rows = Arc::new(Rows::new(&lattice, &symmetries, &all, &plain(covariance)));
        let fitting = Fitting::new(covariance, &rows, &symmetries, &examples, None).unwrap();
        let (ridge, signature) = (0.3, rows.resemblance.signature(query));
        let columns = rows.columns(covariance, &signature);
        let own = rows.own(covariance, &signature);
        let unknown = |h: usize| {
            let system = fitting.systems[h].as_ref().unwrap();
            let column = Mat::from_fn(1, columns.len(), |_, j| columns[j][h]);
            let seen = column * &system.vectors;
            system.energy * (own[h] - system.explained(|k| seen[(0, k)], ridge)).max(0.0)
        };
        let whole: f64 = (0..own.len()).map(unknown).sum();
        let fit = completed(&fitting, ridge);
        let kept = fit.novelty(query) * fit.posterior.reference;
        assert!(
            (kept / whole - 1.0).abs() < 1e-5,
            "{covariance:?}: {kept} {whole}"
        );
    }
}
