//! The regressions from which judging inputs choose: of the mean residual, and of the variance.

use super::Recipe;
use super::blend::Menu;
use super::kernel::Covariance;
use super::local::LocalPlan;

/// Filter width as a share of the axis.
const WIDTH: f64 = 0.03;

/// A filter that sees farther.
const WIDE: f64 = 0.07;

impl Recipe {
    /// Candidates for the mean residual.
    pub(super) fn mean(self) -> Menu {
        let exponential = |length| Covariance::SquaredExponential { length };
        Menu {
            local: self.local(mean_plans),
            kernels: vec![
                (Covariance::Linear, 0.0),
                (Covariance::Linear, 0.5),
                (exponential(2.0), 0.5),
                (exponential(4.0), 0.5),
            ],
        }
    }

    /// Candidates for the variance.
    pub(super) fn variance(self) -> Menu {
        let exponential = |length| Covariance::SquaredExponential { length };
        Menu {
            local: self.local(variance_plans),
            kernels: vec![
                (Covariance::Linear, 0.5),
                (exponential(1.0), 0.5),
                (exponential(2.0), 0.5),
            ],
        }
    }

    fn local(self, plans: fn() -> Vec<LocalPlan>) -> Vec<LocalPlan> {
        match self {
            Self::Kernels => Vec::new(),
            Self::Blend => plans(),
        }
    }
}

fn mean_plans() -> Vec<LocalPlan> {
    let plan = |degree: usize, with_input, positions, widths: &[f64], order| LocalPlan {
        degrees: (0..=degree).collect(),
        with_input,
        gradients: false,
        widths: widths.to_vec(),
        order,
        positions,
    };
    vec![
        plan(1, false, 0, &[WIDTH], 5),
        plan(1, true, 2, &[WIDTH], 5),
        plan(2, false, 0, &[WIDTH], 5),
        plan(2, false, 2, &[WIDTH], 5),
        plan(2, true, 2, &[WIDTH], 5),
        plan(3, false, 2, &[WIDTH], 5),
        plan(3, true, 2, &[WIDTH], 5),
        plan(3, true, 2, &[WIDTH], 3),
        plan(2, true, 3, &[WIDE], 8),
        plan(2, true, 2, &[WIDTH, WIDE], 5),
        plan(3, true, 4, &[WIDTH], 5),
    ]
}

/// No change of sign changes a variance: products of even degree first.
fn variance_plans() -> Vec<LocalPlan> {
    let plan = |degrees: &[usize], with_input, gradients, positions, width| LocalPlan {
        degrees: degrees.to_vec(),
        with_input,
        gradients,
        widths: vec![width],
        order: 3,
        positions,
    };
    vec![
        plan(&[0], false, false, 4, WIDTH),
        plan(&[0, 2], true, false, 2, WIDTH),
        plan(&[0, 2], false, true, 2, WIDTH),
        plan(&[0, 2], true, true, 2, WIDTH),
        plan(&[0, 2], true, true, 2, WIDE),
        plan(&[0, 1, 2], true, true, 2, WIDTH),
        plan(&[0, 2, 3, 4], false, true, 2, WIDTH),
    ]
}
