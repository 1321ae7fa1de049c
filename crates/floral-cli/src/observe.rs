//! `--observe` and `--observe-quantity`: readings of one realization of the input, as commands take them.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::counted;
use floral::kl::Innovation;
use floral::predict::{Cases, Observations, Predictor};

use crate::interest::{error, number};

/// The options.
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
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.observe.is_none() && self.observe_quantity.is_empty()
    }

    /// The inputs with these readings; there has to be one input.
    pub fn observed(
        &self,
        cases: Cases<'static>,
        predictor: &Predictor,
        inputs: usize,
    ) -> Result<Cases<'static>> {
        if self.is_empty() {
            return Ok(cases);
        }
        ensure!(
            inputs == 1,
            "--observe: readings are those of one input, but there are {inputs}; choose it, as in --inputs 3..4"
        );
        ensure!(
            predictor.method().recipe().is_some(),
            "--observe: {} cannot be conditioned on readings; use a run of floral-kl or kriging",
            predictor.method()
        );
        let mut all = match &self.observe {
            Some(path) => Observations::read(path, predictor.header(), cases.grid())?,
            None => Observations::default(),
        };
        for text in &self.observe_quantity {
            all = all.with_quantity(text)?;
        }
        Ok(cases.observed(all))
    }
}

/// What conditioning did, in a line.
pub fn summary(innovation: &Innovation) -> String {
    format!(
        "conditioned on {}: chi-square {} (p = {}), {} effective training runs, smoothing {}",
        counted(innovation.readings, "reading"),
        number(innovation.chi_square),
        error(innovation.p_value),
        number(innovation.effective_runs),
        innovation.smoothing
    )
}

/// A note where readings contradict the prediction.
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
