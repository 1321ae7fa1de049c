//! A prediction session: opens and checks inputs and draws realizations.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::departure::departures;
use super::interest::{Asked, Interests};
use super::walk::at_input;
use super::{
    Cases, Checked, ChosenSolver, Ensemble, InMemory, InputPredictor, MomentSource, Observations,
    ParameterTable, Predictor, Sampling, Values, memory, opening,
};
use crate::kl::Innovation;
use crate::low::OnDemand;
use crate::observer::Observer;
use crate::problem::Resolution;
use crate::ranks::{Ranks, first_then_others};
use crate::{Advice, Checksum, Error, Note, Result};

/// Inputs to predict.
pub enum NewInputs<'a> {
    /// Inputs in a dataset or a NumPy archive.
    File(&'a Path),
    /// Parameters, for runs whose inputs are parameters.
    Parameters(ParameterTable),
    /// A single input in memory.
    Memory(InMemory<'a>),
}

impl NewInputs<'_> {
    /// Opens the inputs, aligned with a run; returns them with the range of chosen indices. Refuses
    /// inputs without the low fidelity that the run needs.
    pub fn open(
        self,
        predictor: &Predictor,
        opening: PredictionOpening<'_>,
    ) -> Result<(Cases<'static>, Range<usize>)> {
        let PredictionOpening {
            resolution,
            solver,
            inputs: chosen,
        } = opening;
        let header = predictor.header();
        let open = |seen| Cases::seen(seen, predictor, resolution, solver.clone());
        let cases = match self {
            Self::File(path) => open(opening::opened(path, header, solver.as_ref())?)?,
            Self::Parameters(table) => open((Box::new(table), Vec::new()))?,
            Self::Memory(input) => open(memory::seen(header, &input)?)?.of_one(input.number),
        };
        let all = 0..cases.inputs();
        let chosen = chosen.unwrap_or(all.clone());
        if chosen.is_empty() || chosen.end > all.end {
            return Err(Error::config(
                format!("inputs {}..{}", chosen.start, chosen.end),
                format!("{} has inputs 0..{}", cases.path().display(), all.end),
            ));
        }
        if cases.lacks_low() {
            return Err(absence(predictor, &cases));
        }
        Ok((cases, chosen))
    }
}

/// Options for opening a prediction session.
#[derive(Default)]
pub struct PredictionOpening<'a> {
    /// Points per axis of the predictions; if `None`, those of the inputs.
    pub resolution: Option<&'a Resolution>,
    /// Solver of missing low-fidelity fields. Built-in problems need none: their solver is known.
    pub solver: Option<Arc<OnDemand>>,
    /// Indices of the inputs to predict; all if `None`.
    pub inputs: Option<Range<usize>>,
}

/// A trained model together with new inputs, aligned with the model's axes, channels and units.
///
/// [`open`](Self::open) makes all checks that need no field values. [`check`](Self::check) computes
/// missing low fidelity, reads every input once, and refuses inputs that the model cannot predict.
/// [`sample`](Self::sample) draws an ensemble in memory. To store predictions of many inputs, use a
/// [`Job`](super::Job). The command, the Python package and [`Predictor::sample`] all use a
/// session.
///
/// ```
/// use floral::predict::{NewInputs, PredictionOpening, PredictionSession};
/// use floral::prelude::*;
/// use floral::ranks::Alone;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let dataset = floral::example(folder.path())?;
/// let model = fit(&dataset, folder.path().join("run"), &TrainConfig::default(), &Silent)?;
/// let inputs = NewInputs::File(dataset.path());
/// let opening = PredictionOpening { inputs: Some(0..2), ..PredictionOpening::default() };
/// let mut session = PredictionSession::open(&model, inputs, opening)?;
/// session.check(&Alone::default(), &Silent)?;
/// let sampling = Sampling { realizations: 20, ..Sampling::default() };
/// for index in session.inputs() {
///     let ensemble = session.sample(index, index as u64, &sampling, &Silent)?;
///     assert_eq!(ensemble.shape(), [20, 1, 16]);
/// }
/// # Ok::<(), floral::Error>(())
/// ```
pub struct PredictionSession<'a> {
    predictor: &'a Predictor,
    cases: Cases<'a>,
    inputs: Range<usize>,
    checked: Checked,
    /// The predictor of the only input, conditioned on its readings, once it is computed.
    given: Option<InputPredictor<'a>>,
}

