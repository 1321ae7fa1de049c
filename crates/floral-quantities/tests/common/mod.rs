//! Grids, names and shorthand shared by several tests.
#![allow(dead_code, reason = "each test file uses its part")]

use floral_quantities::{Given, GridAxis, GridSpace, Name, Names, Quantity, Space};

/// Names for axes x and y, one channel of solution and of input, and low fidelity.
pub fn names() -> Names {
    Names {
        axes: vec![
            Name::new("x").with_unit("m"),
            Name::new("y").with_unit("km"),
        ],
        solution: vec![Name::new("temperature").with_unit("K")],
        input: vec![Name::new("k")],
        has_low: true,
    }
}

/// n unevenly spaced coordinates from 0 to 1.
pub fn uneven(n: usize) -> Vec<f64> {
    let even = (0..n).map(|i| i as f64 / (n - 1) as f64);
    even.map(|x| x + 0.1 * (std::f64::consts::TAU * x).sin())
        .collect()
}

/// An uneven grid of n by n + 3 points on the unit square.
pub fn square(n: usize) -> GridSpace {
    let x = GridAxis::closed("x", uneven(n)).unwrap();
    let y = GridAxis::closed("y", uneven(n + 3)).unwrap();
    GridSpace::new(vec![x, y]).unwrap()
}

/// A field of two coordinates.
pub fn field(space: &dyn Space, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let at = |p| f(space.coordinate(0, p), space.coordinate(1, p));
    (0..space.points()).map(at).collect()
}

/// The value of an expression of x, y and u; k and low equal u.
pub fn value(text: &str, space: &dyn Space, u: &[f64]) -> f64 {
    let quantity = Quantity::parse("q", text, &names()).unwrap();
    quantity
        .on(space, Given { input: u, low: u })
        .unwrap()
        .of(u)
        .unwrap()
}

/// The error message for an expression that is refused.
pub fn refused(text: &str) -> String {
    Quantity::parse("q", text, &names())
        .unwrap_err()
        .to_string()
}

/// The error message for an expression that does not fit a space, given no input.
pub fn unsuited(text: &str, space: &dyn Space) -> String {
    let quantity = Quantity::parse("q", text, &names()).unwrap();
    let refused = quantity.on(space, Given::default()).err();
    refused.unwrap().to_string()
}

/// Asserts that two values are close, relative to the largest of both and 1.
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    let scale = a.abs().max(b.abs()).max(1.0);
    assert!((a - b).abs() <= tolerance * scale, "{a} is not {b}");
}
