//! The options of `floral sample`, resolved: the run, the inputs, and what is stored.

use std::ops::Range;

use anyhow::{Result, ensure};
use floral::kl::Innovation;
use floral::predict::interest::{InterestPlan, Interests};
use floral::predict::{
    Cases, Interpolation, Job, MomentSource, ParameterTable, Places, PredictionPlan,
    PredictionWriter, Predictor, REALIZATIONS, Sampling, Stored, Threshold, read_points,
};
use floral::ranks::Ranks;
use floral::sample::{EnsembleStatistics, OdeSolver, Wanted};
use floral::train::RunFolder;
use floral::{Checksum, Observer, Points};

use super::Arguments;
use crate::cases::{chosen_inputs, opened_cases};
use crate::progress::Progress;
use crate::waiting::Waiting;

/// The most realizations per input where a standard error decides their number.
const MOST: usize = 20_000;

/// The resolved options.
pub(super) struct Task {
    pub predictor: Predictor,
    pub cases: Cases<'static>,
    pub inputs: Range<usize>,
    pub points: Option<Points>,
    pub wanted: Wanted,
    pub thresholds: Vec<Threshold>,
    pub realizations: usize,
    pub kept: usize,
    pub standard_error: Option<f64>,
    pub solver: OdeSolver,
    pub interests: Option<Interests>,
}

impl Task {
    pub fn new(arguments: &Arguments) -> Result<Self> {
        let solver = arguments.solver.asked()?.unwrap_or_default();
        let device = arguments.device.open()?;
        let predictor = Predictor::load(&RunFolder::open(&arguments.run)?, &device)?;
        let low = arguments
            .low
            .solver(&predictor, &arguments.run, &arguments.source())?;
        let resolution = arguments.resolution.as_ref();
        let cases = match &arguments.parameters {
            Some(text) => {
                let table = ParameterTable::read(text, predictor.header())?;
                let cases = Cases::of_parameters(table, &predictor, resolution, low)?;
                ensure!(
                    !cases.lacks_low(),
                    "--parameters: the run corrects low fidelity, and parameters alone have none; give a \
                     dataset with parameters and low as --input, or --low-command"
                );
                cases
            }
            None => opened_cases(&arguments.source(), &predictor, resolution, low)?,
        };
        arguments
            .device
            .note_rows(&device, predictor.block_rows(cases.grid()));
        let inputs = chosen_inputs(arguments.inputs.as_ref(), &arguments.source(), &cases)?;
        let cases = arguments
            .observations
            .observed(cases, &predictor, inputs.len())?;
        let points = arguments.points.as_deref();
        ensure!(
            points.is_none() || cases.grid().mesh().is_none(),
            "--points: the run lives on a mesh; give inputs on a mesh of these points instead"
        );
        let points = points.map(|path| read_points(path, cases.grid()));
        let (realizations, kept) = numbers(arguments, &predictor)?;
        let quantities = &predictor.header().quantities.solution;
        let thresholds = arguments.exceed.iter();
        let thresholds = thresholds.map(|text| Threshold::parse(text, quantities));
        let thresholds = thresholds.collect::<Result<Vec<_>, _>>()?;
        let wanted = Wanted {
            quantiles: arguments.quantile.clone(),
            thresholds: thresholds.iter().map(|threshold| threshold.value).collect(),
            precision: predictor.precision(),
            ..Wanted::default()
        };
        let asked = arguments.interests.asked();
        ensure!(
            points.is_none() || arguments.interests.is_empty(),
            "--quantity is taken of fields on the grid, not at --points; leave out one of them, or write \
             at(u, 0.3, 0.7) for the value at a point"
        );
        let interests = Interests::of_cases(&asked, predictor.header(), &cases)?;
        // Impossible levels are refused here, before anything is written.
        EnsembleStatistics::new(1, realizations, &wanted)?;
        Ok(Self {
            points: points.transpose()?,
            predictor,
            cases,
            inputs,
            wanted,
            thresholds,
            realizations,
            kept,
            standard_error: arguments.stderr,
            solver,
            interests,
        })
    }

    /// Unless one is given, chooses an integrator that is accurate enough for the first input.
    pub fn choose_solver(&mut self, arguments: &Arguments) -> Result<()> {
        let (choice, first) = (&arguments.solver, self.inputs.start);
        self.solver = choice.of_input(&self.predictor, &self.cases, first, arguments.seed)?;
        Ok(())
    }

