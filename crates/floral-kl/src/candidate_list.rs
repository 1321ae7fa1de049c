//! The list of candidates: settings of all regressions of mean and variance among which the judging
//! inputs choose.

use super::kernel::{Covariance, Kernel};
use super::local::{LandmarkPlan, LocalPlan};
use super::target::Parity;
use super::{Part, Recipe};

/// Width of the narrowest filter as a share of the axis: a pointwise relation.
const NONE: f64 = 1e-3;

/// Width of an ordinary filter as a share of the axis.
const WIDTH: f64 = 0.03;

/// Width of a wider filter.
const WIDE: f64 = 0.07;

/// Width of a still wider filter, about as far as waves travel.
const FAR: f64 = 0.13;

/// Widths from near to half the domain, for effects of distant changes.
const ALL: [f64; 5] = [WIDTH, WIDE, FAR, 0.25, HALF];

/// Width of a filter that sees the whole domain.
const HALF: f64 = 0.5;

/// Emphasis of low fidelity in a plan that relies on it more than on the input.
const LOW_FIRST: f64 = 3.0;

/// Maximum number of landmarks of a local process.
const LANDMARKS: usize = 1000;

/// Maximum number of landmarks while symmetries are tried.
const LANDMARKS_OF_TRIALS: usize = 150;

/// The settings of all candidates for one target.
pub(super) struct CandidateList {
    pub local: Vec<LocalPlan>,
    pub kernels: Vec<Kernel>,
    /// Gaussian processes over coordinates, one per entry; `true` for a process with a linear
    /// factor.
    pub processes: Vec<bool>,
}

impl Recipe {
    /// Candidates for the mean residual, from input and low fidelity.
    pub(super) fn mean(self) -> CandidateList {
        CandidateList {
            processes: self.processes(&[false, true]),
            local: self.local(mean_plans),
            kernels: self.kernels(vec![
                linear(0.0, 0.0),
                linear(0.5, 0.0),
                exponential(1.0, 0.0),
                exponential(2.0, 0.0),
                exponential(4.0, 0.0),
                matern(2.0, FAR),
            ]),
        }
    }

    /// Candidates for the mean solution, from the input alone.
    pub(super) fn mean_by_input(self) -> CandidateList {
        CandidateList {
            processes: self.processes(&[false, true]),
            local: self.local(plans_by_input),
            kernels: self.kernels(vec![exponential(2.0, 0.0), matern(2.0, FAR)]),
        }
    }

    /// Candidates for the variance, from input and low fidelity.
    pub(super) fn variance(self) -> CandidateList {
        CandidateList {
            processes: self.processes(&[false]),
            local: self.local(variance_plans),
            kernels: self.kernels(vec![exponential(1.0, 0.0), exponential(2.0, 0.0)]),
        }
    }

    /// Candidates for the variance, from the input alone.
    pub(super) fn variance_by_input(self) -> CandidateList {
        let plans = || vec![spread_plan(&[0, 2], true, 2, WIDTH, 3)];
        CandidateList {
            processes: self.processes(&[false]),
            local: self.local(plans),
            kernels: self.kernels(vec![exponential(2.0, 0.0)]),
        }
    }

    /// Candidates for the variance, from the predicted mean.
    pub(super) fn variance_around(self) -> Vec<LocalPlan> {
        self.local(around_plans)
    }

    fn processes(self, kinds: &[bool]) -> Vec<bool> {
        let kinds = kinds.iter().copied();
        kinds.filter(|_| self.has(Part::Processes)).collect()
    }

    fn local(self, plans: fn() -> Vec<LocalPlan>) -> Vec<LocalPlan> {
        match self.has(Part::Local) {
            true => plans(),
            false => Vec::new(),
        }
    }

    fn kernels(self, mut kernels: Vec<Kernel>) -> Vec<Kernel> {
        kernels.retain(|_| self.has(Part::Kernels));
        kernels
    }
}

impl CandidateList {
    /// The few regressions with which symmetries are tried: pointwise and integral relations and a
    /// local process, which a wrong symmetry spoils, and kernels, which gain from additional
    /// copies.
    pub(super) fn trial(parity: Parity, has_low: bool) -> Self {
        Self {
            local: match parity {
                Parity::Odd => vec![
                    plan(3, !has_low, 1, &[NONE, HALF], 1),
                    plan(1, true, 1, &[FAR], 2),
                    LocalPlan {
                        landmarks: Some(LandmarkPlan {
                            shared: Some(2.0),
                            most: LANDMARKS_OF_TRIALS,
                        }),
                        ..process(&ALL, 1, None)
                    },
                ],
                Parity::Even => vec![spread_plan(&[0, 2], !has_low, 1, WIDTH, 1)],
            },
            kernels: vec![linear(0.5, 0.0), exponential(2.0, 0.0)],
            processes: Vec::new(),
        }
    }
}

