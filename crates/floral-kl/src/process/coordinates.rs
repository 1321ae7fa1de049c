//! Coordinates of an input: its parameters, and leading coefficients of its fields.

use floral_linalg::{Mat, symmetric_eigen};
use serde::{Deserialize, Serialize};

use crate::case::Framed;

/// Spans of a channel over the domain, in units of the data, that are round-off.
const CONSTANT: f64 = 1e-9;

/// Positive parameters whose largest value is more than this many times the smallest are measured by
/// their logarithm.
const LOGARITHMIC: f64 = 5.0;

/// Share of the variance of fields that their coefficients hold, and how many there are at most.
const HELD: f64 = 0.99;
const MOST_COEFFICIENTS: usize = 8;

/// Coordinates beyond this number are not a few.
const MOST: usize = 40;

/// What makes coordinates of a framed input: each of mean zero and variance one over the training
/// inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Coordinates {
    parameters: Vec<Parameter>,
    fields: Vec<Projection>,
}

/// A channel of the input that is constant over the domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parameter {
    channel: usize,
    /// Added before the logarithm is taken; none if it is not.
    logarithm: Option<f64>,
    mean: f64,
    scale: f64,
}

/// Leading coefficients of the fields of input or low fidelity.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Projection {
    /// Whether of low fidelity.
    is_low: bool,
    /// The channels of a field that are looked at.
    channels: Vec<usize>,
    mean: Vec<f64>,
    /// Such that an inner product is a coefficient of unit variance: [coefficient][value].
    directions: Vec<Vec<f64>>,
}

impl Coordinates {
    /// Of training inputs; `zeros` are the input's channels' zeros in framed units, which say what is
    /// positive. None if no coordinate varies or there are too many.
    pub(crate) fn new(framed: &[Framed], zeros: &[f64]) -> Option<Self> {
        let points = framed[0].points;
        let channels = framed[0].input.len() / points;
        let is_constant = |channel: &usize| {
            framed.iter().all(|f| {
                let values = &f.input[channel * points..(channel + 1) * points];
                let spans = values.iter().map(|v| (v - values[0]).abs());
                spans.fold(0.0, f64::max) <= CONSTANT
            })
        };
        let (constant, varying): (Vec<usize>, Vec<usize>) = (0..channels).partition(is_constant);
        let parameter = |channel: usize| Parameter::new(framed, channel, zeros[channel]);
        let parameters: Vec<Parameter> = constant.into_iter().filter_map(parameter).collect();
        let low: Vec<usize> = (0..framed[0].low.len() / points).collect();
        let projection = |is_low, channels| Projection::new(framed, is_low, channels);
        let fields = [projection(false, varying), projection(true, low)];
        let all = Self {
            parameters,
            fields: fields.into_iter().flatten().collect(),
        };
        (1..=MOST).contains(&all.count()).then_some(all)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        let fields = self.fields.iter().map(|field| field.directions.len());
        self.parameters.len() + fields.sum::<usize>()
    }

    /// Whether they read an input of these sizes: of input and low fidelity.
    pub(crate) fn fit(&self, [input, low]: [usize; 2], points: usize) -> bool {
        let parameter = |p: &Parameter| {
            let numbers = [p.mean, p.scale, p.logarithm.unwrap_or(0.0)];
            (p.channel + 1) * points <= input && numbers.iter().all(|v| v.is_finite())
        };
        let field = |f: &Projection| {
            let size = if f.is_low { low } else { input };
            let values = f.channels.len() * points;
            let finite =
                |field: &Vec<f64>| field.len() == values && field.iter().all(|v| v.is_finite());
            f.channels.iter().all(|c| (c + 1) * points <= size)
                && finite(&f.mean)
                && f.directions.iter().all(finite)
        };
        self.parameters.iter().all(parameter) && self.fields.iter().all(field)
    }

    /// The coordinates of an input.
    pub(crate) fn of(&self, framed: &Framed) -> Vec<f64> {
        let parameters = self.parameters.iter().map(|p| p.of(framed));
        let fields = self.fields.iter().flat_map(|field| field.of(framed));
        parameters.chain(fields).collect()
    }
}

