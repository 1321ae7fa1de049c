//! Stationary isotropic covariance kernels.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The shape of a kernel: correlation as a function of s = distance / length.
///
/// Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, section 4.2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Family {
    /// exp(-s^2 / 2).
    Rbf,
    /// exp(-s), which is Matern 1/2.
    Exponential,
    /// (1 + sqrt(3) s) exp(-sqrt(3) s).
    Matern32,
    /// (1 + sqrt(5) s + 5 s^2 / 3) exp(-sqrt(5) s).
    Matern52,
}

impl Family {
    const NAMED: [(&str, Self); 5] = [
        ("rbf", Self::Rbf),
        ("exponential", Self::Exponential),
        ("matern12", Self::Exponential),
        ("matern32", Self::Matern32),
        ("matern52", Self::Matern52),
    ];

    fn correlation(self, s: f64) -> f64 {
        match self {
            Self::Rbf => (-0.5 * s * s).exp(),
            Self::Exponential => (-s).exp(),
            Self::Matern32 => polynomial_decay(3_f64.sqrt() * s, |t| 1.0 + t),
            Self::Matern52 => polynomial_decay(5_f64.sqrt() * s, |t| 1.0 + t + t * t / 3.0),
        }
    }
}

/// polynomial(t) exp(-t); zero where the exponential underflows, however large the polynomial.
fn polynomial_decay(t: f64, polynomial: impl Fn(f64) -> f64) -> f64 {
    match (-t).exp() {
        0.0 => 0.0,
        decay => polynomial(t) * decay,
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = Self::NAMED
            .iter()
            .find(|(_, family)| family == self)
            .expect("every family is in the list of names");
        f.write_str(name)
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, family)| *family).ok_or_else(|| {
            Error::unknown_name(
                "kernel",
                name,
                Self::NAMED.map(|(known, _)| known).join(", "),
            )
        })
    }
}

impl TryFrom<String> for Family {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl From<Family> for String {
    fn from(family: Family) -> Self {
        family.to_string()
    }
}

/// A covariance that depends on distance alone: amplitude^2 * correlation(distance / length).
///
/// The amplitude is a standard deviation, in the unit of the field; its square is the variance. The
/// paper's "amplitude 0.25" could mean either; the standard deviation is our reading.
///
/// In a configuration: `kernel = "rbf"`, `length = 0.2`, `amplitude = 0.25`; amplitude 1 if absent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Kernel {
    #[serde(rename = "kernel")]
    family: Family,
    length: f64,
    amplitude: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    kernel: Family,
    length: f64,
    amplitude: Option<f64>,
}

impl TryFrom<Unchecked> for Kernel {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        Self::new(read.kernel, read.length, read.amplitude.unwrap_or(1.0))
    }
}

impl Kernel {
    /// A kernel of this family, correlation length and standard deviation.
    pub fn new(family: Family, length: f64, amplitude: f64) -> Result<Self> {
        for (name, value) in [("length", length), ("amplitude", amplitude)] {
            if !value.is_normal() || value < 0.0 {
                return Err(Error::config(
                    format!("kernel {family}"),
                    format!("{name} = {value}, but it must be positive and finite"),
                ));
            }
        }
        Ok(Self {
            family,
            length,
            amplitude,
        })
    }

    /// The shape of the correlation.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Correlation length, in the unit of the coordinates.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Standard deviation of the field.
    pub fn amplitude(&self) -> f64 {
        self.amplitude
    }

    /// Variance of the field: the amplitude squared.
    pub fn variance(&self) -> f64 {
        self.amplitude * self.amplitude
    }

    /// Covariance of the values at two points at this distance.
    pub fn covariance(&self, distance: f64) -> f64 {
        self.variance() * self.family.correlation(distance.abs() / self.length)
    }

