//! Prepares a checked expression for a space with an input and low fidelity.

mod region;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::names::Source;
use crate::node::{Node, Realization, Reduce};
use crate::space::Space;
use crate::sparse::Sparse;
use crate::term::{Reduction, Term};

/// Largest number of reductions of the solution in one expression: their values fit on the stack.
pub(crate) const MOST_REDUCTIONS: usize = 64;

/// Fields that an expression may use besides the solution, each [channel, point]; empty if not
/// used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// The input.
    pub input: &'a [f64],
    /// The low-fidelity solution.
    pub low: &'a [f64],
}

/// The reductions of an expression, each after those that it needs, and the result.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub reductions: Vec<Reduce>,
    pub result: Node,
}

/// Numbers of channels, for checks of lengths.
pub(crate) struct Channels {
    pub input: usize,
    pub low: usize,
}

pub(crate) fn program(
    term: &Term,
    space: &dyn Space,
    given: Given,
    channels: &Channels,
) -> Result<Program> {
    let mut builder = Builder {
        space,
        given,
        channels,
        reductions: Vec::new(),
        derivatives: vec![None; space.axes()],
    };
    let result = builder.node(term)?;
    Ok(Program {
        reductions: builder.reductions,
        result,
    })
}

struct Builder<'a> {
    space: &'a dyn Space,
    given: Given<'a>,
    channels: &'a Channels,
    reductions: Vec<Reduce>,
    /// Derivatives along the axes, computed when first needed.
    derivatives: Vec<Option<Arc<Sparse>>>,
}

impl Builder<'_> {
    fn node(&mut self, term: &Term) -> Result<Node> {
        Ok(match term {
            Term::Number(value) => Node::Constant(*value),
            Term::Field(source) => self.field(*source)?,
            Term::Unary(operator, a) => {
                let a = self.node(a)?;
                let is_known = a.is_known();
                self.folded(Node::Unary(*operator, Box::new(a)), is_known)
            }
            Term::Binary(operator, a, b) => {
                let (a, b) = (self.node(a)?, self.node(b)?);
                let is_known = a.is_known() && b.is_known();
                self.folded(Node::Binary(*operator, Box::new(a), Box::new(b)), is_known)
            }
            Term::Derivative { of, axis } => {
                let of = self.node(of)?;
                let matrix = self.derivative(*axis)?;
                let is_known = of.is_known();
                self.folded(Node::Derivative(matrix, Box::new(of)), is_known)
            }
            Term::Reduce {
                reduction,
                of,
                region,
            } => self.reduce(*reduction, of, region)?,
            Term::At { of, place } => self.at(of, place)?,
        })
    }

    fn field(&self, source: Source) -> Result<Node> {
        let points = self.space.points();
        let channel = |what, values: &[f64], channels: usize, channel: usize| {
            if values.len() != channels * points {
                let (found, expected) = (values.len(), channels * points);
                return Err(Error::Length {
                    what,
                    found,
                    expected,
                });
            }
            Ok(Node::Given(values[channel * points..][..points].to_vec()))
        };
        match source {
            Source::Solution(c) => Ok(Node::Solution(c * points)),
            Source::Input(c) => channel("the input", self.given.input, self.channels.input, c),
            Source::Low(c) => channel(
                "the low-fidelity solution",
                self.given.low,
                self.channels.low,
                c,
            ),
            Source::Axis(axis) => {
                let coordinate = |point| self.space.coordinate(axis, point);
                Ok(Node::Given((0..points).map(coordinate).collect()))
            }
        }
    }

    /// A node replaced by its values if its parts are known.
    fn folded(&self, node: Node, is_known: bool) -> Node {
        let is_number = match &node {
            Node::Unary(_, a) => matches!(**a, Node::Constant(_)),
            Node::Binary(_, a, b) => matches!((&**a, &**b), (Node::Constant(_), Node::Constant(_))),
            _ => false,
        };
        match is_known {
            true if is_number => Node::Constant(node.value(0, Realization::NONE)),
            true => {
                let points = 0..self.space.points();
                Node::Given(
                    points
                        .map(|point| node.value(point, Realization::NONE))
                        .collect(),
                )
            }
            false => node,
        }
    }

    fn derivative(&mut self, axis: usize) -> Result<Arc<Sparse>> {
        if let Some(matrix) = &self.derivatives[axis] {
            return Ok(Arc::clone(matrix));
        }
        let matrix = Arc::new(self.space.derivative(axis)?);
        if matrix.points() != self.space.points() {
            return Err(Error::Length {
                what: "the derivative",
                found: matrix.points(),
                expected: self.space.points(),
            });
        }
        self.derivatives[axis] = Some(Arc::clone(&matrix));
        Ok(matrix)
    }

    fn number(&mut self, term: &Term) -> Result<f64> {
        match self.node(term)? {
            Node::Constant(value) if value.is_finite() => Ok(value),
            Node::Constant(value) => Err(Error::config(
                "region",
                format!("a bound or place is {value}; it must be finite"),
            )),
            _ => Err(Error::config(
                "region",
                "a bound or place depends on the solution; give a number",
            )),
        }
    }

    fn at(&mut self, of: &Term, place: &[Term]) -> Result<Node> {
        let of = self.node(of)?;
        let place: Vec<f64> = place
            .iter()
            .map(|x| self.number(x))
            .collect::<Result<_>>()?;
        let entries = self.space.interpolation(&place)?;
        self.push(Reduce {
            reduction: Reduction::Integral,
            of,
            points: entries.iter().map(|entry| entry.point).collect(),
            weights: entries.iter().map(|entry| entry.factor).collect(),
            filter: None,
            coordinates: Vec::new(),
        })
    }

    fn push(&mut self, reduce: Reduce) -> Result<Node> {
        self.check_points(&reduce)?;
        if reduce.is_known() {
            return Ok(Node::Constant(reduce.value(Realization::NONE)));
        }
        if self.reductions.len() == MOST_REDUCTIONS {
            let reason =
                format!("more than {MOST_REDUCTIONS} reductions; split it into several quantities");
            return Err(Error::config("expression", reason));
        }
        self.reductions.push(reduce);
        Ok(Node::Reduced(self.reductions.len() - 1))
    }

    /// Spaces are implemented elsewhere: a wrong point must not cause a panic on a realization.
    fn check_points(&self, reduce: &Reduce) -> Result<()> {
        let expected = self.space.points();
        match reduce.points.iter().find(|point| **point >= expected) {
            Some(point) => Err(Error::config(
                "space",
                format!("it names point {point} of {expected}"),
            )),
            None if reduce.points.len() != reduce.weights.len() => Err(Error::config(
                "space",
                "its section needs one weight per point",
            )),
            None => Ok(()),
        }
    }
}
