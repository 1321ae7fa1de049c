//! Distributions of parameters, each defined by name as in a TOML file.

use serde::Deserialize;

use crate::student::normal_quantile;
use crate::{Error, Result};

/// The available distributions, for messages.
const KNOWN: &str = "uniform (low, high), normal (mean, std), lognormal (median, factor), loguniform (low, high), \
                     triangular (low, mode, high) or a number";

/// The distribution of one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "law", rename_all = "lowercase", deny_unknown_fields)]
pub enum Law {
    /// Uniform between two bounds.
    Uniform {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// Normal.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        std: f64,
    },
    /// The logarithm is normal: x = median factor^z with z standard normal.
    Lognormal {
        /// The median.
        median: f64,
        /// Ratio of the 84 % quantile to the median, above 1.
        factor: f64,
    },
    /// The logarithm is uniform.
    Loguniform {
        /// The lower bound, above 0.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// A density that rises linearly to a mode and falls linearly after it.
    Triangular {
        /// The lower bound.
        low: f64,
        /// The mode.
        mode: f64,
        /// The upper bound.
        high: f64,
    },
    /// A parameter that does not vary.
    Fixed {
        /// Its value.
        value: f64,
    },
}

impl Law {
    /// The quantile of a level between 0 and 1.
    pub fn quantile(&self, level: f64) -> f64 {
        match *self {
            Self::Uniform { low, high } => low + level * (high - low),
            Self::Normal { mean, std } => mean + std * normal_quantile(level),
            Self::Lognormal { median, factor } => median * factor.powf(normal_quantile(level)),
            Self::Loguniform { low, high } => low * (high / low).powf(level),
            Self::Triangular { low, mode, high } => {
                let (width, rise) = (high - low, mode - low);
                if level * width <= rise {
                    low + (level * width * rise).sqrt()
                } else {
                    high - ((1.0 - level) * width * (high - mode)).sqrt()
                }
            }
            Self::Fixed { value } => value,
        }
    }

    /// Whether the parameter varies.
    pub fn varies(&self) -> bool {
        !matches!(self, Self::Fixed { .. })
    }

    /// Refuses invalid numbers; `name` is the parameter's name for messages.
    pub fn check(&self, name: &str) -> Result<()> {
        let numbers = match *self {
            Self::Uniform { low, high } | Self::Loguniform { low, high } => [low, high, 0.0],
            Self::Normal { mean, std } => [mean, std, 0.0],
            Self::Lognormal { median, factor } => [median, factor, 0.0],
            Self::Triangular { low, mode, high } => [low, mode, high],
            Self::Fixed { value } => [value, 0.0, 0.0],
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(Error::new(
                name,
                "its numbers are not all finite; give finite ones",
            ));
        }
        let fault = match *self {
            Self::Uniform { low, high } if low >= high => {
                format!(
                    "low = {low} is not below high = {high}; exchange them, or give a number for a fixed value"
                )
            }
            Self::Loguniform { low, high } if low <= 0.0 || low >= high => {
                format!("a loguniform law needs 0 < low < high, not low = {low} and high = {high}")
            }
            Self::Normal { std, .. } if std <= 0.0 => {
                format!("std = {std} is not above 0; give a number for a fixed value")
            }
            Self::Lognormal { median, factor } if median <= 0.0 || factor <= 1.0 => {
                format!(
                    "a lognormal law needs median > 0 and factor > 1, not median = {median} and factor = {factor}"
                )
            }
            Self::Triangular { low, mode, high }
                if !(low <= mode && mode <= high && low < high) =>
            {
                format!("a triangular law needs low <= mode <= high, not {low}, {mode} and {high}")
            }
            _ => return Ok(()),
        };
        Err(Error::new(name, fault))
    }
}

/// The distributions of all parameters, which are independent.
///
/// ```
/// let laws = floral_decisions::law::Laws::parse("
///     load = { law = 'uniform', low = 0, high = 10 }
///     stiffness = { law = 'lognormal', median = 12, factor = 1.5 }
///     depth = 3
/// ")?;
/// assert_eq!(laws.names(), ["load", "stiffness", "depth"]);
/// assert_eq!(laws.values(&[0.5, 0.5]), [5.0, 12.0, 3.0]);
/// # Ok::<(), floral_decisions::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Laws(Vec<(String, Law)>);

impl Laws {
    /// Named distributions, checked.
    pub fn new(laws: Vec<(String, Law)>) -> Result<Self> {
        for (name, law) in &laws {
            law.check(name)?;
        }
        if !laws.iter().any(|(_, law)| law.varies()) {
            return Err(Error::new(
                "laws",
                "no parameter varies; give at least one a distribution, as in load = { law = 'uniform', low = 0, high = 1 }",
            ));
        }
        Ok(Self(laws))
    }

