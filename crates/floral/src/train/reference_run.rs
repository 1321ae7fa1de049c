//! Imports weights of the paper's reference implementation as a run; grid and scales are given or
//! computed from a dataset.

use std::path::Path;

use serde_json::{Value, json};

use super::checkpoint::{Checkpoint, FORMAT};
use super::config::NetworkConfig;
use super::header::Header;
use super::samples::Reader;
use super::{Progress, RunFolder, TrainConfig};
use crate::dataset::{Dataset, Normaliser};
use crate::verify::ReferenceState;
use crate::{Error, Grid, Result};
use floral_flow::network::FilmFnoConfig;
use floral_flow::training::adam::Adam;

/// What an import needs besides the weights of the network.
pub struct Foreign<'a> {
    /// Method and prior, and the split and resolution of the dataset if there is one. The sizes of
    /// the network are taken from the state instead.
    pub config: TrainConfig,
    /// The training dataset, if available.
    pub dataset: Option<&'a Dataset>,
    /// The training grid; if `None`, the grid of the dataset.
    pub grid: Option<Grid>,
    /// Scale of the input; if `None`, computed from the dataset's training inputs.
    pub input: Option<Normaliser>,
    /// Scale of the low-fidelity solution; if `None`, computed from the dataset.
    pub low: Option<Normaliser>,
    /// Scale of the target, which is the residual or the solution; if `None`, computed from the
    /// dataset.
    pub target: Option<Normaliser>,
}

impl Foreign<'_> {
    /// Writes a run folder with the weights in the file `state` as its best checkpoint.
    pub fn import(&self, state: &Path, run: &Path) -> Result<RunFolder> {
        let checkpoint = self.checkpoint(&ReferenceState::read(state)?)?;
        let run = RunFolder::create_or_continue(run, &checkpoint.header.config)?;
        let _lock = run.lock()?;
        checkpoint.write(&run.best_path())?;
        Ok(run)
    }

    /// The checkpoint of a state; refuses inconsistent parts.
    pub fn checkpoint(&self, state: &ReferenceState) -> Result<Checkpoint> {
        let weights = state.weights.clone();
        let adam = Adam::new(weights.iter().map(|weight| weight.values.len()));
        Ok(Checkpoint {
            header: self.header(&state.sizes)?,
            weights,
            adam,
            average: Vec::new(),
            regression: Vec::new(),
        })
    }

    fn header(&self, sizes: &FilmFnoConfig) -> Result<Header> {
        let [input, solution] = self.channels(sizes)?;
        let mut config = self.config.clone();
        config.network = NetworkConfig {
            hidden_channels: sizes.hidden_channels,
            layers: sizes.layers,
            film_channels: sizes.film_channels,
            n_modes: Some(sizes.n_modes.clone()),
            ..NetworkConfig::default()
        };
        config.optimiser.average = 0.0;
        let mut header = match self.dataset {
            Some(dataset) => seen(
                config.for_inputs(dataset.inputs()),
                dataset,
                [input, solution],
            )?,
            None => json!({
                "format": FORMAT,
                "floral": env!("CARGO_PKG_VERSION"),
                "config": config,
                "data": {"problem": null, "constants": null, "seed": null},
            }),
        };
        let grid = match &self.grid {
            Some(grid) => json!(grid),
            None => header["grid"].take(),
        };
        let shape: Option<Vec<usize>> = grid["axes"].as_array().map(|axes| {
            let points = |axis: &Value| axis["coordinates"].as_array().map_or(0, Vec::len);
            axes.iter().map(points).collect()
        });
        let shape = shape.ok_or_else(|| missing("the grid that it was trained on"))?;
        header["grid"] = grid;
        header["shapes"] = json!({
            "input_channels": input,
            "solution_channels": solution,
            "grid": shape,
        });
        header["scaling"] = self.scaling(header["scaling"].take())?;
        header["progress"] = json!(Progress {
            finished: true,
            ..Progress::default()
        });
        // Parsed like the header of a file, so that the same checks apply.
        Header::parse(&header.to_string())
            .map_err(|reason| Error::config("state of the reference", reason))
    }

    /// Numbers of channels of input and solution, derived from those of the network.
    fn channels(&self, sizes: &FilmFnoConfig) -> Result<[usize; 2]> {
        let method = self.config.method;
        let refuse = |reason: String| Err(Error::config(format!("method {method}"), reason));
        if method.recipe().is_some() {
            return refuse("the reference has networks: floral, flora, residual-fno or fno".into());
        }
        if method.is_flow() != sizes.time {
            let has = if sizes.time { "has a" } else { "has no" };
            return refuse(format!(
                "the state {has} time embedding, which flows (floral, flora) have and regressions \
                 (residual-fno, fno) have not; choose the method it was trained by"
            ));
        }
        let solution = sizes.output_channels;
        let low = if method.needs_low() { solution } else { 0 };
        let input = sizes.condition_channels.saturating_sub(low);
        let fed = if method.is_flow() { solution } else { input };
        if input == 0 || fed != sizes.input_channels {
            return refuse(format!(
                "the state is fed with {} channels and conditioned on {}, and gives {solution}; that \
                 is another method's, conditioned on input, low fidelity or both",
                sizes.input_channels, sizes.condition_channels
            ));
        }
        Ok([input, solution])
    }

    /// The given scales, completed by those computed from the dataset.
    fn scaling(&self, mut seen: Value) -> Result<Value> {
        let mut scaling = json!({});
        let needs_low = self.config.method.needs_low();
        let parts = [
            ("input", &self.input, true, "the scale of the input"),
            (
                "low",
                &self.low,
                needs_low,
                "the scale of the low-fidelity solution",
            ),
            (
                "target",
                &self.target,
                true,
                "the scale of what was learned",
            ),
        ];
        for (key, given, is_needed, what) in parts {
            let scale = match given {
                _ if !is_needed => Value::Null,
                Some(given) => json!(given),
                None => seen[key].take(),
            };
            if is_needed && scale.is_null() {
                return Err(missing(what));
            }
            scaling[key] = scale;
        }
        Ok(scaling)
    }
}

