//! Tests of conditioning on a small lattice, against dense matrices.

use floral_linalg::{Mat, solve_positive};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::kernel::Nearest;
use crate::law::{Law, LawKind};
use crate::testing::{Purpose, Stream, stream};
use crate::unknown::Unknown;
use crate::{Lattice, Motion, testing};

const POINTS: usize = 9;

fn lattice() -> Lattice {
    testing::lattice(&[("x", POINTS)], &[])
}

/// Runs of an input: two waves with random amplitudes, the first skewed, and white noise.
fn runs(input: u64) -> Vec<f64> {
    let run = |r: u64| {
        let mut rng = stream(4, Purpose::Realization, input, r);
        let [a, b]: [f64; 2] = std::array::from_fn(|_| rng.sample(StandardNormal));
        let value = move |p: usize| {
            let x = p as f64 / POINTS as f64;
            let noise: f64 = rng.sample(StandardNormal);
            (a * a - 1.0) * (3.0 * x + input as f64).sin() + b * (7.0 * x).cos() + 0.1 * noise
        };
        (0..POINTS).map(value).collect::<Vec<f64>>()
    };
    (0..24).flat_map(run).collect()
}

fn unknown() -> Vec<f32> {
    let value = |k: usize, p: usize| 0.3 * ((1 + k) as f32 * p as f32).cos();
    let places = (0..2).flat_map(|k| (0..POINTS).map(move |p| (k, p)));
    places.map(|(k, p)| value(k, p)).collect()
}

