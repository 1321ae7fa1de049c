//! Minimization of a smooth function of a few variables.
//!
//! L-BFGS: the inverse Hessian from the last steps and changes of the gradient, with a backtracking
//! line search (Nocedal & Wright, Numerical Optimization, 2006, algorithms 3.1 and 7.4).

use std::collections::VecDeque;

/// Number of steps that are remembered.
const MEMORY: usize = 10;

/// Largest change of a variable in one step.
const LONGEST: f64 = 1.5;

/// Share of the expected decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;

/// Maximum number of halvings of a step.
const HALVINGS: usize = 15;

/// Relative decrease of the value below which the descent ends.
const TOLERANCE: f64 = 1e-6;

/// A value and the point at which the function has it.
#[derive(Debug, Clone)]
pub(crate) struct Lowest {
    pub value: f64,
    pub at: Vec<f64>,
}

/// Minimizes `function` from a start, in a number of steps at most. `function` returns value and
/// gradient, or `None` where it is not defined.
pub(crate) fn descend(
    function: impl Fn(&[f64]) -> Option<(f64, Vec<f64>)>,
    start: &[f64],
    steps: usize,
) -> Option<Lowest> {
    let mut at = start.to_vec();
    let (mut value, mut slope) = function(&at)?;
    let mut memory = Memory::default();
    for _ in 0..steps {
        let Some((step, next, next_slope)) = search(&function, &at, value, &slope, &memory) else {
            break;
        };
        let change = difference(&next_slope, &slope);
        let decrease = value - next;
        at.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
        memory.remember(step, change);
        (value, slope) = (next, next_slope);
        if decrease <= TOLERANCE * (1.0 + value.abs()) {
            break;
        }
    }
    Some(Lowest { value, at })
}

/// A step with sufficient decrease, and the value and the gradient at its end.
fn search(
    function: impl Fn(&[f64]) -> Option<(f64, Vec<f64>)>,
    at: &[f64],
    value: f64,
    slope: &[f64],
    memory: &Memory,
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    let mut step: Vec<f64> = memory.times(slope).iter().map(|v| -v).collect();
    let largest = step.iter().map(|s| s.abs()).fold(0.0, f64::max);
    let mut factor = (LONGEST / largest).min(1.0);
    for _ in 0..HALVINGS {
        step.iter_mut().for_each(|s| *s *= factor);
        let next: Vec<f64> = at.iter().zip(&step).map(|(x, s)| x + s).collect();
        if let Some((found, next_slope)) = function(&next)
            && found <= value + SUFFICIENT * dot(&step, slope)
        {
            return Some((step, found, next_slope));
        }
        factor = 0.5;
    }
    None
}

/// The last steps, with the changes of the gradient along them.
#[derive(Default)]
struct Memory(VecDeque<(Vec<f64>, Vec<f64>)>);

impl Memory {
    /// Skips steps along which the gradient does not grow: they show no positive curvature.
    fn remember(&mut self, step: Vec<f64>, change: Vec<f64>) {
        if dot(&step, &change) > 1e-10 * dot(&change, &change) {
            self.0.push_back((step, change));
        }
        if self.0.len() > MEMORY {
            self.0.pop_front();
        }
    }

    /// The approximate inverse Hessian times a vector.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut q = vector.to_vec();
        let mut shares = Vec::new();
        for (step, change) in self.0.iter().rev() {
            let share = dot(step, &q) / dot(step, change);
            add(&mut q, -share, change);
            shares.push(share);
        }
        if let Some((step, change)) = self.0.back() {
            let scale = dot(step, change) / dot(change, change);
            q.iter_mut().for_each(|v| *v *= scale);
        }
        for ((step, change), share) in self.0.iter().zip(shares.iter().rev()) {
            let other = dot(change, &q) / dot(step, change);
            add(&mut q, share - other, step);
        }
        q
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut()
        .zip(vector)
        .for_each(|(t, v)| *t += factor * v);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_end_of_a_curved_valley() {
        let rosenbrock = |x: &[f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            let slope = vec![-2.0 * a - 400.0 * b * x[0], 200.0 * b];
            Some((a * a + 100.0 * b * b, slope))
        };
        let found = descend(rosenbrock, &[-1.2, 1.0], 200).unwrap();
        assert!((found.at[0] - 1.0).abs() < 2e-2, "{found:?}");
    }

    #[test]
    fn it_stays_where_the_function_is_defined() {
        let barrier = |x: &[f64]| {
            let slope = vec![1.0 - 1.0 / x[0]];
            (x[0] > 0.0).then(|| (x[0] - x[0].ln(), slope))
        };
        let found = descend(barrier, &[8.0], 50).unwrap();
        assert!((found.at[0] - 1.0).abs() < 1e-2, "{found:?}");
        assert!(descend(barrier, &[-1.0], 50).is_none());
    }
}