/// Local regressions of the mean solution, from the input alone.
fn plans_by_input() -> Vec<LocalPlan> {
    vec![
        plan(2, true, 2, &[WIDTH], 5),
        plan(1, true, 3, &ALL, 1),
        process(&ALL, 1, Some(2.0)),
        process(&ALL, 1, None),
    ]
}

fn linear(share: f64, smoothing: f64) -> Kernel {
    Kernel {
        covariance: Covariance::Linear,
        share,
        smoothing,
    }
}

fn exponential(length: f64, smoothing: f64) -> Kernel {
    Kernel {
        covariance: Covariance::SquaredExponential { length },
        ..linear(0.5, smoothing)
    }
}

fn matern(length: f64, smoothing: f64) -> Kernel {
    Kernel {
        covariance: Covariance::Matern52 { length },
        ..linear(0.5, smoothing)
    }
}

/// A local polynomial: filtered products up to a degree, times polynomials of the position.
fn plan(
    degree: usize,
    with_input: bool,
    positions: usize,
    widths: &[f64],
    order: usize,
) -> LocalPlan {
    LocalPlan {
        degrees: (0..=degree).collect(),
        with_input,
        gradients: false,
        widths: widths.to_vec(),
        order,
        positions,
        emphasis: 1.0,
        landmarks: None,
    }
}

/// A local process: a Gaussian process of the neighbourhood of a point. Lengths are learned unless
/// a shared one is given.
fn process(widths: &[f64], order: usize, shared: Option<f64>) -> LocalPlan {
    LocalPlan {
        degrees: vec![1],
        landmarks: Some(LandmarkPlan {
            shared,
            most: LANDMARKS,
        }),
        ..plan(1, true, 0, widths, order)
    }
}

fn mean_plans() -> Vec<LocalPlan> {
    let low_first = LocalPlan {
        emphasis: LOW_FIRST,
        ..plan(1, true, 4, &[WIDTH, FAR, HALF], 1)
    };
    let steep = LocalPlan {
        gradients: true,
        ..plan(3, false, 2, &[WIDTH], 5)
    };
    let slopes = LocalPlan {
        gradients: true,
        ..plan(2, false, 2, &[WIDTH, FAR, HALF], 0)
    };
    vec![
        plan(2, true, 0, &[NONE], 0),
        plan(2, true, 1, &[NONE], 0),
        plan(3, true, 1, &[NONE], 0),
        plan(1, true, 2, &[WIDTH], 5),
        plan(2, true, 2, &[WIDTH], 5),
        plan(2, true, 3, &[WIDE], 8),
        plan(3, true, 2, &[WIDTH], 5),
        plan(1, true, 3, &ALL, 1),
        low_first,
        steep,
        slopes,
        process(&ALL, 1, Some(2.0)),
        process(&ALL, 1, None),
        process(&[WIDTH, WIDE, FAR, 0.25], 2, None),
    ]
}

fn spread_plan(
    degrees: &[usize],
    with_input: bool,
    positions: usize,
    width: f64,
    order: usize,
) -> LocalPlan {
    LocalPlan {
        degrees: degrees.to_vec(),
        with_input,
        gradients: true,
        widths: vec![width],
        order,
        positions,
        emphasis: 1.0,
        landmarks: None,
    }
}

/// Mostly products of even degree, because no change of sign changes a variance.
fn variance_plans() -> Vec<LocalPlan> {
    let flat = LocalPlan {
        gradients: false,
        ..spread_plan(&[0, 2], true, 2, WIDTH, 3)
    };
    vec![
        spread_plan(&[0], false, 4, WIDTH, 0),
        flat,
        spread_plan(&[0, 2], true, 2, WIDTH, 3),
        spread_plan(&[0, 2], true, 2, WIDE, 3),
        spread_plan(&[0, 2, 3, 4], false, 2, WIDTH, 3),
    ]
}

/// Local regressions of the variance on the predicted mean and its gradient.
fn around_plans() -> Vec<LocalPlan> {
    vec![
        spread_plan(&[0, 2], false, 2, WIDTH, 3),
        spread_plan(&[0, 1, 2, 3], false, 2, WIDTH, 3),
        spread_plan(&[0, 1, 2], true, 2, WIDTH, 3),
        process(&[WIDTH, WIDE, FAR], 2, None),
    ]
}
