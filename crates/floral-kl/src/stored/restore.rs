//! Restores a fit from what was stored of it.

use floral_linalg::{Mat, c64};

use super::{
    Base, Channels, Expansion, Framed, Lattice, StoredBlend, StoredEpistemic, StoredExpansion,
    StoredFixed, StoredInput, StoredLandmarks, StoredLaw, StoredLeftOut, StoredMember, StoredModel,
    StoredPart, StoredStack, check, refused,
};
use crate::Result;
use crate::Symmetries;
use crate::blend::Blend;
use crate::constant::{Bounds, Constant};
use crate::epistemic::Epistemic;
use crate::fixed::Fixed;
use crate::kernel::{KernelFit, Neighbours, Part, Posterior, SharedRows};
use crate::law::Law;
use crate::local::{Columns, LocalFit};
use crate::member::{Member, Model};
use crate::process::ProcessFit;
use crate::runs::Runs;
use crate::stack::{Learner, Stacked};
use crate::target::Parity;

impl StoredExpansion {
    pub(super) fn restore(self, learner: Option<&dyn Learner>) -> Result<Expansion> {
        let (lattice, channels) = (self.lattice, self.channels);
        let symmetries = Symmetries::new(
            &self.symmetries,
            &lattice,
            channels.input,
            channels.solution,
        )?;
        let inputs = self.inputs.into_iter();
        let framed: Vec<Framed> = inputs.map(|input| input.restore(lattice.len())).collect();
        let blend = |stored| {
            let mut restoring = Restoring {
                lattice: &lattice,
                symmetries: &symmetries,
                channels,
                views: Views::new(&framed),
            };
            restoring.blend(stored)
        };
        let mut mean = self.mean;
        let stacked = mean.stacked.take();
        let mut mean = blend(mean)?;
        mean.stacked = stacked.map(|s| restore_stack(s, learner)).transpose()?;
        Ok(Expansion {
            mean,
            variance: self.variance.map(blend).transpose()?,
            law: self.law.map(StoredLaw::restore),
            neighbours: Neighbours::with_fade(&lattice, &symmetries, &framed, self.fade),
            epistemic: self.epistemic.restore(),
            calibration: self.calibration,
            least_variance: self.least_variance,
            fixed: self.fixed.restore(),
            support: self.support,
            left_out: self.left_out.map(StoredLeftOut::restore),
            units: self.units,
            residuals: self.residuals.into_iter().map(|r| r.0).collect(),
            lattice,
            channels,
            symmetries,
            framed,
        })
    }
}

impl StoredInput {
    fn restore(self, points: usize) -> Framed {
        Framed {
            input: self.input.0,
            low: self.low.0,
            size: self.size,
            points,
        }
    }
}

impl StoredLaw {
    fn restore(self) -> Law {
        let runs = self.runs.into_iter().map(|runs| Runs {
            factors: runs.factors.0,
            deviation: runs.deviation.0,
            coefficients: runs.coefficients.0,
        });
        Law {
            kind: self.kind,
            runs: runs.collect(),
            widths: self.widths,
        }
    }
}

impl StoredEpistemic {
    fn restore(self) -> Epistemic {
        Epistemic {
            factors: self.factors.0,
            variance: self.variance.0,
            grows: self.grows,
        }
    }
}

impl StoredFixed {
    fn restore(self) -> Fixed {
        Fixed {
            varies: self.varies.iter().map(|v| *v != 0).collect(),
            values: self.values,
        }
    }
}

/// The training inputs for candidates of each base, with the rows that kernels share.
struct Views<'a> {
    with_low: &'a [Framed],
    alone: Vec<Framed>,
    rows: [SharedRows; 2],
}

impl<'a> Views<'a> {
    fn new(framed: &'a [Framed]) -> Self {
        Self {
            with_low: framed,
            alone: framed.iter().map(Framed::alone).collect(),
            rows: Default::default(),
        }
    }

    fn of(&mut self, base: Base) -> (&[Framed], &mut SharedRows) {
        let [with_low, alone] = &mut self.rows;
        match base {
            Base::Low => (self.with_low, with_low),
            Base::Input => (&self.alone, alone),
        }
    }
}

/// All that the members of blends are restored with.
struct Restoring<'a> {
    lattice: &'a Lattice,
    symmetries: &'a Symmetries,
    channels: Channels,
    views: Views<'a>,
}

