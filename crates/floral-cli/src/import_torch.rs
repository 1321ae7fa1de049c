//! `floral import-torch`: a run from weights of the paper's PyTorch code.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use floral::dataset::{Dataset, Normaliser};
use floral::grid::Domain;
use floral::storage::refuse_overwriting;
use floral::train::{Foreign, Method, TrainConfig};
use floral::{Axis, Grid};

use crate::{Ending, constants, output};

/// Arguments of `floral import-torch`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral import-torch model.safetensors --data darcy.zarr --train-inputs 40 -o runs/theirs\n  \
    floral import-torch model.safetensors --axis x,0,1,128 --input-scale 0,1.2 \\\n      \
    --low-scale 0.3,0.8 --target-scale 0,0.1 -o runs/theirs\n\n\
    PyTorch files (.pt) are not read, as unpickling them can run any program. Convert one in Python:\n\n  \
    import torch, safetensors.torch\n  \
    state = torch.load(\"model.pt\", map_location=\"cpu\", weights_only=True)\n  \
    safetensors.torch.save_file({k: v.contiguous() for k, v in state.items()}, \"model.safetensors\")\n\n\
    (If your safetensors has no complex numbers, store v.real and v.imag as k.re and k.im.)\n\n\
    Sizes come from the shapes of the tensors, which have the names of the paper's code \
    (field.fno_module...) after any prefix. Grid and scales come from the dataset the network was trained \
    on, or from options. The prior is the paper's unless it is set, as in --set prior.kernel=matern32.")]
pub struct Arguments {
    /// Safetensors file with the network's weights
    #[arg(value_name = "STATE.safetensors")]
    state: PathBuf,

    /// Run folder to write
    #[arg(short, long, value_name = "RUN")]
    output: PathBuf,

    /// Method it was trained with
    #[arg(long, default_value = "floral",
        value_parser = PossibleValuesParser::new(Method::PAPER.map(Method::name)))]
    method: String,

    /// Dataset it was trained on
    #[arg(long, value_name = "DATA.zarr")]
    data: Option<PathBuf>,

    /// Number of training inputs of the dataset, after those held out for testing and validation
    #[arg(long, value_name = "N", requires = "data")]
    train_inputs: Option<usize>,

    /// Axis of the network's grid: name, first and last coordinate, points; with ,periodic the last coordinate
    /// is the same point as the first. Repeat for each axis, slowest first
    #[arg(
        long,
        value_name = "NAME,FROM,TO,POINTS[,periodic]",
        help_heading = "Without a dataset"
    )]
    axis: Vec<TypedAxis>,

    /// Mean and standard deviation by which the input was scaled; repeat for each channel
    #[arg(
        long,
        value_name = "MEAN,DEVIATION",
        allow_hyphen_values = true,
        help_heading = "Without a dataset"
    )]
    input_scale: Vec<Scale>,

    /// The same for the low-fidelity solution
    #[arg(
        long,
        value_name = "MEAN,DEVIATION",
        allow_hyphen_values = true,
        help_heading = "Without a dataset"
    )]
    low_scale: Vec<Scale>,

    /// The same for the target: the residual to low fidelity, or the solution
    #[arg(
        long,
        value_name = "MEAN,DEVIATION",
        allow_hyphen_values = true,
        help_heading = "Without a dataset"
    )]
    target_scale: Vec<Scale>,

    /// TOML file with settings, as for floral train
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Change one setting, as in --set prior.length=0.01; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// An axis as typed.
#[derive(Debug, Clone, PartialEq)]
struct TypedAxis(Axis);

