//! Laws of the language: precedence, names, units, and errors that point at their cause.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{assert_close, field, names, refused, square, unsuited, value};
use floral_quantities::{Given, Name, Names, Quantity};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn constant(text: &str) -> f64 {
    let grid = square(3);
    value(text, &grid, &[0.0; 18])
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("8 / 4 / 2", 1.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ** -1", 0.5),
        ("2 * -3 + 1", -5.0),
        ("+.5e1 - 1E-1", 4.9),
        ("cos(pi)", -1.0),
        ("max(2, 3) + min(2, 3)", 5.0),
        ("1 < 2 and not 3 < 2 or 1 > 2", 1.0),
        ("not (1 < 2) or 2 != 2", 0.0),
        ("log(exp(2)) + log10(100) + abs(-1) + sqrt(9)", 8.0),
    ] {
        assert_close(constant(text), expected, 1e-14);
    }
}

#[test]
fn errors_point_at_the_column_and_say_what_to_do() {
    for (text, expected) in [
        (
            "max(v)",
            "max(v): column 5: unknown name `v`; known: temperature, k, low, x, y",
        ),
        (
            "u + 1",
            "u + 1: column 3: this is a field, not a single number; wrap it in mean(...), max(...) or at(...)",
        ),
        (
            "u > 1",
            "u > 1: column 3: this is a condition at each point, not a single number; wrap it in fraction(...)",
        ),
        (
            "mean(u",
            "mean(u: column 7: `)` is missing; `mean(` opens at column 1",
        ),
        ("mean(u))", "mean(u)): column 8: `)` without its `(`"),
        (
            "max(u) +",
            "max(u) +: column 9: the expression ends too early; a name, a number or `(` is missing",
        ),
        (
            "fraction(u)",
            "fraction(u): column 10: a number where a condition is needed; compare it, as in u > 0.8",
        ),
        (
            "at(u, 1)",
            "at(u, 1): column 1: at takes a field and one number for each axis: at(u, x, y) or at(u, x == 0.5, y == 0.5)",
        ),
        (
            "at(u, x == 1, x == 2)",
            "at(u, x == 1, x == 2): column 17: the coordinate x is given twice",
        ),
        (
            "d(u, k)",
            "d(u, k): column 6: the name of an axis is needed; axes: x, y",
        ),
        (
            "max(u) = 3",
            "max(u) = 3: column 8: `=` compares nothing; write `==`",
        ),
    ] {
        assert_eq!(refused(text), expected);
    }
    for (text, part) in [
        ("mean(u, 0.2 < x < 0.5)", "join comparisons by `and`"),
        ("mean(u, x == 1 or x == 0)", "selects a plane"),
        ("mean(u, x == u)", "selects a plane"),
        ("mean(u, x == y)", "selects a plane"),
        ("max(u) > 3 degC", "an operator is missing before `degC`"),
        ("peek(u)", "unknown function `peek`; known: mean, integral"),
        (
            "max(u, x < 1, 3)",
            "takes a field and, if need be, a region",
        ),
        (
            "at(u, u, 1)",
            "depends neither on the place nor on the solution",
        ),
        ("1.2.3", "`1.2.3` is not a number"),
        ("1e999", "is not a number"),
        ("`a", "no closing backquote"),
        ("", "column 1: the expression ends too early"),
    ] {
        assert!(refused(text).contains(part), "{}", refused(text));
    }
}

#[test]
fn definitions_count_columns_from_their_name() {
    let error = Quantity::define("peak =  max(v)", &names()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("peak =  max(v): column 13: unknown name `v`")
    );
    assert_eq!(error.pointer().unwrap(), "peak =  max(v)\n            ^");
    let quantity = Quantity::define(" hot-spot = max(u) ", &names()).unwrap();
    assert_eq!((quantity.name(), quantity.text()), ("hot-spot", "max(u)"));
    for text in ["max(u)", "max(u) == 3", "= 3", "a b = 3", "", "q == 3"] {
        let error = Quantity::define(text, &names()).unwrap_err().to_string();
        assert!(error.contains("a quantity is NAME = EXPRESSION"), "{error}");
    }
}