impl Parameter {
    /// None if it does not vary.
    fn new(framed: &[Framed], channel: usize, zero: f64) -> Option<Self> {
        let plain = Self {
            channel,
            logarithm: None,
            mean: 0.0,
            scale: 1.0,
        };
        let raw: Vec<f64> = framed.iter().map(|f| plain.of(f) - zero).collect();
        let least = raw.iter().copied().fold(f64::INFINITY, f64::min);
        let most = raw.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let plain = Self {
            logarithm: (least > 0.0 && most > LOGARITHMIC * least).then_some(-zero),
            ..plain
        };
        let (mean, scale) = mean_and_scale(framed.iter().map(|f| plain.of(f)));
        (scale > CONSTANT).then_some(Self {
            mean,
            scale,
            ..plain
        })
    }

    fn of(&self, framed: &Framed) -> f64 {
        let value = framed.input[self.channel * framed.points];
        let value = match self.logarithm {
            Some(shift) => (value + shift).max(f64::MIN_POSITIVE).ln(),
            None => value,
        };
        (value - self.mean) / self.scale
    }
}

impl Projection {
    /// None if the fields do not vary, or there are none.
    fn new(framed: &[Framed], is_low: bool, channels: Vec<usize>) -> Option<Self> {
        let mut empty = Self {
            is_low,
            channels,
            mean: Vec::new(),
            directions: Vec::new(),
        };
        let fields: Vec<Vec<f64>> = framed.iter().map(|f| empty.seen(f)).collect();
        let n = fields.len();
        let size = fields[0].len();
        empty.mean = vec![0.0; size];
        for field in &fields {
            let sums = empty.mean.iter_mut().zip(field);
            sums.for_each(|(m, v)| *m += v / n as f64);
        }
        let centred = |i: usize, p: usize| fields[i][p] - empty.mean[p];
        let all = Mat::from_fn(size, n, |p, i| centred(i, p));
        let (squares, vectors) = symmetric_eigen(&(all.transpose() * &all))?;
        let total: f64 = squares.iter().map(|s| s.max(0.0)).sum();
        if size == 0 || total / (n as f64 * size as f64) <= CONSTANT * CONSTANT {
            return None;
        }
        let most = MOST_COEFFICIENTS.min(n / 3);
        let mut held = 0.0;
        for (k, square) in squares.iter().enumerate().take(most) {
            if held >= HELD * total || *square <= 0.0 {
                break;
            }
            held += square;
            // X v / s has unit norm; coefficients along it have the mean square s^2 / n.
            let scale = (n as f64).sqrt() / square;
            let direction = |p: usize| (0..n).map(|i| all[(p, i)] * vectors[(i, k)]).sum::<f64>();
            let direction = (0..size).map(|p| scale * direction(p)).collect();
            empty.directions.push(direction);
        }
        (!empty.directions.is_empty()).then_some(empty)
    }

    fn seen(&self, framed: &Framed) -> Vec<f64> {
        let values = if self.is_low {
            &framed.low
        } else {
            &framed.input
        };
        let points = framed.points;
        let channels = self.channels.iter();
        channels
            .flat_map(|c| &values[c * points..(c + 1) * points])
            .copied()
            .collect()
    }

    fn of(&self, framed: &Framed) -> Vec<f64> {
        let seen = self.seen(framed);
        let dot = |direction: &Vec<f64>| {
            let parts = direction.iter().zip(seen.iter().zip(&self.mean));
            parts.map(|(d, (v, m))| d * (v - m)).sum()
        };
        self.directions.iter().map(dot).collect()
    }
}

fn mean_and_scale(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let square = values.map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean, square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(input: Vec<f64>) -> Framed {
        Framed {
            input,
            low: Vec::new(),
            size: 1.0,
            points: 3,
        }
    }

    #[test]
    fn constant_channels_are_parameters_and_wide_positive_ones_logarithms() {
        // Exponentials, a number around zero, a channel that never changes, a field.
        let input = |i: usize| {
            let (a, b, f) = ((i as f64).exp(), i as f64 - 3.0, (i * i) as f64);
            framed([[a; 3], [b; 3], [2.0; 3], [0.0, f, -f]].concat())
        };
        let all: Vec<Framed> = (0..7).map(input).collect();
        let coordinates = Coordinates::new(&all, &[0.0; 4]).unwrap();
        assert_eq!(coordinates.count(), 3);
        let found: Vec<Vec<f64>> = all.iter().map(|f| coordinates.of(f)).collect();
        for (i, z) in found.iter().enumerate() {
            for value in &z[..2] {
                assert!((value - 0.5 * (i as f64 - 3.0)).abs() < 1e-12);
            }
        }
        let square = found.iter().map(|z| z[2] * z[2]).sum::<f64>() / 7.0;
        assert!((square - 1.0).abs() < 1e-9, "{square}");
    }
}