    pub fn store(
        &self,
        ranks: &dyn Ranks,
        writer: &PredictionWriter,
        seed: u64,
        stop: &dyn Observer,
    ) -> Result<Stored> {
        let grid = self.cases.grid();
        let interpolation = self
            .points
            .as_ref()
            .map(|p| Interpolation::to_points(grid, p));
        let job = Job {
            predictor: &self.predictor,
            cases: &self.cases,
            inputs: self.inputs.clone(),
            interpolation: interpolation.as_ref(),
            wanted: &self.wanted,
            kept: self.kept,
            sampling: Sampling {
                realizations: self.realizations,
                seed,
                solver: self.solver,
            },
            standard_error: self.standard_error,
            interests: self.interests.as_ref(),
        };
        let progress = Progress::new(self.predictor.method().name(), stop);
        let waiting = Waiting::new(&progress, self.standard_error.is_some());
        let outcome = job.store_across(ranks, writer, &waiting);
        progress.finish();
        Ok(outcome?)
    }

    /// Whether each place that is stored lies outside of the run's domain; empty if none does.
    fn outside(&self) -> Vec<bool> {
        let Some(mask) = &self.predictor.header().mask else {
            return Vec::new();
        };
        let Some(points) = &self.points else {
            return mask.outside().to_vec();
        };
        let outside = mask.outside().iter();
        let outside: Vec<f64> = outside
            .map(|outside| f64::from(u8::from(*outside)))
            .collect();
        let places = Interpolation::to_points(self.cases.grid(), points);
        let shares = places.apply(&outside).into_iter();
        shares.map(|share| share > 0.5).collect()
    }

    /// Refuses quantities of interest that do not suit the first input, such as a place outside of the
    /// domain.
    pub fn check_interests(&self) -> Result<()> {
        if let Some(interests) = &self.interests {
            interests.on(&self.cases.case(self.inputs.start)?)?;
        }
        Ok(())
    }

    /// How well readings agree with the prediction, if there are any; refuses those that do not suit the
    /// input, such as a place outside of the domain.
    pub fn innovation(&self) -> Result<Option<Innovation>> {
        if self.cases.observations().is_none() {
            return Ok(None);
        }
        let case = self.cases.case(self.inputs.start)?;
        let predicted = self.cases.predicted(&self.predictor, &case)?;
        Ok(predicted.innovation().cloned())
    }

    /// Where mean and variance come from: given readings no law is normal.
    pub fn moment_source(&self) -> MomentSource {
        let has_readings = self.cases.observations().is_some();
        self.predictor.moment_source_given(has_readings)
    }

    fn interest_plans(&self) -> Vec<InterestPlan> {
        let separates = self.moment_source().has_parts();
        let interests = self.interests.as_ref();
        interests.map_or(Vec::new(), |interests| {
            InterestPlan::of(interests, self.realizations, separates)
        })
    }

    pub fn plan(
        &self,
        arguments: &Arguments,
        data: Checksum,
        innovation: Option<&Innovation>,
    ) -> PredictionPlan {
        PredictionPlan {
            places: match &self.points {
                Some(points) => Places::Points(points.clone()),
                None => Places::Grid(self.cases.grid().clone()),
            },
            quantities: self.predictor.header().quantities.solution.clone(),
            inputs: self.inputs.clone(),
            wanted: self.wanted.clone(),
            threshold_channels: self.thresholds.iter().map(|t| t.channel).collect(),
            kept: self.kept,
            has_spread: self.predictor.method().is_generative(),
            moments: self.moment_source(),
            counts_draws: self.standard_error.is_some(),
            shard: arguments.shard,
            outside: self.outside(),
            interests: self.interest_plans(),
            attributes: self.attributes(arguments, data, innovation),
        }
    }
}

/// Realizations per input, and how many of them are stored.
fn numbers(arguments: &Arguments, predictor: &Predictor) -> Result<(usize, usize)> {
    let method = predictor.method();
    ensure!(
        arguments
            .stderr
            .is_none_or(|error| error > 0.0 && error < 1.0),
        "--stderr: choose a number between 0 and 1, as in 0.01"
    );
    if method.is_generative() {
        let most = if arguments.stderr.is_some() {
            MOST
        } else {
            REALIZATIONS
        };
        let realizations = arguments.realizations.unwrap_or(most);
        ensure!(
            realizations > 1,
            "--realizations {realizations}: a variance needs at least two"
        );
        return Ok((realizations, arguments.keep.min(realizations)));
    }
    ensure!(
        arguments.quantile.is_empty() && arguments.exceed.is_empty() && arguments.stderr.is_none(),
        "{method} predicts one field and no distribution; leave out --quantile, --exceed and --stderr, \
         or choose a run of floral-kl, kriging, flora or floral"
    );
    Ok((1, arguments.keep.min(1)))
}