impl FromStr for TypedAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let (name, numbers, is_periodic) = match parts[..] {
            [name, from, to, points] => (name, [from, to, points], false),
            [name, from, to, points, "periodic"] => (name, [from, to, points], true),
            _ => return Err("write name,from,to,points or name,from,to,points,periodic".into()),
        };
        let [from, to] = [numbers[0], numbers[1]].map(|n| n.parse::<f64>().ok());
        let points = numbers[2].parse::<usize>().ok();
        match (from, to, points) {
            (Some(from), Some(to), Some(points))
                if from < to && to - from < f64::INFINITY && points > 1 =>
            {
                let domain = if is_periodic {
                    Domain::periodic(from, to)
                } else {
                    Domain::closed(from, to)
                };
                Ok(Self(Axis::over(domain, name, points)))
            }
            _ => Err(
                "the last coordinate must lie beyond the first, with at least two points".into(),
            ),
        }
    }
}

/// A scale as typed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale([f64; 2]);

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split(',').map(|part| part.trim().parse::<f64>().ok());
        match numbers.collect::<Option<Vec<f64>>>().as_deref() {
            Some([mean, deviation]) if mean.is_finite() && *deviation > 0.0 => {
                Ok(Self([*mean, *deviation]))
            }
            _ => Err("write mean,deviation, the second positive".into()),
        }
    }
}

/// Writes the run.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    if arguments
        .state
        .extension()
        .is_some_and(|end| end != "safetensors")
    {
        bail!(
            "{}: only safetensors files are read; floral import-torch --help shows how to convert a \
             PyTorch file",
            arguments.state.display()
        );
    }
    let read = [Some(&arguments.state), arguments.data.as_ref()];
    let read = read.into_iter().flatten().map(PathBuf::as_path);
    refuse_overwriting(&arguments.output, read)?;
    let dataset = arguments.data.as_ref().map(Dataset::open).transpose()?;
    let axes = arguments.axis.iter().map(|TypedAxis(axis)| axis.clone());
    let scale = |typed: &[Scale]| {
        let channels: Vec<[f64; 2]> = typed.iter().map(|Scale(channel)| *channel).collect();
        (!channels.is_empty()).then(|| Normaliser::of_channels(&channels))
    };
    let foreign = Foreign {
        config: arguments.settings()?,
        dataset: dataset.as_ref(),
        grid: (!arguments.axis.is_empty()).then(|| Grid::new(axes.collect())),
        input: scale(&arguments.input_scale),
        low: scale(&arguments.low_scale),
        target: scale(&arguments.target_scale),
    };
    let run = foreign.import(&arguments.state, &arguments.output)?;
    let header = run.best()?.header;
    output::message(&format!(
        "{}: {} on grid {:?}, {} layers of width {}",
        arguments.output.display(),
        header.config.method,
        header.shapes.grid,
        header.config.network.layers,
        header.config.network.hidden_channels
    ));
    Ok(Ending::Done)
}

impl Arguments {
    fn settings(&self) -> Result<TrainConfig> {
        let mut table = constants::read(self.config.as_deref(), &self.set)?;
        constants::set(&mut table, &format!("method={:?}", self.method))?;
        if let Some(train) = self.train_inputs {
            constants::set(&mut table, &format!("split.train={train}"))?;
        }
        Ok(TrainConfig::from_table(table, "settings")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_and_scales_are_understood() {
        let TypedAxis(axis) = "x,-1,1,5".parse().unwrap();
        assert_eq!(axis.coordinates, [-1.0, -0.5, 0.0, 0.5, 1.0]);
        let TypedAxis(axis) = "x, 0, 360, 4, periodic".parse().unwrap();
        assert_eq!(axis.coordinates, [0.0, 90.0, 180.0, 270.0]);
        for text in [
            "x",
            "x,0,1",
            "x,1,0,4",
            "x,0,1,1",
            "x,0,inf,4",
            "x,0,1,4,round",
        ] {
            assert!(text.parse::<TypedAxis>().is_err(), "{text}");
        }
        assert_eq!("-0.5, 2".parse(), Ok(Scale([-0.5, 2.0])));
        for text in ["1", "0,0", "0,-1", "a,1", "nan,1", "1,2,3"] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }
}
