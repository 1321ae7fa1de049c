//! A blend: several regressions of one target, weighed by what they say of inputs left out.

use super::case::Framed;
use super::kernel::{Covariance, KernelFit, Resemblance};
use super::local::{LocalFit, LocalPlan};
use super::target::{Examples, Parity};
use super::{Lattice, Symmetries};

/// Steps in which the weights of a blend are found; each is exact along its line.
const STEPS: usize = 400;

/// Weights below this are taken for none, so that their members need not be evaluated.
const SMALLEST: f64 = 0.01;

/// What a member of a blend achieved, for tables.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberScore {
    /// What it is.
    pub name: String,
    /// Mean Euclidean norm of its errors at inputs left out.
    pub left_out: f64,
    /// Its weight in the blend.
    pub weight: f64,
}

/// The regressions to choose from.
pub(super) struct Menu {
    pub local: Vec<LocalPlan>,
    /// Kernels, each with the input's share in the distance.
    pub kernels: Vec<(Covariance, f64)>,
}

enum Member {
    Local(Box<LocalFit>),
    Kernel(Box<KernelFit>),
    /// The target is zero: of a residual, low fidelity alone.
    Zero,
}

impl Member {
    fn left_out(&self, input: usize) -> Option<&[f64]> {
        match self {
            Self::Local(fit) => Some(&fit.left_out[input]),
            Self::Kernel(fit) => Some(&fit.left_out[input]),
            Self::Zero => None,
        }
    }

    fn predict(&self, framed: &Framed) -> Option<Vec<f64>> {
        match self {
            Self::Local(fit) => Some(fit.predict(framed)),
            Self::Kernel(fit) => Some(fit.predict(framed)),
            Self::Zero => None,
        }
    }

    fn novelty(&self, framed: &Framed) -> f64 {
        match self {
            Self::Kernel(fit) => fit.novelty(framed),
            Self::Local(_) | Self::Zero => 1.0,
        }
    }
}

/// Weighed regressions of one target.
pub(super) struct Blend {
    members: Vec<(Member, f64)>,
    parity: Parity,
    values: usize,
    /// What each candidate achieved.
    pub scores: Vec<MemberScore>,
    /// Errors of the blend at inputs left out, framed: [channel, point] each.
    pub errors: Vec<Vec<f64>>,
}

impl Blend {
    pub(super) fn new(
        menu: &Menu,
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Self {
        let mut members = vec![("zero".to_owned(), Member::Zero)];
        for plan in &menu.local {
            let fit = LocalFit::new(plan, lattice, symmetries, examples);
            members.extend(fit.map(|fit| (plan.name(), Member::Local(Box::new(fit)))));
        }
        for (covariance, share) in &menu.kernels {
            let resemblance = Resemblance::new(lattice, symmetries, examples.framed, *share);
            let fit = KernelFit::new(*covariance, &resemblance, symmetries, examples);
            let name = format!("{} share {share}", covariance.name());
            members.extend(fit.map(|fit| (name, Member::Kernel(Box::new(fit)))));
        }
        weigh(members, examples)
    }

    /// The target of a query in the problem's own frame: [channel, point].
    pub(super) fn predict(&self, framed: &Framed) -> Vec<f64> {
        let mut sum = vec![0.0; self.values];
        for (member, weight) in &self.members {
            for (sum, value) in sum
                .iter_mut()
                .zip(member.predict(framed).unwrap_or_default())
            {
                *sum += weight * value;
            }
        }
        let size = self.parity.size(framed);
        sum.iter_mut().for_each(|value| *value *= size);
        sum
    }

    /// How much less is known of a query than of a training input left out.
    pub(super) fn novelty(&self, framed: &Framed) -> f64 {
        let members = self.members.iter();
        members
            .map(|(member, weight)| weight * member.novelty(framed))
            .sum()
    }
}

fn weigh(members: Vec<(String, Member)>, examples: &Examples<'_>) -> Blend {
    let inputs = examples.targets.len();
    let error = |member: &Member, i: usize| -> Vec<f64> {
        let target = &examples.targets[i];
        match member.left_out(i) {
            Some(guess) => target.iter().zip(guess).map(|(t, g)| t - g).collect(),
            None => target.clone(),
        }
    };
    let errors: Vec<Vec<Vec<f64>>> = members
        .iter()
        .map(|(_, member)| (0..inputs).map(|i| error(member, i)).collect())
        .collect();
    let sizes = examples
        .framed
        .iter()
        .map(|framed| examples.parity.size(framed));
    let sizes: Vec<f64> = sizes.collect();
    let norms = norms(&errors, &sizes);
    let weights = simplex(&quadratic(&errors, &norms, &sizes));
    let blended = |i: usize| {
        let mut sum = vec![0.0; examples.targets[i].len()];
        for (errors, weight) in errors.iter().zip(&weights) {
            sum.iter_mut()
                .zip(&errors[i])
                .for_each(|(s, e)| *s += weight * e);
        }
        sum
    };
    Blend {
        scores: scores(&members, &norms, &weights),
        errors: (0..inputs).map(blended).collect(),
        parity: examples.parity,
        values: examples.targets[0].len(),
        members: members
            .into_iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|((_, member), weight)| (member, weight))
            .collect(),
    }
}

