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

use super::blend::{Base, Blend, Member, MemberScore, Model};
use super::calibration::Calibration;
use super::case::{Channels, Framed};
use super::expansion::Expansion;
use super::kernel::{Covariance, Kernel};
use super::law::LawKind;
use super::local::{LocalFit, LocalPlan};
use super::process::{ArdKernel, Coordinates};
use super::stack::Learner;
use super::support::Support;
use super::target::Parity;
use super::units::Units;
use super::{Lattice, Symmetry};
use crate::{Error, Result};

/// Raised when the layout or the meaning of what is stored changes.
const FORMAT: u32 = 4;

/// A field in double precision.
#[derive(Serialize, Deserialize)]
struct Doubles(#[serde(with = "bytes")] Vec<f64>);

/// Fields in single precision.
#[derive(Serialize, Deserialize)]
struct Singles(#[serde(with = "bytes")] Vec<f32>);

#[derive(Serialize, Deserialize)]
struct StoredExpansion {
    format: u32,
    lattice: Lattice,
    channels: Channels,
    symmetries: Vec<Symmetry>,
    units: Units,
    inputs: Vec<StoredInput>,
    mean: StoredBlend,
    variance: Option<StoredBlend>,
    law: Option<StoredLaw>,
    fade: f64,
    epistemic: StoredEpistemic,
    calibration: Vec<Calibration>,
    least_variance: f64,
    fixed: StoredFixed,
    support: Support,
}

/// The first thing that is read: bytes of another format are refused by it.
#[derive(Deserialize)]
struct Format {
    /// Absent from the first version of the method.
    #[serde(default = "first")]
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct StoredInput {
    input: Doubles,
    low: Doubles,
    size: f64,
}

#[derive(Serialize, Deserialize)]
struct StoredBlend {
    members: Vec<StoredMember>,
    parity: Parity,
    targets: Vec<Doubles>,
    bounds: [Vec<[f64; 2]>; 2],
    scores: Vec<MemberScore>,
    /// Absent from fits without networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stacked: Option<StoredStack>,
}

#[derive(Serialize, Deserialize)]
struct StoredStack {
    weight: f64,
    limits: Vec<f64>,
    networks: Vec<Bytes>,
}

/// What another crate reads.
#[derive(Serialize, Deserialize)]
struct Bytes(#[serde(with = "bytes")] Vec<u8>);

#[derive(Serialize, Deserialize)]
struct StoredMember {
    weight: f64,
    base: Base,
    model: StoredModel,
}

#[derive(Serialize, Deserialize)]
enum StoredModel {
    Constant(Doubles),
    Local {
        plan: LocalPlan,
        /// Whether the predicted mean is in the place of low fidelity.
        around: bool,
        logarithm: bool,
        sizes: [f64; 2],
        /// [column, channel], columns fastest.
        coefficients: Doubles,
        landmarks: Option<StoredLandmarks>,
    },
    Kernel {
        kernel: Kernel,
        ridge: f64,
        reference: f64,
    },
    Process {
        coordinates: Coordinates,
        kernel: ArdKernel,
        reference: f64,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredLandmarks {
    lengths: Vec<f64>,
    /// [landmark, feature], landmarks fastest.
    places: Doubles,
}

#[derive(Serialize, Deserialize)]
struct StoredLaw {
    kind: LawKind,
    runs: Vec<StoredRuns>,
    widths: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct StoredRuns {
    factors: Singles,
    deviation: Singles,
    coefficients: Singles,
}

#[derive(Serialize, Deserialize)]
struct StoredEpistemic {
    factors: Singles,
    variance: Doubles,
    grows: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredFixed {
    /// A byte a value, 1 where runs differ.
    #[serde(with = "bytes")]
    varies: Vec<u8>,
    values: Vec<Option<f64>>,
}

fn first() -> u32 {
    1
}

impl Expansion {
    /// The fitted expansion as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let singles = |values: &Vec<f32>| Singles(values.clone());
        let stored = StoredExpansion {
            format: FORMAT,
            lattice: self.lattice.clone(),
            channels: self.channels,
            symmetries: self.symmetries.declared.clone(),
            units: self.units.clone(),
            inputs: self.framed.iter().map(store_input).collect(),
            mean: store_blend(&self.mean),
            variance: self.variance.as_ref().map(store_blend),
            law: self.law.as_ref().map(|law| StoredLaw {
                kind: law.kind,
                runs: law
                    .runs
                    .iter()
                    .map(|runs| StoredRuns {
                        factors: singles(&runs.factors),
                        deviation: singles(&runs.deviation),
                        coefficients: singles(&runs.coefficients),
                    })
                    .collect(),
                widths: law.widths.clone(),
            }),
            fade: self.neighbours.fade(),
            epistemic: StoredEpistemic {
                factors: singles(&self.epistemic.factors),
                variance: Doubles(self.epistemic.variance.clone()),
                grows: self.epistemic.grows,
            },
            calibration: self.calibration.clone(),
            least_variance: self.least_variance,
            fixed: StoredFixed {
                varies: self.fixed.varies.iter().map(|v| u8::from(*v)).collect(),
                values: self.fixed.values.clone(),
            },
            support: self.support.clone(),
        };
        let mut bytes = Vec::new();
        ciborium::into_writer(&stored, &mut bytes).expect("memory takes every byte");
        bytes
    }

    /// The expansion that was written; refuses bytes that are damaged or of another format, and one
    /// with networks.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, None)
    }

    /// The same, with networks as a learner reads them.
    pub fn from_bytes_with(bytes: &[u8], learner: Option<&dyn Learner>) -> Result<Self> {
        let damaged = |error: ciborium::de::Error<std::io::Error>| refused(error.to_string());
        let Format { format } = ciborium::from_reader(bytes).map_err(damaged)?;
        if format != FORMAT {
            return Err(refused(format!(
                "it was fitted by version {format} of the method, and this program has version {FORMAT}"
            )));
        }
        let stored: StoredExpansion = ciborium::from_reader(bytes).map_err(damaged)?;
        stored.check()?;
        stored.restore(learner)
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
    let member = |(member, weight): &(Member, f64)| StoredMember {
        weight: *weight,
        base: member.base,
        model: store_model(&member.model),
    };
    StoredBlend {
        members: blend.members.iter().map(member).collect(),
        parity: blend.parity,
        targets: blend.targets.iter().cloned().map(Doubles).collect(),
        bounds: blend.bounds.clone().map(|bounds| bounds.0),
        scores: blend.scores.clone(),
        stacked: blend.stacked.as_ref().map(|stacked| StoredStack {
            weight: stacked.weight,
            limits: stacked.limits.clone(),
            networks: (stacked.networks.iter())
                .map(|network| Bytes(network.to_bytes()))
                .collect(),
        }),
    }
}

fn store_model(model: &Model) -> StoredModel {
    match model {
        Model::Constant(constant) => StoredModel::Constant(Doubles(constant.field.clone())),
        Model::Local(fit) => store_local(fit, false),
        Model::Around(fit) => store_local(fit, true),
        Model::Kernel(fit, kernel) => StoredModel::Kernel {
            kernel: *kernel,
            ridge: fit.ridge,
            reference: fit.reference,
        },
        Model::Process(fit) => StoredModel::Process {
            coordinates: fit.coordinates.clone(),
            kernel: fit.kernel.clone(),
            reference: fit.reference,
        },
    }
}

fn store_local(fit: &LocalFit, around: bool) -> StoredModel {
    let landmarks = fit.columns.landmarks.as_ref();
    StoredModel::Local {
        plan: fit.columns.plan.clone(),
        around,
        logarithm: fit.columns.logarithm,
        sizes: fit.columns.sizes,
        coefficients: store_matrix(&fit.coefficients),
        landmarks: landmarks.map(|landmarks| StoredLandmarks {
            lengths: landmarks.lengths.clone(),
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
