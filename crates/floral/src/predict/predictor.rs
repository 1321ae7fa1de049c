//! A trained model that predicts.

use std::fmt;

use crate::device::Device;
use floral_linalg::Mat;
use serde_json::json;

use super::network_input::Network;
use super::regression_input::MOMENT_DRAWS;
use super::{
    Case, Ensemble, InMemory, InputPredictor, MomentSource, NewInputs, PredictionOpening,
    PredictionSession, Sampling, checks,
};
use crate::field::refined;
use crate::kl::{self, Expansion, Query};
use crate::observer::Observer;
use crate::sample::{Aliasing, OdeSolver};
use crate::storage::Precision;
use crate::train::regression::restored;
use crate::train::{Checkpoint, Header, Method, RunFolder};
use crate::{Advice, Checksum, Error, Field, Grid, Note, Quantities, Result};
use floral_flow::network::Weight;
use floral_flow::network::time::frequencies;

/// A trained model: the best network of a run or its regression, with scales and grid.
///
/// The default method predicts the solution for an input a with low fidelity l as
///
/// ```text
/// u = l + m(a, l) + e + s(a, l) r,
/// ```
///
/// where m is the mean residual, predicted by a blend of regressions, e its error (epistemic), s
/// the standard deviation, and r a normalised residual (aleatoric) in the Karhunen-Loève basis of
/// the normalised residuals of the training inputs.
///
/// ```
/// use floral::prelude::*;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let dataset = floral::example(folder.path())?;
/// # let settings = TrainConfig::default();
/// let model = fit(&dataset, folder.path().join("run"), &settings, &Silent)?;
/// let case = Case { input: dataset.input(0)?, low: Some(dataset.low(0)?) };
/// let sampling = Sampling { realizations: 20, ..Sampling::default() };
/// let ensemble = model.sample(&case, 0, dataset.grid(), &sampling, &Silent)?;
/// assert_eq!(ensemble.shape(), [20, 1, 16]);
/// # Ok::<(), floral::Error>(())
/// ```
pub struct Predictor {
    pub(super) header: Header,
    pub(super) trained: Trained,
    checksum: Checksum,
}

/// A network, or a fitted regression.
pub(super) enum Trained {
    Network(Box<Network>),
    Regression(Box<Expansion>),
}

impl fmt::Debug for Predictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.header.grid.shape();
        write!(f, "Predictor({} on {shape:?})", self.method())
    }
}

impl Predictor {
    /// Loads the best checkpoint of a run. The device is used by networks only.
    pub fn load(run: &RunFolder, device: &Device) -> Result<Self> {
        Self::from_checkpoint(run.best()?, device).map_err(Error::in_file(run.best_path()))
    }

    /// The model of a checkpoint.
    pub fn from_checkpoint(checkpoint: Checkpoint, device: &Device) -> Result<Self> {
        let weights = checkpoint.kept_weights();
        let Checkpoint {
            header, regression, ..
        } = checkpoint;
        let checksum = match regression.is_empty() {
            true => network_checksum(&weights, &header),
            false => Checksum::default().bytes(&regression),
        };
        let config = &header.config;
        let trained = if config.method.recipe().is_some() {
            let fitted = restored(&regression)?;
            check_fits(&fitted, &header)?;
            Trained::Regression(Box::new(fitted))
        } else {
            Trained::Network(Box::new(Network::restored(&header, weights, device)?))
        };
        Ok(Self {
            header,
            trained,
            checksum,
        })
    }

    /// The checkpoint's header: settings, grid, scales, names and units, origin of the data.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The fitted regression; `None` for a network.
    pub(super) fn regression(&self) -> Option<&Expansion> {
        match &self.trained {
            Trained::Network(_) => None,
            Trained::Regression(fitted) => Some(fitted),
        }
    }

    /// The method of the model.
    pub fn method(&self) -> Method {
        self.header.config.method
    }

    /// The precision of realizations, which resolves the spread of the training solutions.
    pub fn precision(&self) -> Precision {
        self.header.precision()
    }

    /// Refuses an input that cannot be predicted, with the reason.
    pub fn check(&self, input: &Field, low: Option<&Field>, grid: &Grid) -> Result<()> {
        checks::check(&self.header, input, low, grid).map(drop)
    }

    /// Whether the fixed steps of an ODE solver alias a wave of the network's time embedding.
    pub fn aliasing(&self, solver: &OdeSolver) -> Option<Aliasing> {
        let waves = frequencies().map(f64::from);
        solver.aliasing(&waves).filter(|_| self.method().is_flow())
    }

    /// A note if predictions on this grid underestimate the spread. This happens for a flow whose
    /// prior is close to white noise on the training grid, on a finer grid: the flow turns the
    /// smooth part of that noise into spread, and this part decreases as points are added.
    pub fn spread_note(&self, grid: &Grid) -> Option<Note> {
        let trained = &self.header.grid;
        let mut axes = grid.axes.iter().zip(&trained.axes);
        let is_finer = axes.any(|(axis, trained)| axis.len() > trained.len());
        let prior = &self.header.config.prior;
        let loses = self.method().is_flow() && is_finer && prior.is_white_on(trained);
        loses.then(|| Note {
            fact: format!(
                "the grid {:?} is finer than the {:?} of training; a flow from a prior close to white \
                 noise underestimates the spread there, by about the ratio of points",
                grid.shape(),
                trained.shape()
            ),
            advice: Some(Advice::KeepSpread),
        })
    }

