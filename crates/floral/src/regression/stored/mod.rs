//! A fitted regression as bytes: what was trained on and what was chosen, in CBOR.
//!
//! Coefficients of kernel regressions are computed again on reading: they are larger than the
//! training fields that they come from. [`bytes`] writes arrays, [`check`] refuses damaged ones,
//! [`restore`] computes.

mod bytes;
mod check;
mod restore;

use floral_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::blend::{Blend, Member, MemberScore};
use super::calibration::Calibration;
use super::case::{Channels, Framed};
use super::kernel::{Covariance, Kernel};
use super::kriging::Kriging;
use super::local::{LocalFit, LocalPlan};
use super::target::Parity;
use super::{Lattice, Symmetry};
use crate::{Error, Result};

/// Raised when the layout changes.
const FORMAT: u32 = 1;

/// A field in double precision.
#[derive(Serialize, Deserialize)]
struct Doubles(#[serde(with = "bytes")] Vec<f64>);

/// Fields in single precision.
#[derive(Serialize, Deserialize)]
struct Singles(#[serde(with = "bytes")] Vec<f32>);

#[derive(Serialize, Deserialize)]
struct StoredKriging {
    format: u32,
    lattice: Lattice,
    channels: Channels,
    symmetries: Vec<Symmetry>,
    inputs: Vec<StoredInput>,
    mean: StoredBlend,
    variance: Option<StoredBlend>,
    spread: Option<StoredSpread>,
    fade: f64,
    ignorance: StoredIgnorance,
    calibration: Calibration,
    least_variance: f64,
}

#[derive(Serialize, Deserialize)]
struct StoredInput {
    input: Doubles,
    low: Doubles,
    size: f64,
}

#[derive(Serialize, Deserialize)]
struct StoredBlend {
    members: Vec<(StoredMember, f64)>,
    parity: Parity,
    targets: Vec<Doubles>,
    scores: Vec<MemberScore>,
}

#[derive(Serialize, Deserialize)]
enum StoredMember {
    Zero,
    Local {
        plan: LocalPlan,
        /// Whether the predicted mean is in the place of low fidelity.
        around: bool,
        logarithm: bool,
        sizes: [f64; 2],
        /// [column, channel], columns fastest.
        coefficients: Doubles,
        #[serde(default)]
        landmarks: Option<StoredLandmarks>,
    },
    Kernel {
        kernel: Kernel,
        ridge: f64,
        reference: f64,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredLandmarks {
    apart: f64,
    /// [landmark, feature], landmarks fastest.
    places: Doubles,
}

#[derive(Serialize, Deserialize)]
struct StoredSpread {
    factors: Vec<Singles>,
    widths: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct StoredIgnorance {
    factors: Singles,
    variance: Doubles,
    exponent: f64,
    mean_power: f64,
    /// None if no judging input told a power.
    #[serde(default)]
    learned_to: Option<f64>,
}

impl Kriging {
    /// The fitted regression as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = StoredKriging {
            format: FORMAT,
            lattice: self.lattice.clone(),
            channels: self.channels,
            symmetries: self.symmetries.declared.clone(),
            inputs: self.framed.iter().map(store_input).collect(),
            mean: store_blend(&self.mean),
            variance: self.variance.as_ref().map(store_blend),
            spread: self.spread.as_ref().map(|spread| StoredSpread {
                factors: spread.factors.iter().cloned().map(Singles).collect(),
                widths: spread.widths.clone(),
            }),
            fade: self.neighbours.fade(),
            ignorance: StoredIgnorance {
                factors: Singles(self.ignorance.factors.clone()),
                variance: Doubles(self.ignorance.variance.clone()),
                exponent: self.ignorance.exponent,
                mean_power: self.ignorance.mean_power,
                learned_to: Some(self.ignorance.learned_to).filter(|v| v.is_finite()),
            },
            calibration: self.calibration,
            least_variance: self.least_variance,
        };
        let mut bytes = Vec::new();
        ciborium::into_writer(&stored, &mut bytes).expect("memory takes every byte");
        bytes
    }

    /// The regression that was written; refuses bytes that are damaged or of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let stored: StoredKriging =
            ciborium::from_reader(bytes).map_err(|error| refused(error.to_string()))?;
        stored.check()?;
        stored.restore()
    }
}

fn store_input(framed: &Framed) -> StoredInput {
    StoredInput {
        input: Doubles(framed.input.clone()),
        low: Doubles(framed.low.clone()),
        size: framed.size,
    }
}

fn store_blend(blend: &Blend) -> StoredBlend {
    let member = |(member, weight): &(Member, f64)| (store_member(member), *weight);
    StoredBlend {
        members: blend.members.iter().map(member).collect(),
        parity: blend.parity,
        targets: blend.targets.iter().cloned().map(Doubles).collect(),
        scores: blend.scores.clone(),
    }
}

fn store_member(member: &Member) -> StoredMember {
    match member {
        Member::Zero => StoredMember::Zero,
        Member::Local(fit) => store_local(fit, false),
        Member::Around(fit) => store_local(fit, true),
        Member::Kernel(fit, kernel) => StoredMember::Kernel {
            kernel: *kernel,
            ridge: fit.ridge,
            reference: fit.reference,
        },
    }
}

fn store_local(fit: &LocalFit, around: bool) -> StoredMember {
    let landmarks = fit.columns.landmarks.as_ref();
    StoredMember::Local {
        plan: fit.columns.plan.clone(),
        around,
        logarithm: fit.columns.logarithm,
        sizes: fit.columns.sizes,
        coefficients: store_matrix(&fit.coefficients),
        landmarks: landmarks.map(|landmarks| StoredLandmarks {
            apart: landmarks.apart,
            places: store_matrix(&landmarks.places),
        }),
    }
}

/// Column by column.
fn store_matrix(matrix: &Mat<f64>) -> Doubles {
    let column = |c: usize| (0..matrix.nrows()).map(move |r| (r, c));
    let places = (0..matrix.ncols()).flat_map(column);
    Doubles(places.map(|place| matrix[place]).collect())
}

fn refused(reason: String) -> Error {
    Error::Config {
        context: "a stored regression".into(),
        reason: format!("{reason}; train it again"),
    }
}