/// The initial header, as JSON, of a run with these settings on a dataset.
fn seen(config: TrainConfig, dataset: &Dataset, channels: [usize; 2]) -> Result<Value> {
    let found = [
        dataset.input_channels(),
        dataset.solution_channels().unwrap_or(0),
    ];
    if found != channels {
        return Err(Error::shape(
            format!(
                "{}, [channels of input, of solution],",
                dataset.path().display()
            ),
            found.to_vec(),
            channels.to_vec(),
        ));
    }
    let reader = Reader::new(dataset, &config)?;
    let scales = reader.scales(config.split_of(dataset.inputs())?.train)?;
    Ok(json!(Header::new(&config, &reader, scales)?))
}

fn missing(what: &str) -> Error {
    Error::config(
        "state of the reference",
        format!("it does not contain {what}; give it, or the dataset it was trained on"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::operator::{Device, with_weights};
    use crate::predict::Predictor;
    use crate::train::Method;
    use crate::train::model::initial;

    fn fixture(name: &str) -> std::path::PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        folder.join(name)
    }

    fn unit() -> Normaliser {
        Normaliser::of_channels(&[[0.0, 1.0]])
    }

    fn foreign(method: Method, axes: usize) -> Foreign<'static> {
        let axes = ["z", "y", "x"][3 - axes..]
            .iter()
            .map(|name| Axis::periodic(name, 16));
        Foreign {
            config: TrainConfig {
                method,
                ..TrainConfig::default()
            },
            dataset: None,
            grid: Some(Grid::new(axes.collect())),
            input: Some(unit()),
            low: Some(unit()),
            target: Some(unit()),
        }
    }

    #[test]
    fn an_imported_network_gives_the_velocity_of_the_reference() {
        for (name, axes) in [
            ("filmfno_1d.safetensors", 1),
            ("filmfno_2d.safetensors", 2),
            ("filmfno_3d.safetensors", 3),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("run");
            let run = foreign(Method::Floral, axes)
                .import(&fixture(name), &path)
                .unwrap();
            // A second import of the same state continues the same run.
            foreign(Method::Floral, axes)
                .import(&fixture(name), &path)
                .unwrap();
            Predictor::load(&run, &Device::flex()).unwrap();

            let best = run.best().unwrap();
            let (config, shapes) = (best.header.config.clone(), best.header.shapes.clone());
            let device = Device::flex();
            let model = initial(config.method, &config.network, shapes, 0, &device).unwrap();
            let network = with_weights(model.network, best.weights).unwrap();
            let error =
                crate::verify::velocity_error(&fixture(name), network.fno().unwrap(), &device)
                    .unwrap();
            assert!(error < 1e-4, "{name}: {error}");
        }
    }

    #[test]
    fn the_same_weights_with_other_scales_are_another_model() {
        let state = ReferenceState::read(&fixture("filmfno_1d.safetensors")).unwrap();
        let checksum = |target: Normaliser| {
            let foreign = Foreign {
                target: Some(target),
                ..foreign(Method::Floral, 1)
            };
            let checkpoint = foreign.checkpoint(&state).unwrap();
            let predictor = Predictor::from_checkpoint(checkpoint, &Device::flex());
            predictor.unwrap().checksum()
        };
        let other = checksum(Normaliser::of_channels(&[[0.0, 2.0]]));
        assert_eq!(checksum(unit()), checksum(unit()));
        assert_ne!(checksum(unit()), other);
    }

    #[test]
    fn what_the_state_does_not_tell_or_contradicts_is_named() {
        let path = fixture("filmfno_1d.safetensors");
        let state = ReferenceState::read(&path).unwrap();
        let refusal = |foreign: Foreign<'_>| {
            let refused = foreign.checkpoint(&state).unwrap_err();
            refused.to_string()
        };
        let change = |change: &dyn Fn(&mut Foreign<'_>)| {
            let mut all = foreign(Method::Floral, 1);
            change(&mut all);
            refusal(all)
        };
        assert!(change(&|f| f.grid = None).contains("the grid"));
        assert!(change(&|f| f.low = None).contains("low-fidelity"));
        assert!(
            change(&|f| f.target = Some(Normaliser::of_channels(&[[0.0, 0.0]])))
                .contains("scaling")
        );
        assert!(refusal(foreign(Method::Floral, 2)).contains("n_modes"));
        assert!(refusal(foreign(Method::Fno, 1)).contains("time embedding"));
        assert!(refusal(foreign(Method::Kriging, 1)).contains("networks"));
        // With two condition channels, it could also be a flow of the solution with two input
        // channels.
        let flora = foreign(Method::Flora, 1);
        let two = Normaliser::of_channels(&[[0.0, 1.0], [0.0, 1.0]]);
        let flora = Foreign {
            input: Some(two),
            ..flora
        };
        let header = flora.checkpoint(&state).unwrap().header;
        assert_eq!(header.shapes.input_channels, 2);
        let words = ReferenceState::read(&fixture("solvers.safetensors")).unwrap_err();
        assert!(
            words.to_string().contains("no state of the reference"),
            "{words}"
        );
    }
}
