//! Laws of symmetries: they form a group, and our own solvers obey those they are said to have.

use super::group::roll;
use super::*;
use crate::problem::{Problem, catalogue};
use crate::random::{Purpose, stream};
use crate::regression::Lattice;
use crate::{Axis, Field, Grid};

fn generated(lattice: &Lattice, texts: &[&str]) -> crate::Result<Symmetries> {
    let declared: Vec<Symmetry> = texts.iter().map(|text| text.parse().unwrap()).collect();
    Symmetries::new(&declared, lattice, 1, 1)
}

fn square() -> Lattice {
    let grid = Grid::new(vec![Axis::closed("x", 5), Axis::closed("y", 5)]);
    Lattice::new(&grid, &[]).unwrap()
}

#[test]
fn reflections_and_transposition_of_a_square_generate_its_eight_motions() {
    let lattice = square();
    let group = generated(&lattice, &["reflect:x", "transpose:x,y"]).unwrap();
    assert_eq!(group.motions.len(), 8);
    let field: Vec<f64> = (0..25).map(|i| f64::from(i * i % 17)).collect();
    assert_eq!(group.motions[0].apply(Role::Input, &field), field);
    for motion in &group.motions {
        let there = motion.apply(Role::Solution, &field);
        assert_eq!(motion.inverse().apply(Role::Solution, &there), field);
        assert!(group.motions.contains(&motion.inverse()));
        for other in &group.motions {
            let product = motion.then(other);
            let stepwise = other.apply(Role::Solution, &there);
            assert_eq!(product.apply(Role::Solution, &field), stepwise);
            assert!(group.motions.contains(&product));
        }
    }
}

#[test]
fn a_periodic_reflection_keeps_the_origin_and_a_closed_one_exchanges_the_ends() {
    let grid = Grid::new(vec![Axis::closed("x", 4)]);
    let moved = |periodic: &[&str]| {
        let lattice = Lattice::new(&grid, periodic).unwrap();
        let group = generated(&lattice, &["reflect:x:-"]).unwrap();
        group.motions[1].apply(Role::Input, &[0.0, 1.0, 2.0, 3.0])
    };
    assert_eq!(moved(&["x"]), [-0.0, -3.0, -2.0, -1.0]);
    assert_eq!(moved(&[]), [-3.0, -2.0, -1.0, -0.0]);
}

#[test]
fn rolls_by_parts_and_a_reflection_generate_the_motions_of_a_polygon() {
    let grid = Grid::new(vec![Axis::closed("x", 12)]);
    let lattice = Lattice::new(&grid, &["x"]).unwrap();
    let group = generated(&lattice, &["roll:x:1/3", "reflect:x"]).unwrap();
    assert_eq!(group.motions.len(), 6);
    assert!(group.rolled.is_empty());
    assert!(group.motions.contains(&roll(&lattice, 0, 4, [1, 1])));
    assert!(group.motions.contains(&roll(&lattice, 0, 8, [1, 1])));
    let refusal = generated(&lattice, &["roll:x:1/5"]).unwrap_err();
    assert!(refusal.to_string().contains("not divisible by 5"));
}

#[test]
fn what_does_not_fit_the_grid_is_refused_with_the_reason() {
    let lattice = square();
    let refusal = |text: &str| generated(&lattice, &[text]).unwrap_err().to_string();
    assert!(refusal("roll:x").contains("not periodic"));
    assert!(refusal("roll:x:1/5").contains("not periodic"));
    assert!(refusal("reflect:z").contains("x, y"));
    assert!(refusal("sign:solution=-+").contains("1 channels"));
    let grid = Grid::new(vec![Axis::closed("x", 5), Axis::closed("y", 4)]);
    let oblong = Lattice::new(&grid, &[]).unwrap();
    let message = generated(&oblong, &["transpose:x,y"])
        .unwrap_err()
        .to_string();
    assert!(message.contains("5 and 4 points"), "{message}");
    let message = generated(&oblong, &["scale:-1", "scale:2"])
        .unwrap_err()
        .to_string();
    assert!(message.contains("exponent -1"), "{message}");
}

