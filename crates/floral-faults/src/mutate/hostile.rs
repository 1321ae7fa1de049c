//! Values that are likely to cause errors.

use ciborium::Value;

use crate::dice::Dice;

/// Whole numbers at the limits of types and of memory.
const NUMBERS: [u64; 17] = [
    0,
    1,
    2,
    7,
    255,
    256,
    65_535,
    1 << 20,
    (1 << 24) + 1,
    (1 << 31) - 1,
    1 << 31,
    1 << 32,
    1 << 40,
    1 << 60,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX,
];

/// Texts that lead to other folders, control a terminal, or have a meaning in some format.
const TEXTS: [&str; 12] = [
    "",
    "..",
    "../../outside",
    "/outside",
    "zarr.json",
    "mean",
    "NaN",
    "-Infinity",
    "\u{1b}[2J",
    "\u{0}",
    "float64",
    "roll:x",
];

/// Unlikely real numbers. JSON and TOML cannot represent the last two, or write them as null or
/// text.
const REALS: [f64; 10] = [
    -1.0,
    -0.0,
    0.5,
    1e-300,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    -1e18,
    f64::NAN,
    f64::INFINITY,
];

/// An extreme whole number.
pub fn number(dice: &mut Dice) -> u64 {
    *dice.pick(&NUMBERS)
}

/// An extreme real number.
pub fn real(dice: &mut Dice) -> f64 {
    *dice.pick(&REALS)
}

/// A value of any type.
pub fn value(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0..4 => number(dice).into(),
        4 => (-(number(dice).min(1 << 62) as i64)).into(),
        5 => real(dice).into(),
        6 => (*dice.pick(&TEXTS)).into(),
        7 => Value::Null,
        8 => match dice.below(4) {
            0 => Value::Array(Vec::new()),
            1 => Value::Map(Vec::new()),
            2 => Value::Array(vec![number(dice).into(); dice.below(6)]),
            // A deeply nested list.
            _ => (0..dice.below(200)).fold(0.into(), |inner, _| Value::Array(vec![inner])),
        },
        _ => match dice.below(3) {
            0 => true.into(),
            1 => "x".repeat(1 << dice.below(12)).into(),
            _ => Value::Array(vec![(*dice.pick(&TEXTS)).into(); dice.below(4)]),
        },
    }
}
