//! Tests of the network stacked on regressions: it learns a planted residual, and it is the same on
//! any number of threads and after reading.
#![allow(clippy::unwrap_used)] // A test may panic.

use floral::kl::{
    Channels, Lattice, LatticeAxis, Learner, Lesson, Network, Silent, Symmetries, Symmetry,
};
use floral::train::Stack;
use rand_distr::{Distribution, StandardNormal};

const INPUTS: usize = 24;
const POINTS: usize = 16;
const STACK: Stack = Stack { seed: 1 };

fn lattice(len: usize) -> Lattice {
    Lattice::new(vec![LatticeAxis {
        name: "x".into(),
        len,
        periodic: true,
        even: true,
    }])
}

/// Smooth periodic fields; the first guess is linear and misses a quadratic part.
fn lesson<'a>(lattice: &'a Lattice, symmetries: &'a Symmetries) -> Lesson<'a> {
    let mut rng = floral::random::stream(5, floral::random::Purpose::Input, 0, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let points = lattice.len();
    let inputs: Vec<Vec<f64>> = (0..INPUTS)
        .map(|_| {
            let waves = [1.0, 2.0].map(|k| (k, normal(), normal()));
            let at = |p: usize| {
                let x = std::f64::consts::TAU * p as f64 / points as f64;
                let wave = |&(k, a, b): &(f64, f64, f64)| a * (k * x).cos() + b * (k * x).sin();
                waves.iter().map(wave).sum()
            };
            (0..points).map(at).collect()
        })
        .collect();
    let fields = inputs.iter().map(|a| [&a[..], &vec![1.0; points]].concat());
    Lesson {
        lattice,
        symmetries,
        channels: Channels {
            input: 1,
            solution: 1,
        },
        fields: fields.collect(),
        targets: inputs
            .iter()
            .map(|a| a.iter().map(|v| 1e-3 * v * v).collect())
            .collect(),
        parts: (0..INPUTS).map(|i| i % 4).collect(),
        time: None,
        observer: &Silent,
    }
}

fn rolled(lattice: &Lattice) -> Symmetries {
    let declared: Vec<Symmetry> = vec!["roll:x".parse().unwrap()];
    Symmetries::new(&declared, lattice, 1, 1).unwrap()
}

fn learned(lesson: &Lesson<'_>) -> Vec<Box<dyn Network>> {
    STACK.learn(lesson).unwrap()
}

#[test]
fn inputs_left_out_are_corrected_by_what_was_planted() {
    let lattice = lattice(POINTS);
    let symmetries = rolled(&lattice);
    let lesson = lesson(&lattice, &symmetries);
    let networks = learned(&lesson);
    let (mut left, mut all) = (0.0, 0.0);
    for (i, target) in lesson.targets.iter().enumerate() {
        let correction = networks[lesson.parts[i]].correct(&lesson.fields[i]);
        left += target
            .iter()
            .zip(correction)
            .map(|(t, c)| (t - c).powi(2))
            .sum::<f64>();
        all += target.iter().map(|t| t * t).sum::<f64>();
    }
    assert!(left < 0.1 * all, "{}", left / all);
}

#[test]
fn a_network_is_the_same_on_any_number_of_threads_and_after_reading() {
    let lattice = lattice(POINTS);
    let symmetries = rolled(&lattice);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let lesson = lesson(&lattice, &symmetries);
        let pool = pool.build().unwrap();
        pool.install(|| learned(&lesson)[0].to_bytes())
    };
    let one = bytes(1);
    assert!(one == bytes(3));
    let network = STACK.restore(&one).unwrap();
    let lesson = lesson(&lattice, &symmetries);
    let again = STACK.restore(&network.to_bytes()).unwrap();
    let fields = &lesson.fields[0];
    assert_eq!(network.correct(fields), again.correct(fields));
    assert!(STACK.restore(&one[..one.len() / 2]).is_err());
    assert!(STACK.restore(&[]).is_err());
}

#[test]
fn a_grid_that_the_operator_does_not_suit_is_not_learned() {
    let lattice = lattice(6);
    let symmetries = rolled(&lattice);
    assert!(learned(&lesson(&lattice, &symmetries)).is_empty());
}