fn problem(name: &str, constants: &str) -> Box<dyn Problem> {
    catalogue::build(name, constants.parse().unwrap(), "test").unwrap()
}

fn draw(problem: &dyn Problem) -> Field {
    problem
        .draw_input(&mut stream(11, Purpose::Input, 0, 0))
        .unwrap()
}

/// The field moved in this role.
fn moved(motion: &Motion, role: Role, field: &Field) -> Field {
    let values = motion.apply(role, field.values());
    Field::from_values(field.channels(), field.grid_shape(), values).unwrap()
}

/// Largest difference of two fields, over the largest value.
fn gap(a: &Field, b: &Field) -> f64 {
    let largest = a.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let pairs = a.values().iter().zip(b.values());
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / largest
}

/// Solves before and after each motion, at low fidelity and at high fidelity without randomness.
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
        assert!(gap(&moved(motion, Role::Solution, &low), &low_other) < tolerance);
        let solution = moved(motion, Role::Solution, &high(&input));
        assert!(gap(&solution, &high(&other)) < tolerance);
    }
}

#[test]
fn advection_rolls_and_changes_sign_with_its_initial_state() {
    let problem = problem("advection", "resolution = 32\nuncertainty.deviation = 0.0");
    let lattice = Lattice::new(problem.grid(), &["x"]).unwrap();
    let mut motions = generated(&lattice, &["sign", "roll:x"]).unwrap().motions;
    assert_eq!(motions.len(), 2);
    motions.extend([1, 9].map(|steps| roll(&lattice, 1, steps, [1, 1])));
    assert_equivariant(problem.as_ref(), &motions, 1e-13);
}

/// The random factor is stationary: mean and variance roll too.
#[test]
fn the_exact_moments_of_advection_roll_with_its_initial_state() {
    let problem = problem("advection", "resolution = 32");
    let lattice = Lattice::new(problem.grid(), &["x"]).unwrap();
    let motion = roll(&lattice, 1, 5, [1, 1]);
    let input = draw(problem.as_ref());
    let moments = |input: &Field| problem.exact_moments(input).unwrap().unwrap();
    let (here, there) = (
        moments(&input),
        moments(&moved(&motion, Role::Input, &input)),
    );
    assert!(gap(&moved(&motion, Role::Solution, &here.mean), &there.mean) < 1e-13);
    let variance = motion.apply_even(here.variance.values());
    let variance = Field::scalar(problem.grid(), variance);
    assert!(gap(&variance, &there.variance) < 1e-12);
}

#[test]
fn burgers_rolls_and_reflects_with_a_change_of_sign() {
    let problem = problem("burgers", "resolution = 64\nuncertainty.deviation = 0.0");
    let lattice = Lattice::new(problem.grid(), &["x"]).unwrap();
    let mut motions = generated(&lattice, &["reflect:x:-"]).unwrap().motions;
    motions.push(roll(&lattice, 1, 7, [1, 1]));
    assert_equivariant(problem.as_ref(), &motions, 1e-12);
}

#[test]
fn darcy_transposes_and_scales_inversely_with_its_permeability() {
    let problem = problem("darcy", "resolution = 32\nuncertainty.scale = 0.0");
    let lattice = Lattice::new(problem.grid(), &[]).unwrap();
    let group = generated(&lattice, &["transpose:x,y", "scale:-1"]).unwrap();
    assert_equivariant(problem.as_ref(), &group.motions, 1e-10);
    let input = draw(problem.as_ref());
    let scaled = input.values().iter().map(|a| 3.0 * a).collect();
    let scaled = Field::scalar(problem.grid(), scaled);
    let low = problem.low_fidelity(&scaled).unwrap();
    let factor = 3_f64.powf(group.scale.unwrap());
    let expected = problem.low_fidelity(&input).unwrap();
    let expected = expected.values().iter().map(|p| factor * p).collect();
    assert!(gap(&Field::scalar(problem.grid(), expected), &low) < 1e-10);
}
