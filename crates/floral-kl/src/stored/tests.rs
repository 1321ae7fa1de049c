//! Tests of storage: fits are read back unchanged; damaged ones and those of another version are
//! refused.

use super::{StoredExpansion, StoredModel};
use crate::testing::lattice;
use crate::{
    Case, Channels, Expansion, LawKind, Material, Prediction, Query, Recipe, Silent, Symmetries,
};

const POINTS: usize = 8;
const CHANNELS: Channels = Channels {
    input: 1,
    solution: 1,
};

fn wave(i: usize) -> Vec<f64> {
    let at = |p: usize| std::f64::consts::TAU * p as f64 / POINTS as f64;
    (0..POINTS)
        .map(|p| (at(p) + i as f64).sin() + 0.3 * (2.0 * at(p) * (1.0 + i as f64)).cos())
        .collect()
}

/// Kernels of six inputs with two runs each on a line that rolls and reflects.
fn fitted() -> Expansion {
    let lattice = lattice(&[("x", POINTS)], &["x"]);
    let declared = ["roll:x", "reflect:x:-"].map(|text| text.parse().unwrap());
    let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
    let inputs: Vec<Vec<f64>> = (0..6).map(wave).collect();
    let run = |a: &Vec<f64>, s: f64| -> Vec<f64> { a.iter().map(|v| v.tanh() + s * v).collect() };
    let runs: Vec<Vec<f64>> = inputs
        .iter()
        .map(|a| [run(a, 0.2), run(a, 0.3)].concat())
        .collect();
    let case = |i: usize| Case {
        query: query(&inputs[i]),
        realizations: (&runs[i]).into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = (0..inputs.len()).map(case).collect();
    let material = Material {
        lattice: &lattice,
        channels: CHANNELS,
        symmetries: &symmetries,
        cases: &cases,
        held_out: &[],
    };
    Expansion::fit(Recipe::Kernels, LawKind::Resampled, &material, &Silent).unwrap()
}

fn query(input: &[f64]) -> Query<'_> {
    Query { input, low: None }
}

fn predicted(expansion: &Expansion) -> Prediction {
    expansion.predict(&query(&wave(9))).unwrap()
}

fn written(stored: &StoredExpansion) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(stored, &mut bytes).unwrap();
    bytes
}

/// Whether changed bytes are refused with the advice to train again.
fn is_refused(bytes: &[u8], change: impl FnOnce(&mut StoredExpansion)) -> bool {
    let mut stored: StoredExpansion = ciborium::from_reader(bytes).unwrap();
    change(&mut stored);
    let read = Expansion::from_bytes(&written(&stored));
    let message = read.err().map_or(String::new(), |error| error.to_string());
    message.ends_with("train it again") && !message.contains('\n')
}

#[test]
fn a_fit_is_read_as_it_was_written_and_predicts_the_same_bits() {
    let fit = fitted();
    let bytes = fit.to_bytes();
    let again = Expansion::from_bytes(&bytes).unwrap();
    assert_eq!(predicted(&fit), predicted(&again));
    assert_eq!(again.to_bytes(), bytes);
}

#[test]
fn judging_inputs_are_kept_with_their_runs_and_predicted_without_them() {
    let fit = fitted();
    let again = Expansion::from_bytes(&fit.to_bytes()).unwrap();
    assert_eq!(again.left_out_count(), 6);
    assert!(again.is_left_out_whole());
    for index in 0..6 {
        let [own, read] = [&fit, &again].map(|fit| fit.left_out_input(index).unwrap());
        assert_eq!((&own.input, &own.runs), (&read.input, &read.runs));
        assert_eq!(own.draws.prediction(), read.draws.prediction());
        // Inputs are sorted by their values; each has its own two runs.
        let input = (0..6).map(wave).find(|wave| {
            let pairs = wave.iter().zip(&read.input);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-5
        });
        let input = input.unwrap();
        for (run, s) in read.runs.chunks_exact(POINTS).zip([0.2, 0.3]) {
            let pairs = run.iter().zip(&input);
            assert!(
                pairs
                    .clone()
                    .all(|(v, a)| (v - a.tanh() - s * a).abs() < 1e-5)
            );
        }
        // A fit that has seen the input predicts it better than the one that has not.
        let seen = fit.predict(&query(&input)).unwrap();
        let unseen = read.draws.prediction();
        let error = |mean: &[f64]| -> f64 {
            let pairs = mean.iter().zip(&input);
            pairs.map(|(m, a)| (m - a.tanh() - 0.25 * a).powi(2)).sum()
        };
        assert!(error(&seen.mean) < error(&unseen.mean));
    }
    assert!(fit.left_out_input(6).is_none());
}

#[test]
fn fits_that_keep_no_judging_inputs_are_read() {
    let mut stored: StoredExpansion = ciborium::from_reader(&fitted().to_bytes()[..]).unwrap();
    stored.left_out = None;
    let again = Expansion::from_bytes(&written(&stored)).unwrap();
    assert_eq!(again.left_out_count(), 0);
    assert!(again.left_out_input(0).is_none());
}

#[test]
fn fits_of_another_version_are_refused_in_one_line() {
    let bytes = fitted().to_bytes();
    for format in [0, 1, 3, super::FORMAT + 1] {
        assert!(
            is_refused(&bytes, |stored| stored.format = format),
            "{format}"
        );
    }
}

#[test]
fn arrays_of_other_sizes_and_numbers_that_are_none_are_refused() {
    let bytes = fitted().to_bytes();
    assert!(!is_refused(&bytes, |_| ()));
    assert!(is_refused(&bytes, |stored| {
        stored.residuals.pop();
    }));
    assert!(is_refused(&bytes, |stored| stored.residuals[0].0[0] = f32::NAN));
    let kernels = |change: fn(&mut StoredModel)| {
        is_refused(&bytes, |stored| {
            let members = stored
                .mean
                .members
                .iter_mut()
                .map(|member| &mut member.model);
            let is_kernel = |model: &&mut StoredModel| matches!(model, StoredModel::Kernel { .. });
            members.filter(is_kernel).for_each(change);
        })
    };
    assert!(kernels(|model| {
        if let StoredModel::Kernel { coefficients, .. } = model {
            coefficients[0].0.pop();
        }
    }));
    assert!(kernels(|model| {
        if let StoredModel::Kernel { posterior, .. } = model {
            posterior.iter_mut().for_each(|part| part.half += 1000);
        }
    }));
    assert!(kernels(|model| {
        if let StoredModel::Kernel { posterior, .. } = model {
            posterior
                .iter_mut()
                .for_each(|part| part.directions.0.push(1.0));
        }
    }));
    assert!(kernels(|model| {
        if let StoredModel::Kernel { reference, .. } = model {
            *reference = f64::INFINITY;
        }
    }));
}
