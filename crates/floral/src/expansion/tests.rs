//! Laws of expansions: a law of two modes is learned, a normal one left to the regressions.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::random::{Purpose, Stream, stream};
use crate::{Axis, Grid, Silent};

const POINTS: usize = 24;

/// Inputs a x and solutions about them, of two modes or one, along a fixed field.
struct Data {
    lattice: Lattice,
    symmetries: Symmetries,
    /// Input, realizations.
    all: Vec<(Vec<f64>, Vec<f64>)>,
}

const ONE: Channels = Channels {
    input: 1,
    solution: 1,
};

fn data(is_bimodal: bool) -> Data {
    let grid = Grid::new(vec![Axis::closed("x", POINTS)]);
    let lattice = Lattice::new(&grid, &[]).unwrap();
    let solved = |i: u64| {
        let mut rng = stream(11, Purpose::Realization, i, 0);
        let slope: f64 = rng.random_range(1.0..2.0);
        let at = |p: usize| p as f64 / (POINTS - 1) as f64;
        let input: Vec<f64> = (0..POINTS).map(|p| slope * at(p)).collect();
        let realization = |_| {
            let normal: f64 = rng.sample(StandardNormal);
            let size = match is_bimodal {
                true if rng.random_bool(0.65) => 0.6 + 0.1 * normal,
                true => -1.2 + 0.1 * normal,
                false => normal,
            };
            let value = move |p: usize| slope * at(p) + size * (0.5 + at(p));
            (0..POINTS).map(value).collect::<Vec<f64>>()
        };
        let realizations = (0..60).flat_map(realization).collect();
        (input, realizations)
    };
    Data {
        symmetries: Symmetries::none(&lattice, 1, 1),
        lattice,
        all: (0..18).map(solved).collect(),
    }
}

fn cases(data: &Data) -> Vec<Case<'_>> {
    let all = data.all.iter();
    all.map(|(input, realizations)| Case {
        query: Query { input, low: None },
        realizations,
        points: None,
    })
    .collect()
}

fn fitted(data: &Data) -> Expansion {
    let cases = cases(data);
    let (train, held_out) = cases.split_at(12);
    let material = Material {
        lattice: &data.lattice,
        channels: ONE,
        symmetries: &data.symmetries,
        cases: train,
        held_out,
    };
    Expansion::fit((Recipe::Blend, true), &material, 1, &Silent).unwrap()
}

fn drawn(expansion: &Expansion, data: &Data, count: usize) -> Vec<f64> {
    let cases = cases(data);
    let draws = expansion.draws(&cases[17].query).unwrap();
    let mut rngs: Vec<Stream> = (0..count as u64)
        .map(|j| stream(5, Purpose::Prior, 0, j))
        .collect();
    let mut out = vec![0.0; count * POINTS];
    draws.draw_many(&mut rngs, &mut out);
    out
}

#[test]
fn a_law_of_two_modes_is_learned_and_kept_in_bytes() {
    let data = data(true);
    let expansion = fitted(&data);
    let energy = expansion.energy().unwrap();
    assert!(
        expansion.is_learned() && energy.learned < energy.normal,
        "{energy:?}"
    );
    let draws = drawn(&expansion, &data, 400);
    let (input, _) = &data.all[17];
    let above = draws
        .chunks_exact(POINTS)
        .filter(|d| d[POINTS - 1] > input[POINTS - 1]);
    let share = above.count() as f64 / 400.0;
    assert!((share - 0.65).abs() < 0.1, "{share}");
    let again = Expansion::from_bytes(&expansion.to_bytes()).unwrap();
    assert_eq!(drawn(&again, &data, 400), draws);
    assert_eq!(drawn(&again, &data, 7), draws[..7 * POINTS]);
}

/// Intervals of 1.64 deviations hold both modes, and would be narrowed until they do not.
#[test]
fn a_law_of_two_modes_keeps_its_deviation() {
    let data = data(true);
    let expansion = fitted(&data);
    assert!(expansion.kriging().calibration() >= 1.0);
    let deviation = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        (square / values.len() as f64).sqrt()
    };
    let last = |k: usize| k % POINTS == POINTS - 1;
    let draws = drawn(&expansion, &data, 400);
    let draws = draws.iter().enumerate().filter(|(k, _)| last(*k));
    let found = deviation(&mut draws.map(|(_, v)| *v));
    let truth = data.all[17].1.iter().enumerate().filter(|(k, _)| last(*k));
    let truth = deviation(&mut truth.map(|(_, v)| *v));
    assert!((found / truth - 1.0).abs() < 0.15, "{found} {truth}");
}

#[test]
fn a_normal_law_needs_no_learning() {
    let data = data(false);
    let expansion = fitted(&data);
    assert!(!expansion.is_learned() && expansion.energy().is_none());
    let again = Expansion::from_bytes(&expansion.to_bytes()).unwrap();
    assert_eq!(drawn(&again, &data, 9), drawn(&expansion, &data, 9));
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = fitted(&data(false)).to_bytes();
    for cut in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        assert!(Expansion::from_bytes(&bytes[..cut]).is_err());
    }
}
