//! The data a run trains on, in memory and in the network's units.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Method;
use crate::dataset::{Dataset, Normaliser};
use crate::flow::{Prior, PriorConfig};
use crate::grid::Thinning;
use crate::metric::RunningMoments;
use crate::{Error, Field, Grid, Result};

/// How input, low-fidelity solution and target are scaled; part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// Scale of the input.
    pub input: Normaliser,
    /// Scale of the low-fidelity solution, where it is used.
    pub low: Option<Normaliser>,
    /// Scale of what is learned.
    pub target: Normaliser,
}

impl Scaling {
    /// Whether it is that of so many channels; `low` says whether a low-fidelity solution is used.
    pub(super) fn fits(&self, input: usize, solution: usize, low: bool) -> bool {
        let low_fits = match &self.low {
            Some(scale) => low && scale.fits(solution),
            None => !low,
        };
        low_fits && self.input.fits(input) && self.target.fits(solution)
    }

    /// The condition a~ = (a, G_l\[a\]) of an input: [channel, point].
    pub fn condition(&self, input: &Field, low: Option<&Field>) -> Vec<f32> {
        let points = input.grid_shape().iter().product();
        let mut condition = self.input.apply(input.values(), points);
        if let (Some(scale), Some(low)) = (&self.low, low) {
            condition.extend(scale.apply(low.values(), points));
        }
        condition
    }
}

/// Inputs with their conditions and all realizations of their targets.
pub struct Samples {
    /// The grid, perhaps coarser than the dataset's.
    pub grid: Grid,
    /// Per input: a~, [channel, point].
    pub conditions: Vec<Vec<f32>>,
    /// Per input: [realization, channel, point].
    pub targets: Vec<Vec<f32>>,
    /// Realizations of each input.
    pub realizations: usize,
}

impl Samples {
    /// Number of (input, realization) pairs.
    pub fn len(&self) -> usize {
        self.targets.len() * self.realizations
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The input of a sample.
    pub fn input_of(&self, sample: usize) -> usize {
        sample / self.realizations
    }

    /// The target of a sample: [channel, point].
    pub fn target_of(&self, sample: usize) -> &[f32] {
        let all = &self.targets[self.input_of(sample)];
        let size = all.len() / self.realizations;
        let start = sample % self.realizations * size;
        &all[start..start + size]
    }
}

/// Reads inputs of a dataset for a method, on every s-th point of the grid.
pub struct Reader<'a> {
    dataset: &'a Dataset,
    method: Method,
    thinning: Thinning,
}

/// One input as read, in its own units.
struct Case {
    input: Field,
    low: Option<Field>,
    targets: Vec<f64>,
}

impl<'a> Reader<'a> {
    /// Refuses a dataset that lacks what the method needs, and a resolution that does not divide.
    pub fn new(dataset: &'a Dataset, method: Method, resolution: Option<&[usize]>) -> Result<Self> {
        let bad = |reason: String| Error::BadFile {
            path: dataset.path().to_owned(),
            reason,
        };
        if !dataset.has_high() {
            return Err(bad(
                "has no array `high`; there is nothing to learn from".into()
            ));
        }
        if method.is_residual() && !dataset.has_low() {
            return Err(bad(format!(
                "has no array `low`, which {method} needs; add it, or choose the method flora or fno"
            )));
        }
        let full = dataset.grid().shape();
        if full.is_empty() || full.len() > 2 {
            return Err(bad(format!(
                "has {} grid axes; networks have one or two",
                full.len()
            )));
        }
        let wanted = resolution.unwrap_or(&full);
        let thinning = Thinning::to(&full, wanted).ok_or_else(|| {
            bad(format!(
                "has grid {full:?}, of which every s-th point cannot make {wanted:?}; choose \
                 numbers that divide"
            ))
        })?;
        Ok(Self {
            dataset,
            method,
            thinning,
        })
    }

    /// The grid of every s-th point.
    pub fn grid(&self) -> Grid {
        self.thinning.grid(self.dataset.grid())
    }

    /// The prior on the grid of every s-th point, each at its place in the domain of them all.
    pub fn prior(&self, config: &PriorConfig) -> Result<Box<dyn Prior>> {
        config.at(&self.thinning.grid(&config.placed(self.dataset.grid())?))
    }

    /// The scales of these inputs.
    pub fn scaling(&self, inputs: Range<usize>) -> Result<Scaling> {
        let points = self.grid().len();
        let mut input = vec![RunningMoments::default(); self.dataset.input_channels()];
        let channels = self.dataset.solution_channels().unwrap_or(0);
        let mut low = vec![RunningMoments::default(); channels];
        let mut target = low.clone();
        for index in inputs {
            let case = self.case(index)?;
            push(&mut input, case.input.values(), points);
            if let Some(field) = &case.low {
                push(&mut low, field.values(), points);
            }
            push(&mut target, &case.targets, points);
        }
        Ok(Scaling {
            input: Normaliser::new(&input),
            low: self.method.is_residual().then(|| Normaliser::new(&low)),
            target: Normaliser::new(&target),
        })
    }

    /// These inputs in the network's units.
    pub fn samples(&self, inputs: Range<usize>, scaling: &Scaling) -> Result<Samples> {
        let grid = self.grid();
        let (mut conditions, mut targets) = (Vec::new(), Vec::new());
        for index in inputs {
            let case = self.case(index)?;
            conditions.push(scaling.condition(&case.input, case.low.as_ref()));
            targets.push(scaling.target.apply(&case.targets, grid.len()));
        }
        Ok(Samples {
            grid,
            conditions,
            targets,
            realizations: self.dataset.realizations(),
        })
    }

    fn case(&self, index: usize) -> Result<Case> {
        let coarse = self.thinning.shape();
        let thinned = |field: &Field| {
            let values = self.thinning.apply(field.values());
            Field::from_values(field.channels(), &coarse, values)
        };
        let low = if self.method.is_residual() {
            Some(thinned(&self.dataset.low(index)?)?)
        } else {
            None
        };
        let mut targets = self.thinning.apply(self.dataset.high(index)?.values());
        if let Some(low) = &low {
            for realization in targets.chunks_exact_mut(low.values().len()) {
                for (target, low) in realization.iter_mut().zip(low.values()) {
                    *target -= low;
                }
            }
        }
        let input = thinned(&self.dataset.input(index)?)?;
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        if !finite(&targets) || !finite(input.values()) {
            return Err(Error::BadFile {
                path: self.dataset.path().to_owned(),
                reason: format!(
                    "input {index} holds a NaN or an infinity; mend it, or leave this input out"
                ),
            });
        }
        Ok(Case {
            input,
            low,
            targets,
        })
    }
}

fn push(moments: &mut [RunningMoments], values: &[f64], points: usize) {
    let channels = moments.len();
    for (i, channel) in values.chunks_exact(points).enumerate() {
        moments[i % channels].merge(&RunningMoments::of(channel.iter().copied()));
    }
}
