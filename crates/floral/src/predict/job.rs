//! Stores statistics of predictions, input by input; an interrupted job can continue.
//!
//! A [`Job`] runs the prediction loop ([`Walk`]) and passes each input's statistics to a
//! [`PredictionWriter`]. The realizations of an unfinished input are kept in a spool file.
//! `division.rs` divides the work among ranks.

use std::ops::Range;

use super::division::{own, pending};
use super::enough::Enough;
use super::interest::{Interests, PreparedInterests};
use super::{
    Consumer, InputPredictor, Interpolation, PredictionCost, PredictionSession, PredictionWriter,
    Sampling, Walk, WalkedInput, block_rows,
};
use crate::kl::Prediction;
use crate::observer::{Event, Observer};
use crate::ranks::{Alone, Ranks, Watch};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::storage::Spool;
use crate::{Error, Result};

/// What to predict and what to store.
pub struct Job<'a> {
    /// The run and its inputs.
    pub session: &'a PredictionSession<'a>,
    /// Interpolation to the wanted points, if not all points of the grid are wanted.
    pub interpolation: Option<&'a Interpolation>,
    /// Quantiles and thresholds.
    pub wanted: &'a Wanted,
    /// Number of realizations stored per input, the first ones.
    pub kept: usize,
    /// Number of realizations, seed and solver.
    pub sampling: Sampling,
    /// Wanted standard error of the mean, in units of the standard deviation of the predicted
    /// values: drawing stops once it is reached, or at the number of realizations in `sampling`.
    pub standard_error: Option<f64>,
    /// Quantities of interest, evaluated on whole fields.
    pub interests: Option<&'a Interests>,
}

/// Counts of completed work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Inputs that an earlier job had finished.
    pub resumed: usize,
    /// Realizations of unfinished inputs that an earlier job had computed.
    pub resumed_realizations: usize,
    /// Realizations computed by this job.
    pub computed: usize,
    /// Network evaluations for these realizations.
    pub evaluations: usize,
    /// Inputs whose standard error stayed larger than wanted.
    pub uncertain: usize,
}

impl Job<'_> {
    /// Predicts and stores the inputs that are missing in the store.
    pub fn store(&self, writer: &PredictionWriter, observer: &dyn Observer) -> Result<Stored> {
        self.store_across(&Alone::default(), writer, observer)
    }

    /// [`store`](Self::store) by several ranks, with byte-identical results. Each rank predicts its
    /// own inputs. The inputs that remain after an even division are, for flows, drawn by all ranks
    /// together; their realizations are spooled for the rank that stores the input.
    pub fn store_across(
        &self,
        ranks: &dyn Ranks,
        writer: &PredictionWriter,
        observer: &dyn Observer,
    ) -> Result<Stored> {
        self.check()?;
        let total = self.session.inputs().len();
        let pending = pending(ranks, writer)?;
        let resumed = total - pending.iter().map(Range::len).sum::<usize>();
        let watch = Watch::new(ranks, observer)?;
        watch.observe(&Event::Inputs {
            done: resumed,
            total,
        });
        let shared = match self.is_drawn_by_all(ranks) {
            true => pending.len() % ranks.size(),
            false => 0,
        };
        let (whole, shared) = pending.split_at(pending.len() - shared);
        let drawn_by_all: Vec<usize> = shared.iter().cloned().flatten().collect();
        let mut storing = Storing {
            job: self,
            writer,
            own: own(ranks, whole),
            under_way: None,
            spools: Vec::new(),
            stored: Stored::default(),
        };
        let done = self.walk(&mut storing, &watch);
        let done = done.and_then(|()| self.draw_share(ranks, &drawn_by_all, writer, &watch));
        let drawn = watch.finished(done)?;
        storing.own = own(ranks, shared);
        let before = storing.stored.resumed_realizations;
        let done = self.walk(&mut storing, &watch);
        watch.finished(done.and_then(|()| writer.settle(ranks)))?;
        if !shared.is_empty() {
            storing.stored.resumed_realizations = before;
        }
        let mut stored = Stored::over(ranks, storing.stored.and(drawn))?;
        stored.resumed = resumed;
        Ok(stored)
    }

    /// Refuses quantities of interest of interpolated values: they are defined on whole fields.
    fn check(&self) -> Result<()> {
        if self.interpolation.is_none() || self.interests.is_none() {
            return Ok(());
        }
        Err(Error::config(
            "quantities of interest",
            "they are taken of fields on the grid, not at other points; leave out one of them",
        ))
    }

    fn walk(&self, storing: &mut Storing, observer: &dyn Observer) -> Result<()> {
        let walk = Walk {
            predictors: &[self.session.predictor()],
            cases: self.session.cases(),
            inputs: self.session.inputs(),
            derived: self.session.given(),
            sampling: &self.sampling,
            observer,
        };
        walk.run(storing)
    }

    /// Number of values stored per realization.
    pub(super) fn values(&self) -> usize {
        let channels = self.session.predictor().header().shapes.solution_channels;
        let all = channels * self.session.cases().grid().len();
        self.interpolation.map_or(all, |places| places.values(all))
    }

    /// A realization at the wanted points, rounded as it is stored.
    pub(super) fn at_points(&self, interpolation: &Interpolation, values: &[f64]) -> Vec<f64> {
        let mut values = interpolation.apply(values);
        self.session.predictor().precision().round(&mut values);
        values
    }
}

