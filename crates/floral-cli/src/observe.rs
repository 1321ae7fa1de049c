//! `--observe` and `--observe-quantity`: options for readings of one realization of the input.

use std::path::PathBuf;

use anyhow::Result;
use floral::kl::Innovation;
use floral::predict::{Cases, Observations, PredictionSession, Predictor};
use floral::{Grid, counted};

use crate::interest::{error, number};

/// Options for readings.
#[derive(clap::Args)]
pub struct Arguments {
    /// CSV file of readings of one realization of the input, with the columns x,y,value,std; predictions
    /// are conditioned on them
    #[arg(long, value_name = "READINGS.csv", help_heading = "Observations")]
    pub observe: Option<PathBuf>,

    /// Reading of a linear quantity, as in 'mean(u) = 0.3 +- 0.01'; may be repeated
    #[arg(
        long,
        value_name = "EXPRESSION=VALUE+-STD",
        help_heading = "Observations"
    )]
    observe_quantity: Vec<String>,
}

impl Arguments {
    /// Whether no readings are given.
    pub fn is_empty(&self) -> bool {
        self.observe.is_none() && self.observe_quantity.is_empty()
    }

    /// The session conditioned on the readings. It must have exactly one input.
    pub fn observed<'a>(&self, session: PredictionSession<'a>) -> Result<PredictionSession<'a>> {
        match self.readings(session.predictor(), session.cases().grid())? {
            None => Ok(session),
            Some(readings) => Ok(session.observed(readings)?),
        }
    }

    /// Conditions inputs on the readings, without a session.
    pub fn observed_cases(
        &self,
        cases: Cases<'static>,
        predictor: &Predictor,
        inputs: usize,
    ) -> Result<Cases<'static>> {
        let Some(readings) = self.readings(predictor, cases.grid())? else {
            return Ok(cases);
        };
        readings.check(predictor.method(), inputs)?;
        Ok(cases.observed(readings))
    }

    fn readings(&self, predictor: &Predictor, grid: &Grid) -> Result<Option<Observations>> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut all = match &self.observe {
            Some(path) => Observations::read(path, predictor.header(), grid)?,
            None => Observations::default(),
        };
        for text in &self.observe_quantity {
            all = all.with_quantity(text)?;
        }
        Ok(Some(all))
    }
}

/// The effect of conditioning, in one line.
pub fn summary(innovation: &Innovation) -> String {
    let runs = innovation.effective_runs;
    let law = match innovation.is_drawn {
        true => format!("by the covariance of {runs} draws"),
        false => format!(
            "{} effective training runs, smoothing {}",
            number(runs),
            number(innovation.smoothing)
        ),
    };
    format!(
        "conditioned on {}: chi-square {} (p = {}), {law}, deviations stretched by {:.2}",
        counted(innovation.readings, "reading"),
        number(innovation.chi_square),
        error(innovation.p_value),
        innovation.stretch
    )
}

/// A note if the readings contradict the prediction.
pub fn contradiction(innovation: &Innovation) -> Option<String> {
    innovation.contradicts().then(|| {
        format!(
            "the readings contradict the prediction (chi-square {} for {}, p = {}); check their places, units \
             and std, and whether they belong to this input",
            number(innovation.chi_square),
            counted(innovation.readings, "reading"),
            error(innovation.p_value)
        )
    })
}