/// Calls `of` with the law of these training inputs.
fn with_law<T>(kind: LawKind, inputs: u64, of: impl FnOnce(Deviations<'_>) -> T) -> T {
    let all: Vec<Vec<f64>> = (0..inputs).map(runs).collect();
    let all: Vec<_> = all.iter().map(|runs| (runs.into(), 1.0)).collect();
    let law = Law::new(kind, &all, POINTS, &lattice()).unwrap();
    let near = |input: u64| Nearest {
        input: input as usize,
        motion: Motion::identity(POINTS, 1, 1),
        weight: (1 + input) as f64 / (1..=inputs).sum::<u64>() as f64,
    };
    let nearest: Vec<Nearest> = (0..inputs).map(near).collect();
    let variance: Vec<f64> = (0..POINTS).map(|p| 0.5 + 0.1 * p as f64).collect();
    of(law.condition(&nearest, &variance, 1.0, &lattice()))
}

fn reading(place: usize, value: f64, deviation: f64) -> Reading {
    Reading {
        name: format!("reading {place}"),
        // Between this point and the next.
        entries: vec![(place, 0.75), (place + 1, 0.25)],
        value,
        deviation,
    }
}

fn rows(readings: &[Reading]) -> Rows {
    Rows::new(readings, &[0.0; POINTS], |_| 1.0).unwrap()
}

/// The covariance of the law of one training input whose coefficients are normal.
fn dense(deviations: &Deviations<'_>) -> Mat<f64> {
    let near = &deviations.near[0];
    let factors = near.factors.chunks_exact(POINTS);
    let scaled = |field: &[f32]| -> Vec<f64> {
        let parts = field.iter().zip(&deviations.gain);
        parts.map(|(f, g)| f64::from(f * g)).collect()
    };
    let mut fields: Vec<Vec<f64>> = factors.map(scaled).collect();
    let unknown = unknown();
    fields.extend(
        unknown
            .chunks_exact(POINTS)
            .map(|f| f.iter().map(|v| f64::from(*v)).collect()),
    );
    let fields = Mat::from_fn(POINTS, fields.len(), |p, k| fields[k][p]);
    let remainder = |p: usize| deviations.remainder.covariances(&[(p, 1.0)]);
    let remainder: Vec<Vec<f64>> = (0..POINTS).map(remainder).collect();
    &fields * fields.transpose() + Mat::from_fn(POINTS, POINTS, |p, q| remainder[p][q])
}

/// Mean and covariance of a normal law given readings: the closed form.
fn given(mean: &Mat<f64>, c: &Mat<f64>, rows: &Rows) -> (Mat<f64>, Mat<f64>) {
    let h = |i: usize, p: usize| {
        rows.entries[i]
            .iter()
            .filter(|(q, _)| *q == p)
            .map(|(_, f)| f)
            .sum::<f64>()
    };
    let h = Mat::from_fn(rows.len(), POINTS, h);
    let noise = Mat::from_fn(rows.len(), rows.len(), |i, j| {
        if i == j { rows.noise[i].powi(2) } else { 0.0 }
    });
    let s = &h * c * h.transpose() + noise;
    let y = Mat::from_fn(rows.len(), 1, |i, _| rows.missed[i]) - &h * mean;
    let shift = c * h.transpose() * solve_positive(&s, &y).unwrap();
    let less = c * h.transpose() * solve_positive(&s, &(&h * c)).unwrap();
    (mean + shift, c - less)
}

/// Draws given readings: [draw, point].
fn drawn(deviations: &Deviations<'_>, update: &Update, count: u64) -> Vec<Vec<f64>> {
    let mut rngs: Vec<Stream> = (0..count)
        .map(|j| stream(5, Purpose::Prior, 0, j))
        .collect();
    let mut out = vec![0.0; count as usize * POINTS];
    let unknown = unknown();
    let near = deviations.add_many(&mut rngs, Unknown::normal(&unknown), &mut out);
    let each = out.chunks_exact(POINTS).zip(&near).zip(&mut rngs);
    let one = |((draw, near), rng): ((&[f32], &usize), &mut Stream)| {
        let mut draw: Vec<f64> = draw.iter().map(|v| f64::from(*v)).collect();
        update.apply(*near, deviations, &unknown, rng, &mut draw);
        draw
    };
    each.map(one).collect()
}

fn farthest(a: &[f64], b: impl Fn(usize) -> f64) -> f64 {
    let errors = a.iter().enumerate().map(|(p, v)| (v - b(p)).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn a_normal_law_given_readings_is_the_closed_form() {
    with_law(LawKind::Normal, 1, |mut deviations| {
        let c = dense(&deviations);
        let readings = [
            reading(1, 0.7, 0.1),
            reading(5, -0.4, 0.0),
            reading(5, -0.2, 0.3),
        ];
        let (mean, covariance) = given(&Mat::zeros(POINTS, 1), &c, &rows(&readings));
        let (update, shifted, innovation) =
            conditioned(&mut deviations, &unknown(), rows(&readings)).unwrap();
        assert_eq!((innovation.smoothing, innovation.readings), (1.0, 3));
        assert!(farthest(&shifted.mean, |p| mean[(p, 0)]) < 1e-9);
        let total: Vec<f64> = shifted
            .aleatoric
            .iter()
            .zip(&shifted.epistemic)
            .map(|(a, e)| a + e)
            .collect();
        assert!(farthest(&total, |p| covariance[(p, p)]) < 1e-7);
        let draws = drawn(&deviations, &update, 20_000);
        for p in 0..POINTS {
            for q in 0..POINTS {
                let product = |d: &Vec<f64>| (d[p] - mean[(p, 0)]) * (d[q] - mean[(q, 0)]);
                let found = draws.iter().map(product).sum::<f64>() / 20_000.0;
                assert!((found - covariance[(p, q)]).abs() < 0.02, "{p} {q}");
            }
        }
    });
}

#[test]
fn readings_in_two_steps_are_those_at_once() {
    with_law(LawKind::Normal, 1, |mut deviations| {
        let c = dense(&deviations);
        let (one, other) = (reading(2, 0.7, 0.2), reading(6, -1.0, 0.1));
        let (mean, left) = given(
            &Mat::zeros(POINTS, 1),
            &c,
            &rows(std::slice::from_ref(&one)),
        );
        let (mean, left) = given(&mean, &left, &rows(std::slice::from_ref(&other)));
        let (_, shifted, _) =
            conditioned(&mut deviations, &unknown(), rows(&[one, other])).unwrap();
        assert!(farthest(&shifted.mean, |p| mean[(p, 0)]) < 1e-9);
        let total = |p: usize| shifted.aleatoric[p] + shifted.epistemic[p];
        assert!((0..POINTS).all(|p| (total(p) - left[(p, p)]).abs() < 1e-7));
    });
}

#[test]
fn every_realization_reproduces_an_exact_reading() {
    for kind in [LawKind::Resampled, LawKind::Normal] {
        with_law(kind, 3, |mut deviations| {
            let readings = [reading(0, 0.9, 0.0), reading(4, -0.6, 0.0)];
            let seen = rows(&readings);
            let (update, shifted, _) =
                conditioned(&mut deviations, &unknown(), rows(&readings)).unwrap();
            for draw in drawn(&deviations, &update, 200)
                .iter()
                .chain([&shifted.mean])
            {
                let errors = seen.of(draw).into_iter().zip(&seen.missed);
                assert!(errors.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-8);
            }
        });
    }
}

#[test]
fn a_reading_without_information_changes_nothing() {
    with_law(LawKind::Resampled, 3, |mut deviations| {
        let before: Vec<f64> = deviations.near.iter().map(|near| near.weight).collect();
        let unknown = unknown();
        let (_, shifted, innovation) =
            conditioned(&mut deviations, &unknown, rows(&[reading(3, 1e3, 1e6)])).unwrap();
        assert_eq!(innovation.smoothing, 0.1);
        assert!(!innovation.contradicts());
        let after = deviations.near.iter().map(|near| near.weight);
        assert!(after.zip(before).all(|(a, b)| (a - b).abs() < 1e-5));
        let variance = |p: usize| 0.5 + 0.1 * p as f64;
        let epistemic = |p: usize| unknown[p].powi(2) + unknown[POINTS + p].powi(2);
        assert!(farthest(&shifted.mean, |_| 0.0) < 1e-5);
        assert!(farthest(&shifted.aleatoric, variance) < 1e-5);
        assert!(farthest(&shifted.epistemic, |p| f64::from(epistemic(p))) < 1e-5);
    });
}

#[test]
fn known_moments_are_those_of_draws_whatever_the_law() {
    with_law(LawKind::Resampled, 3, |mut deviations| {
        let readings = [reading(1, 1.2, 0.3), reading(6, 0.4, 0.2)];
        let (update, shifted, innovation) =
            conditioned(&mut deviations, &unknown(), rows(&readings)).unwrap();
        assert!(innovation.effective_runs >= 10.0, "{innovation:?}");
        let draws = drawn(&deviations, &update, 40_000);
        for p in 0..POINTS {
            let mean = draws.iter().map(|d| d[p]).sum::<f64>() / 40_000.0;
            let square = draws.iter().map(|d| (d[p] - mean).powi(2)).sum::<f64>() / 40_000.0;
            assert!((mean - shifted.mean[p]).abs() < 0.02, "{p}");
            let total = shifted.aleatoric[p] + shifted.epistemic[p];
            assert!((square / total - 1.0).abs() < 0.06, "{p}: {square} {total}");
        }
        for p in 0..POINTS {
            let found = update.epistemic_variance(&[(p, 1.0)], &deviations, &unknown());
            assert!((found - shifted.epistemic[p]).abs() < 1e-7);
        }
    });
}

#[test]
fn neither_order_nor_units_of_readings_matter() {
    let moments = |readings: &[Reading], mean: f64, scale: f64| {
        with_law(LawKind::Resampled, 3, |mut deviations| {
            let rows = Rows::new(readings, &[mean; POINTS], |_| scale).unwrap();
            let (_, shifted, innovation) = conditioned(&mut deviations, &unknown(), rows).unwrap();
            (shifted.mean, shifted.epistemic, innovation)
        })
    };
    let all = [
        reading(1, 1.2, 0.3),
        reading(6, 0.4, 0.2),
        reading(3, 0.1, 0.0),
    ];
    let reversed: Vec<Reading> = all.iter().rev().cloned().collect();
    let first = moments(&all, 0.0, 1.0);
    assert_eq!(first, moments(&reversed, 0.0, 1.0));
    // Degrees Celsius and Fahrenheit.
    let converted = all.iter().map(|reading| Reading {
        value: 32.0 + 1.8 * reading.value,
        deviation: 1.8 * reading.deviation,
        ..reading.clone()
    });
    let converted = moments(&converted.collect::<Vec<_>>(), 32.0, 1.8);
    assert!(farthest(&first.0, |p| converted.0[p]) < 1e-9);
    assert!(farthest(&first.1, |p| converted.1[p]) < 1e-9);
    assert!((first.2.chi_square - converted.2.chi_square).abs() < 1e-9);
}

#[test]
fn readings_that_cannot_all_be_are_refused_and_exact_copies_count_once() {
    let refusal = |readings: &[Reading]| {
        with_law(LawKind::Normal, 2, |mut deviations| {
            let rows = Rows::new(readings, &[0.0; POINTS], |_| 1.0);
            let rows = rows.and_then(|rows| conditioned(&mut deviations, &unknown(), rows));
            rows.map(|(_, _, innovation)| innovation)
        })
    };
    let copies = [
        reading(2, 0.5, 0.0),
        reading(2, 0.5, 0.0),
        reading(2, 0.4, 0.1),
    ];
    assert_eq!(refusal(&copies).unwrap().readings, 2);
    let sum = Reading {
        entries: vec![(1, 0.75), (2, 1.0), (3, 0.25)],
        ..reading(0, 1.0, 0.0)
    };
    for (readings, words) in [
        (vec![], "there are none"),
        (
            vec![reading(2, 0.5, 0.0), reading(2, 0.6, 0.0)],
            "both are exact",
        ),
        (vec![reading(2, f64::NAN, 0.1)], "not a number"),
        (vec![reading(2, 0.5, -0.1)], "std"),
        (vec![reading(POINTS, 0.5, 0.1)], "off the grid"),
        (
            vec![reading(1, 0.5, 0.0), reading(2, 0.5, 0.0), sum],
            "the other readings determine it",
        ),
    ] {
        let words_found = refusal(&readings).unwrap_err().to_string();
        assert!(words_found.contains(words), "{words_found}");
    }
    let far = refusal(&[reading(2, 50.0, 0.1)]).unwrap();
    assert!(far.contradicts() && far.p_value < 1e-10);
}

#[test]
fn sensors_go_where_they_remove_most_variance() {
    with_law(LawKind::Normal, 1, |deviations| {
        let mut c = dense(&deviations);
        let placement = Placement {
            count: 3,
            noise: vec![0.2],
            weights: vec![1.0; POINTS],
        };
        let known = rows(&[reading(4, 0.0, 0.1)]);
        let found = placed(&deviations, &unknown(), Some(&known), &placement, &[1.0]).unwrap();
        let trace = |c: &Mat<f64>| (0..POINTS).map(|p| c[(p, p)]).sum::<f64>();
        let all = trace(&c);
        c = given(&Mat::zeros(POINTS, 1), &c, &known).1;
        for sensor in found {
            let left = |p: usize| {
                let one = Reading {
                    entries: vec![(p, 1.0)],
                    ..reading(0, 0.0, 0.2)
                };
                given(&Mat::zeros(POINTS, 1), &c, &rows(&[one])).1
            };
            let best = (0..POINTS).min_by(|a, b| trace(&left(*a)).total_cmp(&trace(&left(*b))));
            assert_eq!(Some(sensor.point), best);
            c = left(sensor.point);
            assert!((sensor.left - trace(&c) / all).abs() < 1e-7);
        }
    });
}
