//! Readings of one realization of an input, as `floral.Observations` passes them.

use std::path::PathBuf;

use floral::kl::Innovation;
use floral::predict::{Observations, PredictionSession};
use floral::{Error, Result};
use serde::Deserialize;
use serde_json::json;

/// Point readings from a CSV file or from arrays, and quantities such as `mean(u) = 0.3 +- 0.01`.
#[derive(Deserialize)]
pub struct Observed {
    file: Option<PathBuf>,
    #[serde(default)]
    points: Vec<Vec<f64>>,
    #[serde(default)]
    values: Vec<f64>,
    #[serde(default)]
    std: Vec<f64>,
    channels: Option<Vec<String>>,
    #[serde(default)]
    quantities: Vec<String>,
}

impl Observed {
    /// Conditions the prediction on these readings.
    pub fn of<'a>(&self, session: PredictionSession<'a>) -> Result<PredictionSession<'a>> {
        let header = session.predictor().header();
        let mut all = match &self.file {
            Some(path) => Observations::read(path, header, session.cases().grid())?,
            None => {
                let (values, std) = (&self.values, &self.std);
                let channels = self.channels.as_deref();
                Observations::of_arrays(header, self.points.clone(), values, std, channels)?
            }
        };
        for text in &self.quantities {
            all = all.with_quantity(text)?;
        }
        if all.is_empty() {
            return Err(Error::Config {
                context: "observe".into(),
                reason: "there are no readings; give at least one".into(),
            });
        }
        session.observed(all)
    }
}

/// The test of readings against the prediction, as JSON.
pub fn to_json(innovation: &Innovation) -> String {
    json!({
        "readings": innovation.readings,
        "chi_square": innovation.chi_square,
        "p_value": innovation.p_value,
        "effective_runs": innovation.effective_runs,
        "smoothing": innovation.smoothing,
        "stretch": innovation.stretch,
    })
    .to_string()
}
