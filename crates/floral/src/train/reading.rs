//! Scales of the inputs of a reader, and their samples in the scaled units of a network.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::config::Rows;
use super::ranges::Ranges;
use super::reader::Reader;
use super::samples::Samples;
use super::scaling::{InputScales, Scales, Scaling};
use crate::Result;
use crate::ranks::{Alone, Ranks, agreed, gathered, share};
use floral_flow::network::Nodes;
use floral_flow::training::sample_arrays::SampleArrays;

impl Reader {
    /// Scaling from the moments of these inputs.
    pub fn scaling(&self, inputs: Range<usize>) -> Result<Scaling> {
        Ok(self.scales(inputs)?.0)
    }

    /// Scaling and ranges of these inputs.
    pub(super) fn scales(&self, inputs: Range<usize>) -> Result<(Scaling, Ranges)> {
        self.scales_across(&Alone::default(), inputs)
    }

    /// Scaling and ranges of these inputs, computed by several ranks, each with its share of the
    /// inputs. The result does not depend on the number of ranks, to the bit.
    pub(super) fn scales_across(
        &self,
        ranks: &dyn Ranks,
        inputs: Range<usize>,
    ) -> Result<(Scaling, Ranges)> {
        let of_input = |index: usize| {
            let case = self.case(index)?;
            let channels = self.learned_low().channels;
            let (points, kept) = (self.grid().len(), self.kept(&case));
            Ok(InputScales::of(&case, channels, points, kept))
        };
        let own = share(inputs.len(), ranks.rank(), ranks.size());
        let own = own.map(|i| of_input(inputs.start + i));
        let own = agreed(ranks, own.collect::<Result<Vec<_>>>(), &mut || {})?;
        let mut scales = Scales::new(&self.dataset, self.has_low(), self.learned_low().is_given());
        for of_input in gathered(ranks, own, "scales")?.iter().flatten() {
            scales.push(of_input);
        }
        Ok((scales.scaling(), scales.ranges()))
    }

    /// Samples of these inputs in the network's scaled units.
    pub fn samples(
        &self,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        self.samples_in(None, inputs, rows, scaling)
    }

    /// Samples of these inputs; with a folder, they are kept in a file there instead of in memory.
    pub(super) fn samples_in(
        &self,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        let samples = self.room(folder, inputs.clone(), rows)?;
        for (i, index) in inputs.enumerate() {
            samples.put(i, self.sample(index, rows, scaling)?)?;
        }
        Ok(samples)
    }

    /// Samples of these inputs, each input read when it is first needed.
    #[cfg_attr(not(feature = "networks"), allow(dead_code))]
    pub(super) fn samples_on_demand(
        self: &Arc<Self>,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        let samples = self.room(folder, inputs.clone(), rows)?;
        let (reader, scaling, first) = (self.clone(), scaling.clone(), inputs.start);
        Ok(samples.from(Box::new(move |i| reader.sample(first + i, rows, &scaling))))
    }

    /// Empty storage for the samples of these inputs.
    fn room<'s>(
        &self,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
    ) -> Result<Samples<'s>> {
        let count = |index: usize| match rows {
            Rows::Inputs => 1,
            Rows::Realizations => self.dataset.realizations_of(index),
        };
        let counts: Vec<usize> = inputs.map(count).collect();
        let arrays = |name| SampleArrays::new(folder, name, counts.len());
        let arrays = [arrays("conditions")?, arrays("targets")?];
        let channels = self.dataset.solution_channels().unwrap_or(0);
        let size = channels * self.grid().len();
        let grid = self.grid();
        let nodes = self
            .has_nodes()
            .then(|| Nodes::of(&grid, self.dataset.mask()));
        Ok(Samples::of(grid, &counts, arrays, size).with_nodes(nodes))
    }

    /// The condition of an input and its targets, in the network's scaled units.
    fn sample(&self, index: usize, rows: Rows, scaling: &Scaling) -> Result<[Vec<f32>; 2]> {
        let case = self.case(index)?;
        let mut residuals = case.residuals(self.kept(&case));
        if rows == Rows::Inputs {
            residuals = mean(&residuals, self.dataset.realizations_of(index));
        }
        Ok([
            scaling.condition(&case.input, case.low.as_ref()),
            scaling.target.apply(&residuals, self.grid().len()),
        ])
    }
}

/// The mean over realizations: [realization, value] -> [value].
fn mean(fields: &[f64], realizations: usize) -> Vec<f64> {
    let size = fields.len() / realizations.max(1);
    let at = |p: usize| fields[p..].iter().step_by(size).sum::<f64>() / realizations as f64;
    (0..size).map(at).collect()
}