/// Euclidean norms of the errors in the problem's own frame: [member][input].
fn norms(errors: &[Vec<Vec<f64>>], sizes: &[f64]) -> Vec<Vec<f64>> {
    let norm = |(error, size): (&Vec<f64>, &f64)| size * dot(error, error).sqrt();
    let of = |errors: &Vec<Vec<f64>>| errors.iter().zip(sizes).map(norm).collect();
    errors.iter().map(of).collect()
}

fn scores(members: &[(String, Member)], norms: &[Vec<f64>], weights: &[f64]) -> Vec<MemberScore> {
    let score =
        |((name, _), (norms, weight)): (&(String, Member), (&Vec<f64>, &f64))| MemberScore {
            name: name.clone(),
            left_out: norms.iter().sum::<f64>() / norms.len() as f64,
            weight: *weight,
        };
    members
        .iter()
        .zip(norms.iter().zip(weights))
        .map(score)
        .collect()
}

/// Inner products of the members' errors, each input over the norm of its least error: the sum of
/// norms, not of squares, is what tables report.
fn quadratic(errors: &[Vec<Vec<f64>>], norms: &[Vec<f64>], sizes: &[f64]) -> Vec<Vec<f64>> {
    let least = |i: usize| norms.iter().map(|n| n[i]).fold(f64::INFINITY, f64::min);
    let scale: Vec<f64> = (0..sizes.len())
        .map(|i| sizes[i] * sizes[i] / least(i).max(f64::MIN_POSITIVE))
        .collect();
    let entry = |a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>| -> f64 {
        let pairs = a.iter().zip(b).zip(&scale);
        pairs.map(|((a, b), scale)| scale * dot(a, b)).sum()
    };
    let row = |a| errors.iter().map(|b| entry(a, b)).collect();
    errors.iter().map(row).collect()
}

/// Weights, none negative and one in all, that make w' Q w least.
///
/// Frank & Wolfe (1956), with the best member as the start and the exact step to each vertex.
fn simplex(q: &[Vec<f64>]) -> Vec<f64> {
    let n = q.len();
    let best = (0..n)
        .min_by(|a, b| q[*a][*a].total_cmp(&q[*b][*b]))
        .unwrap_or(0);
    let mut w = vec![0.0; n];
    w[best] = 1.0;
    for _ in 0..STEPS {
        let gradient: Vec<f64> = q.iter().map(|row| dot(row, &w)).collect();
        let now = dot(&gradient, &w);
        let towards = (0..n)
            .min_by(|a, b| gradient[*a].total_cmp(&gradient[*b]))
            .unwrap_or(0);
        let curvature = now - 2.0 * gradient[towards] + q[towards][towards];
        let step = ((now - gradient[towards]) / curvature).clamp(0.0, 1.0);
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
}
