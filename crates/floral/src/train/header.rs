//! The header of a checkpoint: everything besides its arrays, and checks that its parts are
//! consistent.

use serde::{Deserialize, Serialize};

use super::TrainConfig;
use super::identity::DataIdentity;
use super::model::{Shapes, backbone, check_modes};
use super::ranges::Ranges;
use super::samples::{Reader, Scaling};
use super::seen::SeenInputs;
use crate::flow::prior;
use crate::grid::{MOST_AXES, Mask};
use crate::low::StandIn;
use crate::storage::Precision;
use crate::transform::{Transform, Transforms};
use crate::{Grid, Quantities, Quantity, Result};
use floral_flow::network::Backbone;

/// Version of the layout; a newer one is refused. Format 1 has the length of the prior in raw
/// coordinates, and formats before `SEALED` have no checksum.
pub const FORMAT: u32 = 3;

/// The first format whose files have a checksum.
const SEALED: u32 = 3;

/// Everything in a checkpoint besides its arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the layout.
    pub format: u32,
    /// Version of the program that wrote it.
    pub floral: String,
    /// The run's configuration.
    pub config: TrainConfig,
    /// Shapes of the data.
    pub shapes: Shapes,
    /// Grid of the input and of low fidelity in training.
    pub grid: Grid,
    /// Scaling of the data.
    pub scaling: Scaling,
    /// Transforms applied to the solutions before learning; none in older checkpoints.
    #[serde(default, skip_serializing_if = "Transforms::is_none")]
    pub transforms: Transforms,
    /// Stand-in for low fidelity, if one is used; `None` in older checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
    /// Mask of the points outside the domain of the solutions, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<Mask>,
    /// Origin of the data.
    pub data: DataIdentity,
    /// Fingerprints of the training and validation inputs; none in checkpoints before format 3.
    #[serde(default, skip_serializing_if = "SeenInputs::is_empty")]
    pub seen: SeenInputs,
    /// Some values of the first training or validation input, in checkpoints before format 3.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_seen: Vec<f64>,
    /// Title of the data, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Names and units of the channels; absent in older checkpoints.
    #[serde(default, skip_serializing_if = "Quantities::is_empty")]
    pub quantities: Quantities,
    /// Ranges of the training inputs and their solutions; absent in older checkpoints.
    #[serde(default, skip_serializing_if = "Ranges::is_empty")]
    pub ranges: Ranges,
    /// Progress of the training.
    pub progress: Progress,
}

/// Progress of a training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of finished epochs.
    pub epoch: usize,
    /// Number of finished steps in the current epoch.
    pub step: usize,
    /// Sum of the sample losses in the current epoch so far.
    pub loss: f64,
    /// Largest gradient norm in the current epoch so far.
    pub gradient_norm: f64,
    /// Best validation loss and its epoch.
    pub best: Option<(f64, usize)>,
    /// Validation loss from which the next improvement is measured, and its epoch.
    pub reference: Option<(f64, usize)>,
    /// Whether training is finished.
    pub finished: bool,
    /// Whether training diverged: the loss of the next step is not finite.
    #[serde(default)]
    pub diverged: bool,
    /// Training time so far in seconds, summed over all sessions.
    pub seconds: f64,
}

impl Header {
    /// The header of a run that has not started, for the data of a reader.
    pub(super) fn new(
        config: &TrainConfig,
        reader: &Reader,
        (scaling, ranges): (Scaling, Ranges),
    ) -> Result<Self> {
        let dataset = &reader.dataset;
        Ok(Self {
            format: FORMAT,
            floral: env!("CARGO_PKG_VERSION").into(),
            config: config.clone(),
            shapes: reader.shapes(),
            grid: reader.grid(),
            scaling,
            transforms: reader.transforms().clone(),
            stand_in: reader.learned_low().stand_in.clone(),
            mask: dataset.mask().cloned(),
            data: DataIdentity::of(dataset),
            seen: SeenInputs::of(config, dataset)?,
            first_seen: Vec::new(),
            title: dataset.title().map(str::to_owned),
            quantities: dataset.quantities().clone(),
            ranges,
            progress: Progress::default(),
        })
    }

    /// Storage precision that resolves the spread of all solution channels; 32 bits for an older
    /// checkpoint.
    pub fn precision(&self) -> Precision {
        let transforms = self.transforms.channels();
        let channels = self.ranges.solution.iter().enumerate();
        let each = channels.map(|(i, range)| {
            let transform = transforms.get(i).copied().unwrap_or(Transform::None);
            range.precision(transform)
        });
        each.max().unwrap_or_default()
    }