    /// Origin of mean and variance in its predictions.
    pub fn moment_source(&self) -> MomentSource {
        self.moment_source_given(false)
    }

    /// Origin of mean and variance if predictions may be conditioned on readings, after which the
    /// distribution is not normal.
    pub fn moment_source_given(&self, has_readings: bool) -> MomentSource {
        match &self.trained {
            Trained::Network(_) => MomentSource::Draws,
            Trained::Regression(fitted)
                if (has_readings || !fitted.is_normal()) && !self.header.transforms.is_none() =>
            {
                MomentSource::KnownBeforeTransforms {
                    draws: MOMENT_DRAWS,
                }
            }
            Trained::Regression(_) => MomentSource::Known,
        }
    }

    /// Checksum of the fitted regression; of a network, of its weights and everything that turns
    /// its outputs into solutions.
    pub fn checksum(&self) -> Checksum {
        self.checksum
    }

    /// Number of realizations that a network computes together on a grid; `None` for a regression.
    pub fn block_rows(&self, grid: &Grid) -> Option<usize> {
        match &self.trained {
            Trained::Network(network) => Some(network.block_rows(grid)),
            Trained::Regression(_) => None,
        }
    }

    /// The training grid.
    pub fn grid(&self) -> &Grid {
        &self.header.grid
    }

    /// Draws realizations of one input's solution on a grid, all in memory. The channels of the
    /// input must be in the run's order and units; a [`PredictionSession`] also takes files and
    /// other units.
    ///
    /// Every `index` has its own random draws; the same index and seed give the same realizations.
    pub fn sample(
        &self,
        case: &Case,
        index: u64,
        grid: &Grid,
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        let input = InMemory {
            case,
            grid,
            quantities: &Quantities::default(),
            number: None,
        };
        let opening = PredictionOpening::default();
        let session = PredictionSession::open(self, NewInputs::Memory(input), opening)?;
        session.sample(0, index, sampling, observer)
    }

    /// Input and transformed low fidelity on the training grid, as a regression takes them.
    pub(crate) fn query(
        &self,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<(Field, Option<Field>)> {
        let low = checks::learned_low(&self.header, input, low, grid)?;
        let there = |field: &Field| refined(field, grid, &self.header.grid);
        Ok((there(input)?, low.as_ref().map(there).transpose()?))
    }

    /// Correlation matrix of the errors of the mean at queries; `None` for methods without
    /// epistemic uncertainty.
    pub(crate) fn error_correlations(&self, queries: &[Query<'_>]) -> Result<Option<Mat<f64>>> {
        match &self.trained {
            Trained::Network(_) => Ok(None),
            Trained::Regression(fitted) => {
                let correlations = fitted.error_correlations(queries);
                correlations.map(Some).map_err(kl::failed)
            }
        }
    }

    /// Prepares the model for one input: computes everything that depends on the input alone.
    ///
    /// `grid` is the grid of input and low-fidelity solution and may be coarser or finer than the
    /// training grid. The low-fidelity solution is used only if the model needs one.
    pub fn for_input(
        &self,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<InputPredictor<'_>> {
        InputPredictor::new(self, input, low, grid)
    }
}

/// Refuses a regression whose grid or channels differ from those of its header.
fn check_fits(fitted: &Expansion, header: &Header) -> Result<()> {
    let (found, shapes) = (fitted.channels(), &header.shapes);
    let channels = [found.input, found.solution];
    if fitted.lattice().shape() == shapes.grid
        && channels == [shapes.input_channels, shapes.solution_channels]
    {
        return Ok(());
    }
    Err(Error::shape(
        "the fitted regression, [channels of input and solution, grid...],",
        [channels.to_vec(), fitted.lattice().shape()].concat(),
        [
            vec![shapes.input_channels, shapes.solution_channels],
            shapes.grid.clone(),
        ]
        .concat(),
    ))
}

/// The same weights may have been imported with different scales, transforms or priors, which then
/// predict other solutions.
fn network_checksum(weights: &[Weight], header: &Header) -> Checksum {
    let around = json!([
        header.scaling,
        header.transforms,
        header.config.prior,
        header.config.path,
        header.grid,
        header.mask,
        header.stand_in,
    ]);
    checksum(weights).bytes(around.to_string().as_bytes())
}

fn checksum(weights: &[Weight]) -> Checksum {
    // The order of arrays in a file is arbitrary.
    let mut weights: Vec<&Weight> = weights.iter().collect();
    weights.sort_by(|a, b| a.name.cmp(&b.name));
    weights.iter().fold(Checksum::default(), |sum, weight| {
        let values = weight.values.iter();
        let bytes: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
        sum.bytes(weight.name.as_bytes()).bytes(&bytes)
    })
}
