//! Division of a job's inputs, and of the realizations of its last inputs, among ranks.

use std::ops::Range;

use super::{Job, PredictionWriter, Sampling, Stored, block_rows};
use crate::Result;
use crate::observer::Observer;
use crate::ranks::{Ranks, share};
use crate::storage::Spool;

impl Job<'_> {
    /// Whether several ranks may draw realizations of one input: only for flows, whose realizations
    /// take most of the time, and only if their number is known in advance.
    pub(super) fn is_drawn_by_all(&self, ranks: &dyn Ranks) -> bool {
        let is_known = self.standard_error.is_none();
        ranks.size() > 1 && is_known && self.session.predictor().method().is_flow()
    }

    /// Draws this rank's share of the realizations of the inputs at these positions into their
    /// spools.
    pub(super) fn draw_share(
        &self,
        ranks: &dyn Ranks,
        positions: &[usize],
        writer: &PredictionWriter,
        observer: &dyn Observer,
    ) -> Result<Stored> {
        let rows = block_rows(self.session.cases().grid().len());
        let blocks = self.sampling.realizations.div_ceil(rows);
        let share = share(positions.len() * blocks, ranks.rank(), ranks.size());
        let mut drawn = Stored::default();
        for (i, position) in positions.iter().enumerate() {
            let of_input = i * blocks..(i + 1) * blocks;
            let start = share.start.max(of_input.start);
            let end = share.end.min(of_input.end);
            if start < end {
                let first = (start - of_input.start) * rows;
                let last = ((end - of_input.start) * rows).min(self.sampling.realizations);
                let spool = writer.spool(*position, self.values(), rows);
                drawn = drawn.and(self.draw(*position, first..last, spool, observer)?);
            }
        }
        Ok(drawn)
    }

    /// Draws these realizations of the input at a position, except those already in the spool.
    fn draw(
        &self,
        position: usize,
        realizations: Range<usize>,
        mut spool: Spool,
        observer: &dyn Observer,
    ) -> Result<Stored> {
        let index = self.session.inputs().start + position;
        let first = spool.seek(realizations.clone());
        let mut drawn = Stored {
            resumed_realizations: first - realizations.start,
            ..Stored::default()
        };
        if first == realizations.end {
            return Ok(drawn);
        }
        let derived = self.session.derived(index)?;
        let sampling = Sampling {
            realizations: realizations.end,
            ..self.sampling
        };
        let consume = |_: usize, values: &[f64], evaluations: usize| {
            drawn.computed += 1;
            drawn.evaluations += evaluations;
            match self.interpolation {
                Some(interpolation) => {
                    spool.push(&self.at_points(interpolation, values), evaluations)
                }
                None => spool.push(values, evaluations),
            }
        };
        derived
            .deliver_from(first, index as u64, &sampling, observer, consume)
            .map_err(|error| self.session.at(index, error))?;
        spool.store()?;
        Ok(drawn)
    }
}

/// Positions of the inputs that are not stored yet, grouped in parts that share files. Each rank
/// checks its share of the parts.
pub(super) fn pending(ranks: &dyn Ranks, writer: &PredictionWriter) -> Result<Vec<Range<usize>>> {
    let share = share(writer.parts(), ranks.rank(), ranks.size());
    let is_stored = |part| {
        writer
            .part(part)
            .all(|position| writer.is_finished(position))
    };
    let own = share.map(|part| u8::from(is_stored(part))).collect();
    let all = ranks.gather(own, &mut || {})?.concat();
    let parts = all.iter().enumerate();
    let pending = parts.filter(|(_, is_stored)| **is_stored == 0);
    Ok(pending.map(|(part, _)| writer.part(part)).collect())
}

/// Positions of the inputs in these parts that this rank stores.
pub(super) fn own(ranks: &dyn Ranks, parts: &[Range<usize>]) -> Vec<usize> {
    let own = parts.iter().skip(ranks.rank()).step_by(ranks.size());
    own.cloned().flatten().collect()
}

impl Stored {
    /// The sum of two counts.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            resumed: self.resumed + other.resumed,
            resumed_realizations: self.resumed_realizations + other.resumed_realizations,
            computed: self.computed + other.computed,
            evaluations: self.evaluations + other.evaluations,
            uncertain: self.uncertain + other.uncertain,
        }
    }

    /// The sum over ranks.
    pub(super) fn over(ranks: &dyn Ranks, own: Self) -> Result<Self> {
        let numbers = [
            own.resumed,
            own.resumed_realizations,
            own.computed,
            own.evaluations,
            own.uncertain,
        ];
        let own = numbers.iter().flat_map(|n| (*n as u64).to_le_bytes());
        let all = ranks.gather(own.collect(), &mut || {})?;
        let sums = all.iter().map(|bytes| {
            let (words, _) = bytes.as_chunks();
            let number = |i: usize| words.get(i).map_or(0, |w| u64::from_le_bytes(*w) as usize);
            Self {
                resumed: number(0),
                resumed_realizations: number(1),
                computed: number(2),
                evaluations: number(3),
                uncertain: number(4),
            }
        });
        Ok(sums.fold(Self::default(), Self::and))
    }
}
