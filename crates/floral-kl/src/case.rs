//! Training cases and queries as plain arrays, and their frame, in which a scaling is divided out.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::realizations::Realizations;
use super::{Lattice, Role, Symmetries};
use crate::{Error, Result};

/// A query: an input and, where there is one, its low-fidelity solution.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The input: [channel, point].
    pub input: &'a [f64],
    /// The low-fidelity solution: [channel, point].
    pub low: Option<&'a [f64]>,
}

/// A training case: an input with realizations of its solution.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The input and its low-fidelity solution.
    pub query: Query<'a>,
    /// Realizations: [realization, channel, point]; at known points only if there are `points`.
    pub realizations: Realizations<'a>,
    /// The points of the lattice at which realizations are known; `None` means all.
    pub points: Option<&'a [usize]>,
}

impl Case<'_> {
    /// Number of points at which realizations are known.
    pub(super) fn known(&self, lattice: &Lattice) -> usize {
        self.points.map_or(lattice.len(), <[usize]>::len)
    }

    /// Compares cases by the values of the input, then of low fidelity, then of the realizations.
    /// Scattered points are visited along a curve through them, so that their order in memory does
    /// not matter.
    fn in_order(&self, other: &Self, curve: Option<&[usize]>) -> Ordering {
        let curve = curve.filter(|_| self.points.is_none() && other.points.is_none());
        let lows = [self, other].map(|case| case.query.low.unwrap_or(&[]));
        in_order(self.query.input, other.query.input, curve)
            .then_with(|| in_order(lows[0], lows[1], curve))
            .then_with(|| {
                let [a, b] = [self, other].map(|case| case.realizations.to_vec());
                in_order(&a, &b, curve)
            })
    }

    /// Number of realizations.
    pub(super) fn count(&self, lattice: &Lattice, channels: Channels) -> usize {
        self.realizations.len() / (channels.solution * self.known(lattice)).max(1)
    }
}

/// Sorts cases by their values.
pub(super) fn sort(cases: &mut [Case<'_>], lattice: &Lattice) {
    let curve = lattice.points().map(|points| points.curve());
    cases.sort_by(|a, b| a.in_order(b, curve.as_deref()));
}

/// Compares fields value by value, visiting points along `curve` if there is one.
fn in_order(a: &[f64], b: &[f64], curve: Option<&[usize]>) -> Ordering {
    let count = a.len().min(b.len());
    let differ = |p: usize| Some(a[p].total_cmp(&b[p])).filter(|order| order.is_ne());
    let found = match curve {
        Some(curve) if !curve.is_empty() => {
            let fields = (0..count / curve.len()).map(|field| field * curve.len());
            let mut places = fields.flat_map(|first| curve.iter().map(move |p| first + p));
            places.find_map(differ)
        }
        _ => (0..count).find_map(differ),
    };
    found.unwrap_or(Ordering::Equal)
}

/// Numbers of channels of input and solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    /// Channels of the input.
    pub input: usize,
    /// Channels of the solution and of low fidelity.
    pub solution: usize,
}

impl Channels {
    /// Refuses arrays of the wrong size, and values that are not finite.
    pub fn check(&self, lattice: &Lattice, query: &Query<'_>) -> Result<()> {
        expect("the input", query.input, self.input, &lattice.shape())?;
        query.low.map_or(Ok(()), |low| {
            expect("low fidelity", low, self.solution, &lattice.shape())
        })
    }