    /// Reads a TOML text: a table or a number for each parameter.
    pub fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = toml::from_str(text).map_err(|error| {
            let first = error.message().lines().next().unwrap_or_default().to_owned();
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            Error::new("laws", format!("line {line}: {first}; write TOML, as in load = {{ law = 'uniform', low = 0, high = 1 }}"))
        })?;
        let law = |(name, value): (String, toml::Value)| {
            let law = one(&name, value)?;
            Ok((name, law))
        };
        Self::new(
            in_order(table, text)
                .into_iter()
                .map(law)
                .collect::<Result<_>>()?,
        )
    }

    /// The same in another order; refuses a parameter without a distribution and a distribution
    /// without a parameter.
    pub fn ordered(&self, names: &[String]) -> Result<Self> {
        let known = || names.join(", ");
        if let Some((odd, _)) = self.0.iter().find(|(name, _)| !names.contains(name)) {
            return Err(Error::new(
                odd,
                format!("unknown parameter; the run has {}", known()),
            ));
        }
        let law = |name: &String| {
            let found = self.0.iter().find(|(given, _)| given == name);
            found.cloned().ok_or_else(|| {
                Error::new(name, format!("the parameter has no law; the run has {}, and each needs a law or a number", known()))
            })
        };
        Ok(Self(names.iter().map(law).collect::<Result<_>>()?))
    }

    /// Names of all parameters, in order.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Names of the parameters that vary.
    pub fn varying_names(&self) -> Vec<&str> {
        let varying = self.0.iter().filter(|(_, law)| law.varies());
        varying.map(|(name, _)| name.as_str()).collect()
    }

    /// Number of parameters that vary.
    pub fn varying(&self) -> usize {
        self.0.iter().filter(|(_, law)| law.varies()).count()
    }

    /// The values of all parameters, given a quantile level for each that varies.
    pub fn values(&self, levels: &[f64]) -> Vec<f64> {
        let mut levels = levels.iter();
        let value = |(_, law): &(String, Law)| match law {
            Law::Fixed { value } => *value,
            _ => law.quantile(levels.next().copied().unwrap_or(0.5)),
        };
        self.0.iter().map(value).collect()
    }
}

/// Parameters in the order of the text, which a TOML table does not keep.
fn in_order(table: toml::Table, text: &str) -> Vec<(String, toml::Value)> {
    let place = |name: &str| {
        let is_key = |line: &str| {
            let line = line
                .trim_start()
                .trim_start_matches('[')
                .trim_start_matches(['"', '\'']);
            line.strip_prefix(name).is_some_and(|rest| {
                rest.trim_start_matches(['"', '\''])
                    .trim_start()
                    .starts_with(['=', ']', '.'])
            })
        };
        text.lines().position(is_key).unwrap_or(usize::MAX)
    };
    let mut all: Vec<(String, toml::Value)> = table.into_iter().collect();
    all.sort_by_key(|(name, _)| place(name));
    all
}

