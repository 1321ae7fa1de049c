//! Tests of symmetries: they form a group, and those that do not fit a lattice are refused.

use super::group::roll;
use super::*;
use crate::Lattice;
use crate::testing::{self, lattice};

fn generated(lattice: &Lattice, texts: &[&str]) -> Result<Symmetries> {
    let declared: Vec<Symmetry> = texts.iter().map(|text| text.parse().unwrap()).collect();
    Symmetries::new(&declared, lattice, 1, 1)
}

fn square() -> Lattice {
    lattice(&[("x", 5), ("y", 5)], &[])
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
fn a_cube_has_six_permutations_of_axes_and_forty_eight_motions() {
    let cube = lattice(&[("x", 3), ("y", 3), ("z", 3)], &[]);
    let permutations = generated(&cube, &["transpose:x,y", "transpose:y,z"]).unwrap();
    assert_eq!(permutations.motions.len(), 6);
    // A field that depends only on the sum of positions is invariant under permutations of axes.
    let position = |p: usize| (0..3).map(|axis| cube.position(p, axis)).sum::<usize>() as f64;
    let sums: Vec<f64> = (0..27).map(position).collect();
    let keeps = |motion: &Motion| motion.apply(Role::Input, &sums) == sums;
    assert!(permutations.motions.iter().all(keeps));
    let all = ["transpose:x,y", "transpose:y,z", "reflect:x"];
    assert_eq!(generated(&cube, &all).unwrap().motions.len(), 48);
    let block = lattice(&[("x", 3), ("y", 3), ("z", 4)], &[]);
    assert!(generated(&block, &["transpose:x,z"]).is_err());
}

#[test]
fn a_periodic_reflection_keeps_the_origin_and_a_closed_one_exchanges_the_ends() {
    let moved = |periodic: &[&str]| {
        let lattice = lattice(&[("x", 4)], periodic);
        let group = generated(&lattice, &["reflect:x:-"]).unwrap();
        group.motions[1].apply(Role::Input, &[0.0, 1.0, 2.0, 3.0])
    };
    assert_eq!(moved(&["x"]), [-0.0, -3.0, -2.0, -1.0]);
    assert_eq!(moved(&[]), [-3.0, -2.0, -1.0, -0.0]);
}

#[test]
fn rolls_by_parts_and_a_reflection_generate_the_motions_of_a_polygon() {
    let lattice = lattice(&[("x", 12)], &["x"]);
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
    let oblong = testing::lattice(&[("x", 5), ("y", 4)], &[]);
    let message = generated(&oblong, &["transpose:x,y"])
        .unwrap_err()
        .to_string();
    assert!(message.contains("5 and 4 points"), "{message}");
    let message = generated(&oblong, &["scale:-1", "scale:2"])
        .unwrap_err()
        .to_string();
    assert!(message.contains("exponent -1"), "{message}");
}
