//! Tests with networks of known quality: exact corrections get full weight, noise gets none, and
//! both are stored.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::stack::Network;
use crate::testing::{lattice, normals};
use crate::{Case, Error, Expansion, LawKind, Material, Query, Recipe, Silent, Symmetry};

const INPUTS: usize = 24;
const POINTS: usize = 12;

/// How the networks of a test learner correct the error of the blend.
#[derive(Clone, Copy)]
enum Kind {
    Exact,
    Noise,
}

struct Planted(Kind);

/// Corrections of known fields; for other fields, the constant of their first value.
struct Table(Vec<(Vec<f64>, Vec<f64>)>);

impl Network for Table {
    fn correct(&self, fields: &[f64]) -> Vec<f64> {
        let found = self.0.iter().find(|(known, _)| known == fields);
        let other = || vec![fields[0]; self.0[0].1.len()];
        found.map_or_else(other, |(_, correction)| correction.clone())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let fields = self.0.iter().flat_map(|(f, c)| f.iter().chain(c));
        fields.flat_map(|v| v.to_le_bytes()).collect()
    }
}

impl Learner for Planted {
    fn learn(&self, lesson: &Lesson<'_>) -> Result<Vec<Box<dyn Network>>> {
        let noise = normals(4, INPUTS * POINTS);
        let row = |i: usize| {
            let correction = match self.0 {
                Kind::Exact => lesson.targets[i].clone(),
                Kind::Noise => noise[i * POINTS..(i + 1) * POINTS].to_vec(),
            };
            (lesson.fields[i].clone(), correction)
        };
        let table = || Table((0..INPUTS).map(row).collect());
        let network = |_| Box::new(table()) as Box<dyn Network>;
        Ok((0..lesson.count()).map(network).collect())
    }

    fn restore(&self, bytes: &[u8]) -> Result<Box<dyn Network>> {
        let numbers = bytes.chunks_exact(8);
        let numbers: Vec<f64> = numbers
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        let rows = numbers.chunks_exact(3 * POINTS).map(|row| {
            let (fields, correction) = row.split_at(2 * POINTS);
            (fields.to_vec(), correction.to_vec())
        });
        Ok(Box::new(Table(rows.collect())))
    }
}

/// Solutions that are the inputs' squares and noise, one channel without low fidelity.
fn fitted(kind: Kind) -> Expansion {
    let lattice = lattice(&[("x", POINTS)], &[]);
    let inputs = normals(1, INPUTS * POINTS);
    let runs: Vec<f64> = (0..2)
        .flat_map(|r| {
            let noise = normals(10 + r, INPUTS * POINTS);
            inputs
                .iter()
                .zip(noise)
                .map(|(v, n)| v * v + 0.1 * n)
                .collect::<Vec<f64>>()
        })
        .collect();
    let high: Vec<Vec<f64>> = (0..INPUTS)
        .map(|i| {
            let run = |r: usize| &runs[r * INPUTS * POINTS..][i * POINTS..(i + 1) * POINTS];
            [run(0), run(1)].concat()
        })
        .collect();
    let case = |i: usize| Case {
        query: Query {
            input: &inputs[i * POINTS..(i + 1) * POINTS],
            low: None,
        },
        realizations: (&high[i]).into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = (0..INPUTS).map(case).collect();
    let material = Material {
        lattice: &lattice,
        channels: Channels {
            input: 1,
            solution: 1,
        },
        symmetries: &Symmetries::none(&lattice, 1, 1),
        cases: &cases,
        held_out: &[],
    };
    let learner = Planted(kind);
    let law = LawKind::Resampled;
    Expansion::fit_with(Recipe::Kernels, law, &material, Some(&learner), &Silent).unwrap()
}

#[test]
fn exact_corrections_have_nearly_all_weight_and_noise_none() {
    let exact = fitted(Kind::Exact).mean.stacked.unwrap();
    assert!(exact.weight > 0.95, "{}", exact.weight);
    let noise = fitted(Kind::Noise);
    assert!(noise.mean.stacked.is_none());
    let score = noise.mean_scores().last().unwrap().clone();
    assert!(score.name.contains("network") && score.weight == 0.0);
}

#[test]
fn a_stacked_fit_reads_back_to_the_same_bits_and_only_by_a_learner() {
    let fit = fitted(Kind::Exact);
    let bytes = fit.to_bytes();
    let again = Expansion::from_bytes_with(&bytes, Some(&Planted(Kind::Exact))).unwrap();
    let input = normals(7, POINTS);
    let query = Query {
        input: &input,
        low: None,
    };
    assert_eq!(again.predict(&query).unwrap(), fit.predict(&query).unwrap());
    assert_eq!(again.to_bytes(), bytes);
    assert!(Expansion::from_bytes(&bytes).is_err());
}

#[test]
fn fields_and_target_are_moved_together() {
    let lattice = lattice(&[("x", 6)], &["x"]);
    let declared: Vec<Symmetry> = ["roll:x", "reflect:x:-"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let symmetries = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
    let field: Vec<f64> = (1..=6).map(f64::from).collect();
    let lesson = Lesson {
        lattice: &lattice,
        symmetries: &symmetries,
        channels: Channels {
            input: 1,
            solution: 1,
        },
        fields: vec![[field.clone(), field.clone()].concat()],
        targets: vec![field.iter().map(|v| 10.0 * v).collect()],
        parts: vec![0],
        time: None,
        observer: &Silent,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut flipped = [false; 2];
    for _ in 0..50 {
        let (fields, target) = lesson.moved(0, &mut rng);
        let (input, guess) = fields.split_at(6);
        assert_eq!(input, guess);
        assert!(input.iter().zip(&target).all(|(v, t)| 10.0 * v == *t));
        flipped[usize::from(input[0] < 0.0)] = true;
    }
    assert_eq!(flipped, [true; 2]);
}

/// An observer with no time left once it has received an event.
struct Hurried(AtomicBool);

impl Observer for Hurried {
    fn observe(&self, _: &crate::Event<'_>) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn time_left(&self) -> Option<Duration> {
        let spent = self.0.load(Ordering::SeqCst);
        Some(if spent { Duration::ZERO } else { Duration::MAX })
    }
}

#[test]
fn a_spent_budget_ends_a_fit_with_what_there_is() -> std::result::Result<(), Error> {
    let lattice = lattice(&[("x", POINTS)], &[]);
    let values = normals(1, 4 * POINTS);
    let case = |field| Case {
        query: Query {
            input: field,
            low: None,
        },
        realizations: field.into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = values.chunks_exact(POINTS).map(case).collect();
    let material = Material {
        lattice: &lattice,
        channels: Channels {
            input: 1,
            solution: 1,
        },
        symmetries: &Symmetries::none(&lattice, 1, 1),
        cases: &cases,
        held_out: &[],
    };
    let hurried = Hurried(AtomicBool::new(false));
    let fit = Expansion::fit(Recipe::Kernels, LawKind::Normal, &material, &hurried)?;
    // Only the mean solution and the first kernel were fitted.
    assert!(fit.mean_scores().len() <= 2, "{:?}", fit.mean_scores());
    Ok(())
}
