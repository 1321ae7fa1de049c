//! A fitted regression as bytes: what was trained on and what was chosen, in CBOR.
//!
//! Coefficients of kernel regressions are computed again on reading: they are larger than the
//! training fields that they come from. [`bytes`] writes arrays, [`check`] refuses damaged ones.

mod bytes;
mod check;

use serde::{Deserialize, Serialize};

use super::blend::{Blend, Member, MemberScore};
use super::calibration::Calibration;
use super::case::{Channels, Framed};
use super::ignorance::Ignorance;
use super::kernel::{Covariance, Kernel, KernelFit, Neighbours, Resemblance};
use super::kriging::Kriging;
use super::local::{Columns, LocalFit, LocalPlan};
use super::spread::Spread;
use super::target::{Examples, Parity, Sample};
use super::{Lattice, Symmetries, Symmetry};
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
    },
    Kernel {
        kernel: Kernel,
        ridge: f64,
        reference: f64,
    },
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

impl StoredKriging {
    fn restore(self) -> Result<Kriging> {
        let (lattice, channels) = (self.lattice, self.channels);
        let symmetries = Symmetries::new(
            &self.symmetries,
            &lattice,
            channels.input,
            channels.solution,
        )?;
        let framed = |stored: StoredInput| Framed {
            input: stored.input.0,
            low: stored.low.0,
            size: stored.size,
            points: lattice.len(),
        };
        let framed: Vec<Framed> = self.inputs.into_iter().map(framed).collect();
        let blend = |stored| restore_blend(stored, &lattice, &symmetries, &framed, channels);
        Ok(Kriging {
            mean: blend(self.mean)?,
            variance: self.variance.map(blend).transpose()?,
            spread: self.spread.map(|spread| Spread {
                factors: spread.factors.into_iter().map(|field| field.0).collect(),
                widths: spread.widths,
            }),
            neighbours: Neighbours::with_fade(&lattice, &symmetries, &framed, self.fade),
            ignorance: Ignorance {
                factors: self.ignorance.factors.0,
                variance: self.ignorance.variance.0,
                exponent: self.ignorance.exponent,
                mean_power: self.ignorance.mean_power,
            },
            calibration: self.calibration,
            least_variance: self.least_variance,
            lattice,
            channels,
            symmetries,
            framed,
        })
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
    let matrix = &fit.coefficients;
    let column = |c: usize| (0..matrix.nrows()).map(move |r| (r, c));
    let places = (0..matrix.ncols()).flat_map(column);
    StoredMember::Local {
        plan: fit.columns.plan.clone(),
        around,
        logarithm: fit.columns.logarithm,
        sizes: fit.columns.sizes,
        coefficients: Doubles(places.map(|place| matrix[place]).collect()),
    }
}

fn restore_blend(
    stored: StoredBlend,
    lattice: &Lattice,
    symmetries: &Symmetries,
    framed: &[Framed],
    channels: Channels,
) -> Result<Blend> {
    let targets: Vec<Vec<f64>> = stored.targets.into_iter().map(|field| field.0).collect();
    let everywhere = vec![None; framed.len()];
    let train = Sample {
        framed,
        targets: &targets,
        known: &everywhere,
    };
    let examples = Examples {
        train,
        held: train.none(),
        parity: stored.parity,
    };
    let member = |(member, weight)| {
        let member = restore_member(member, lattice, symmetries, &examples, channels)?;
        Ok((member, weight))
    };
    let members: Result<Vec<(Member, f64)>> = stored.members.into_iter().map(member).collect();
    Ok(Blend {
        members: members?,
        parity: stored.parity,
        scores: stored.scores,
        targets,
    })
}

fn restore_member(
    member: StoredMember,
    lattice: &Lattice,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    channels: Channels,
) -> Result<Member> {
    let framed = examples.train.framed;
    match member {
        StoredMember::Zero => Ok(Member::Zero),
        StoredMember::Local {
            plan,
            around,
            logarithm,
            sizes,
            coefficients,
        } => {
            let columns = Columns::restored(&plan, lattice, symmetries, logarithm, sizes);
            let example = framed[0].around(&examples.train.targets[0]);
            let count = columns.count(if around { &example } else { &framed[0] });
            let matrix = check::matrix(&coefficients.0, count, channels.solution)?;
            let fit = Box::new(LocalFit::restored(columns, matrix, lattice));
            Ok(if around {
                Member::Around(fit)
            } else {
                Member::Local(fit)
            })
        }
        StoredMember::Kernel {
            kernel,
            ridge,
            reference,
        } => {
            let resemblance = Resemblance::new(lattice, symmetries, framed, &kernel);
            let fit = KernelFit::prepare(kernel.covariance, &resemblance, symmetries, examples);
            let mut fit = fit.ok_or_else(|| refused("its kernel has no eigenvalues".into()))?;
            fit.settle(ridge);
            fit.reference = reference;
            Ok(Member::Kernel(Box::new(fit), kernel))
        }
    }
}

fn refused(reason: String) -> Error {
    Error::Config {
        context: "a stored regression".into(),
        reason: format!("{reason}; train it again"),
    }
}
