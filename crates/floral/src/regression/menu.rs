//! The regressions from which left-out inputs choose: of the mean residual, and of the variance.

use super::blend::Menu;
use super::kernel::Covariance;
use super::local::LocalPlan;

/// Filter width as a share of the axis.
const WIDTH: f64 = 0.03;

/// Candidates for the mean residual.
pub(super) fn mean() -> Menu {
    let plan = |degree: usize, with_input, positions| LocalPlan {
        degrees: (0..=degree).collect(),
        with_input,
        gradients: false,
        width: WIDTH,
        order: 5,
        positions,
    };
    let exponential = |length| Covariance::SquaredExponential { length };
    Menu {
        local: vec![
            plan(1, false, 0),
            plan(1, true, 2),
            plan(2, false, 0),
            plan(2, false, 2),
            plan(2, true, 2),
            plan(3, false, 2),
            plan(3, true, 2),
        ],
        kernels: vec![
            (Covariance::Linear, 0.0),
            (Covariance::Linear, 0.5),
            (exponential(2.0), 0.5),
            (exponential(4.0), 0.5),
        ],
    }
}

/// Candidates for the variance, which no change of sign changes: products of even degree first.
pub(super) fn variance() -> Menu {
    let plan = |degrees: &[usize], with_input, gradients, positions| LocalPlan {
        degrees: degrees.to_vec(),
        with_input,
        gradients,
        width: WIDTH,
        order: 3,
        positions,
    };
    let exponential = |length| Covariance::SquaredExponential { length };
    Menu {
        local: vec![
            plan(&[0, 2], true, false, 2),
            plan(&[0, 2], false, true, 2),
            plan(&[0, 2], true, true, 2),
            plan(&[0, 2, 3, 4], false, true, 2),
        ],
        kernels: vec![(Covariance::Linear, 0.5), (exponential(2.0), 0.5)],
    }
}