    /// Covariance of the values at two points of the same dimension.
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
        self.covariance(squares.sum::<f64>().sqrt())
    }

    /// The distance beyond which the correlation is below `tolerance`.
    pub fn support(&self, tolerance: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        while self.family.correlation(high) >= tolerance && high < f64::MAX {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.family.correlation(middle) >= tolerance {
                low = middle;
            } else {
                high = middle;
            }
        }
        high * self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, eigen, stream};
    use floral_linalg::Mat;
    use rand::RngExt;

    const FAMILIES: [Family; 4] = [
        Family::Rbf,
        Family::Exponential,
        Family::Matern32,
        Family::Matern52,
    ];

    #[test]
    fn covariance_at_zero_is_the_variance() {
        for family in FAMILIES {
            let kernel = Kernel::new(family, 0.3, 0.25).unwrap();
            assert_eq!(kernel.covariance(0.0), 0.0625);
            assert_eq!(kernel.between(&[1.0, 2.0], &[1.0, 2.0]), 0.0625);
        }
    }

    #[test]
    fn one_length_away_the_correlations_are_the_textbook_values() {
        let at_one = FAMILIES.map(|f| Kernel::new(f, 0.2, 1.0).unwrap().covariance(0.2));
        let expected = [
            0.606530659712633,
            0.36787944117144233,
            0.4833577245965077,
            0.5239941088318203,
        ];
        for (value, expected) in at_one.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-14, "{value} {expected}");
        }
    }

    /// Matern nu tends to the RBF as nu grows: 1/2, 3/2, 5/2 approach it in order at every distance
    /// up to one length.
    #[test]
    fn smoother_materns_are_nearer_to_the_rbf() {
        for i in 1..=10 {
            let at = |f| {
                Kernel::new(f, 1.0, 1.0)
                    .unwrap()
                    .covariance(0.1 * f64::from(i))
            };
            let difference = |f| (at(f) - at(Family::Rbf)).abs();
            assert!(difference(Family::Matern52) < difference(Family::Matern32));
            assert!(difference(Family::Matern32) < difference(Family::Exponential));
        }
    }

    #[test]
    fn covariance_matrices_of_random_points_are_positive() {
        let mut rng = stream(7, Purpose::Input, 0, 0);
        for family in FAMILIES {
            for dimensions in 1..=3 {
                let kernel = Kernel::new(family, 0.3, 2.0).unwrap();
                let points: Vec<Vec<f64>> = (0..40)
                    .map(|_| (0..dimensions).map(|_| rng.random()).collect())
                    .collect();
                let matrix = Mat::from_fn(40, 40, |i, j| kernel.between(&points[i], &points[j]));
                let (values, _) = eigen::symmetric(&matrix).unwrap();
                assert!(values[39] > -1e-12, "{family}: {}", values[39]);
            }
        }
    }

    #[test]
    fn correlation_falls_below_the_tolerance_at_the_support() {
        for family in FAMILIES {
            let kernel = Kernel::new(family, 1e-3, 3.0).unwrap();
            let support = kernel.support(1e-16);
            assert!(kernel.covariance(support) <= 1e-16 * 9.0);
            assert!(kernel.covariance(0.999 * support) > 1e-16 * 9.0);
        }
        let far = Kernel::new(Family::Matern52, 1e-300, 1.0).unwrap();
        assert_eq!(far.covariance(1e10), 0.0);
    }

    #[test]
    fn kernels_survive_a_walk_through_toml() {
        let text = "kernel = \"rbf\"\nlength = 0.2\namplitude = 0.25\n";
        let kernel: Kernel = toml::from_str(text).unwrap();
        assert_eq!(kernel, Kernel::new(Family::Rbf, 0.2, 0.25).unwrap());
        assert_eq!(toml::to_string(&kernel).unwrap(), text);
        let named = |name: &str| name.parse::<Family>().unwrap();
        assert_eq!(named("matern12"), named("exponential"));
    }

    #[test]
    fn bad_kernels_are_refused_with_the_reason() {
        let refusal = |text: &str| toml::from_str::<Kernel>(text).unwrap_err().to_string();
        let negative = refusal("kernel = \"rbf\"\nlength = -1.0");
        assert!(negative.contains("length = -1, but it must be positive"));
        let unknown = refusal("kernel = \"cubic\"\nlength = 1.0");
        assert!(unknown.contains("unknown kernel \"cubic\"; choose one of rbf, exponential"));
        assert!(refusal("kernel = \"rbf\"\nlength = 1\nscale = 2").contains("unknown field"));
        assert!(Kernel::new(Family::Rbf, 1.0, f64::NAN).is_err());
        assert!(Kernel::new(Family::Rbf, f64::INFINITY, 1.0).is_err());
    }
}
