//! The resolved options of `floral sample`: the run, the inputs, and the contents of the result.

use anyhow::{Result, ensure};
use floral::Points;
use floral::device::Device;
use floral::kl::Innovation;
use floral::predict::interest::{InterestPlan, Interests};
use floral::predict::{
    Interpolation, Job, NewInputs, ParameterTable, Places, PredictionPlan, PredictionSession,
    PredictionWriter, Predictor, REALIZATIONS, Sampling, Stored, Threshold, read_points,
};
use floral::ranks::Ranks;
use floral::sample::{EnsembleStatistics, OdeSolver, Wanted};

use super::Arguments;
use crate::progress::Progress;
use crate::session::Given;
use crate::waiting::Waiting;
use crate::{interrupt, output};

/// Default maximum number of realizations per input if a standard error decides their number.
const MOST: usize = 20_000;

/// The resolved options.
pub(super) struct Task<'a> {
    pub session: PredictionSession<'a>,
    pub points: Option<Points>,
    pub wanted: Wanted,
    pub thresholds: Vec<Threshold>,
    pub realizations: usize,
    pub kept: usize,
    pub standard_error: Option<f64>,
    pub solver: OdeSolver,
    pub interests: Option<Interests>,
    /// Notes on quantities that are not calibrated.
    pub notes: Vec<String>,
}

impl<'a> Task<'a> {
    pub fn new(arguments: &Arguments, predictor: &'a Predictor, device: &Device) -> Result<Self> {
        let solver = arguments.solver.asked()?.unwrap_or_default();
        let session = opened(arguments, predictor)?;
        let cases = session.cases();
        arguments
            .device
            .note_rows(device, predictor.block_rows(cases.grid()));
        let points = arguments.points.as_deref();
        ensure!(
            points.is_none() || cases.grid().mesh().is_none(),
            "--points: the run lives on a mesh; give inputs on a mesh of these points instead"
        );
        let points = points.map(|path| read_points(path, cases.grid()));
        let (realizations, kept) = numbers(arguments, predictor)?;
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
        let mut interests = session.interests(&asked)?;
        let mut notes = Vec::new();
        if let Some(all) = interests.as_mut().filter(|_| !arguments.uncalibrated) {
            let has_readings = session.cases().observations().is_some();
            notes = all.calibrate(predictor, has_readings, interrupt::flag()?)?;
        }
        notes.extend(interests.iter().flat_map(|all| all.notes()));
        // Impossible levels are refused here, before anything is written.
        EnsembleStatistics::new(1, realizations, &wanted)?;
        Ok(Self {
            points: points.transpose()?,
            session,
            wanted,
            thresholds,
            realizations,
            kept,
            standard_error: arguments.stderr,
            solver,
            interests,
            notes,
        })
    }

    /// Chooses an integrator that is accurate enough for the first input, unless one is given.
    pub fn choose_solver(&mut self, arguments: &Arguments) -> Result<()> {
        let session = &self.session;
        let first = (session.cases(), session.inputs().start);
        let choice = &arguments.solver;
        self.solver = choice.of_input(session.predictor(), first, arguments.seed)?;
        Ok(())
    }

    pub fn store(&self, ranks: &dyn Ranks, writer: &PredictionWriter, seed: u64) -> Result<Stored> {
        let grid = self.session.cases().grid();
        let interpolation = self
            .points
            .as_ref()
            .map(|p| Interpolation::to_points(grid, p));
        let job = Job {
            session: &self.session,
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
        Progress::during(self.session.predictor().method().name(), |progress| {
            let waiting = Waiting::new(progress, self.standard_error.is_some());
            job.store_across(ranks, writer, &waiting)
        })
    }

    /// Whether each stored point lies outside the domain of the run; empty if the run has no mask.
    fn outside(&self) -> Vec<bool> {
        let Some(mask) = &self.session.predictor().header().mask else {
            return Vec::new();
        };
        let Some(points) = &self.points else {
            return mask.outside().to_vec();
        };
        let outside = mask.outside().iter();
        let outside: Vec<f64> = outside
            .map(|outside| f64::from(u8::from(*outside)))
            .collect();
        let places = Interpolation::to_points(self.session.cases().grid(), points);
        let shares = places.apply(&outside).into_iter();
        shares.map(|share| share > 0.5).collect()
    }

    /// Refuses quantities of interest that do not suit the first input, for example a point outside
    /// the domain.
    pub fn check_interests(&self) -> Result<()> {
        if let Some(interests) = &self.interests {
            let first = self.session.inputs().start;
            interests.on(&self.session.cases().case(first)?)?;
        }
        Ok(())
    }

    fn interest_plans(&self) -> Vec<InterestPlan> {
        let separates = self.session.moment_source().has_parts();
        let interests = self.interests.as_ref();
        interests.map_or(Vec::new(), |interests| {
            InterestPlan::of(interests, self.realizations, separates)
        })
    }

    pub fn plan(&self, arguments: &Arguments, innovation: Option<&Innovation>) -> PredictionPlan {
        let (session, predictor) = (&self.session, self.session.predictor());
        PredictionPlan {
            places: match &self.points {
                Some(points) => Places::Points(points.clone()),
                None => Places::Grid(session.cases().grid().clone()),
            },
            quantities: predictor.header().quantities.solution.clone(),
            inputs: session.inputs(),
            wanted: self.wanted.clone(),
            threshold_channels: self.thresholds.iter().map(|t| t.channel).collect(),
            kept: self.kept,
            has_spread: predictor.method().is_generative(),
            moments: session.moment_source(),
            counts_draws: self.standard_error.is_some(),
            shard: arguments.shard,
            outside: self.outside(),
            interests: self.interest_plans(),
            attributes: self.attributes(arguments, innovation),
        }
    }
}

/// Opens the inputs of a file, or parameters, with readings if there are any.
fn opened<'a>(arguments: &Arguments, predictor: &'a Predictor) -> Result<PredictionSession<'a>> {
    let given = Given {
        run: &arguments.run,
        low: &arguments.low,
        inputs: arguments.inputs.as_ref(),
        resolution: arguments.resolution.as_ref(),
    };
    let session = match &arguments.parameters {
        Some(text) => {
            let table = ParameterTable::read(text, predictor.header())?;
            let opening = given.opening(predictor, &arguments.source())?;
            PredictionSession::open(predictor, NewInputs::Parameters(table), opening)?
        }
        None => given.open(predictor, &arguments.source())?,
    };
    arguments.observations.observed(session)
}

/// The number of realizations per input, and how many of them are stored.
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
    if arguments.realizations.is_some_and(|wanted| wanted > 1) {
        output::note(&format!(
            "{method} predicts one field and no distribution; --realizations has no effect"
        ));
    }
    Ok((1, arguments.keep.min(1)))
}