    /// Refuses an empty list of training cases, cases that differ in whether they have low
    /// fidelity, and every case that does not fit the lattice.
    pub(super) fn check_all(
        &self,
        lattice: &Lattice,
        cases: &[Case<'_>],
        held_out: &[Case<'_>],
    ) -> Result<()> {
        let Some(first) = cases.first() else {
            return Err(Error::Config {
                context: "kriging".into(),
                reason: "there are no training inputs; give at least one".into(),
            });
        };
        for case in cases.iter().chain(held_out) {
            self.check_case(lattice, case)?;
            if case.query.low.is_some() != first.query.low.is_some() {
                return Err(mixed_low());
            }
        }
        Ok(())
    }

    /// Refuses a case whose realizations are no whole fields, or whose points are off the lattice.
    pub fn check_case(&self, lattice: &Lattice, case: &Case<'_>) -> Result<()> {
        self.check(lattice, &case.query)?;
        if let Some(points) = case.points {
            check_points(lattice, points)?;
        }
        let known = case.known(lattice);
        let count = case.count(lattice, *self);
        let channels = count.max(1) * self.solution;
        let shape = case.points.map_or(lattice.shape(), |_| vec![known]);
        let realizations = case.realizations.to_vec();
        expect("the realizations", &realizations, channels, &shape)
    }
}

/// The error for inputs that differ in whether they have low fidelity.
pub(super) fn mixed_low() -> Error {
    Error::Config {
        context: "kriging".into(),
        reason: "some inputs have low fidelity and some have not; give it for all or for none"
            .into(),
    }
}

fn check_points(lattice: &Lattice, points: &[usize]) -> Result<()> {
    let mut sorted = points.to_vec();
    sorted.sort_unstable();
    let refused = |reason: String| {
        Err(Error::Config {
            context: "known points".into(),
            reason,
        })
    };
    match sorted.last() {
        None => refused("there are none; leave that input out".into()),
        Some(last) if *last >= lattice.len() => refused(format!(
            "point {last} is off the grid, which has {} points",
            lattice.len()
        )),
        Some(_) if sorted.windows(2).any(|pair| pair[0] == pair[1]) => {
            refused("a point is named twice; name each once".into())
        }
        Some(_) => Ok(()),
    }
}

fn expect(what: &str, values: &[f64], channels: usize, shape: &[usize]) -> Result<()> {
    if values.len() != channels * shape.iter().product::<usize>() {
        return Err(Error::Shape {
            what: what.into(),
            found: vec![values.len()],
            expected: [&[channels], shape].concat(),
        });
    }
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::Numerical {
        what: format!("{what} has values that are not finite"),
        advice: "leave that input out, or solve it again".into(),
    })
}

/// Input and low fidelity in the frame in which a scaling symmetry is divided out.
#[derive(Debug, Clone)]
pub(super) struct Framed {
    /// The input divided by its size: [channel, point].
    pub input: Vec<f64>,
    /// Low fidelity divided by the solution's size: [channel, point]; empty if there is none.
    pub low: Vec<f64>,
    /// The solution's size; 1 if there is no scaling.
    pub size: f64,
    /// Number of points.
    pub points: usize,
}

impl Framed {
    pub(super) fn new(query: &Query<'_>, symmetries: &Symmetries) -> Self {
        let input_size = symmetries.scale.map_or(1.0, |_| magnitude(query.input));
        let size = symmetries
            .scale
            .map_or(1.0, |exponent| input_size.powf(exponent));
        let over = |values: &[f64], size: f64| values.iter().map(|v| v / size).collect();
        Self {
            input: over(query.input, input_size),
            low: over(query.low.unwrap_or(&[]), size),
            size,
            points: symmetries.motions[0].points(),
        }
    }

    /// The same with the mean, low fidelity plus residual, in place of low fidelity. residual:
    /// [channel, point].
    pub(super) fn around(&self, residual: &[f64]) -> Self {
        let low = |p: usize| self.low.get(p).copied().unwrap_or(0.0);
        let mean = residual.iter().enumerate().map(|(p, r)| low(p) + r);
        Self {
            input: self.input.clone(),
            low: mean.collect(),
            ..*self
        }
    }

    /// The same without low fidelity.
    pub(super) fn alone(&self) -> Self {
        Self {
            input: self.input.clone(),
            low: Vec::new(),
            ..*self
        }
    }

    /// The same, moved by the motion with this number.
    pub(super) fn moved(&self, symmetries: &Symmetries, motion: usize) -> Self {
        let motion = &symmetries.motions[motion];
        Self {
            input: motion.apply(Role::Input, &self.input),
            low: motion.apply(Role::Solution, &self.low),
            ..*self
        }
    }
}

/// The size of a field: its geometric mean if it is positive, or else its root mean square. The
/// size of c a is c times that of a.
fn magnitude(values: &[f64]) -> f64 {
    let mean = |sum: f64| sum / values.len().max(1) as f64;
    let size = if values.iter().all(|value| *value > 0.0) {
        mean(values.iter().map(|value| value.ln()).sum()).exp()
    } else {
        mean(values.iter().map(|value| value * value).sum()).sqrt()
    };
    if size > 0.0 { size } else { 1.0 }
}

/// A value of the input as regressions see it: its logarithm, where a symmetry scales a positive
/// input. A query may have values that are not positive all the same; they get the smallest
/// logarithm, which is far from all training inputs.
pub(crate) fn measure(logarithm: bool, value: f64) -> f64 {
    match logarithm {
        true => value.max(f64::MIN_POSITIVE).ln(),
        false => value,
    }
}

/// The mean of fields of equal length.
pub(crate) fn mean_field(fields: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; fields[0].len()];
    for field in fields {
        let sums = mean.iter_mut().zip(field);
        sums.for_each(|(sum, v)| *sum += v / fields.len() as f64);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_magnitude_scales_with_its_field() {
        for field in [[1.0, 4.0], [-1.0, 4.0]] {
            let tripled = field.map(|v| 3.0 * v);
            assert!((magnitude(&tripled) - 3.0 * magnitude(&field)).abs() < 1e-14);
        }
        assert_eq!(magnitude(&[0.0, 0.0]), 1.0);
    }
}
