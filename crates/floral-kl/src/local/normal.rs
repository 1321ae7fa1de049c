//! Normal equations of local regression: sums over points, added and solved.

use floral_linalg::{Mat, solve_positive_in_place};

/// Normal equations: sums over the points of one input, or of several.
#[derive(Clone)]
pub(super) struct Normal {
    /// Columns times columns.
    pub xx: Mat<f64>,
    /// Columns times target: [column, channel].
    pub xy: Mat<f64>,
    /// Target times target, over all channels.
    pub yy: f64,
}

impl Normal {
    pub(super) fn add(mut self, other: &Self) -> Self {
        self.xx += &other.xx;
        self.xy += &other.xy;
        self.yy += other.yy;
        self
    }

    pub(super) fn less(&self, other: &Self) -> Self {
        Self {
            xx: &self.xx - &other.xx,
            xy: &self.xy - &other.xy,
            yy: self.yy - other.yy,
        }
    }
}

/// The solution of (xx + ridge P) beta = xy, with the ridge in units of the mean diagonal, and the
/// identity in place of P if there is no penalty.
pub(super) fn solve(normal: &Normal, ridge: f64, penalty: Option<&Mat<f64>>) -> Option<Mat<f64>> {
    let n = normal.xx.nrows();
    let mut matrix = normal.xx.clone();
    let mean = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
    match penalty {
        Some(penalty) => matrix += ridge * mean * penalty,
        None => (0..n).for_each(|i| matrix[(i, i)] += ridge * mean + f64::MIN_POSITIVE),
    }
    solve_positive_in_place(matrix, &normal.xy)
}

/// The norm of the target minus columns times beta.
pub(super) fn error(normal: &Normal, beta: &Mat<f64>) -> f64 {
    let explained = &normal.xx * beta;
    let pairs = |a: &Mat<f64>| -> f64 {
        let channel = |c| beta.col(c).transpose() * a.col(c);
        (0..beta.ncols()).map(channel).sum()
    };
    (normal.yy - 2.0 * pairs(&normal.xy) + pairs(&explained))
        .max(0.0)
        .sqrt()
}
