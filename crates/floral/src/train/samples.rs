//! The data a run trains on, in memory and in the network's units.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Method;
use super::config::Rows;
use super::ranges::{Norms, Ranges};
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

/// Reads inputs of a dataset for a method, high fidelity on every s-th point of the grid.
pub struct Reader<'a> {
    dataset: &'a Dataset,
    method: Method,
    thinning: Thinning,
}

/// One input as read, in its own units.
pub(super) struct Case {
    /// The input.
    pub input: Field,
    /// Low fidelity, if the method looks at it.
    pub low: Option<Field>,
    /// High fidelity at the points that are kept: [realization, channel, point].
    pub high: Vec<f64>,
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
        if method.needs_low() && !dataset.has_low() {
            return Err(bad(format!(
                "has no array `low`, which {method} needs; add it, or choose the method floral-kl"
            )));
        }
        let full = dataset.grid().shape();
        if full.is_empty() || full.len() > 2 {
            return Err(bad(format!(
                "has {} grid axes; methods have one or two",
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

    /// The grid of input and low fidelity: every s-th point for a network, all for a regression.
    pub fn grid(&self) -> Grid {
        match self.method.recipe() {
            Some(_) => self.dataset.grid().clone(),
            None => self.thinning.grid(self.dataset.grid()),
        }
    }

    /// Positions in [`Self::grid`] of the points where high fidelity is known; none if at all.
    pub(super) fn known(&self) -> Option<&[usize]> {
        let kept = self.thinning.kept();
        (kept.len() < self.grid().len()).then_some(kept)
    }

    /// Whether the method is given low fidelity.
    pub(super) fn has_low(&self) -> bool {
        self.dataset.has_low() && self.method.uses_low()
    }

    /// The prior on the grid of every s-th point, each at its place in the domain of them all.
    pub fn prior(&self, config: &PriorConfig) -> Result<Box<dyn Prior>> {
        config.at(&self.thinning.grid(&config.placed(self.dataset.grid())?))
    }

    /// The scales of these inputs.
    pub fn scaling(&self, inputs: Range<usize>) -> Result<Scaling> {
        Ok(self.scales(inputs)?.0)
    }

    /// The scales of these inputs, and the ranges that they lie in.
    pub(super) fn scales(&self, inputs: Range<usize>) -> Result<(Scaling, Ranges)> {
        let mut scales = Scales::new(self.dataset, self.has_low());
        for index in inputs {
            scales.push(&self.case(index)?, self.grid().len(), self.thinning.kept());
        }
        Ok((scales.scaling(), scales.ranges()))
    }

    /// These inputs in the network's units.
    pub fn samples(&self, inputs: Range<usize>, rows: Rows, scaling: &Scaling) -> Result<Samples> {
        let grid = self.grid();
        let all = self.dataset.realizations();
        let (mut conditions, mut targets) = (Vec::new(), Vec::new());
        for index in inputs {
            let case = self.case(index)?;
            conditions.push(scaling.condition(&case.input, case.low.as_ref()));
            let mut gaps = case.gaps(self.thinning.kept());
            if rows == Rows::Inputs {
                gaps = mean(&gaps, all);
            }
            targets.push(scaling.target.apply(&gaps, grid.len()));
        }
        Ok(Samples {
            grid,
            conditions,
            targets,
            realizations: match rows {
                Rows::Realizations => all,
                Rows::Inputs => 1,
            },
        })
    }

    /// An input with all that the method sees of it.
    pub(super) fn case(&self, index: usize) -> Result<Case> {
        let case = Case {
            input: self.condition(&self.dataset.input(index)?)?,
            low: if self.has_low() {
                Some(self.condition(&self.dataset.low(index)?)?)
            } else {
                None
            },
            high: self.thinning.apply(self.dataset.high(index)?.values()),
        };
        let low = case.low.iter().flat_map(Field::values);
        let mut values = case.input.values().iter().chain(low).chain(&case.high);
        if values.all(|value| value.is_finite()) {
            return Ok(case);
        }
        Err(Error::BadFile {
            path: self.dataset.path().to_owned(),
            reason: format!(
                "input {index} holds a NaN or an infinity; mend it, or leave this input out"
            ),
        })
    }

    /// Input or low fidelity at the points where the method sees them.
    fn condition(&self, field: &Field) -> Result<Field> {
        if self.method.recipe().is_some() {
            return Ok(field.clone());
        }
        let values = self.thinning.apply(field.values());
        Field::from_values(field.channels(), &self.thinning.shape(), values)
    }
}

impl Case {
    /// Realizations minus low fidelity at the points `kept` of a grid that the latter may live on
    /// as a whole: [realization, channel, point].
    fn gaps(&self, kept: &[usize]) -> Vec<f64> {
        let mut gaps = self.high.clone();
        let Some(low) = &self.low else {
            return gaps;
        };
        let points = low.values().len() / low.channels();
        let is_whole = points > kept.len();
        for (i, channel) in gaps.chunks_exact_mut(kept.len()).enumerate() {
            let low = &low.values()[i % low.channels() * points..][..points];
            for (k, gap) in channel.iter_mut().enumerate() {
                *gap -= if is_whole { low[kept[k]] } else { low[k] };
            }
        }
        gaps
    }
}

/// The mean over so many realizations: [realization, value] -> [value].
fn mean(fields: &[f64], realizations: usize) -> Vec<f64> {
    let size = fields.len() / realizations.max(1);
    let at = |p: usize| fields[p..].iter().step_by(size).sum::<f64>() / realizations as f64;
    (0..size).map(at).collect()
}

/// Moments of input, low fidelity and target, channel by channel.
struct Scales {
    input: Vec<RunningMoments>,
    low: Option<Vec<RunningMoments>>,
    target: Vec<RunningMoments>,
    input_norms: Norms,
    low_norms: Norms,
}

impl Scales {
    fn new(dataset: &Dataset, has_low: bool) -> Self {
        let solution = dataset.solution_channels().unwrap_or(0);
        let zeros = |channels: usize| vec![RunningMoments::default(); channels];
        Self {
            input: zeros(dataset.input_channels()),
            low: has_low.then(|| zeros(solution)),
            target: zeros(solution),
            input_norms: Norms::new(dataset.input_channels()),
            low_norms: Norms::new(if has_low { solution } else { 0 }),
        }
    }

    fn push(&mut self, case: &Case, points: usize, kept: &[usize]) {
        push(&mut self.input, case.input.values(), points);
        self.input_norms.push(case.input.values(), points);
        if let (Some(moments), Some(field)) = (&mut self.low, &case.low) {
            push(moments, field.values(), points);
            self.low_norms.push(field.values(), points);
        }
        push(&mut self.target, &case.gaps(kept), kept.len());
    }

    fn scaling(&self) -> Scaling {
        Scaling {
            input: Normaliser::new(&self.input),
            low: self.low.as_deref().map(Normaliser::new),
            target: Normaliser::new(&self.target),
        }
    }

    fn ranges(&self) -> Ranges {
        Ranges {
            input: self.input_norms.ranges(&self.input),
            low: self
                .low_norms
                .ranges(self.low.as_deref().unwrap_or_default()),
        }
    }
}

fn push(moments: &mut [RunningMoments], values: &[f64], points: usize) {
    let channels = moments.len();
    for (i, channel) in values.chunks_exact(points).enumerate() {
        moments[i % channels].merge(&RunningMoments::of(channel.iter().copied()));
    }
}