    /// Parses the header's JSON; the error describes why the text is not a valid header.
    pub(super) fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let format = value["format"].as_u64().unwrap_or(0);
        if format > u64::from(FORMAT) {
            return Err(format!(
                "a checkpoint of format {format}, newer than the {FORMAT} this build reads; update floral"
            ));
        }
        if format < 2
            && let Some(prior) = value.pointer_mut("/config/prior")
        {
            prior::name_raw_coordinates(prior);
        }
        let mut header: Self = serde_json::from_value(value)
            .map_err(|error| format!("its header cannot be read ({error})"))?;
        header.fits_together()?;
        header.name_channels();
        Ok(header)
    }

    /// The header as JSON.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("a header of numbers, strings and lists")
    }

    /// Adds unnamed quantities where the checkpoint has none.
    fn name_channels(&mut self) {
        let Quantities { input, solution } = &mut self.quantities;
        let shapes = &self.shapes;
        let channels = [
            (input, shapes.input_channels),
            (solution, shapes.solution_channels),
        ];
        for (quantities, count) in channels {
            if quantities.is_empty() {
                quantities.resize_with(count, Quantity::default);
            }
        }
    }

    /// Whether files of this format have a checksum.
    pub(super) fn has_seal(&self) -> bool {
        self.format >= SEALED
    }

    /// Warnings for users of the model file.
    pub fn notes(&self) -> Vec<String> {
        if self.has_seal() {
            return Vec::new();
        }
        vec![format!(
            "the model is of format {}, which has no checksum: damage to it may go unnoticed",
            self.format
        )]
    }

    /// Whether the model uses low fidelity.
    pub fn uses_low(&self) -> bool {
        self.scaling.low.is_some()
    }

    /// Sizes of the network.
    pub(super) fn network(&self) -> Backbone {
        backbone(self.config.method, &self.config.network, &self.shapes)
    }

    /// Refuses parts that contradict each other, before anything is built from them.
    fn fits_together(&self) -> std::result::Result<(), String> {
        let Shapes {
            input_channels,
            solution_channels,
            grid,
            ..
        } = &self.shapes;
        if self.grid.shape() != *grid || !(1..=MOST_AXES).contains(&grid.len()) || grid.contains(&0)
        {
            let found = self.grid.shape();
            return Err(format!(
                "its grid has shape {found:?} but its shapes say {grid:?}; use another one"
            ));
        }
        self.check_points()?;
        let method = self.config.method;
        let low = self.scaling.low.is_some();
        let fits = low <= method.uses_low() && low >= method.needs_low();
        if !(fits && self.scaling.fits(*input_channels, *solution_channels, low)) {
            return Err(format!(
                "its scaling does not match {input_channels} input and {solution_channels} solution \
                 channels; use another one"
            ));
        }
        let known = [self.quantities.input.len(), self.quantities.solution.len()];
        let channels = [*input_channels, *solution_channels];
        if known
            .iter()
            .zip(&channels)
            .any(|(known, n)| ![0, *n].contains(known))
        {
            return Err(format!(
                "it has quantities of {known:?} channels of input and solution, which have \
                 {channels:?}; use another one"
            ));
        }
        if !self.transforms.fits(*solution_channels) {
            return Err(format!(
                "its transforms are not those of {solution_channels} solution channels; use another \
                 one"
            ));
        }
        let stands_in = |stand_in: &StandIn| stand_in.fits(*solution_channels, &self.grid);
        if !self.stand_in.as_ref().is_none_or(stands_in) {
            return Err(
                "its stand-in for low fidelity is that of another grid; use another one".into(),
            );
        }
        self.check_network()
            .map_err(|error| format!("its header does not fit together ({error}); use another one"))
    }

    fn check_network(&self) -> Result<()> {
        self.config.check("settings")?;
        if self.config.method.recipe().is_some() {
            return Ok(());
        }
        check_modes(&self.config.network, &self.shapes)?;
        self.network().check()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Axis;
    use crate::dataset::Normaliser;

    /// A header as the first release of format 2 wrote it.
    fn older() -> serde_json::Value {
        let unit = Normaliser::of_channels(&[[0.0, 1.0]]);
        json!({
            "format": 2,
            "floral": "0.1.0",
            "config": {
                "method": "floral",
                "seed": 0,
                "split": {"test": 15, "validation": 15, "train": null},
            },
            "shapes": {"input_channels": 1, "solution_channels": 1, "grid": [8]},
            "grid": Grid::new(vec![Axis::periodic("x", 8)]),
            "scaling": {"input": unit, "low": unit, "target": unit},
            "data": {"problem": null, "constants": null, "seed": null},
            "progress": {
                "epoch": 1, "step": 0, "loss": 0.0, "gradient_norm": 0.0, "best": [0.5, 1],
                "reference": [0.5, 1], "finished": true, "seconds": 1.0,
            },
        })
    }

    #[test]
    fn a_header_without_later_fields_is_read_and_a_newer_format_refused_by_number() {
        let header = Header::parse(&older().to_string()).unwrap();
        assert_eq!(header.config.split.test_inputs(), 15);
        assert!(!header.progress.diverged);
        assert_eq!(Header::parse(&header.text()).unwrap(), header);
        let mut newer = older();
        newer["format"] = (FORMAT + 1).into();
        let words = Header::parse(&newer.to_string()).unwrap_err();
        let number = format!("format {}", FORMAT + 1);
        assert!(words.contains(&number), "{words}");
        for text in ["7", "[]", "\"text\"", "null", "{\"config\": 7}"] {
            let words = Header::parse(text).unwrap_err();
            assert!(words.contains("header cannot be read"), "{words}");
        }
    }
}
