//! A regression made again from what was stored of it.

use super::{
    Base, Channels, Expansion, Framed, Lattice, StoredBlend, StoredExpansion, StoredInput,
    StoredMember, StoredModel, StoredStack, check, refused,
};
use crate::Result;
use crate::Symmetries;
use crate::blend::{Blend, Member, Model};
use crate::constant::{Bounds, Constant};
use crate::epistemic::Epistemic;
use crate::fixed::Fixed;
use crate::folds::Folds;
use crate::kernel::{KernelFit, Neighbours, Resemblance};
use crate::law::Law;
use crate::local::{Columns, LocalFit};
use crate::process::ProcessFit;
use crate::runs::Runs;
use crate::stack::{Learner, Stacked};
use crate::target::{Examples, Parity, Sample};

impl StoredExpansion {
    pub(super) fn restore(self, learner: Option<&dyn Learner>) -> Result<Expansion> {
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
        let law = self.law.map(|law| Law {
            kind: law.kind,
            runs: law
                .runs
                .into_iter()
                .map(|runs| Runs {
                    factors: runs.factors.0,
                    deviation: runs.deviation.0,
                    coefficients: runs.coefficients.0,
                })
                .collect(),
            widths: law.widths,
        });
        let mut mean = self.mean;
        let stacked = mean.stacked.take();
        let mut mean = blend(mean)?;
        mean.stacked = stacked.map(|s| restore_stack(s, learner)).transpose()?;
        Ok(Expansion {
            mean,
            variance: self.variance.map(blend).transpose()?,
            law,
            neighbours: Neighbours::with_fade(&lattice, &symmetries, &framed, self.fade),
            epistemic: Epistemic {
                factors: self.epistemic.factors.0,
                variance: self.epistemic.variance.0,
                grows: self.epistemic.grows,
            },
            calibration: self.calibration,
            least_variance: self.least_variance,
            fixed: Fixed {
                varies: self.fixed.varies.iter().map(|v| *v != 0).collect(),
                values: self.fixed.values,
            },
            support: self.support,
            units: self.units,
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
    let alone: Vec<Framed> = framed.iter().map(Framed::alone).collect();
    let solution = |(framed, target): (&Framed, &Vec<f64>)| match stored.parity {
        Parity::Odd => framed.around(target).low,
        Parity::Even => target.clone(),
    };
    let solutions: Vec<Vec<f64>> = framed.iter().zip(&targets).map(solution).collect();
    let folds = Folds::none();
    let examples = |framed, targets| {
        let train = Sample {
            framed,
            targets,
            hidden: &[],
            known: &everywhere,
            noise: &[],
        };
        Examples {
            train,
            held: train.none(),
            parity: stored.parity,
            folds: &folds,
        }
    };
    let member = |member: StoredMember| {
        let examples = match member.base {
            Base::Low => examples(framed, &targets),
            Base::Input => examples(&alone, &solutions),
        };
        let model = restore_model(member.model, lattice, symmetries, &examples, channels)?;
        let base = member.base;
        Ok((Member { base, model }, member.weight))
    };
    let members: Result<Vec<(Member, f64)>> = stored.members.into_iter().map(member).collect();
    Ok(Blend {
        members: members?,
        parity: stored.parity,
        bounds: stored.bounds.map(Bounds),
        scores: stored.scores,
        stacked: None,
        targets,
    })
}

fn restore_stack(stored: StoredStack, learner: Option<&dyn Learner>) -> Result<Stacked> {
    let learner = learner.ok_or_else(|| refused("it has networks, which need a learner".into()))?;
    let networks = stored
        .networks
        .iter()
        .map(|bytes| learner.restore(&bytes.0));
    Ok(Stacked {
        networks: networks.collect::<Result<_>>()?,
        weight: stored.weight,
        limits: stored.limits,
    })
}

fn restore_model(
    model: StoredModel,
    lattice: &Lattice,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    channels: Channels,
) -> Result<Model> {
    let framed = examples.train.framed;
    match model {
        StoredModel::Constant(field) => Ok(Model::Constant(Constant {
            field: field.0,
            judged: Vec::new(),
        })),
        StoredModel::Local {
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
                check::ensure(landmarks.lengths.len() == features, "lengths are missing")?;
                columns = columns.compared(symmetries, landmarks.lengths.clone(), places);
            }
            let count = columns.count(example);
            let matrix = check::matrix(&coefficients.0, count, channels.solution)?;
            let fit = Box::new(LocalFit::restored(columns, matrix, lattice));
            Ok(if around {
                Model::Around(fit)
            } else {
                Model::Local(fit)
            })
        }
        StoredModel::Kernel {
            kernel,
            ridge,
            reference,
        } => {
            let resemblance = Resemblance::new(lattice, symmetries, framed, &kernel);
            let fit = KernelFit::prepare(kernel.covariance, &resemblance, symmetries, examples);
            let mut fit = fit.ok_or_else(|| refused("its kernel has no eigenvalues".into()))?;
            fit.settle(ridge);
            fit.reference = reference;
            Ok(Model::Kernel(Box::new(fit), kernel))
        }
        StoredModel::Process {
            coordinates,
            kernel,
            reference,
        } => {
            let sizes = [framed[0].input.len(), framed[0].low.len()];
            if !(coordinates.fit(sizes, lattice.len()) && kernel.fits(&coordinates)) {
                return Err(refused("its coordinates do not fit".into()));
            }
            let targets = examples.train.targets;
            let fit = ProcessFit::restored(coordinates, kernel, framed, targets);
            let mut fit = fit.ok_or_else(|| refused("its process is singular".into()))?;
            fit.reference = reference;
            Ok(Model::Process(Box::new(fit)))
        }
    }
}
