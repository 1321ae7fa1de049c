//! Full sampling: from an input to realizations of its solution in physical units.

use super::MeasuredNetwork;
use floral::dataset::Normaliser;
use floral::metric::RunningMoments;
use floral::operator::weights;
use floral::predict::{Predictor, Sampling};
use floral::sample::{OdeSolver, Progress};
use floral::train::adam::Adam;
use floral::train::checkpoint::{Checkpoint, DataIdentity, FORMAT};
use floral::train::ranges::Ranges;
use floral::train::samples::Scaling;
use floral::train::{self, Header};
use floral::{Field, Grid, Quantities, Result, Silent};

/// A predictor with random weights and one input.
pub struct FullSampling {
    predictor: Predictor,
    input: Field,
    low: Field,
    grid: Grid,
    realizations: usize,
    solver: OdeSolver,
}

impl FullSampling {
    /// Draws weights and an input; the batch size is the number of realizations.
    pub fn new(case: &MeasuredNetwork, solver: OdeSolver) -> Result<Self> {
        let device = &case.device;
        let checkpoint = Checkpoint {
            header: header(case),
            weights: weights(&case.model(device)?.network)?,
            adam: Adam::default(),
            average: Vec::new(),
            regression: Vec::new(),
        };
        let field = |part: &[f32]| {
            let values = part.iter().map(|&v| f64::from(v)).collect();
            Field::from_values(1, &case.grid, values)
        };
        let condition = case.values(2, 0);
        let (input, low) = condition.split_at(case.points());
        Ok(Self {
            predictor: Predictor::from_checkpoint(checkpoint, device)?,
            input: field(input)?,
            low: field(low)?,
            grid: case.unit_grid(),
            realizations: case.batch,
            solver,
        })
    }

    /// Conditions, draws the priors and integrates; returns the number of evaluations.
    pub fn run(&self) -> Result<Progress> {
        let input = self
            .predictor
            .for_input(&self.input, Some(&self.low), &self.grid)?;
        let wanted = Sampling {
            realizations: self.realizations,
            seed: 0,
            solver: self.solver,
        };
        input.deliver(0, &wanted, &Silent, |_, _| Ok(()))
    }
}

fn header(case: &MeasuredNetwork) -> Header {
    // The scaling of constant channels: mean 0 and standard deviation 1.
    let unit = || Normaliser::new(&[RunningMoments::default()]);
    Header {
        format: FORMAT,
        floral: env!("CARGO_PKG_VERSION").into(),
        config: case.config(),
        shapes: case.shapes(),
        grid: case.unit_grid(),
        scaling: Scaling {
            input: unit(),
            low: Some(unit()),
            target: unit(),
        },
        transforms: Default::default(),
        mask: None,
        stand_in: None,
        data: DataIdentity {
            problem: None,
            constants: None,
            seed: None,
        },
        seen: Default::default(),
        first_seen: Vec::new(),
        title: None,
        quantities: Quantities::default(),
        ranges: Ranges::default(),
        progress: train::Progress::default(),
    }
}