#[test]
fn channels_have_names_numbers_and_kinds() {
    let channel = |name: &str| Name::new(name);
    let names = Names {
        axes: vec![channel("x")],
        solution: vec![channel("v"), channel("air temperature")],
        input: vec![channel("v"), channel("u0")],
        has_low: true,
    };
    let grid = floral_quantities::GridAxis::closed("x", vec![0.0, 1.0]).unwrap();
    let grid = floral_quantities::GridSpace::new(vec![grid]).unwrap();
    let given = Given {
        input: &[10.0, 10.0, 20.0, 20.0],
        low: &[30.0, 30.0, 40.0, 40.0],
    };
    let value = |text: &str| {
        let quantity = Quantity::parse("q", text, &names).map_err(|e| e.to_string())?;
        Ok::<f64, String>(
            quantity
                .on(&grid, given)
                .unwrap()
                .of(&[1.0, 1.0, 2.0, 2.0])
                .unwrap(),
        )
    };
    for (text, expected) in [
        ("mean(v)", 1.0),
        ("mean(u1)", 2.0),
        ("mean(`air temperature`)", 2.0),
        ("mean(solution.`air temperature`)", 2.0),
        ("mean(input.v)", 10.0),
        ("mean(input0)", 10.0),
        ("mean(input.u0)", 20.0),
        ("mean(low.v)", 30.0),
        ("mean(low1)", 40.0),
        ("mean(axis.x)", 0.5),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
    let error = value("mean(u0)").unwrap_err();
    assert!(
        error.ends_with("`u0` is ambiguous; write one of solution.v, input.u0"),
        "{error}"
    );
    assert!(
        value("mean(u)")
            .unwrap_err()
            .contains("known: v, `air temperature`, input.v, u0, low0, low1, x")
    );
}

#[test]
fn units_follow_channels_and_axes() {
    let unit = |text: &str| {
        let quantity = Quantity::parse("q", text, &names()).unwrap();
        quantity.unit().map(str::to_owned)
    };
    for text in [
        "max(u)",
        "mean(u, x < 1)",
        "at(u, 0, 0)",
        "std(u)",
        "range(-u)",
        "max(u) - mean(low)",
    ] {
        assert_eq!(unit(text).as_deref(), Some("K"), "{text}");
    }
    assert_eq!(unit("argmax(u, y)").as_deref(), Some("km"));
    for text in [
        "fraction(u > 1)",
        "integral(u)",
        "norm(u)",
        "mean(d(u, x))",
        "max(u) * 2",
        "max(u) - 273",
        "mean(k)",
        "max(u) > 1",
        "mean(u) - mean(x)",
    ] {
        assert_eq!(unit(text), None, "{text}");
    }
}

#[test]
fn quantities_know_their_needs_bounds_and_degree() {
    let quantity = |text: &str| Quantity::parse("q", text, &names()).unwrap();
    assert!(quantity("mean(u, k > 1)").uses_input() && !quantity("mean(u)").uses_input());
    assert!(quantity("max(u, x > mean(low))").uses_low() && !quantity("max(k)").uses_solution());
    assert_eq!(quantity("fraction(u > 1)").bounds(), [0.0, 1.0]);
    assert_eq!(quantity("max(u) > 1").bounds(), [0.0, 1.0]);
    assert_eq!(quantity("std(u)").bounds(), [0.0, f64::INFINITY]);
    assert_eq!(
        quantity("-std(u)").bounds(),
        [f64::NEG_INFINITY, f64::INFINITY]
    );
    for text in [
        "mean(u)",
        "3 * at(u, 0, 0) - integral(k * d(u, x), x == 1) / mean(k)",
        "mean(u - mean(u))",
        "max(k)",
        "mean(u, k > 1 or x > y)",
    ] {
        assert!(quantity(text).is_linear(), "{text}");
    }
    for text in [
        "max(u)",
        "std(u)",
        "mean(u * u)",
        "mean(u) * mean(u)",
        "mean(u, u > 1)",
        "1 / mean(u)",
        "mean(u ^ 2)",
        "abs(mean(u))",
        "mean(u) > 1",
        "norm(u)",
    ] {
        assert!(!quantity(text).is_linear(), "{text}");
    }
}

#[test]
fn long_and_deep_expressions_are_refused_without_overflow() {
    for text in [
        "(".repeat(1999),
        "-".repeat(1999),
        "not ".repeat(499),
        "abs(".repeat(499),
        "2^".repeat(900),
    ] {
        assert!(
            refused(&text).contains("nested more than 50 times"),
            "{}",
            refused(&text)
        );
    }
    assert!(refused(&"1+".repeat(999)).contains("more than 400 operations"));
    assert!(refused(&"1".repeat(1_000_000)).contains("more than 2000 characters"));
    // Each part is checked once: otherwise this would take 2^16 times as long.
    let nested = format!("{}u{}", "mean(u, x < ".repeat(20), ")".repeat(20));
    assert!(Quantity::parse("q", &nested, &names()).is_ok());
    let steep = format!("max({}u{})", "d(".repeat(5), ", x)".repeat(5));
    assert!(refused(&steep).contains("derivatives of more than order 4"));
    let many = vec!["max(u)"; 65].join("+");
    let error = unsuited(&many, &square(3));
    assert!(error.contains("more than 64 reductions"), "{error}");
}

/// Fragments that mutations insert: all elements of the language, and some that are not part of it.
const PIECES: [&str; 40] = [
    "u",
    "x",
    "y",
    "k",
    "low",
    "input.",
    "solution.",
    "mean(",
    "max(",
    "at(",
    "d(",
    "argmax(",
    "fraction(",
    "integral(",
    "std(",
    "norm(",
    "range(",
    "sqrt(",
    "(",
    ")",
    ",",
    " and ",
    " or ",
    " not ",
    "==",
    "<",
    ">=",
    "!=",
    "+",
    "-",
    "*",
    "/",
    "^",
    "0.5",
    "1e308",
    ".",
    "`",
    "é",
    "=",
    "\u{0}",
];

fn mutated(rng: &mut impl Rng) -> String {
    let seeds = [
        "max(u)",
        "mean(u, x < 0.5)",
        "integral(-k * d(u, x), x == 1)",
        "at(u, 0.3, 0.7)",
        "fraction(u > 0.8)",
        "argmax(u, x, y > 0.5)",
        "std(u) / norm(low) + range(u)",
        "mean(u, u > mean(u) and x == 0)",
    ];
    let mut text: Vec<char> = seeds[rng.random_range(0..seeds.len())].chars().collect();
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..=text.len());
        match rng.random_range(0..6) {
            0 => drop(text.drain(at..(at + 2).min(text.len()))),
            1 => text.truncate(at.max(3)),
            2 => text.extend(format!(" - {}", seeds[rng.random_range(0..seeds.len())]).chars()),
            3 => {
                // Replaces one name by another: many of these texts are valid.
                let letters = ['u', 'x', 'y', 'k'];
                let of_name = text.iter_mut().filter(|c| letters.contains(c));
                of_name.for_each(|c| *c = letters[rng.random_range(0..4)]);
            }
            _ => drop(text.splice(at..at, PIECES[rng.random_range(0..PIECES.len())].chars())),
        }
    }
    text.into_iter().collect()
}

#[test]
fn no_text_panics() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (grid, names) = (square(3), names());
    let u = field(&grid, |x, y| x - y);
    let mut valid = 0;
    for _ in 0..100_000 {
        let text = mutated(&mut rng);
        match Quantity::parse("q", &text, &names) {
            Ok(quantity) => {
                if let Ok(prepared) = quantity.on(&grid, Given { input: &u, low: &u }) {
                    prepared.of(&u).unwrap();
                    valid += 1;
                }
            }
            Err(error) => drop((error.to_string(), error.pointer().unwrap())),
        }
    }
    assert!(
        valid > 5_000,
        "{valid} texts of 100000 were valid: the test says little"
    );
}