fn one(name: &str, value: toml::Value) -> Result<Law> {
    match value {
        toml::Value::Integer(value) => Ok(Law::Fixed {
            value: value as f64,
        }),
        toml::Value::Float(value) => Ok(Law::Fixed { value }),
        toml::Value::Table(table) => table.try_into().map_err(|error: toml::de::Error| {
            let first = error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            Error::new(name, format!("{first}; a law is {KNOWN}"))
        }),
        other => Err(Error::new(
            name,
            format!("{other} is not a distribution; choose {KNOWN}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and standard deviation over levels at the midpoints of equal cells.
    fn moments(law: Law) -> [f64; 2] {
        let n = 200_000;
        let values: Vec<f64> = (0..n)
            .map(|i| law.quantile((f64::from(i) + 0.5) / f64::from(n)))
            .collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
        [mean, square.sqrt()]
    }

    #[test]
    fn quantile_functions_have_the_moments_of_their_laws() {
        let (low, high, mode) = (1.0f64, 4.0, 3.0);
        let log = (high / low).ln();
        let mean = (high - low) / log;
        let sigma = 1.5f64.ln();
        let cases = [
            (Law::Uniform { low, high }, 2.5, 3.0 / 12f64.sqrt()),
            (
                Law::Normal {
                    mean: 2.0,
                    std: 0.5,
                },
                2.0,
                0.5,
            ),
            (
                Law::Lognormal {
                    median: 2.0,
                    factor: 1.5,
                },
                2.0 * (0.5 * sigma * sigma).exp(),
                2.0 * (0.5 * sigma * sigma).exp() * (sigma * sigma).exp_m1().sqrt(),
            ),
            (
                Law::Loguniform { low, high },
                mean,
                ((high * high - 1.0) / (2.0 * log) - mean * mean).sqrt(),
            ),
            (
                Law::Triangular { low, mode, high },
                8.0 / 3.0,
                (7.0f64 / 18.0).sqrt(),
            ),
            (Law::Fixed { value: 7.0 }, 7.0, 0.0),
        ];
        for (law, mean, std) in cases {
            let [found, spread] = moments(law);
            assert!(
                (found - mean).abs() < 1e-3 && (spread - std).abs() < 1e-3,
                "{law:?} {found} {spread}"
            );
        }
    }

    #[test]
    fn laws_keep_the_order_of_the_file_and_take_that_of_a_run() {
        let laws = Laws::parse("z = 1\n\n[load]\nlaw = 'uniform'\nlow = 0\nhigh = 2\n[\"a b\"]\nlaw = 'normal'\nmean = 0\nstd = 1.5").unwrap();
        assert_eq!(laws.names(), ["z", "load", "a b"]);
        assert_eq!(
            (laws.varying(), laws.varying_names()),
            (2, vec!["load", "a b"])
        );
        let names = ["a b", "load", "z"].map(str::to_owned);
        let ordered = laws.ordered(&names).unwrap();
        assert_eq!(ordered.values(&[0.5, 0.25]), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn what_is_no_law_is_refused_in_one_line() {
        let cases = [
            (
                "load = { law = 'uniform', low = 2, high = 1 }",
                "load: low = 2 is not below high = 1",
            ),
            ("load = { law = 'normal', mean = 2, std = 0 }", "std = 0"),
            (
                "load = { law = 'lognormal', median = -2, factor = 2 }",
                "median > 0",
            ),
            (
                "load = { law = 'loguniform', low = 0, high = 2 }",
                "0 < low < high",
            ),
            (
                "load = { law = 'triangular', low = 0, mode = 3, high = 2 }",
                "low <= mode <= high",
            ),
            (
                "load = { law = 'uniform', low = nan, high = 1 }",
                "not all finite",
            ),
            ("load = { law = 'cauchy', low = 1 }", "a law is uniform"),
            ("load = { law = 'uniform', low = 1 }", "missing field"),
            (
                "load = { law = 'uniform', low = 1, high = 2, mean = 3 }",
                "unknown field",
            ),
            ("load = 'high'", "load: \"high\" is not a distribution"),
            ("load = 3", "no parameter varies"),
            ("", "no parameter varies"),
            ("a = 1\nload = {", "line 2"),
        ];
        for (text, words) in cases {
            let refusal = Laws::parse(text).unwrap_err().to_string();
            assert!(
                refusal.contains(words) && !refusal.contains('\n'),
                "{refusal}"
            );
        }
        let laws = Laws::parse("load = { law = 'uniform', low = 0, high = 1 }").unwrap();
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let odd = laws.ordered(&names(&["lode"])).unwrap_err().to_string();
        assert!(
            odd.contains("load: unknown parameter; the run has lode"),
            "{odd}"
        );
        let missing = laws
            .ordered(&names(&["load", "depth"]))
            .unwrap_err()
            .to_string();
        assert!(
            missing.contains("depth: the parameter has no law"),
            "{missing}"
        );
    }
}
