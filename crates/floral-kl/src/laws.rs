//! Tests of the fit as a whole: what must not change a prediction, and what must stay within
//! bounds.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::testing::{Purpose, stream};
use crate::{Silent, testing};

const POINTS: usize = 24;
const RUNS: usize = 6;

/// Largest difference by round-off, in units of the deviation: ridges as small as 1e-12 of the mean
/// diagonal magnify it.
const ROUND_OFF: f64 = 2e-3;

/// Inputs, low fidelity and runs of a small problem: [input][channel, point].
#[derive(Clone)]
struct Data {
    inputs: Vec<Vec<f64>>,
    lows: Option<Vec<Vec<f64>>>,
    highs: Vec<Vec<f64>>,
    /// The exact mean solutions.
    means: Vec<Vec<f64>>,
    channels: Channels,
}

fn waves(count: usize) -> Data {
    waves_of(21, count)
}

/// Waves with a nonlinear local response, an integral of them, and a spread that grows with the
/// input.
fn waves_of(seed: u64, count: usize) -> Data {
    let input = |i: usize| -> Vec<f64> {
        let mut rng = stream(seed, Purpose::Input, i as u64, 0);
        let [a, b, c]: [f64; 3] = std::array::from_fn(|_| rng.sample(StandardNormal));
        let at = |p: usize| std::f64::consts::TAU * p as f64 / POINTS as f64;
        (0..POINTS)
            .map(|p| a * (at(p) + c).sin() + 0.5 * b * (2.0 * at(p)).cos())
            .collect()
    };
    let inputs: Vec<Vec<f64>> = (0..count).map(input).collect();
    let response = |a: &[f64], normal: f64| -> Vec<f64> {
        let mut sum = 0.0;
        let value = |v: &f64| {
            sum += v / POINTS as f64;
            v.tanh() + 0.5 * sum + 0.2 * normal * (0.1 + v.abs())
        };
        a.iter().map(value).collect()
    };
    let run = |i: usize, a: &[f64]| -> Vec<f64> {
        let one = |r: usize| {
            let mut rng = stream(seed, Purpose::Realization, i as u64, r as u64);
            response(a, rng.sample(StandardNormal))
        };
        (0..RUNS).flat_map(one).collect()
    };
    Data {
        means: inputs.iter().map(|a| response(a, 0.0)).collect(),
        highs: inputs.iter().enumerate().map(|(i, a)| run(i, a)).collect(),
        lows: Some(
            inputs
                .iter()
                .map(|a| a.iter().map(|v| 0.8 * v).collect())
                .collect(),
        ),
        inputs,
        channels: Channels {
            input: 1,
            solution: 1,
        },
    }
}

fn without_low(count: usize) -> Data {
    Data {
        lows: None,
        ..waves(count)
    }
}

/// Two parameters, as constant fields, and a curve as their solution.
fn parameters(count: usize) -> Data {
    let draw = |i: usize| -> [f64; 2] {
        let mut rng = stream(22, Purpose::Input, i as u64, 0);
        std::array::from_fn(|_| rng.random_range(0.0..1.0))
    };
    let field = |p: [f64; 2]| p.iter().flat_map(|v| vec![*v; POINTS]).collect();
    let curve = |i: usize, size: f64| -> Vec<f64> {
        let [decay, wave] = draw(i);
        let at = |p: usize| {
            let t = p as f64 / POINTS as f64;
            size * (-2.0 * decay * t).exp() * (4.0 * (1.0 + wave) * t).sin()
        };
        (0..POINTS).map(at).collect()
    };
    let runs = |i: usize| -> Vec<f64> {
        let one = |r: usize| {
            let mut rng = stream(22, Purpose::Realization, i as u64, r as u64);
            curve(i, 1.0 + 0.1 * rng.sample::<f64, _>(StandardNormal))
        };
        (0..RUNS).flat_map(one).collect()
    };
    Data {
        means: (0..count).map(|i| curve(i, 1.0)).collect(),
        inputs: (0..count).map(|i| field(draw(i))).collect(),
        lows: None,
        highs: (0..count).map(runs).collect(),
        channels: Channels {
            input: 2,
            solution: 1,
        },
    }
}

fn lattice() -> Lattice {
    testing::lattice(&[("x", POINTS)], &[])
}

fn query(data: &Data, i: usize) -> Query<'_> {
    Query {
        input: &data.inputs[i],
        low: data.lows.as_ref().map(|lows| &lows[i][..]),
    }
}

fn fitted(data: &Data, train: &[usize]) -> Expansion {
    fitted_beside(data, train, &[])
}

