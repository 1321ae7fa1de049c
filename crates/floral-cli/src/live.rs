//! `floral report --live`: a model of parameters as a page that predicts in the browser.

use anyhow::Result;
use floral::counted;
use floral::device::Device;
use floral::predict::{Predictor, Sampling};
use floral::train::RunFolder;
use floral_report::live::Live;

use crate::output;
use crate::progress::Progress;

/// The page of a run, and a summary of it in one line.
pub fn page(run: &RunFolder, sampling: &Sampling, device: &Device) -> Result<(String, String)> {
    let predictor = Predictor::load(run, device)?;
    let live = Progress::during("report", |progress| {
        Live::of(&predictor, sampling, progress)
    })?;
    let html = live.to_html(&predictor);
    let [mean, deviation, low, high] = live.deviations.map(|d| 100.0 * d.typical);
    let summary = format!(
        "{}, {:.1} MB; off by {mean:.2} % (mean), {deviation:.2} % (standard deviation) and {:.2} % (quantiles) of \
         the width of the 90 % interval",
        counted(live.predictions, "prediction"),
        html.len() as f64 / 1e6,
        low.max(high),
    );
    let far = live.far();
    if !far.is_empty() {
        output::note(&format!(
            "the page deviates by more than 1 % of the interval width in: {}; use floral sample where that matters",
            far.join(", ")
        ));
    }
    Ok((html, summary))
}
