//! A quantity prepared for one input, ready to be evaluated on realizations.

use crate::error::{Error, Result};
use crate::functional::{Functional, functional};
use crate::node::Realization;
use crate::prepare::{MOST_REDUCTIONS, Program};

/// A quantity prepared for a space, an input and a low-fidelity solution. Everything that does not
/// depend on the solution has been computed; threads can share it.
#[derive(Debug, Clone)]
pub struct Prepared {
    program: Program,
    functional: Option<Functional>,
    size: usize,
}

impl Prepared {
    /// `size` is the number of values of a realization.
    pub(crate) fn new(program: Program, size: usize, points: usize, is_linear: bool) -> Self {
        let functional = is_linear
            .then(|| functional(&program, size, points))
            .flatten();
        Self {
            program,
            functional,
            size,
        }
    }

    /// The value on a realization, [channel, point] in single or double precision. It is NaN if the
    /// expression has no value, such as a mean over points above a threshold if there are none.
    pub fn of<T: Copy + Into<f64>>(&self, solution: &[T]) -> Result<f64> {
        if solution.len() != self.size {
            return Err(Error::Length {
                what: "the realization",
                found: solution.len(),
                expected: self.size,
            });
        }
        Ok(match &self.functional {
            Some(functional) => functional.value(solution),
            None => self.evaluate(solution),
        })
    }

    /// The values on consecutive realizations, [realization, channel, point].
    pub fn of_each<T: Copy + Into<f64>>(&self, solutions: &[T]) -> Result<Vec<f64>> {
        if self.size == 0 || !solutions.len().is_multiple_of(self.size) {
            return Err(Error::Length {
                what: "the last realization",
                found: solutions.len() % self.size.max(1),
                expected: self.size,
            });
        }
        solutions
            .chunks_exact(self.size)
            .map(|solution| self.of(solution))
            .collect()
    }

    /// The coefficients a and the constant b of q(u) = sum_i a_i u_i + b, with a as [channel,
    /// point]; none if the quantity is not affine in the solution.
    pub fn functional(&self) -> Option<(Vec<f64>, f64)> {
        let functional = self.functional.as_ref()?;
        Some((functional.dense(self.size), functional.constant))
    }

    fn evaluate<T: Copy + Into<f64>>(&self, solution: &[T]) -> f64 {
        let mut values = [0.0; MOST_REDUCTIONS];
        for (index, reduce) in self.program.reductions.iter().enumerate() {
            let reduced = &values[..index];
            values[index] = reduce.value(Realization { solution, reduced });
        }
        let reduced = &values[..];
        self.program
            .result
            .value(0, Realization { solution, reduced })
    }
}
