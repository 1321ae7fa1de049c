//! Observations: readings of one realization of a new case, on which its prediction is conditioned.
//!
//! [`Observations`] are values at points, from a CSV file (`file.rs`) or arrays, and values of linear
//! quantities such as `mean(u) = 0.3 +- 0.01` (`quantity.rs`), all in the units of the run.
//! `resolve.rs` makes linear readings of what is learned of them, on the grid of the case, which
//! [`crate::kl`] conditions on.

mod file;
mod quantity;
mod resolve;

use crate::quantity::labels;
use crate::train::{Header, Method};
use crate::{Advice, Checksum, Error, Quantity, Result};

pub use quantity::QuantityReading;

/// Readings of one realization.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observations {
    /// Values at points.
    pub points: Vec<PointReading>,
    /// Values of linear quantities.
    pub quantities: Vec<QuantityReading>,
}

/// A value at a point, in the units of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct PointReading {
    /// What messages call it.
    pub name: String,
    /// A coordinate per axis.
    pub place: Vec<f64>,
    /// The channel of the solution.
    pub channel: usize,
    /// The value.
    pub value: f64,
    /// The standard deviation of its noise; 0 if it is exact.
    pub std: f64,
}

impl Observations {
    /// Values at points: a row of coordinates, a value and a standard deviation each. Channels are names or
    /// numbers; they may be left out if the run has one.
    pub fn of_arrays(
        header: &Header,
        places: Vec<Vec<f64>>,
        values: &[f64],
        std: &[f64],
        channels: Option<&[String]>,
    ) -> Result<Self> {
        let count = places.len();
        let lengths = [values.len(), std.len(), channels.map_or(count, <[_]>::len)];
        if lengths != [count; 3] {
            return Err(refused(
                "observations",
                format!(
                    "there are {count} points but {} values, {} standard deviations and {} channels; \
                     give one of each per point",
                    lengths[0], lengths[1], lengths[2]
                ),
            ));
        }
        let solution = solution(header);
        let reading = |(i, place): (usize, Vec<f64>)| {
            let name = format!("reading {i}");
            let given = channels.map(|names| names[i].as_str());
            Ok(PointReading {
                channel: channel(&solution, given).map_err(|reason| refused(&name, reason))?,
                place,
                value: values[i],
                std: std[i],
                name,
            })
        };
        let points = places.into_iter().enumerate().map(reading);
        Ok(Self {
            points: points.collect::<Result<_>>()?,
            quantities: Vec::new(),
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.quantities.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.points.len() + self.quantities.len()
    }

    /// Refuses them for predictions of several inputs, or of a method that takes no readings.
    pub fn check(&self, method: Method, inputs: usize) -> Result<()> {
        if inputs != 1 {
            let reason = format!("readings are those of one input, but there are {inputs}");
            return Err(refused("observations", reason).advised(Advice::ChooseInput));
        }
        if method.recipe().is_some() || method.is_flow() {
            return Ok(());
        }
        Err(no_distribution(method))
    }

    /// A checksum of all that predictions depend on.
    pub fn checksum(&self) -> Checksum {
        let points = self.points.iter().fold(Checksum::default(), |sum, one| {
            let numbers = [one.channel as f64, one.value, one.std];
            sum.numbers(&one.place).numbers(&numbers)
        });
        self.quantities.iter().fold(points, |sum, one| {
            sum.bytes(one.expression.as_bytes())
                .numbers(&[one.value, one.std])
        })
    }
}

/// That a method has nothing to condition.
pub(in crate::predict) fn no_distribution(method: Method) -> Error {
    let reason = format!(
        "{method} predicts one solution and no distribution that readings could change; use a run of flora, \
         floral, kriging or floral-kl"
    );
    refused("observations", reason)
}

/// What is known of every channel of the solution.
fn solution(header: &Header) -> Vec<Quantity> {
    let mut all = header.quantities.solution.clone();
    all.resize(header.shapes.solution_channels, Quantity::default());
    all
}

/// The channel of this name or number, or the only one.
fn channel(solution: &[Quantity], given: Option<&str>) -> std::result::Result<usize, String> {
    let (count, names) = (solution.len(), labels(solution));
    let named = |name: &str| names.iter().position(|known| known == name);
    let number = |name: &str| name.parse().ok().filter(|number| *number < count);
    match given.map(str::trim) {
        None if count == 1 => Ok(0),
        None => Err(format!(
            "the run has {count} channels; name the one that is read, as in a column channel"
        )),
        Some(name) => named(name).or_else(|| number(name)).ok_or_else(|| {
            let known = names.join(", ");
            format!("unknown channel {name:?}; choose one of {known}")
        }),
    }
}

fn refused(context: &str, reason: impl Into<String>) -> Error {
    Error::Config {
        context: context.into(),
        reason: reason.into(),
    }
}
