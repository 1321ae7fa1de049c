//! The coefficients of a quantity that is affine in the solution, from the adjoint of its
//! expression.

use crate::node::{Node, Realization, Reduce};
use crate::operator::{Binary, Unary};
use crate::prepare::Program;
use crate::sparse::Entry;
use crate::term::Reduction;

/// q(u) = sum_i a_i u_i + b, with the non-zero coefficients.
#[derive(Debug, Clone)]
pub(crate) struct Functional {
    entries: Vec<Entry>,
    pub constant: f64,
}

impl Functional {
    #[inline]
    pub fn value<T: Copy + Into<f64>>(&self, solution: &[T]) -> f64 {
        let products = self
            .entries
            .iter()
            .map(|entry| entry.factor * solution[entry.point].into());
        products.sum::<f64>() + self.constant
    }

    pub fn dense(&self, size: usize) -> Vec<f64> {
        let mut coefficients = vec![0.0; size];
        for entry in &self.entries {
            coefficients[entry.point] = entry.factor;
        }
        coefficients
    }
}

/// The functional of a program; none if it is not affine.
///
/// The sweep runs backwards from q: each node receives g, the derivative of q with respect to its
/// values, and passes the derivative with respect to its parts on to them by the chain rule
/// (reverse accumulation: Griewank & Walther 2008, section 3.2).
pub(crate) fn functional(program: &Program, size: usize, points: usize) -> Option<Functional> {
    let mut adjoint = Adjoint {
        coefficients: vec![0.0; size],
        reduced: vec![0.0; program.reductions.len()],
        constant: 0.0,
    };
    adjoint.node(&program.result, &[1.0])?;
    for (index, reduce) in program.reductions.iter().enumerate().rev() {
        let weight = adjoint.reduced[index];
        adjoint.reduce(reduce, weight, points)?;
    }
    let pairs = adjoint.coefficients.into_iter().enumerate();
    let entries = pairs.filter(|(_, factor)| *factor != 0.0);
    Some(Functional {
        entries: entries
            .map(|(point, factor)| Entry { point, factor })
            .collect(),
        constant: adjoint.constant,
    })
}

struct Adjoint {
    coefficients: Vec<f64>,
    reduced: Vec<f64>,
    constant: f64,
}

impl Adjoint {
    fn reduce(&mut self, reduce: &Reduce, weight: f64, points: usize) -> Option<()> {
        let total = match reduce.reduction {
            _ if reduce.filter.is_some() => return None,
            Reduction::Integral => 1.0,
            Reduction::Mean => reduce.weights.iter().sum(),
            _ => return None,
        };
        let mut g = vec![0.0; points];
        for (point, measure) in reduce.points.iter().zip(&reduce.weights) {
            g[*point] += weight * measure / total;
        }
        self.node(&reduce.of, &g)
    }

    /// `g` is the derivative of the quantity with respect to the node's values: [point], or one
    /// value for a number.
    fn node(&mut self, node: &Node, g: &[f64]) -> Option<()> {
        match node {
            Node::Constant(value) => self.constant += value * g.iter().sum::<f64>(),
            Node::Given(values) => {
                // Values outside the region may be NaN.
                let pairs = g.iter().zip(values).filter(|(g, _)| **g != 0.0);
                self.constant += pairs.map(|(g, value)| g * value).sum::<f64>();
            }
            Node::Solution(first) => {
                for (a, g) in self.coefficients[*first..].iter_mut().zip(g) {
                    *a += g;
                }
            }
            Node::Reduced(index) => self.reduced[*index] += g.iter().sum::<f64>(),
            Node::Derivative(matrix, a) => self.node(a, &matrix.transposed_product(g))?,
            Node::Unary(Unary::Negative, a) => self.node(a, &scaled(g, |_| -1.0))?,
            Node::Binary(Binary::Add, a, b) => {
                self.node(a, g)?;
                self.node(b, g)?;
            }
            Node::Binary(Binary::Subtract, a, b) => {
                self.node(a, g)?;
                self.node(b, &scaled(g, |_| -1.0))?;
            }
            Node::Binary(Binary::Multiply, a, b) if b.is_known() => {
                self.node(a, &scaled(g, at(b)))?;
            }
            Node::Binary(Binary::Multiply, a, b) if a.is_known() => {
                self.node(b, &scaled(g, at(a)))?;
            }
            Node::Binary(Binary::Divide, a, b) if b.is_known() => {
                self.node(
                    a,
                    &scaled(g, |point| 1.0 / b.value(point, Realization::NONE)),
                )?;
            }
            Node::Unary(..) | Node::Binary(..) => return None,
        }
        Some(())
    }
}

fn at(node: &Node) -> impl Fn(usize) -> f64 {
    |point| node.value(point, Realization::NONE)
}

/// g multiplied by a factor at each point where it is not zero.
fn scaled(g: &[f64], factor: impl Fn(usize) -> f64) -> Vec<f64> {
    let scale = |(point, g): (usize, &f64)| if *g == 0.0 { 0.0 } else { g * factor(point) };
    g.iter().enumerate().map(scale).collect()
}
