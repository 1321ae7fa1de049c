//! Laws of integrals, derivatives, planes and places on grids.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::f64::consts::PI;

use common::{assert_close, field, names, square, uneven, unsuited, value};
use floral_quantities::{Given, GridAxis, GridSpace, Name, Names, Quantity, Space};

#[test]
fn integrals_of_multilinear_fields_are_exact_on_uneven_grids() {
    let grid = square(6);
    let u = field(&grid, |x, y| 1.0 + 2.0 * x + 3.0 * y + 4.0 * x * y);
    assert_close(value("integral(u)", &grid, &u), 4.5, 1e-13);
    assert_close(value("mean(u)", &grid, &u), 4.5, 1e-13);
    // Bounds may lie between points: int_0^a (1 + 3/2) + (2 + 2) x dx = 2.5 a + 2 a^2.
    for a in [0.1, 0.37, 0.5, 0.99] {
        let exact = 2.5 * a + 2.0 * a * a;
        assert_close(
            value(&format!("integral(u, x < {a})"), &grid, &u),
            exact,
            1e-13,
        );
        assert_close(
            value(&format!("mean(u, {a} >= x)"), &grid, &u),
            exact / a,
            1e-13,
        );
    }
    assert_close(
        value("integral(1, 0.2 < x and x < 0.5 and y > 0.9)", &grid, &u),
        0.03,
        1e-13,
    );
}

#[test]
fn on_three_axes_integrals_places_and_derivatives_of_multilinear_fields_are_exact() {
    let axis = |name: &str, n| GridAxis::closed(name, uneven(n)).unwrap();
    let block = GridSpace::new(vec![axis("z", 4), axis("y", 5), axis("x", 6)]).unwrap();
    let u = |z: f64, y: f64, x: f64| 1.0 + 2.0 * x + 3.0 * y - z + 4.0 * x * y * z;
    let at = |p| {
        u(
            block.coordinate(0, p),
            block.coordinate(1, p),
            block.coordinate(2, p),
        )
    };
    let values: Vec<f64> = (0..block.points()).map(at).collect();
    let names = Names {
        axes: ["z", "y", "x"].map(Name::new).to_vec(),
        solution: vec![Name::new("u")],
        input: vec![Name::new("k")],
        has_low: false,
    };
    let value = |text: &str| {
        let given = Given {
            input: &values,
            low: &[],
        };
        let quantity = Quantity::parse("q", text, &names).unwrap();
        quantity.on(&block, given).unwrap().of(&values).unwrap()
    };
    // 1 + 1 + 3/2 - 1/2 + 4/8.
    assert_close(value("integral(u)"), 3.5, 1e-13);
    assert_close(
        value("mean(u, z < 0.5 and x > 0.5)"),
        1.0 + 1.5 + 1.5 - 0.25 + 0.375,
        1e-13,
    );
    assert_close(value("at(u, 0.3, 0.2, 0.9)"), u(0.3, 0.2, 0.9), 1e-13);
    assert_close(value("max(abs(d(u, z) - (4 * x * y - 1)))"), 0.0, 1e-12);
}

#[test]
fn integral_converges_at_order_two() {
    let error = |n| {
        let grid = square(n);
        let u = field(&grid, |x, y| (x + y).exp());
        let exact = (1_f64.exp() - 1.0).powi(2);
        (value("integral(u)", &grid, &u) - exact).abs()
    };
    let order = (error(21) / error(41)).log2();
    assert!((1.8..2.3).contains(&order), "order {order}");
}

#[test]
fn derivative_converges_at_order_two_up_to_the_ends() {
    let error = |n| {
        let grid = square(n);
        let u = field(&grid, |x, y| (3.0 * x).sin() * y.exp());
        value("max(abs(d(u, x) - 3 * cos(3 * x) * exp(y)))", &grid, &u)
    };
    let order = (error(41) / error(81)).log2();
    assert!((1.8..2.3).contains(&order), "order {order}");
}

#[test]
fn derivative_of_quadratic_fields_is_exact_on_uneven_grids() {
    let grid = square(5);
    let u = field(&grid, |x, y| 1.0 + 2.0 * x - 3.0 * x * x + x * y * y);
    assert_close(
        value("max(abs(d(u, x) - (2 - 6 * x + y ^ 2)))", &grid, &u),
        0.0,
        1e-12,
    );
    assert_close(
        value("max(abs(d(u, y) - 2 * x * y))", &grid, &u),
        0.0,
        1e-12,
    );
}

fn ring(n: usize, from: f64) -> GridSpace {
    let coordinates = (0..n).map(|i| from + i as f64 / n as f64).collect();
    let x = GridAxis::periodic("x", coordinates, [0.0, 1.0]).unwrap();
    let y = GridAxis::closed("y", vec![0.0, 1.0]).unwrap();
    GridSpace::new(vec![x, y]).unwrap()
}

