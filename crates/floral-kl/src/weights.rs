//! Weights of a blend: non-negative, of sum one, and of least error at the judging inputs.

/// Maximum number of steps of the search for weights; each is exact along its line.
const STEPS: usize = 400;

/// Weights below this are set to zero, so that their members need not be evaluated.
const SMALLEST: f64 = 0.01;

/// Members whose errors are more than this many times the least get no weight.
const FAR: f64 = 2.0;

/// Smallest norm of an input's least error that counts, as a share of the mean over inputs.
const SHORTEST: f64 = 0.1;

/// Inner products of the members' errors at one judging input: [member][member].
pub(super) type Products = Vec<Vec<f64>>;

/// The products of errors [member][value].
pub(super) fn products(errors: &[Vec<f64>]) -> Products {
    let row = |a: &Vec<f64>| errors.iter().map(|b| dot(a, b)).collect();
    errors.iter().map(row).collect()
}

/// Euclidean norms of the errors in the problem's own frame: [member][input].
pub(super) fn norms(products: &[Products], sizes: &[f64]) -> Vec<Vec<f64>> {
    let members = products.first().map_or(0, Vec::len);
    let norm = |(products, size): (&Products, &f64), k: usize| size * products[k][k].sqrt();
    let of = |k: usize| products.iter().zip(sizes).map(|one| norm(one, k)).collect();
    (0..members).map(of).collect()
}

/// Weights from the products of errors at each judging input, and their norms.
///
/// With n independent judging inputs, a member's squared error is known to a relative precision of
/// about 1/n. This share is added to it as if it were independent of the errors of other members,
/// so that two inputs do not decide in favour of a single member.
pub(super) fn weights(
    products: &[Products],
    norms: &[Vec<f64>],
    sizes: &[f64],
    judges: usize,
) -> Vec<f64> {
    let total = |norms: &Vec<f64>| norms.iter().sum::<f64>();
    let best = norms.iter().map(total).fold(f64::INFINITY, f64::min);
    // A member with a much larger error than another contributes its errors and little else.
    let kept = |k: &usize| total(&norms[*k]) <= FAR * best;
    let kept: Vec<usize> = (0..norms.len()).filter(kept).collect();
    let norms_kept: Vec<Vec<f64>> = kept.iter().map(|&k| norms[k].clone()).collect();
    let mut q = quadratic(products, &kept, &norms_kept, sizes);
    for (k, row) in q.iter_mut().enumerate() {
        row[k] *= 1.0 + 1.0 / judges.max(1) as f64;
    }
    let mut weights = vec![0.0; norms.len()];
    for (k, weight) in kept.into_iter().zip(simplex(&q)) {
        weights[k] = weight;
    }
    weights
}

/// Inner products of the members' errors, each input divided by the norm of its least error,
/// because tables report the sum of norms, not of squares.
fn quadratic(
    products: &[Products],
    kept: &[usize],
    norms: &[Vec<f64>],
    sizes: &[f64],
) -> Vec<Vec<f64>> {
    let least = |i: usize| norms.iter().map(|n| n[i]).fold(f64::INFINITY, f64::min);
    let count = sizes.len();
    let mean = (0..count).map(least).sum::<f64>() / count.max(1) as f64;
    // Without this floor, an input that a member predicts exactly would decide alone. Zero, for
    // example, is exact for a solution without a source.
    let floor = (SHORTEST * mean).max(f64::MIN_POSITIVE);
    let scale: Vec<f64> = (0..count)
        .map(|i| sizes[i] * sizes[i] / least(i).max(floor))
        .collect();
    let entry = |a: usize, b: usize| -> f64 {
        let inputs = products.iter().zip(&scale);
        inputs.map(|(products, scale)| scale * products[a][b]).sum()
    };
    let row = |&a: &usize| kept.iter().map(|&b| entry(a, b)).collect();
    kept.iter().map(row).collect()
}

/// The weights w, non-negative and of sum one, that minimise w' Q w.
///
/// Frank & Wolfe (1956), from the best member on, with the exact step towards each vertex.
fn simplex(q: &[Vec<f64>]) -> Vec<f64> {
    let n = q.len();
    let best = (0..n)
        .min_by(|a, b| q[*a][*a].total_cmp(&q[*b][*b]))
        .unwrap_or(0);
    let mut w = vec![0.0; n];
    w[best] = 1.0;
    for _ in 0..STEPS {
        let gradient: Vec<f64> = q.iter().map(|row| dot(row, &w)).collect();
        let here = dot(&gradient, &w);
        let towards = (0..n)
            .min_by(|a, b| gradient[*a].total_cmp(&gradient[*b]))
            .unwrap_or(0);
        let curvature = here - 2.0 * gradient[towards] + q[towards][towards];
        let step = ((here - gradient[towards]) / curvature).clamp(0.0, 1.0);
        if step.is_nan() || step == 0.0 {
            break;
        }
        w.iter_mut().for_each(|w| *w *= 1.0 - step);
        w[towards] += step;
    }
    w.iter_mut()
        .filter(|w| **w < SMALLEST)
        .for_each(|w| *w = 0.0);
    let sum: f64 = w.iter().sum();
    w.iter().map(|w| w / sum).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_inverse_to_the_squares_of_independent_errors() {
        let weights = simplex(&[vec![1.0, 0.0], vec![0.0, 3.0]]);
        assert!((weights[0] - 0.75).abs() < 1e-2, "{weights:?}");
        assert_eq!(simplex(&[vec![1.0, 1.0], vec![1.0, 9.0]]), [1.0, 0.0]);
        assert_eq!(simplex(&[vec![0.0]]), [1.0]);
    }

    #[test]
    fn fewer_judges_decide_less() {
        let of = |count: usize| {
            let products = vec![products(&[vec![1.0], vec![1.2]]); count];
            let sizes = vec![1.0; count];
            weights(&products, &norms(&products, &sizes), &sizes, count)
        };
        let (few, many) = (of(2), of(40));
        assert!(few[0] < many[0] && few[1] > 0.1, "{few:?} {many:?}");
    }

    /// Errors of zero and of a better member at four inputs; zero is exact at the first input.
    #[test]
    fn an_input_that_a_member_has_exactly_does_not_decide_alone() {
        let zero = [0.0, 1.0, 1.0, 1.0].map(|e| vec![e, e]);
        let better = [0.1, 0.1, -0.1, 0.1].map(|e| vec![e, -e]);
        let of = |i: usize| products(&[zero[i].clone(), better[i].clone()]);
        let all: Vec<Products> = (0..4).map(of).collect();
        let sizes = [1.0; 4];
        let found = weights(&all, &norms(&all, &sizes), &sizes, 4);
        assert!(found[1] > 0.8, "{found:?}");
    }
}
