//! Laws of reductions, of linear functionals, and of spaces that are not grids.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{assert_close, field, names, square, unsuited, value};
use floral_quantities::{Entry, Error, Given, Quantity, Result, Space, Sparse};

#[test]
fn reductions_have_their_textbook_values() {
    let grid = square(41);
    let u = field(&grid, |x, y| (x - 0.4).powi(2) + y);
    assert_close(value("argmin(u, x)", &grid, &u), 0.4, 0.03);
    assert_eq!(value("argmax(u, x)", &grid, &u), 1.0);
    assert_eq!(value("argmax(u, y, x < 0.5)", &grid, &u), 1.0);
    assert_close(
        value("range(u)", &grid, &u),
        value("max(u) - min(u)", &grid, &u),
        1e-15,
    );
    assert_close(
        value("norm(u) ^ 2", &grid, &u),
        value("integral(u * u)", &grid, &u),
        1e-14,
    );
    assert_close(
        value("std(u) ^ 2", &grid, &u),
        value("mean(u ^ 2) - mean(u) ^ 2", &grid, &u),
        1e-13,
    );
    assert_close(
        value("fraction(y < 0.25 and x > 0.5)", &grid, &u),
        0.125,
        0.02,
    );
    assert_close(
        value("fraction(u > 0.5) + fraction(not u > 0.5)", &grid, &u),
        1.0,
        1e-14,
    );
    assert_close(
        value("mean(u, u > 0.5)", &grid, &u),
        value("integral(u, u > 0.5) / integral(1, u > 0.5)", &grid, &u),
        1e-14,
    );
    assert!(value("fraction(u >= max(u))", &grid, &u) > 0.0);
    assert_eq!(value("max(u) > 1 and min(u) < 0.1", &grid, &u), 1.0);
    assert_eq!(
        value("max(max(u, 0.5), y > 0.1)", &grid, &u),
        value("max(u)", &grid, &u)
    );
}

#[test]
fn quantities_without_a_value_are_not_a_number() {
    let grid = square(4);
    let u = vec![0.0; grid.points()];
    for text in [
        "mean(u, u > 1)",
        "max(u, u > 1)",
        "argmax(u, x, u > 1)",
        "std(u, u > 1)",
        "1 / mean(u) - 1 / mean(u)",
    ] {
        assert!(value(text, &grid, &u).is_nan(), "{text}");
    }
    let mut hole = u.clone();
    hole[3] = f64::NAN;
    for text in [
        "mean(u)",
        "max(u)",
        "range(u)",
        "argmax(u, x)",
        "norm(u)",
        "mean(u, x == 0)",
        "fraction(u > 1)",
        "fraction(not u > 1)",
        "fraction(u > 1 or x < 2)",
        "integral(1, u > 1)",
        "max(x, u != 3)",
        "max(max(u, 0))",
    ] {
        assert!(value(text, &grid, &hole).is_nan(), "{text}");
    }
    let quantity = Quantity::parse("q", "mean(u, k > 1)", &names()).unwrap();
    let given = Given {
        input: &hole,
        low: &[],
    };
    let error = quantity.on(&grid, given).err().unwrap().to_string();
    assert!(error.contains("not a number, at point 3"), "{error}");
}

#[test]
fn functional_of_a_linear_quantity_reproduces_it() {
    let grid = square(6);
    let k = field(&grid, |x, y| 1.0 + x * y);
    let u = field(&grid, |x, y| (3.0 * x).sin() - y * y);
    for text in [
        "mean(u)",
        "mean(u, x < 0.37)",
        "integral(-k * d(u, x), x == 1)",
        "at(u, 0.3, 0.7)",
        "3 * mean(u - low / 2, y > 0.5) - at(d(d(u, x), y), 0.2, 0.2) + pi",
        "mean(k * (u - mean(u, x == 0)) / (1 + y))",
        "mean(u, k > 1.2 or x < y)",
        "max(k)",
        "-integral(u) / integral(1)",
    ] {
        let quantity = Quantity::parse("q", text, &names()).unwrap();
        let prepared = quantity.on(&grid, Given { input: &k, low: &k }).unwrap();
        let (a, b) = prepared.functional().unwrap();
        let product: f64 = a.iter().zip(&u).map(|(a, u)| a * u).sum();
        // A minimum with a huge number is not linear, so it is evaluated point by point.
        let bent = Quantity::parse("q", &format!("min({text}, 1e300)"), &names()).unwrap();
        let bent = bent.on(&grid, Given { input: &k, low: &k }).unwrap();
        assert!(bent.functional().is_none() || !quantity.uses_solution());
        assert_close(product + b, bent.of(&u).unwrap(), 1e-12);
        assert_close(prepared.of(&u).unwrap(), bent.of(&u).unwrap(), 1e-12);
    }
    let max = Quantity::parse("q", "max(u)", &names()).unwrap();
    assert_eq!(max.on(&grid, Given::default()).unwrap().functional(), None);
}

#[test]
fn single_precision_is_read_as_it_is() {
    let grid = square(5);
    let u = field(&grid, |x, y| f64::from((x * 7.0 + y) as f32));
    let single: Vec<f32> = u.iter().map(|u| *u as f32).collect();
    for text in ["mean(u)", "std(u)", "max(u)", "norm(d(u, x))"] {
        let prepared = Quantity::parse("q", text, &names())
            .unwrap()
            .on(&grid, Given::default())
            .unwrap();
        assert_eq!(prepared.of(&single), prepared.of(&u));
    }
}

/// The corners of the unit square, as a mesh of one cell.
struct Cell;

impl Space for Cell {
    fn points(&self) -> usize {
        4
    }
    fn axes(&self) -> usize {
        2
    }
    fn coordinate(&self, axis: usize, point: usize) -> f64 {
        f64::from(u8::from(point & (1 << axis) != 0))
    }
    fn weights(&self) -> Vec<f64> {
        vec![0.25; 4]
    }
    fn derivative(&self, axis: usize) -> Result<Sparse> {
        let row = |point: usize| {
            let bit = 1 << axis;
            let entry = |point, factor| Entry { point, factor };
            vec![entry(point | bit, 1.0), entry(point & !bit, -1.0)]
        };
        Sparse::from_rows((0..4).map(row))
    }
    fn interpolation(&self, place: &[f64]) -> Result<Vec<Entry>> {
        Err(Error::Config {
            context: format!("{place:?}"),
            reason: "no places here".into(),
        })
    }
}

#[test]
fn meshes_take_regions_and_refuse_planes() {
    let u = field(&Cell, |x, y| 1.0 + x + 2.0 * y);
    assert_close(value("mean(u)", &Cell, &u), 2.5, 1e-15);
    assert_close(value("mean(u, x < 0.5)", &Cell, &u), 2.0, 1e-15);
    assert_close(value("integral(d(u, y))", &Cell, &u), 2.0, 1e-15);
    // A node on the bound belongs half to each side.
    assert_close(
        value("integral(u, x <= 1)", &Cell, &u) + value("integral(u, x >= 1)", &Cell, &u),
        value("integral(u)", &Cell, &u),
        1e-15,
    );
    let error = unsuited("mean(u, x == 1)", &Cell);
    assert!(
        error.contains("a mesh has no planes; choose a layer"),
        "{error}"
    );
}
