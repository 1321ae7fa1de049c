//! Minima of smooth functions by limited-memory BFGS (Nocedal & Wright, Numerical Optimization, 2006,
//! algorithm 7.5), with steps that are halved until the function falls enough.

use std::collections::VecDeque;

/// Pairs of steps and changes of slope that are remembered.
const MEMORY: usize = 10;

/// No component moves further than this in one step: the functions here are of logarithms.
const LONGEST: f64 = 1.0;

/// Share of the fall that the slope promises which a step must have (Armijo's condition).
const ENOUGH: f64 = 1e-4;

/// Halvings of a step before the search ends.
const HALVINGS: usize = 12;

/// Relative falls of the function below this end the search.
const LEAST_FALL: f64 = 1e-7;

/// The least value found within so many steps, and where; `loss` gives value and slope, or none where
/// it is not defined.
pub(crate) fn minimum(
    start: Vec<f64>,
    steps: usize,
    loss: impl Fn(&[f64]) -> Option<(f64, Vec<f64>)>,
) -> Option<(f64, Vec<f64>)> {
    let mut x = start;
    let (mut value, mut slope) = loss(&x)?;
    let mut past: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..steps {
        let mut direction = downhill(&slope, &past);
        let largest = direction.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = (LONGEST / largest).min(1.0);
        direction.iter_mut().for_each(|v| *v *= scale);
        let promise = dot(&direction, &slope);
        if promise >= 0.0 || !promise.is_finite() {
            break;
        }
        let Some((step, found)) = stepped(&x, value, &direction, promise, &loss) else {
            break;
        };
        let fall = value - found.0;
        let s: Vec<f64> = direction.iter().map(|d| step * d).collect();
        let y: Vec<f64> = found.1.iter().zip(&slope).map(|(a, b)| a - b).collect();
        x.iter_mut().zip(&s).for_each(|(x, s)| *x += s);
        (value, slope) = found;
        if dot(&s, &y) > 0.0 {
            past.push_back((s, y));
        }
        if past.len() > MEMORY {
            past.pop_front();
        }
        if fall <= LEAST_FALL * value.abs().max(1.0) {
            break;
        }
    }
    Some((value, x))
}

/// The first of the halved steps along a direction that falls enough, with value and slope there.
fn stepped(
    x: &[f64],
    value: f64,
    direction: &[f64],
    promise: f64,
    loss: &impl Fn(&[f64]) -> Option<(f64, Vec<f64>)>,
) -> Option<(f64, (f64, Vec<f64>))> {
    let tried = (0..HALVINGS).map(|k| 0.5_f64.powi(k as i32));
    let mut falling = tried.filter_map(|step| {
        let there: Vec<f64> = x.iter().zip(direction).map(|(x, d)| x + step * d).collect();
        let found = loss(&there).filter(|found| found.0.is_finite())?;
        (found.0 <= value + ENOUGH * step * promise).then_some((step, found))
    });
    falling.next()
}

/// Minus the slope times the inverse curvature that the past steps have seen.
fn downhill(slope: &[f64], past: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut q: Vec<f64> = slope.iter().map(|v| -v).collect();
    let mut shares = Vec::new();
    for (s, y) in past.iter().rev() {
        let share = dot(s, &q) / dot(s, y);
        q.iter_mut().zip(y).for_each(|(q, y)| *q -= share * y);
        shares.push(share);
    }
    if let Some((s, y)) = past.back() {
        let curvature = dot(s, y) / dot(y, y);
        q.iter_mut().for_each(|q| *q *= curvature);
    }
    for ((s, y), share) in past.iter().zip(shares.into_iter().rev()) {
        let back = share - dot(y, &q) / dot(s, y);
        q.iter_mut().zip(s).for_each(|(q, s)| *q += back * s);
    }
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_curved_valley_is_found() {
        // Rosenbrock's function.
        let loss = |x: &[f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            let slope = vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b];
            Some((a * a + 100.0 * b * b, slope))
        };
        let (value, x) = minimum(vec![-1.2, 1.0], 200, loss).unwrap();
        assert!(value < 1e-6 && (x[0] - 1.0).abs() < 1e-2, "{value} {x:?}");
    }

    #[test]
    fn a_function_that_ends_is_left_at_its_edge() {
        let loss = |x: &[f64]| (x[0] > 1.0).then(|| (x[0], vec![1.0]));
        let (value, _) = minimum(vec![3.5], 50, loss).unwrap();
        assert!((1.0..1.1).contains(&value), "{value}");
        assert!(minimum(vec![0.0], 5, loss).is_none());
    }
}