struct Storing<'a> {
    job: &'a Job<'a>,
    writer: &'a PredictionWriter,
    /// Positions of the inputs that this rank stores.
    own: Vec<usize>,
    under_way: Option<UnderWay>,
    /// Spools of finished inputs whose file is still incomplete.
    spools: Vec<Spool>,
    stored: Stored,
}

/// The unfinished input.
struct UnderWay {
    gathered: Gathered,
    spool: Spool,
    evaluations: usize,
    /// Moments that are known without drawing, at the wanted points.
    known: Option<Prediction>,
}

/// Running statistics of one input.
struct Gathered {
    statistics: EnsembleStatistics,
    enough: Option<Enough>,
    kept: Vec<f64>,
    interests: Option<PreparedInterests>,
}

impl Gathered {
    fn push(&mut self, is_kept: bool, values: &[f64]) -> Result<()> {
        if is_kept {
            self.kept.extend_from_slice(values);
        }
        self.statistics.push(values)?;
        if let Some(interests) = &mut self.interests {
            interests.push(values)?;
        }
        if let Some(enough) = &mut self.enough {
            enough.judge(&self.statistics);
        }
        Ok(())
    }
}

impl Consumer for Storing<'_> {
    fn wants(&self, position: usize) -> bool {
        self.own.contains(&position)
    }

    fn begin(&mut self, _run: usize, input: &WalkedInput) -> Result<Option<usize>> {
        let (job, size) = (self.job, self.job.values());
        let rows = block_rows(input.grid.len());
        let mut spool = self.writer.spool(input.position, size, rows);
        let channels = job.session.predictor().header().shapes.solution_channels;
        let numbers = [job.kept, job.sampling.realizations];
        let enough = job
            .standard_error
            .filter(|_| job.session.predictor().method().is_generative());
        let mut gathered = Gathered {
            enough: enough.map(|wanted| Enough::new(wanted, channels, rows, numbers)),
            statistics: EnsembleStatistics::new(size, job.sampling.realizations, job.wanted)?,
            kept: Vec::new(),
            interests: job.interests.map(|all| all.on(input.case)).transpose()?,
        };
        let keep = |realization, values: &[f64]| gathered.push(realization < job.kept, values);
        let before = spool.replay(keep)?;
        self.stored.resumed_realizations += before.realizations;
        self.under_way = Some(UnderWay {
            gathered,
            spool,
            evaluations: before.evaluations,
            known: None,
        });
        Ok(Some(before.realizations))
    }

    fn wanted(&self) -> Option<usize> {
        let gathered = &self.under_way.as_ref()?.gathered;
        gathered.enough.as_ref().map(Enough::target)
    }

    fn derived(&mut self, predicted: &InputPredictor<'_>) {
        let under_way = self.under_way.as_mut();
        if let Some(interests) = under_way.and_then(|one| one.gathered.interests.as_mut()) {
            interests.derive(predicted);
        }
    }

    fn moments(&mut self, moments: &Prediction) {
        if let Some(under_way) = &mut self.under_way {
            under_way.known = Some(match self.job.interpolation {
                Some(interpolation) => moments_at(interpolation, moments),
                None => moments.clone(),
            });
        }
    }

    fn realization(&mut self, index: usize, values: &[f64], evaluations: usize) -> Result<()> {
        let Some(under_way) = &mut self.under_way else {
            return Ok(());
        };
        let values = match self.job.interpolation {
            Some(interpolation) => &self.job.at_points(interpolation, values),
            None => values,
        };
        self.stored.computed += 1;
        under_way.gathered.push(index < self.job.kept, values)?;
        under_way.spool.push(values, evaluations)
    }

    fn end(&mut self, _run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()> {
        let Some(under_way) = self.under_way.take() else {
            return Ok(());
        };
        let Gathered {
            statistics,
            enough,
            kept,
            interests,
        } = under_way.gathered;
        self.stored.uncertain += usize::from(enough.is_some_and(|enough| !enough.is_reached()));
        let evaluations = under_way.evaluations + cost.progress.evaluations;
        self.stored.evaluations += cost.progress.evaluations;
        let known = under_way.known.as_ref();
        if let (Some(interests), Some(all)) = (&interests, self.job.interests) {
            let values = all.calibrated(interests.values());
            let epistemic = interests.epistemic();
            self.writer
                .write_interests(input.position, &values, epistemic)?;
        }
        self.writer
            .write(input.position, &statistics, known, &kept, evaluations)?;
        self.spools.push(under_way.spool);
        if self.writer.ends_a_part(input.position) {
            self.spools.drain(..).try_for_each(Spool::clear)?;
        }
        Ok(())
    }
}

