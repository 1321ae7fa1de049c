//! A checked expression: its computation, whether it is a field, and its dependence on the
//! solution.

use crate::names::Source;
use crate::operator::{Binary, Unary};

/// An expression with all names resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    Number(f64),
    Field(Source),
    Unary(Unary, Box<Term>),
    Binary(Binary, Box<Term>, Box<Term>),
    Derivative {
        of: Box<Term>,
        axis: usize,
    },
    Reduce {
        reduction: Reduction,
        of: Box<Term>,
        region: Region,
    },
    At {
        of: Box<Term>,
        place: Vec<Term>,
    },
}

/// A reduction of a field to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    Mean,
    Integral,
    Std,
    Norm,
    Fraction,
    Max,
    Min,
    Range,
    /// The coordinate along this axis where the field is largest.
    ArgMax(usize),
    /// The coordinate along this axis where the field is smallest.
    ArgMin(usize),
}

impl Reduction {
    /// Whether it needs the measure of the points as well as their values.
    pub fn is_weighted(self) -> bool {
        use Reduction::{Fraction, Integral, Mean, Norm, Std};
        matches!(self, Mean | Integral | Std | Norm | Fraction)
    }

    /// Whether it is linear in the field.
    pub fn is_linear(self) -> bool {
        matches!(self, Self::Mean | Self::Integral)
    }

    /// Whether its values have the unit of the field.
    pub fn keeps_unit(self) -> bool {
        use Reduction::{Max, Mean, Min, Range, Std};
        matches!(self, Mean | Std | Max | Min | Range)
    }

    /// The bounds of its values.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Self::Fraction => [0.0, 1.0],
            Self::Std | Self::Norm | Self::Range => [0.0, f64::INFINITY],
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

/// The region of a reduction: within planes and bounds along axes, and where a condition holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Region {
    /// Planes, as in `x == 1`.
    pub planes: Vec<Limit>,
    /// Bounds, as in `x < 0.5`.
    pub bounds: Vec<Limit>,
    /// Any other condition.
    pub filter: Option<Box<Term>>,
}

/// A coordinate compared with a number that does not depend on the solution.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limit {
    pub axis: usize,
    /// The comparison, with the coordinate on its left.
    pub comparison: Binary,
    pub value: Term,
}

impl Limit {
    /// The comparison as a condition.
    pub fn condition(&self) -> Term {
        let coordinate = Box::new(Term::Field(Source::Axis(self.axis)));
        Term::Binary(self.comparison, coordinate, Box::new(self.value.clone()))
    }
}

/// Dependence of an expression on the solution, in increasing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Degree {
    /// No dependence.
    Constant,
    /// A linear function plus a constant.
    Affine,
    /// Any other dependence.
    Nonlinear,
}

impl Degree {
    /// The degree after an operation that is not affine.
    pub fn bent(self) -> Self {
        if self == Self::Constant {
            self
        } else {
            Self::Nonlinear
        }
    }
}

/// A term and its properties.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    pub term: Term,
    /// Whether it is a condition rather than a number.
    pub is_condition: bool,
    /// Whether it has a value at each point rather than a single one.
    pub is_field: bool,
    pub degree: Degree,
    /// Number of nested derivatives.
    pub order: usize,
    pub unit: Option<String>,
}