impl<'a> PredictionSession<'a> {
    /// Opens inputs for a run, aligned with its axes, channels and units, on the grid of the
    /// predictions.
    pub fn open(
        predictor: &'a Predictor,
        inputs: NewInputs<'_>,
        opening: PredictionOpening<'_>,
    ) -> Result<Self> {
        let (cases, inputs) = inputs.open(predictor, opening)?;
        Ok(Self::of(predictor, cases, inputs))
    }

    /// A session for inputs that are already open.
    pub fn of(predictor: &'a Predictor, cases: Cases<'a>, inputs: Range<usize>) -> Self {
        Self {
            predictor,
            cases,
            inputs,
            checked: Checked::default(),
            given: None,
        }
    }

    /// Conditions predictions on readings of one realization; the session must have exactly one
    /// input.
    pub fn observed(self, observations: Observations) -> Result<Self> {
        observations.check(self.predictor.method(), self.inputs.len())?;
        let cases = self.cases.observed(observations);
        let given = None;
        Ok(Self {
            cases,
            given,
            ..self
        })
    }

    /// Computes missing low fidelity, then reads and checks the inputs.
    pub fn check(&mut self, ranks: &dyn Ranks, observer: &dyn Observer) -> Result<()> {
        let inputs = self.inputs.clone();
        first_then_others(ranks, || self.cases.prepare(inputs.clone(), observer))?;
        self.checked = self.cases.check(self.predictor, inputs)?;
        Ok(())
    }

    /// The model.
    pub fn predictor(&self) -> &'a Predictor {
        self.predictor
    }

    /// All inputs of the source.
    pub fn cases(&self) -> &Cases<'a> {
        &self.cases
    }

    /// Indices of the inputs to predict.
    pub fn inputs(&self) -> Range<usize> {
        self.inputs.clone()
    }

    /// Checksum of the inputs, after [`check`](Self::check).
    pub fn checksum(&self) -> Checksum {
        self.checked.checksum
    }

    /// Notes on conversions and assumptions, on inputs far outside the training range, and on
    /// predictions that underestimate the spread.
    pub fn notes(&self) -> Vec<Note> {
        let own = self.predictor.header().notes().into_iter();
        let found = self.cases.notes().iter().chain(&self.checked.notes);
        let facts = own.chain(found.cloned()).map(Note::from);
        let spread = self.predictor.spread_note(self.cases.grid());
        facts.chain(spread).collect()
    }

    /// The quantities of interest for these inputs, if any are asked for. A quantity that does not
    /// suit an input, for instance because of a place outside the domain, is refused by
    /// [`Interests::on`].
    pub fn interests(&self, asked: &Asked) -> Result<Option<Interests>> {
        Interests::of_cases(asked, self.predictor.header(), &self.cases)
    }

    /// Origin of mean and variance in the predictions of this session.
    pub fn moment_source(&self) -> MomentSource {
        let has_readings = self.cases.observations().is_some();
        self.predictor.moment_source_given(has_readings)
    }

    /// Agreement of the readings with the prediction; `None` without readings. Refuses readings
    /// that do not suit the input, for instance at a place outside the domain.
    pub fn innovation(&mut self) -> Result<Option<Innovation>> {
        if self.cases.observations().is_none() {
            return Ok(None);
        }
        if self.given.is_none() {
            self.given = Some(self.derived(self.inputs.start)?);
        }
        let given = self.given.as_ref();
        Ok(given.and_then(|given| given.innovation().cloned()))
    }

    /// The conditioned predictor that [`innovation`](Self::innovation) has computed, if it was
    /// called.
    pub(super) fn given(&self) -> Option<&InputPredictor<'a>> {
        self.given.as_ref()
    }

    /// The ODE solver of a flow that reaches this accuracy for the first input, whose draws have
    /// the index `stream`; `None` for a method that is not a flow.
    pub fn solver_within(
        &self,
        accuracy: f64,
        (seed, stream): (u64, u64),
        observer: &dyn Observer,
    ) -> Result<Option<ChosenSolver>> {
        let case = self.cases.case(self.inputs.start)?;
        let grid = self.cases.grid();
        self.predictor
            .solver_within(accuracy, (&case, stream), grid, seed, observer)
    }

    /// The predictor of an input, conditioned on its readings if there are any.
    pub fn derived(&self, index: usize) -> Result<InputPredictor<'a>> {
        let case = self.cases.case(index)?;
        let derived = self.cases.predicted(self.predictor, &case);
        derived.map_err(|error| self.at(index, error))
    }

    /// Draws realizations of an input's solution, all in memory. Every `stream` has its own random
    /// draws; the same stream and seed give the same realizations.
    pub fn sample(
        &self,
        index: usize,
        stream: u64,
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        self.sample_derived(&self.derived(index)?, (index, stream), sampling, observer)
    }

    /// Draws realizations from a predictor that [`derived`](Self::derived) has returned for the
    /// input.
    pub fn sample_derived(
        &self,
        derived: &InputPredictor<'_>,
        (index, stream): (usize, u64),
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        sampling.check_memory(derived.values())?;
        let mut values = Values::new(self.predictor.precision());
        let drawn = derived.deliver_from(0, stream, sampling, observer, |_, realization, _| {
            values.extend(realization);
            Ok(())
        });
        drawn.map_err(|error| self.at(index, error))?;
        let header = self.predictor.header();
        let channels = header.shapes.solution_channels;
        let ensemble = Ensemble::new(self.cases.grid().clone(), channels, values)?;
        let ensemble = ensemble.with_moments(derived.moments())?;
        Ok(ensemble.masked(header.mask.as_ref()))
    }

    /// Adds the name of the input to the error of a failed prediction.
    pub(super) fn at(&self, index: usize, error: Error) -> Error {
        let header = self.predictor.header();
        let case = self.cases.case(index);
        let found = case.map_or(Vec::new(), |case| departures(header, &case));
        at_input(self.cases.label(index), &found, error)
    }
}

