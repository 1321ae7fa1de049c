//! Coordinates of an input: its parameters, and leading coefficients of its fields.

use floral_linalg::{Mat, symmetric_eigen};
use serde::{Deserialize, Serialize};

use super::ard::Place;
use crate::case::Framed;

/// Variation, in units of the fit, below which a channel counts as constant.
const CONSTANT: f64 = 1e-9;

/// Ratio of the largest to the smallest value above which a positive parameter may be bent.
const WIDE: f64 = 5.0;

/// Share of the variance of fields that their coefficients hold, and the maximum number of
/// coefficients.
const HELD: f64 = 0.99;
const MOST_COEFFICIENTS: usize = 8;

/// Maximum number of coordinates.
const MOST: usize = 40;

/// Computes the coordinates of a framed input, each with mean 0 and variance 1 over the training
/// inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Coordinates {
    /// Parameters, those with a wide range first, those of both signs last.
    parameters: Vec<Parameter>,
    fields: Vec<Projection>,
}

/// A channel of the input that is constant over the domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parameter {
    channel: usize,
    /// The channel's zero, in units of the fit.
    zero: f64,
    unit: Unit,
    kind: Kind,
}

/// The kind of values that a parameter has.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Kind {
    /// Positive over a wide range: its effect may follow its logarithm.
    Wide,
    /// Of one sign, and not of the kind above.
    Narrow,
    /// Of both signs: its effect may be linear.
    Load,
}

/// Mean and deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Unit {
    mean: f64,
    scale: f64,
}

/// Leading coefficients of the fields of input or low fidelity.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Projection {
    /// Whether the field is low fidelity, not the input.
    is_low: bool,
    /// The channels that are projected.
    channels: Vec<usize>,
    mean: Vec<f64>,
    /// Directions whose inner products with a field are coefficients of unit variance:
    /// [coefficient][value].
    directions: Vec<Vec<f64>>,
}

impl Coordinates {
    /// The coordinates of training inputs; `zeros` are the zeros of the input's channels in framed
    /// units, relative to which values are positive or negative. `None` if no coordinate varies or
    /// there are too many.
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
        let mut parameters: Vec<Parameter> = constant.into_iter().filter_map(parameter).collect();
        parameters.sort_by_key(|p| p.kind.order());
        let low: Vec<usize> = (0..framed[0].low.len() / points).collect();
        let projection = |is_low, channels| Projection::new(framed, is_low, channels);
        let fields = [projection(false, varying), projection(true, low)];
        let all = Self {
            parameters,
            fields: fields.into_iter().flatten().collect(),
        };
        (1..=MOST).contains(&all.counts()[0]).then_some(all)
    }

    /// Numbers of all coordinates, of those with a wide range, and of loads, which include the
    /// coefficients of fields.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let fields = self.fields.iter().map(|field| field.directions.len());
        let fields: usize = fields.sum();
        let of = |order: u8| {
            let own = self.parameters.iter();
            own.filter(|p| p.kind.order() == order).count()
        };
        [self.parameters.len() + fields, of(0), of(2) + fields]
    }

    /// Whether all coordinates are parameters: neither input nor low fidelity is a field.
    pub(crate) fn are_parameters(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether they fit inputs of these sizes: of input and low fidelity.
    pub(crate) fn fit(&self, [input, low]: [usize; 2], points: usize) -> bool {
        let parameter = |p: &Parameter| {
            let finite = [p.zero, p.unit.mean, p.unit.scale]
                .iter()
                .all(|v| v.is_finite());
            let is_positive = p.kind != Kind::Wide || (p.unit.mean > 0.0 && p.unit.scale > 0.0);
            (p.channel + 1) * points <= input && finite && is_positive
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
        self.parameters.is_sorted_by_key(|p| p.kind.order())
            && self.parameters.iter().all(parameter)
            && self.fields.iter().all(field)
    }

    /// The place of an input.
    pub(super) fn of(&self, framed: &Framed) -> Place {
        let fields: Vec<f64> = self
            .fields
            .iter()
            .flat_map(|field| field.of(framed))
            .collect();
        let wide = self.parameters.iter().filter(|p| p.kind == Kind::Wide);
        let values = self.parameters.iter().map(|p| (p, p.value(framed)));
        let plain = values.clone().map(|(p, v)| p.unit.of(v));
        let loads = values.filter(|(p, _)| p.kind == Kind::Load);
        let loads = loads.map(|(p, v)| v / p.unit.scale);
        Place {
            plain: plain.chain(fields.iter().copied()).collect(),
            ratios: wide.map(|p| p.unit.mean / p.unit.scale).collect(),
            loads: loads.chain(fields.iter().copied()).collect(),
        }
    }
}

impl Parameter {
    /// `None` if it does not vary.
    fn new(framed: &[Framed], channel: usize, zero: f64) -> Option<Self> {
        let mut plain = Self {
            channel,
            zero,
            unit: Unit {
                mean: 0.0,
                scale: 1.0,
            },
            kind: Kind::Narrow,
        };
        let values: Vec<f64> = framed.iter().map(|f| plain.value(f)).collect();
        plain.unit = Unit::new(&values);
        plain.kind = Kind::new(&values);
        (plain.unit.scale > CONSTANT).then_some(plain)
    }

    fn value(&self, framed: &Framed) -> f64 {
        framed.input[self.channel * framed.points] - self.zero
    }
}

impl Kind {
    fn new(values: &[f64]) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > 0.0 && most > WIDE * least {
            Self::Wide
        } else if least < 0.0 && most > 0.0 {
            Self::Load
        } else {
            Self::Narrow
        }
    }

    /// The rank of the kind in the order of parameters.
    fn order(self) -> u8 {
        match self {
            Self::Wide => 0,
            Self::Narrow => 1,
            Self::Load => 2,
        }
    }
}

impl Unit {
    fn new(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        Self {
            mean,
            scale: square.sqrt(),
        }
    }

    fn of(self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }
}

impl Projection {
    /// `None` if the fields do not vary, or there are none.
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
    fn constant_channels_are_parameters_of_a_wide_range_or_loads() {
        // Exponentials, a number around zero, a channel that never changes, a field.
        let input = |i: usize| {
            let (a, b, f) = ((i as f64).exp(), i as f64 - 2.0, (i * i) as f64);
            framed([[b; 3], [a; 3], [2.0; 3], [0.0, f, -f]].concat())
        };
        let all: Vec<Framed> = (0..7).map(input).collect();
        let coordinates = Coordinates::new(&all, &[0.0; 4]).unwrap();
        assert_eq!(coordinates.counts(), [3, 1, 2]);
        assert!(!coordinates.are_parameters());
        let mean = (0..7).map(|i| f64::from(i).exp()).sum::<f64>() / 7.0;
        let found: Vec<Place> = all.iter().map(|f| coordinates.of(f)).collect();
        for (i, z) in found.iter().enumerate() {
            let expected = 0.5 * (i as f64 - 3.0);
            let (wide, ratio) = ((i as f64).exp(), z.ratios[0]);
            assert!((z.plain[0] / ratio + 1.0 - wide / mean).abs() < 1e-12);
            assert!((z.plain[1] - expected).abs() < 1e-12);
            assert!((z.loads[0] - expected - 0.5).abs() < 1e-12);
        }
        let square = found.iter().map(|z| z.plain[2] * z.plain[2]).sum::<f64>() / 7.0;
        assert!((square - 1.0).abs() < 1e-9, "{square}");
    }
}
