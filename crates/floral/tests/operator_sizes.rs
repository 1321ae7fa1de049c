//! A fixture of any sizes is understood: written from one network, it verifies that network.
#![allow(clippy::unwrap_used)] // A test may panic.

use burn::tensor::{Device, Tensor, TensorData};
use floral::operator::time_embedding::frequencies;
use floral::operator::{FilmFno, FilmFnoConfig, Weight, gradients, weights};
use floral::verify::reference_names::reference_name;
use floral::verify::verify_file;
use safetensors::{Dtype, tensor::TensorView};

fn wave(shape: [usize; 4], pitch: f32) -> Tensor<4> {
    let count = shape.iter().product::<usize>();
    let values: Vec<f32> = (0..count).map(|i| (pitch * i as f32).sin()).collect();
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

fn stored<const D: usize>(name: impl Into<String>, tensor: Tensor<D>, line: bool) -> Weight {
    let mut shape = tensor.dims().to_vec();
    if line && D == 4 {
        shape.remove(2);
    }
    let values = tensor.into_data().try_into_vec().unwrap();
    Weight {
        name: name.into(),
        shape,
        values,
    }
}

/// Channels first, as the reference stores them.
fn in_their_layout(kind: &str, ours: Weight, line: bool) -> Weight {
    let (shape, columns) = match ours.shape[..] {
        [i, o] => (vec![o, i, 1], o),
        [_, x, i, o] if line => (vec![i, o, x], i * o),
        [y, x, i, o] => (vec![i, o, y, x], i * o),
        _ => (ours.shape.clone(), 1),
    };
    let rows = ours.values.len() / columns;
    let values = (0..ours.values.len()).map(|i| ours.values[i % rows * columns + i / rows]);
    Weight {
        name: format!("{kind}.{}", reference_name(&ours.name).unwrap()),
        shape,
        values: values.collect(),
    }
}

/// Inputs and velocity at tau = 1/2 under a prefix; the velocity comes last.
fn evaluate(
    network: &FilmFno,
    prefix: &str,
    batch: usize,
    grid: [usize; 2],
) -> (Vec<Weight>, Tensor<4>) {
    let config = network.config();
    let line = config.n_modes.len() == 1;
    let field = |channels, pitch| wave([batch, channels, grid[0], grid[1]], pitch);
    let w = field(config.input_channels, 0.7);
    let (condition, low) = (field(config.condition_channels - 1, 0.3), field(1, 1.1));
    let tau = Tensor::<1>::full([batch], 0.5, &Device::flex());
    let context = network
        .condition(Tensor::cat(vec![condition.clone(), low.clone()], 1))
        .unwrap();
    let velocity = network.velocity(w.clone(), tau.clone(), &context).unwrap();
    let inputs = vec![
        stored(format!("{prefix}.w"), w, line),
        stored(format!("{prefix}.condition"), condition, line),
        stored(format!("{prefix}.low"), low, line),
        stored(format!("{prefix}.tau"), tau, line),
    ];
    (inputs, velocity)
}

fn verifies_itself(config: FilmFnoConfig, grid: [usize; 2], fine: [usize; 2]) {
    let line = config.n_modes.len() == 1;
    let network = config.init(5, &Device::flex().autodiff()).unwrap();
    let (mut tensors, velocity) = evaluate(&network, "in", 2, grid);
    let target = velocity.clone().inner() * 0.5 + 1.0;
    let loss = (velocity.clone() - target.clone()).square().mean() * 1.5;
    let (fine_inputs, fine_velocity) = evaluate(&network, "fine", 1, fine);
    tensors.extend(fine_inputs);
    tensors.extend([
        stored("in.target", target, line),
        stored("out.velocity", velocity, line),
        stored("out.loss", loss.clone(), line),
        stored("fine.velocity", fine_velocity, line),
        Weight {
            name: "weight.time_encoder.modes".into(),
            shape: vec![1, 5],
            values: frequencies().to_vec(),
        },
    ]);
    let gradients = gradients(&network, loss.backward());
    let weights = weights(&network);
    tensors.extend(
        weights
            .into_iter()
            .map(|w| in_their_layout("weight", w, line)),
    );
    tensors.extend(
        gradients
            .into_iter()
            .map(|g| in_their_layout("grad", g, line)),
    );

    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|t| t.values.iter().flat_map(|v| v.to_le_bytes()).collect())
        .collect();
    let views = tensors.iter().zip(&bytes).map(|(tensor, bytes)| {
        let view = TensorView::new(Dtype::F32, tensor.shape.clone(), bytes).unwrap();
        (tensor.name.as_str(), view)
    });
    let file = tempfile::NamedTempFile::new().unwrap();
    safetensors::serialize_to_file(views, None, file.path()).unwrap();
    let checks = verify_file(file.path(), &Device::flex()).unwrap();
    assert!(checks.iter().all(|check| check.passes()), "{checks:#?}");
}

#[test]
fn a_plane_of_unequal_modes_and_odd_widths() {
    let config = FilmFnoConfig::new(2, 2, 3, vec![4, 6])
        .with_hidden_channels(7)
        .with_layers(3)
        .with_film_channels(9);
    verifies_itself(config, [9, 10], [12, 25]);
}

#[test]
fn a_line_coarser_than_its_modes() {
    let config = FilmFnoConfig::new(1, 1, 2, vec![12]).with_hidden_channels(5);
    verifies_itself(config, [1, 9], [1, 40]);
}