/// Moments interpolated from the grid to other points. For variances, the standard deviations are
/// interpolated: this is exact where neighbouring values are perfectly correlated, and an
/// interpolation of variances would be too large there.
fn moments_at(interpolation: &Interpolation, moments: &Prediction) -> Prediction {
    let variance = |variance: &[f64]| -> Vec<f64> {
        let deviations: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
        let there = interpolation.apply(&deviations);
        there.iter().map(|d| d * d).collect()
    };
    Prediction {
        mean: interpolation.apply(&moments.mean),
        aleatoric: variance(&moments.aleatoric),
        epistemic: variance(&moments.epistemic),
        ..*moments
    }
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests {
    use super::*;
    use crate::Points;
    use crate::predict::Cases;
    use crate::predict::interest::Asked;
    use crate::predict::testing::play;
    use crate::train::Method;

    #[test]
    fn quantities_of_interest_are_not_taken_at_other_points() {
        let play = play();
        let predictor = play.predictor(Method::Kriging);
        let cases = Cases::of(&play.dataset).unwrap();
        let asked = Asked {
            quantities: vec!["peak = max(u)".into()],
            thresholds: Vec::new(),
        };
        let interests = Interests::of_cases(&asked, predictor.header(), &cases).unwrap();
        let points = Points {
            axes: vec![(cases.grid().axes[0].name.clone(), vec![0.5])],
            units: vec![None],
        };
        let interpolation = Interpolation::to_points(cases.grid(), &points);
        let job = Job {
            session: &PredictionSession::of(&predictor, cases, 0..1),
            interpolation: Some(&interpolation),
            wanted: &Wanted::default(),
            kept: 0,
            sampling: Sampling::default(),
            standard_error: None,
            interests: interests.as_ref(),
        };
        let words = job.check().unwrap_err().to_string();
        assert!(words.contains("on the grid"), "{words}");
    }
}
