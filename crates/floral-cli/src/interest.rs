//! `--quantity` and `--exceed-quantity`: the options for quantities of interest, and the format of
//! numbers in their tables.

use floral::predict::interest::Asked;

/// Options for quantities of interest.
#[derive(clap::Args)]
pub struct Arguments {
    /// Quantity of interest, as in 'peak = max(u)' or 'left = mean(u, x < 0.5)'; may be repeated
    #[arg(
        long,
        value_name = "NAME=EXPRESSION",
        help_heading = "Quantities of interest"
    )]
    quantity: Vec<String>,

    /// Threshold of a quantity of interest whose exceedance probability is wanted, as in 'peak: 80'; may
    /// be repeated
    #[arg(long, value_name = "NAME:T", help_heading = "Quantities of interest")]
    exceed_quantity: Vec<String>,
}

impl Arguments {
    /// The definitions and thresholds as typed.
    pub fn asked(&self) -> Asked {
        Asked {
            quantities: self.quantity.clone(),
            thresholds: self.exceed_quantity.clone(),
        }
    }

    /// Whether neither option is given.
    pub fn is_empty(&self) -> bool {
        self.quantity.is_empty() && self.exceed_quantity.is_empty()
    }
}

/// A number with five significant digits; `-` for NaN.
pub fn number(value: f64) -> String {
    significant(value, 5)
}

/// A value with at least five significant digits, and with enough of them to show three digits of a
/// difference this large: 100001 with a spread of 2 is 100001.23.
pub fn number_within(value: f64, spread: f64) -> String {
    let is_known = spread.is_finite() && spread > 0.0 && value.is_finite() && value != 0.0;
    let digits = match is_known {
        true => rounded_magnitude(value, 5) - rounded_magnitude(spread, 5) + 3,
        false => 0,
    };
    significant(value, digits.clamp(5, 15))
}

/// A score with five decimals, or with five significant digits if it is too small or too large for
/// that.
pub fn score(value: f64) -> String {
    match value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        true => format!("{value:.5}"),
        false => number(value),
    }
}

/// A standard error with two significant digits; `-` for NaN.
pub fn error(value: f64) -> String {
    significant(value, 2)
}

fn significant(value: f64, digits: i32) -> String {
    if value.is_nan() {
        return "-".into();
    }
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = rounded_magnitude(value, digits);
    match (-4..=5.max(digits - 1)).contains(&magnitude) {
        true => format!("{value:.*}", (digits - 1 - magnitude).max(0) as usize),
        false => format!("{value:.*e}", digits as usize - 1),
    }
}

/// The power of ten of the first digit, after rounding: 9.99999 becomes 10.000.
fn rounded_magnitude(value: f64, digits: i32) -> i32 {
    let text = format!("{value:.*e}", digits as usize - 1);
    let power = text.split_once('e').map_or("0", |(_, power)| power);
    power.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_in_small_units_keep_their_digits() {
        assert_eq!(score(0.123456), "0.12346");
        assert_eq!(score(0.0), "0.00000");
        assert_eq!(score(1.23456e-7), "1.2346e-7");
        assert_eq!(score(-2.5e8), "-2.5000e8");
        assert_eq!(score(f64::NAN), "-");
    }

    #[test]
    fn values_close_to_each_other_are_told_apart() {
        let shown = [100_000.512, 100_001.0, 100_001.489].map(|x| number_within(x, 0.5));
        assert_eq!(shown, ["100000.512", "100001.000", "100001.489"]);
        assert_eq!(number_within(80.123456, 10.0), "80.123");
        assert_eq!(number_within(80.123456, f64::NAN), "80.123");
        assert_eq!(number_within(1e9 + 1.25, 1.0), "1000000001.25");
    }

    #[test]
    fn numbers_keep_five_significant_digits() {
        assert_eq!(number(80.123456), "80.123");
        assert_eq!(number(-0.00123456), "-0.0012346");
        assert_eq!(number(1.0e-9), "1.0000e-9");
        assert_eq!(number(123456.7), "123457");
        assert_eq!(number(9.99999), "10.000");
        assert_eq!(number(-0.0999999), "-0.10000");
        assert_eq!(number(f64::NAN), "-");
        assert_eq!(error(0.01234), "0.012");
    }
}
