//! A regression made again from what was stored of it.

use super::{
    Channels, Framed, Kriging, Lattice, StoredBlend, StoredInput, StoredKriging, StoredMember,
    check, refused,
};
use crate::Result;
use crate::regression::Symmetries;
use crate::regression::blend::{Blend, Member};
use crate::regression::ignorance::Ignorance;
use crate::regression::kernel::{KernelFit, Neighbours, Resemblance};
use crate::regression::local::{Columns, LocalFit};
use crate::regression::spread::Spread;
use crate::regression::target::{Examples, Sample};

impl StoredKriging {
    pub(super) fn restore(self) -> Result<Kriging> {
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
                learned_to: self.ignorance.learned_to.unwrap_or(f64::INFINITY),
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
        noise: &[],
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
            landmarks,
        } => {
            let mut columns = Columns::restored(&plan, lattice, symmetries, logarithm, sizes);
            let example = framed[0].around(&examples.train.targets[0]);
            let example = if around { &example } else { &framed[0] };
            if let Some(landmarks) = landmarks {
                let features = columns.place_size(symmetries, example);
                let count = landmarks.places.0.len() / features.max(1);
                let places = check::matrix(&landmarks.places.0, count, features)?;
                columns = columns.likened(symmetries, landmarks.apart, places);
            }
            let count = columns.count(example);
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
