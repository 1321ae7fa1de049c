//! Tests that the built-in solvers have the symmetries that they declare.
#![allow(clippy::unwrap_used)] // A test may panic.

use floral::Field;
use floral::kl::{Lattice, Motion, Role, Symmetries, Symmetry, roll};
use floral::problem::{Problem, catalogue};
use floral::random::{Purpose, stream};

fn generated(lattice: &Lattice, texts: &[&str]) -> floral::kl::Result<Symmetries> {
    let declared: Vec<Symmetry> = texts.iter().map(|text| text.parse().unwrap()).collect();
    Ok(Symmetries::new(&declared, lattice, 1, 1)?)
}

fn problem(name: &str, constants: &str) -> Box<dyn Problem> {
    catalogue::build(name, constants.parse().unwrap(), "test").unwrap()
}

fn draw(problem: &dyn Problem) -> Field {
    problem
        .draw_input(&mut stream(11, Purpose::Input, 0, 0))
        .unwrap()
}

/// The field after the motion, in this role.
fn moved(motion: &Motion, role: Role, field: &Field) -> Field {
    let values = motion.apply(role, field.values());
    Field::from_values(field.channels(), field.grid_shape(), values).unwrap()
}

/// Largest difference of two fields, relative to the largest value.
fn difference(a: &Field, b: &Field) -> f64 {
    let largest = a.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let pairs = a.values().iter().zip(b.values());
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / largest
}

/// Checks that the low- and high-fidelity solutions move with their input; the problem must have no
/// randomness.
fn assert_equivariant(problem: &dyn Problem, motions: &[Motion], tolerance: f64) {
    let input = draw(problem);
    let high = |input: &Field| {
        let mut values = vec![0.0; problem.grid().len()];
        let mut streams = [stream(1, Purpose::Realization, 0, 0)];
        problem
            .high_fidelity(input, &mut streams, &mut values)
            .unwrap();
        Field::scalar(problem.grid(), values)
    };
    for motion in motions {
        let other = moved(motion, Role::Input, &input);
        let low = problem.low_fidelity(&input).unwrap();
        let low_other = problem.low_fidelity(&other).unwrap();
        assert!(difference(&moved(motion, Role::Solution, &low), &low_other) < tolerance);
        let solution = moved(motion, Role::Solution, &high(&input));
        assert!(difference(&solution, &high(&other)) < tolerance);
    }
}

#[test]
fn advection_rolls_and_changes_sign_with_its_initial_state() {
    let problem = problem("advection", "resolution = 32\nuncertainty.deviation = 0.0");
    let lattice = Lattice::from(problem.grid());
    let mut motions = generated(&lattice, &["sign", "roll:x"]).unwrap().motions;
    assert_eq!(motions.len(), 2);
    motions.extend([1, 9].map(|steps| roll(&lattice, 1, steps, [1, 1])));
    assert_equivariant(problem.as_ref(), &motions, 1e-13);
}

/// The random factor is stationary, so mean and variance roll as well.
#[test]
fn the_exact_moments_of_advection_roll_with_its_initial_state() {
    let problem = problem("advection", "resolution = 32");
    let lattice = Lattice::from(problem.grid());
    let motion = roll(&lattice, 1, 5, [1, 1]);
    let input = draw(problem.as_ref());
    let moments = |input: &Field| problem.exact_moments(input).unwrap().unwrap();
    let (here, there) = (
        moments(&input),
        moments(&moved(&motion, Role::Input, &input)),
    );
    assert!(difference(&moved(&motion, Role::Solution, &here.mean), &there.mean) < 1e-13);
    let variance = motion.apply_even(here.variance.values());
    let variance = Field::scalar(problem.grid(), variance);
    assert!(difference(&variance, &there.variance) < 1e-12);
}

#[test]
fn burgers_rolls_and_reflects_with_a_change_of_sign() {
    let problem = problem("burgers", "resolution = 64\nuncertainty.deviation = 0.0");
    let lattice = Lattice::from(problem.grid());
    let mut motions = generated(&lattice, &["reflect:x:-"]).unwrap().motions;
    motions.push(roll(&lattice, 1, 7, [1, 1]));
    assert_equivariant(problem.as_ref(), &motions, 1e-12);
}

#[test]
fn darcy_transposes_and_scales_inversely_with_its_permeability() {
    let problem = problem("darcy", "resolution = 32\nuncertainty.scale = 0.0");
    let lattice = Lattice::from(problem.grid());
    let group = generated(&lattice, &["transpose:x,y", "scale:-1"]).unwrap();
    assert_equivariant(problem.as_ref(), &group.motions, 1e-10);
    let input = draw(problem.as_ref());
    let scaled = input.values().iter().map(|a| 3.0 * a).collect();
    let scaled = Field::scalar(problem.grid(), scaled);
    let low = problem.low_fidelity(&scaled).unwrap();
    let factor = 3_f64.powf(group.scale.unwrap());
    let expected = problem.low_fidelity(&input).unwrap();
    let expected = expected.values().iter().map(|p| factor * p).collect();
    assert!(difference(&Field::scalar(problem.grid(), expected), &low) < 1e-10);
}
