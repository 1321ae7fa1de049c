//! Values that programs stumble over.

use serde_json::{Value, json};

use crate::dice::Dice;

/// Whole numbers at the edges of types and of memory.
pub const NUMBERS: [u64; 17] = [
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

/// Texts that lead elsewhere, that a terminal obeys, or that are too long.
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

/// Numbers that are no measure of anything.
const REALS: [f64; 8] = [
    -1.0,
    -0.0,
    0.5,
    1e-300,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    -1e18,
];

/// A number at an edge.
pub fn number(dice: &mut Dice) -> u64 {
    *dice.pick(&NUMBERS)
}

/// A value of any kind.
pub fn value(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0..4 => json!(number(dice)),
        4 => json!(-(number(dice).min(1 << 62) as i64)),
        5 => json!(dice.pick(&REALS)),
        6 => json!(dice.pick(&TEXTS)),
        7 => Value::Null,
        8 => match dice.below(4) {
            0 => json!([]),
            1 => json!({}),
            2 => json!(vec![number(dice); dice.below(6)]),
            _ => nested(dice.below(200)),
        },
        _ => match dice.below(3) {
            0 => json!(true),
            1 => json!("x".repeat(1 << dice.below(12))),
            _ => json!(vec![dice.pick(&TEXTS); dice.below(4)]),
        },
    }
}

/// A list in a list in a list.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |inner, _| json!([inner]))
}