impl Restoring<'_> {
    fn values(&self) -> usize {
        self.channels.solution * self.lattice.len()
    }

    fn blend(&mut self, stored: StoredBlend) -> Result<Blend> {
        let mut members = Vec::new();
        for StoredMember {
            weight,
            base,
            model,
        } in stored.members
        {
            let model = self.model(model, base, stored.parity)?;
            members.push((Member { base, model }, weight));
        }
        Ok(Blend {
            members,
            parity: stored.parity,
            bounds: stored.bounds.map(Bounds),
            scores: stored.scores,
            stacked: None,
            values: self.values(),
        })
    }

    fn model(&mut self, model: StoredModel, base: Base, parity: Parity) -> Result<Model> {
        match model {
            StoredModel::Constant(field) => Ok(Model::Constant(Constant::restored(field.0))),
            StoredModel::Local {
                plan,
                around,
                logarithm,
                sizes,
                coefficients,
                landmarks,
            } => {
                let columns =
                    Columns::restored(&plan, self.lattice, self.symmetries, logarithm, sizes);
                let fit = self.local(columns, &coefficients.0, landmarks, (base, around))?;
                Ok(if around {
                    Model::Around(Box::new(fit))
                } else {
                    Model::Local(Box::new(fit))
                })
            }
            StoredModel::Kernel {
                kernel,
                coefficients,
                reference,
                posterior,
            } => {
                let (framed, rows) = self.views.of(base);
                let rows = rows.of(self.lattice, self.symmetries, framed, &kernel);
                let count = framed.len() * self.symmetries.motions.len();
                let posterior = Posterior {
                    parts: parts(posterior, count, rows.frequencies())?,
                    reference,
                };
                let coefficients = coefficients.into_iter().map(|field| field.0).collect();
                let covariance = kernel.covariance;
                let fit = KernelFit::restored(
                    rows,
                    covariance,
                    self.symmetries,
                    parity,
                    coefficients,
                    posterior,
                );
                Ok(Model::Kernel(Box::new(fit), kernel))
            }
            StoredModel::Process {
                coordinates,
                kernel,
                reference,
                inverse,
                weights,
            } => {
                let (points, values) = (self.lattice.len(), self.values());
                let (framed, _) = self.views.of(base);
                let sizes = [framed[0].input.len(), framed[0].low.len()];
                if !(coordinates.fit(sizes, points) && kernel.fits(&coordinates)) {
                    return Err(refused("its coordinates do not fit".into()));
                }
                let count = framed.len();
                let inverse = Mat::from_fn(count, count, |i, j| inverse.0[j * count + i]);
                let weights = Mat::from_fn(count, values, |i, p| weights.0[p * count + i]);
                let mut fit = ProcessFit::stored(coordinates, kernel, framed, inverse, weights);
                fit.reference = reference;
                Ok(Model::Process(Box::new(fit)))
            }
        }
    }

    /// A local regression on inputs with this base, or with the mean in place of low fidelity.
    fn local(
        &mut self,
        mut columns: Columns,
        coefficients: &[f64],
        landmarks: Option<StoredLandmarks>,
        (base, around): (Base, bool),
    ) -> Result<LocalFit> {
        let nothing = vec![0.0; self.values()];
        let (symmetries, lattice) = (self.symmetries, self.lattice);
        let first = &self.views.of(base).0[0];
        let example = if around {
            &first.around(&nothing)
        } else {
            first
        };
        if let Some(StoredLandmarks { lengths, places }) = landmarks {
            let features = columns.place_size(symmetries, example);
            let count = places.0.len() / features.max(1);
            let places = check::matrix(&places.0, count, features)?;
            check::ensure(lengths.len() == features, "lengths are missing")?;
            columns = columns.compared(symmetries, lengths, places);
        }
        let count = columns.count(example);
        let matrix = check::matrix(coefficients, count, self.channels.solution)?;
        Ok(LocalFit::restored(columns, matrix, lattice))
    }
}

/// Parts of posterior variances over `rows` rows at a number of frequencies.
fn parts(stored: Vec<StoredPart>, rows: usize, frequencies: usize) -> Result<Vec<Part>> {
    let part = |stored: StoredPart| {
        let values = &stored.directions.0;
        let count = values.len() / (2 * rows);
        let fits = count * 2 * rows == values.len() && stored.half < frequencies;
        check::ensure(fits, "a posterior variance has another size")?;
        Ok(Part {
            half: stored.half,
            energy: stored.energy,
            directions: Mat::from_fn(rows, count, |r, c| {
                let place = 2 * (c * rows + r);
                c64::new(values[place], values[place + 1])
            }),
        })
    };
    stored.into_iter().map(part).collect()
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