/// A fit to some inputs, with others held out.
fn fitted_beside(data: &Data, train: &[usize], held_out: &[usize]) -> Expansion {
    let case = |&i: &usize| Case {
        query: query(data, i),
        realizations: (&data.highs[i]).into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = train.iter().map(case).collect();
    let held_out: Vec<Case<'_>> = held_out.iter().map(case).collect();
    let Channels { input, solution } = data.channels;
    let material = Material {
        lattice: &lattice(),
        channels: data.channels,
        symmetries: &Symmetries::none(&lattice(), input, solution),
        cases: &cases,
        held_out: &held_out,
    };
    Expansion::fit(Recipe::Blend, LawKind::Resampled, &material, &Silent).unwrap()
}

/// The prediction for input 0 by a fit to the others.
fn predicted(data: &Data) -> Prediction {
    let train: Vec<usize> = (1..data.inputs.len()).collect();
    fitted(data, &train).predict(&query(data, 0)).unwrap()
}

fn all() -> [(&'static str, Data); 3] {
    [
        ("waves", waves(9)),
        ("without low", without_low(9)),
        ("parameters", parameters(9)),
    ]
}

/// The largest difference of means in units of the deviation of the first, and of deviations.
fn apart(a: &Prediction, b: &Prediction, scale: f64, shift: f64) -> f64 {
    let deviation = a.total().iter().map(|v| v.sqrt()).fold(0.0, f64::max);
    let means = a.mean.iter().zip(&b.mean);
    let means = means.map(|(a, b)| (a - (b - shift) / scale).abs());
    let totals = a.total().into_iter().zip(b.total());
    let totals = totals.map(|(a, b)| (a.sqrt() - b.sqrt() / scale).abs());
    means.chain(totals).fold(0.0, f64::max) / deviation
}

fn mapped(fields: &[Vec<f64>], map: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let field = |field: &Vec<f64>| field.iter().map(|v| map(*v)).collect();
    fields.iter().map(field).collect()
}

#[test]
fn a_constant_added_to_high_fidelity_is_added_to_the_prediction() {
    for (name, data) in all() {
        let plain = predicted(&data);
        for shift in [10.0, 1e4, -3e7] {
            let moved = Data {
                highs: mapped(&data.highs, |v| v + shift),
                ..data.clone()
            };
            let apart = apart(&plain, &predicted(&moved), 1.0, shift);
            assert!(apart < ROUND_OFF, "{name} {shift}: {apart}");
        }
    }
}

#[test]
fn other_units_of_high_fidelity_low_fidelity_or_input_change_nothing() {
    for (name, data) in all() {
        let plain = predicted(&data);
        for scale in [1e-150, 1e-3, 1e7, 1e140] {
            let solution = Data {
                highs: mapped(&data.highs, |v| scale * v),
                lows: data.lows.as_ref().map(|lows| mapped(lows, |v| scale * v)),
                ..data.clone()
            };
            let apart_by = apart(&plain, &predicted(&solution), scale, 0.0);
            assert!(apart_by < ROUND_OFF, "{name} {scale}: {apart_by}");
            let input = Data {
                inputs: mapped(&data.inputs, |v| scale * v),
                ..data.clone()
            };
            let apart_by = apart(&plain, &predicted(&input), 1.0, 0.0);
            assert!(apart_by < ROUND_OFF, "{name}, input {scale}: {apart_by}");
        }
    }
}

#[test]
fn the_order_of_inputs_changes_nothing() {
    for (name, data) in all() {
        let plain = predicted(&data);
        let reversed: Vec<usize> = (1..data.inputs.len()).rev().collect();
        let other = fitted(&data, &reversed).predict(&query(&data, 0)).unwrap();
        let apart = apart(&plain, &other, 1.0, 0.0);
        assert!(apart < ROUND_OFF, "{name}: {apart}");
    }
}

/// Inputs are compared by their logarithms there.
#[test]
fn an_input_with_zeros_under_a_scaling_symmetry_has_a_finite_prediction() {
    let data = without_low(6);
    let inputs = mapped(&data.inputs, f64::exp);
    let case = |i: usize| Case {
        query: Query {
            input: &inputs[i],
            low: None,
        },
        realizations: (&data.highs[i]).into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = (1..6).map(case).collect();
    let scaling = ["scale:1".parse().unwrap()];
    let material = Material {
        lattice: &lattice(),
        channels: data.channels,
        symmetries: &Symmetries::new(&scaling, &lattice(), 1, 1).unwrap(),
        cases: &cases,
        held_out: &[],
    };
    let fit = Expansion::fit(Recipe::Kernels, LawKind::Resampled, &material, &Silent).unwrap();
    let mut input = inputs[0].clone();
    input[3] = 0.0;
    let input = Query {
        input: &input,
        low: None,
    };
    let prediction = fit.predict(&input).unwrap();
    assert!(prediction.mean.iter().all(|v| v.is_finite()));
    assert!(prediction.epistemic.iter().all(|v| v.is_finite()));
}

/// A single run shows no spread that could judge the predicted one.
#[test]
fn inputs_held_out_with_a_single_run_join_the_training_inputs() {
    let mut data = waves(9);
    for runs in &mut data.highs[4..] {
        runs.truncate(POINTS);
    }
    let query = query(&data, 0);
    let beside = fitted_beside(&data, &[1, 2, 3], &[4, 5, 6, 7, 8]);
    let together = fitted(&data, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let [beside, together] = [beside, together].map(|fit| fit.predict(&query).unwrap());
    assert_eq!(apart(&beside, &together, 1.0, 0.0), 0.0);
}

#[test]
fn a_channel_that_never_varies_changes_nothing_and_is_predicted_exactly() {
    let data = waves(9);
    let beside = |fields: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let two = |field: &Vec<f64>| {
            let runs = field.chunks_exact(POINTS);
            runs.flat_map(|run| [run, &[5.0; POINTS]].concat())
                .collect()
        };
        fields.iter().map(two).collect()
    };
    let both = Data {
        highs: beside(&data.highs),
        lows: data.lows.as_ref().map(|lows| beside(lows)),
        channels: Channels {
            input: 1,
            solution: 2,
        },
        ..data.clone()
    };
    let (plain, two) = (predicted(&data), predicted(&both));
    let first = two.picked(2 * POINTS, &(0..POINTS).collect::<Vec<_>>());
    let apart = apart(&plain, &first, 1.0, 0.0);
    assert!(apart < 0.05, "{apart}");
    let second = two.picked(2 * POINTS, &(POINTS..2 * POINTS).collect::<Vec<_>>());
    assert!(second.mean.iter().all(|v| (v - 5.0).abs() < 1e-9));
    assert!(
        second.total().iter().all(|v| *v < 1e-12),
        "{:?}",
        second.total()
    );
}

/// Root mean square error of the mean over that of the mean training solution.
fn error(data: &Data, train: &[usize]) -> f64 {
    let fitted = fitted(data, train);
    let mean = |highs: &[f64]| -> Vec<f64> {
        let at = |p: usize| highs.iter().skip(p).step_by(POINTS).sum::<f64>() / RUNS as f64;
        (0..POINTS).map(at).collect()
    };
    let train: Vec<Vec<f64>> = train.iter().map(|&i| mean(&data.highs[i])).collect();
    let simplest = |p: usize| train.iter().map(|f| f[p]).sum::<f64>() / train.len() as f64;
    let (mut own, mut simple) = (0.0, 0.0);
    for i in 0..6 {
        let found = fitted.predict(&query(data, i)).unwrap().mean;
        let truth = mean(&data.highs[i]);
        for p in 0..POINTS {
            own += (found[p] - truth[p]).powi(2);
            simple += (simplest(p) - truth[p]).powi(2);
        }
    }
    (own / simple).sqrt()
}

/// Root mean square error of the mean at the inputs 0 to 5, against the exact mean.
fn distance(data: &Data, train: &[usize]) -> f64 {
    let fitted = fitted(data, train);
    let square = |i: usize| -> f64 {
        let found = fitted.predict(&query(data, i)).unwrap().mean;
        let parts = found.iter().zip(&data.means[i]);
        parts.map(|(f, m)| (f - m).powi(2)).sum()
    };
    ((0..6).map(square).sum::<f64>() / (6 * POINTS) as f64).sqrt()
}

#[test]
fn more_inputs_never_hurt() {
    let median = |count: usize| {
        let of = |seed: u64| {
            let data = waves_of(30 + seed, 6 + count);
            distance(&data, &(6..6 + count).collect::<Vec<_>>())
        };
        let mut all: Vec<f64> = (0..3).map(of).collect();
        all.sort_by(f64::total_cmp);
        all[1]
    };
    let [two, ten, forty] = [2, 10, 40].map(median);
    assert!(ten < 0.7 * two && forty < 0.7 * ten, "{two} {ten} {forty}");
}

#[test]
fn a_parameter_that_does_not_act_hardly_changes_a_prediction() {
    let data = parameters(26);
    let with_idle = |(i, field): (usize, &Vec<f64>)| -> Vec<f64> {
        let idle: f64 = stream(24, Purpose::Input, i as u64, 0).random_range(0.0..1.0);
        [&field[..], &[idle; POINTS]].concat()
    };
    let idle = Data {
        inputs: data.inputs.iter().enumerate().map(with_idle).collect(),
        channels: Channels {
            input: 3,
            solution: 1,
        },
        ..data.clone()
    };
    let train: Vec<usize> = (6..26).collect();
    let (plain, idle) = (distance(&data, &train), distance(&idle, &train));
    assert!(idle < 1.5 * plain, "{plain} {idle}");
}

#[test]
fn low_fidelity_in_units_of_its_own_does_little_harm() {
    let data = waves(26);
    let train: Vec<usize> = (6..26).collect();
    let plain = distance(&data, &train);
    for scale in [0.1, 10.0] {
        let other = Data {
            lows: data.lows.as_ref().map(|lows| mapped(lows, |v| scale * v)),
            ..data.clone()
        };
        let found = distance(&other, &train);
        assert!(found < 1.3 * plain, "{scale}: {plain} {found}");
    }
}

#[test]
fn one_input_or_copies_of_it_are_not_extrapolated() {
    for data in [waves(20), without_low(20)] {
        for copies in [1, 10] {
            let found = error(&data, &vec![7; copies]);
            assert!(found <= 1.0 + 1e-9, "{copies}: {found}");
        }
    }
}

#[test]
fn a_copy_of_an_input_hardly_changes_a_prediction() {
    let data = waves(16);
    let train: Vec<usize> = (6..16).collect();
    let (plain, twice) = (
        error(&data, &train),
        error(&data, &[&train[..], &[9, 9]].concat()),
    );
    assert!(twice < 1.3 * plain && plain < 0.5, "{plain} {twice}");
}

#[test]
fn low_fidelity_that_is_noise_does_little_harm() {
    let data = waves(26);
    let noise = |i: usize| -> Vec<f64> {
        let mut rng = stream(23, Purpose::Input, i as u64, 0);
        (0..POINTS).map(|_| rng.sample(StandardNormal)).collect()
    };
    let noisy = Data {
        lows: Some((0..26).map(noise).collect()),
        ..data.clone()
    };
    let train: Vec<usize> = (6..26).collect();
    let (alone, noisy) = (error(&without_low(26), &train), error(&noisy, &train));
    assert!(noisy < 1.15 * alone, "{noisy} {alone}");
}

#[test]
fn data_without_any_variation_are_fitted_and_predicted_as_they_are() {
    let data = waves(6);
    let constant = Data {
        highs: mapped(&data.highs, |_| 3.0),
        ..data.clone()
    };
    let found = predicted(&constant);
    assert!(
        found.mean.iter().all(|v| (v - 3.0).abs() < 1e-9),
        "{:?}",
        found.mean
    );
    let lows = data.lows.as_ref().unwrap();
    let same = Data {
        highs: lows.iter().map(|low| low.repeat(RUNS)).collect(),
        ..data.clone()
    };
    let found = predicted(&same);
    let close = found
        .mean
        .iter()
        .zip(&lows[0])
        .all(|(m, l)| (m - l).abs() < 1e-6);
    assert!(close && found.aleatoric.iter().all(|v| *v < 1e-12));
}

#[test]
fn ends_that_are_fixed_stay_fixed() {
    let data = waves(9);
    let ends = |fields: &Vec<f64>| -> Vec<f64> {
        let at = |(i, v): (usize, &f64)| match i % POINTS {
            0 => 0.0,
            p if p == POINTS - 1 => 0.0,
            _ => *v,
        };
        fields.iter().enumerate().map(at).collect()
    };
    let fixed = Data {
        highs: data.highs.iter().map(ends).collect(),
        ..data
    };
    let found = predicted(&fixed);
    for p in [0, POINTS - 1] {
        assert!(found.mean[p].abs() < 1e-12 && found.total()[p] == 0.0);
    }
    assert!(found.total()[POINTS / 2] > 0.0);
}

#[test]
fn a_run_that_is_a_thousand_times_too_large_is_left_out() {
    let data = waves(9);
    let mut broken = data.clone();
    broken.highs[3][..POINTS]
        .iter_mut()
        .for_each(|v| *v *= 1000.0);
    let (plain, found) = (predicted(&data), predicted(&broken));
    let ratio = |a: &Prediction| a.total().iter().sum::<f64>();
    assert!((0.5..2.0).contains(&(ratio(&found) / ratio(&plain))));
}