#[test]
fn periodic_axes_wrap() {
    for from in [0.0, 0.5 / 64.0] {
        let grid = ring(64, from);
        let weights = grid.weights();
        assert!(weights.iter().all(|w| (w - 0.5 / 64.0).abs() < 1e-15));
        let u = field(&grid, |x, _| (2.0 * PI * x).sin());
        assert_close(value("integral(u)", &grid, &u), 0.0, 1e-14);
        assert_close(
            value("max(abs(d(u, x) - 2 * pi * cos(2 * pi * x)))", &grid, &u),
            0.0,
            1.02e-2,
        );
        assert_close(value("integral(1, x < 0.25)", &grid, &u), 0.25, 1e-13);
        assert_close(value("integral(u, x < 0.5)", &grid, &u), 1.0 / PI, 1e-3);
        assert_close(
            value("at(u, 1.25, 0)", &grid, &u),
            value("at(u, 0.25, 0)", &grid, &u),
            1e-12,
        );
        let seam =
            0.5 * (value("at(u, 0.999, 0)", &grid, &u) + value("at(u, 0.001, 0)", &grid, &u));
        assert_close(value("at(u, 0, 0)", &grid, &u), seam, 1e-9);
    }
    let grid = ring(8, 0.0);
    let u = field(&grid, |x, _| x);
    assert_eq!(value("mean(u, x == 1)", &grid, &u), 0.0);
}

#[test]
fn planes_have_one_dimension_less() {
    let grid = square(6);
    let u = field(&grid, |x, y| x + y);
    assert_close(value("integral(u, x == 1)", &grid, &u), 1.5, 1e-14);
    assert_close(
        value("integral(u, y == 0 and x < 0.5)", &grid, &u),
        0.125,
        1e-14,
    );
    assert_close(
        value("integral(u, y == 0 and x == 1)", &grid, &u),
        1.0,
        1e-14,
    );
    assert_close(
        value("integral(-2 * d(u, x), 1 == x)", &grid, &u),
        -2.0,
        1e-12,
    );
    assert_close(value("max(u, x == 0)", &grid, &u), 1.0, 1e-14);
    let error = unsuited("mean(u, x == 0.33)", &grid);
    assert!(
        error.starts_with(
            "q = mean(u, x == 0.33): x == 0.33: no grid points there; the nearest are at x = 0.295"
        ),
        "{error}"
    );
}

#[test]
fn order_of_axes_changes_nothing() {
    let (x, y) = (uneven(5), uneven(7));
    let axes = |order: [(&str, &Vec<f64>); 2]| {
        let axes = order.map(|(name, x)| GridAxis::closed(name, x.clone()).unwrap());
        GridSpace::new(axes.to_vec()).unwrap()
    };
    let (grid, turned) = (axes([("x", &x), ("y", &y)]), axes([("y", &y), ("x", &x)]));
    let f = |x: f64, y: f64| (2.0 * x).sin() + x * y * y;
    let (u, v) = (field(&grid, f), field(&turned, |y, x| f(x, y)));
    let other = Names {
        axes: vec![Name::new("y"), Name::new("x")],
        ..names()
    };
    for text in [
        "integral(u)",
        "mean(u, x < 0.3)",
        "std(u)",
        "norm(d(u, y))",
        "integral(d(u, x), x == 1)",
        "fraction(u > 0.7)",
        "argmax(u, x)",
        "range(u)",
        "at(u, x == 0.3, y == 0.7)",
    ] {
        let quantity = Quantity::parse("q", text, &other).unwrap();
        let there = quantity
            .on(&turned, Given::default())
            .unwrap()
            .of(&v)
            .unwrap();
        assert_close(value(text, &grid, &u), there, 1e-13);
    }
}

#[test]
fn unit_of_length_scales_integrals_and_derivatives() {
    let scaled = |factor: f64| {
        let axis = |name: &str, n| {
            GridAxis::closed(name, uneven(n).iter().map(|x| factor * x).collect()).unwrap()
        };
        GridSpace::new(vec![axis("x", 6), axis("y", 9)]).unwrap()
    };
    let (metres, millimetres) = (scaled(1.0), scaled(1000.0));
    let u = field(&metres, |x, y| (x + 2.0 * y).cos());
    for (text, power) in [
        ("integral(u)", 2),
        ("integral(u, x == 1 * max(x))", 1),
        ("mean(u)", 0),
        ("fraction(u > 0)", 0),
        ("norm(u)", 1),
        ("max(d(u, x))", -1),
        ("argmin(u, y)", 1),
        ("max(d(d(u, x), y))", -2),
    ] {
        let (a, b) = (value(text, &metres, &u), value(text, &millimetres, &u));
        assert_close(a * 1000_f64.powi(power), b, 1e-12);
    }
}

