//! Observations: readings of one realization for a new input, on which its prediction is
//! conditioned.
//!
//! [`Observations`] are values at points, from a CSV file (`file.rs`) or arrays, and values of
//! linear quantities such as `mean(u) = 0.3 +- 0.01` (`quantity.rs`), all in the units of the run.
//! `resolve.rs` converts them to linear functionals of the learned field on the grid of the input,
//! on which [`crate::kl`] conditions.

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
    /// Name in messages.
    pub name: String,
    /// Position: one coordinate per axis.
    pub place: Vec<f64>,
    /// Index of the solution channel.
    pub channel: usize,
    /// Observed value.
    pub value: f64,
    /// Standard deviation of the measurement noise; 0 for an exact value.
    pub std: f64,
}

impl Observations {
    /// Observations at points, each with a row of coordinates, a value and a standard deviation.
    /// Channels are names or numbers and may be omitted if the run has only one.
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

    /// Whether there are no readings.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.quantities.is_empty()
    }

    /// Number of readings.
    pub fn len(&self) -> usize {
        self.points.len() + self.quantities.len()
    }

    /// Refuses readings for several inputs, or for a method that cannot be conditioned.
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

    /// Checksum of everything that predictions depend on.
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

/// Error for a method without a distribution to condition.
pub(in crate::predict) fn no_distribution(method: Method) -> Error {
    let reason = format!(
        "{method} predicts one solution and no distribution that readings could change; use a run of flora, \
         floral, kriging or floral-kl"
    );
    refused("observations", reason)
}

/// Name and units of every solution channel, as far as known.
fn solution(header: &Header) -> Vec<Quantity> {
    let mut all = header.quantities.solution.clone();
    all.resize(header.shapes.solution_channels, Quantity::default());
    all
}

/// Index of the channel with this name or number, or of the only channel if none is given.
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
