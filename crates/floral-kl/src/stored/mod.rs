//! A fitted expansion as bytes: all that predictions need, in CBOR.
//!
//! Reading solves no equations: kernels and processes are stored with their coefficients and with
//! what their posterior variances need. [`bytes`] writes arrays, [`check`] refuses damaged data,
//! [`restore`] computes what follows from them, such as the spectra of the training inputs.

mod bytes;
mod check;
mod left_out;
mod restore;
#[cfg(test)]
mod tests;

use floral_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::blend::{Blend, MemberScore};
use super::calibration::Calibration;
use super::case::{Channels, Framed};
use super::expansion::Expansion;
use super::kernel::{Covariance, Kernel, Part};
use super::law::LawKind;
use super::local::{LocalFit, LocalPlan};
use super::member::{Member, Model};
use super::problem::Base;
use super::process::{ArdKernel, Coordinates};
use super::stack::Learner;
use super::support::Support;
use super::target::Parity;
use super::units::Units;
use super::{Lattice, Symmetry};
use crate::{Error, Result};
use left_out::StoredLeftOut;

/// The version of the method: raised when predictions, or the layout of what is stored, change.
pub const FORMAT: u32 = 5;

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
    residuals: Vec<Singles>,
    mean: StoredBlend,
    variance: Option<StoredBlend>,
    law: Option<StoredLaw>,
    fade: f64,
    epistemic: StoredEpistemic,
    calibration: Vec<Calibration>,
    least_variance: f64,
    fixed: StoredFixed,
    support: Support,
    /// Absent from fits that no input judged, and from older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<StoredLeftOut>,
}

/// The format alone, read from bytes that are no fit of this format.
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

/// Bytes that another crate reads.
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
        /// Whether the predicted mean takes the place of low fidelity.
        around: bool,
        logarithm: bool,
        sizes: [f64; 2],
        /// [column, channel], columns fastest.
        coefficients: Doubles,
        landmarks: Option<StoredLandmarks>,
    },
    Kernel {
        kernel: Kernel,
        /// [input][channel, point].
        coefficients: Vec<Doubles>,
        reference: f64,
        posterior: Vec<StoredPart>,
    },
    Process {
        coordinates: Coordinates,
        kernel: ArdKernel,
        reference: f64,
        /// [input, input], inputs fastest.
        inverse: Doubles,
        /// [input, value], inputs fastest.
        weights: Doubles,
    },
}

/// What a kernel's posterior variance needs at one frequency.
#[derive(Serialize, Deserialize)]
struct StoredPart {
    half: usize,
    energy: f64,
    /// Real and imaginary parts: [part, row, direction], parts fastest.
    directions: Doubles,
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
    /// A byte per value, 1 where runs differ.
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
            residuals: self.residuals.iter().map(singles).collect(),
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
            left_out: self.left_out.as_ref().map(StoredLeftOut::new),
        };
        let mut bytes = Vec::new();
        ciborium::into_writer(&stored, &mut bytes).expect("memory takes every byte");
        bytes
    }

    /// Reads an expansion that was stored; refuses bytes that are damaged or of another format, and
    /// an expansion with networks.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, None)
    }

    /// Like [`Self::from_bytes`], for an expansion with networks, which the learner restores.
    pub fn from_bytes_with(bytes: &[u8], learner: Option<&dyn Learner>) -> Result<Self> {
        let stored: StoredExpansion = ciborium::from_reader(bytes).map_err(|error| {
            let format = ciborium::from_reader(bytes).map(|Format { format }| format);
            let is_other = |format: &u32| *format != FORMAT;
            match format.ok().filter(is_other) {
                Some(format) => other_version(format),
                None => refused(error.to_string()),
            }
        })?;
        if stored.format != FORMAT {
            return Err(other_version(stored.format));
        }
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
            coefficients: fit.fields.iter().cloned().map(Doubles).collect(),
            reference: fit.posterior.reference,
            posterior: fit.posterior.parts.iter().map(store_part).collect(),
        },
        Model::Process(fit) => StoredModel::Process {
            coordinates: fit.coordinates.clone(),
            kernel: fit.kernel.clone(),
            reference: fit.reference,
            inverse: store_matrix(&fit.inverse),
            weights: store_matrix(&fit.weights),
        },
    }
}

fn store_part(part: &Part) -> StoredPart {
    let matrix = &part.directions;
    let columns = (0..matrix.ncols()).flat_map(|c| (0..matrix.nrows()).map(move |r| (r, c)));
    let values = columns.map(|place| matrix[place]);
    StoredPart {
        half: part.half,
        energy: part.energy,
        directions: Doubles(values.flat_map(|v| [v.re, v.im]).collect()),
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

/// A matrix, column by column.
fn store_matrix(matrix: &Mat<f64>) -> Doubles {
    let column = |c: usize| (0..matrix.nrows()).map(move |r| (r, c));
    let places = (0..matrix.ncols()).flat_map(column);
    Doubles(places.map(|place| matrix[place]).collect())
}

fn other_version(format: u32) -> Error {
    refused(format!(
        "it was fitted by version {format} of the method, and this program has version {FORMAT}"
    ))
}

fn refused(reason: String) -> Error {
    Error::Config {
        context: "a stored regression".into(),
        reason: format!("{reason}; train it again"),
    }
}