#[test]
fn place_is_interpolated_linearly_and_outside_is_refused() {
    let grid = square(6);
    let u = field(&grid, |x, y| 1.0 + x - 2.0 * y + 3.0 * x * y);
    for (x, y) in [(0.3, 0.7), (0.0, 1.0), (0.999, 0.001)] {
        let exact = 1.0 + x - 2.0 * y + 3.0 * x * y;
        assert_close(value(&format!("at(u, {x}, {y})"), &grid, &u), exact, 1e-13);
        assert_close(
            value(&format!("at(u, y == {y}, {x} == x)"), &grid, &u),
            exact,
            1e-13,
        );
    }
    let error = unsuited("at(u, 1.1, 0)", &grid);
    assert!(
        error.ends_with("x = 1.1: outside of the domain, from 0 to 1; choose a place inside"),
        "{error}"
    );
}

#[test]
fn masked_points_are_never_read() {
    let grid = square(8);
    let is_hole = |p: usize| (3..5).contains(&(p / 11)) && (4..7).contains(&(p % 11));
    let inside: Vec<bool> = (0..grid.points()).map(|p| !is_hole(p)).collect();
    let plain = field(&grid, |x, y| x + 2.0 * y);
    let u: Vec<f64> = (0..grid.points())
        .map(|p| if is_hole(p) { f64::NAN } else { plain[p] })
        .collect();
    let masked = square(8).with_mask(inside).unwrap();
    assert_close(value("max(u)", &masked, &u), 3.0, 1e-13);
    assert_close(value("mean(d(u, x) + d(k, y))", &masked, &u), 3.0, 1e-11);
    assert_close(value("max(abs(d(u, y) - 2))", &masked, &u), 0.0, 1e-11);
    for text in [
        "mean(u)",
        "std(u)",
        "fraction(u > 1)",
        "mean(k * u)",
        "integral(u - k)",
        "mean(u, k > 1)",
    ] {
        assert!(value(text, &masked, &u).is_finite(), "{text}");
    }
    let error = unsuited("at(u, 0.5, 0.5)", &masked);
    assert!(error.contains("lies outside of the domain"), "{error}");
}

#[test]
fn broken_axes_masks_and_lengths_are_refused() {
    assert!(GridAxis::closed("x", vec![]).is_err());
    assert!(GridAxis::closed("x", vec![0.0, 0.0]).is_err());
    assert!(GridAxis::closed("x", vec![0.0, f64::NAN]).is_err());
    assert!(GridAxis::periodic("x", vec![0.0, 1.0], [0.0, 1.0]).is_err());
    assert!(GridSpace::new(vec![]).is_err());
    assert!(square(3).with_mask(vec![true]).is_err());
    let (grid, names) = (square(3), names());
    let prepared = |text: &str| {
        Quantity::parse("q", text, &names)
            .unwrap()
            .on(&grid, Given::default())
    };
    assert!(unsuited("mean(k)", &grid).contains("the input has 0 values but 18 are needed"));
    assert!(prepared("mean(u)").unwrap().of(&[1.0]).is_err());
    assert!(prepared("mean(u)").unwrap().of_each(&[1.0; 19]).is_err());
    for text in [
        "max(u, x > 2)",
        "mean(u, x > 0.7 and x < 0.2)",
        "mean(u, x + y > 3)",
        "mean(u, x == 0 and x == 1)",
    ] {
        let error = unsuited(text, &grid);
        assert!(error.contains("it holds no points; widen it"), "{text}");
    }
}

#[test]
fn grids_have_any_number_of_axes() {
    for axes in 1..=3 {
        let names = Names {
            axes: ["x", "y", "z"][..axes]
                .iter()
                .map(|name| Name::new(*name))
                .collect(),
            solution: vec![Name::new("u")],
            ..Names::default()
        };
        let axis = |i: usize| GridAxis::closed(names.axes[i].name.clone(), uneven(4 + i)).unwrap();
        let grid = GridSpace::new((0..axes).map(axis).collect()).unwrap();
        let product = |p| {
            (0..axes)
                .map(|axis| 1.0 + grid.coordinate(axis, p))
                .product()
        };
        let u: Vec<f64> = (0..grid.points()).map(product).collect();
        let value = |text: &str| {
            let quantity = Quantity::parse("q", text, &names).unwrap();
            quantity
                .on(&grid, Given::default())
                .unwrap()
                .of(&u)
                .unwrap()
        };
        let rest = 1.5_f64.powi(axes as i32 - 1);
        assert_close(value("integral(u)"), 1.5 * rest, 1e-13);
        assert_close(value("integral(u, x == 1)"), 2.0 * rest, 1e-13);
        assert_close(value("integral(d(u, x), x == 0)"), rest, 1e-13);
        assert_close(value("integral(u, x < 0.5)"), 0.625 * rest, 1e-13);
        let place = ", 0.5".repeat(axes);
        assert_close(value(&format!("at(u{place})")), 1.5 * rest, 1e-13);
    }
}