/// Error for inputs without the low fidelity that the run needs.
fn absence(predictor: &Predictor, cases: &Cases<'_>) -> Error {
    let recorded = predictor.header().config.low.command.clone();
    Error::config(
        cases.path().display().to_string(),
        "has no low-fidelity solutions, and the run needs them",
    )
    .advised(Advice::GiveLow {
        recorded: recorded.or_else(|| cases.low_command()),
    })
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::InputSource;
    use super::super::testing::play;
    use super::*;
    use crate::dataset::Dataset;
    use crate::ranks::Alone;
    use crate::train::Method;
    use crate::{Field, Grid, Silent};

    /// A dataset that counts how often its inputs are read.
    struct Counting(Dataset, Arc<AtomicUsize>);

    impl InputSource for Counting {
        fn path(&self) -> &Path {
            self.0.path()
        }

        fn grid(&self) -> &Grid {
            self.0.grid()
        }

        fn inputs(&self) -> usize {
            self.0.inputs()
        }

        fn input(&self, index: usize) -> Result<Field> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.input(index)
        }

        fn has_low(&self) -> bool {
            true
        }

        fn low(&self, index: usize) -> Result<Field> {
            self.0.low(index)
        }
    }

    #[test]
    fn every_input_is_read_once() {
        let play = play();
        let predictor = play.predictor(Method::Kriging);
        let reads = Arc::new(AtomicUsize::new(0));
        let source = Counting(play.dataset.clone(), reads.clone());
        let cases = Cases::seen((Box::new(source), Vec::new()), &predictor, None, None).unwrap();
        let mut session = PredictionSession::of(&predictor, cases, 1..4);
        session.check(&Alone::default(), &Silent).unwrap();
        let sampling = Sampling {
            realizations: 3,
            ..Sampling::default()
        };
        session.solver_within(0.1, (0, 0), &Silent).unwrap();
        for index in session.inputs() {
            let drawn = session.sample(index, 0, &sampling, &Silent).unwrap();
            assert_eq!(drawn.shape(), [3, 1, 16]);
        }
        assert_eq!(reads.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn inputs_that_a_file_does_not_have_are_refused() {
        let play = play();
        let predictor = play.predictor(Method::Kriging);
        let opening = PredictionOpening {
            inputs: Some(2..6),
            ..PredictionOpening::default()
        };
        let inputs = NewInputs::File(play.dataset.path());
        let refused = inputs.open(&predictor, opening).err().unwrap().to_string();
        assert!(refused.contains("inputs 2..6") && refused.contains("has inputs 0..5"));
    }
}
