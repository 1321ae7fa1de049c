//! A prepared expression: everything that does not depend on the solution is a number or an array.

use std::sync::Arc;

use crate::operator::{Binary, Unary};
use crate::sparse::Sparse;
use crate::term::Reduction;

/// An expression over the points, or a number that is the same at every point.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Constant(f64),
    Given(Vec<f64>),
    /// A channel of the solution, which starts at this index.
    Solution(usize),
    /// The value of a reduction that was computed before.
    Reduced(usize),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    Derivative(Arc<Sparse>, Box<Node>),
}

/// A realization, and its reductions computed so far.
#[derive(Clone, Copy)]
pub(crate) struct Realization<'a, T> {
    /// [channel, point]
    pub solution: &'a [T],
    pub reduced: &'a [f64],
}

impl Realization<'_, f64> {
    /// For expressions that do not depend on a realization.
    pub const NONE: Self = Self {
        solution: &[],
        reduced: &[],
    };
}

impl Node {
    /// The value at a point. It needs no buffers, so that any number of threads can share it.
    pub fn value<T: Copy + Into<f64>>(&self, point: usize, of: Realization<T>) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Given(values) => values[point],
            Self::Solution(first) => of.solution[first + point].into(),
            Self::Reduced(index) => of.reduced[*index],
            Self::Unary(operator, a) => operator.apply(a.value(point, of)),
            Self::Binary(operator, a, b) => operator.apply(a.value(point, of), b.value(point, of)),
            Self::Derivative(matrix, a) => {
                let entries = matrix.row(point).iter();
                entries
                    .map(|entry| entry.factor * a.value(entry.point, of))
                    .sum()
            }
        }
    }

    /// Whether its value is known without a realization; everything below it has been folded
    /// already.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Given(_))
    }
}

/// A reduction of a field to a number over some points.
#[derive(Debug, Clone)]
pub(crate) struct Reduce {
    pub reduction: Reduction,
    pub of: Node,
    pub points: Vec<usize>,
    /// The measure of each of the points.
    pub weights: Vec<f64>,
    /// Condition that a point must satisfy to be included.
    pub filter: Option<Node>,
    /// For argmax and argmin, the coordinate of each of the points.
    pub coordinates: Vec<f64>,
}

impl Reduce {
    /// Whether its value is known without a realization.
    pub fn is_known(&self) -> bool {
        self.of.is_known() && self.filter.is_none()
    }

    pub fn value<T: Copy + Into<f64>>(&self, of: Realization<T>) -> f64 {
        match self.reduction {
            Reduction::Integral => self.sums(of, |u| u).sum,
            Reduction::Norm => self.sums(of, |u| u * u).sum.sqrt(),
            Reduction::Mean | Reduction::Fraction => self.sums(of, |u| u).mean(),
            Reduction::Std => {
                let mean = self.sums(of, |u| u).mean();
                self.sums(of, |u| (u - mean).powi(2)).mean().sqrt()
            }
            Reduction::Max => self.extreme(of, 1.0).value,
            Reduction::Min => self.extreme(of, -1.0).value,
            Reduction::Range => self.extreme(of, 1.0).value - self.extreme(of, -1.0).value,
            Reduction::ArgMax(_) => self.extreme(of, 1.0).coordinate,
            Reduction::ArgMin(_) => self.extreme(of, -1.0).coordinate,
        }
    }

    /// Calls `visit` with the position and the value of each point that the filter keeps; where the
    /// filter is NaN, the value is NaN too.
    #[inline]
    fn visit<T: Copy + Into<f64>>(&self, of: Realization<T>, mut visit: impl FnMut(usize, f64)) {
        for (position, point) in self.points.iter().enumerate() {
            let kept = match &self.filter {
                Some(filter) => filter.value(*point, of),
                None => 1.0,
            };
            if kept.is_nan() {
                visit(position, f64::NAN);
            } else if kept != 0.0 {
                visit(position, self.of.value(*point, of));
            }
        }
    }

    fn sums<T: Copy + Into<f64>>(&self, of: Realization<T>, term: impl Fn(f64) -> f64) -> Sums {
        let mut sums = Sums::default();
        self.visit(of, |position, u| {
            let weight = self.weights[position];
            sums.weight += weight;
            sums.sum += weight * term(u);
        });
        sums
    }

    /// The largest value of sign * u, at the first point that has it. A NaN prevails; without
    /// points the result is NaN.
    fn extreme<T: Copy + Into<f64>>(&self, of: Realization<T>, sign: f64) -> Extreme {
        let mut best = None;
        self.visit(of, |position, u| {
            let is_better = match best {
                None => true,
                Some((_, value)) => sign * u > sign * value || (u.is_nan() && !f64::is_nan(value)),
            };
            if is_better {
                best = Some((position, u));
            }
        });
        let (position, value) = best.unwrap_or((usize::MAX, f64::NAN));
        let coordinate = match value.is_nan() {
            true => f64::NAN,
            false => self.coordinates.get(position).copied().unwrap_or(f64::NAN),
        };
        Extreme { value, coordinate }
    }
}

/// The weighted sum of a term over points, and the sum of the weights.
#[derive(Default)]
struct Sums {
    sum: f64,
    weight: f64,
}

impl Sums {
    /// The weighted mean; NaN if there are no points.
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// The largest or smallest value and its coordinate.
struct Extreme {
    value: f64,
    coordinate: f64,
}
