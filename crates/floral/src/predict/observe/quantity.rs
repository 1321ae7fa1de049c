//! Readings of linear quantities, written as `mean(u) = 0.3 +- 0.01`.

use super::{Observations, refused};
use crate::Result;

/// The observed value of a quantity that is linear in the solution, in the units of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantityReading {
    /// Expression, such as `mean(u, x < 0.5)`.
    pub expression: String,
    /// Observed value.
    pub value: f64,
    /// Standard deviation of the measurement noise; 0 for an exact value.
    pub std: f64,
}

impl Observations {
    /// Adds the reading of a quantity, `EXPRESSION = VALUE` or `EXPRESSION = VALUE +- STD`.
    pub fn with_quantity(mut self, text: &str) -> Result<Self> {
        self.quantities.push(parse(text)?);
        Ok(self)
    }
}

fn parse(text: &str) -> Result<QuantityReading> {
    let form = "a reading is EXPRESSION = VALUE +- STD, as in mean(u) = 0.3 +- 0.01";
    let (expression, reading) = text.rsplit_once('=').ok_or_else(|| refused(text, form))?;
    let (value, std) = match reading.split_once("+-").or_else(|| reading.split_once('±')) {
        Some((value, std)) => (value, std),
        None => (reading, "0"),
    };
    let number = |part: &str| {
        let number = part.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        number.ok_or_else(|| refused(text, format!("{:?} is not a number; {form}", part.trim())))
    };
    Ok(QuantityReading {
        expression: expression.trim().to_owned(),
        value: number(value)?,
        std: number(std)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_of_quantities_have_a_value_and_perhaps_a_deviation() {
        let read = |text: &str| {
            let reading = parse(text).unwrap();
            (reading.expression, reading.value, reading.std)
        };
        assert_eq!(read("mean(u)= 0.3"), ("mean(u)".into(), 0.3, 0.0));
        let plane = "integral(u, x == 1) = -2e-1 +- 0.05";
        assert_eq!(read(plane), ("integral(u, x == 1)".into(), -0.2, 0.05));
        assert_eq!(read("mean(u) = 1 ± 2"), ("mean(u)".into(), 1.0, 2.0));
        for text in [
            "mean(u)",
            "mean(u) = ",
            "mean(u, x == 1)",
            "mean(u) = 1 +- a",
            "mean(u) = nan",
        ] {
            let words = parse(text).unwrap_err().to_string();
            assert!(words.contains("EXPRESSION = VALUE"), "{words}");
        }
    }
}
