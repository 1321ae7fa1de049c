//! Laws of the network of points.

use burn::tensor::{Device, Tensor, TensorData};
use floral_flow::network::{Nodes, SlicesConfig};

use super::initial_values::InitialValues;
use super::{SliceNetwork, gradients, weights, with_weights};
use floral_data::{Axis, Grid};

const POINTS: usize = 12;

fn sizes() -> SlicesConfig {
    SlicesConfig {
        input_channels: 1,
        output_channels: 1,
        condition_channels: 2,
        coordinates: 2,
        time: true,
        hidden_channels: 8,
        layers: 2,
        film_channels: 6,
        slices: 5,
        heads: 2,
    }
}

/// Scattered points with weights of mean one.
fn scattered(count: usize) -> Nodes {
    let place = |i: usize, step: f32| 2.0 * (i as f32 * step).fract() - 1.0;
    let weights: Vec<f32> = (0..count).map(|i| 0.5 + (i % 3) as f32).collect();
    let mean = weights.iter().sum::<f32>() / count as f32;
    Nodes {
        shape: vec![count],
        channels: 2,
        coordinates: (0..count)
            .flat_map(|i| [place(i, 0.618), place(i, 0.755)])
            .collect(),
        weights: weights.iter().map(|w| w / mean).collect(),
    }
}

/// The points of this order, with their weights multiplied by `share`.
fn picked(nodes: &Nodes, order: &[usize], share: impl Fn(usize) -> f32) -> Nodes {
    let weights: Vec<f32> = order.iter().map(|&i| nodes.weights[i] * share(i)).collect();
    let mean = weights.iter().sum::<f32>() / order.len() as f32;
    Nodes {
        shape: vec![order.len()],
        channels: nodes.channels,
        coordinates: order
            .iter()
            .flat_map(|&i| nodes.coordinates[i * nodes.channels..][..nodes.channels].to_vec())
            .collect(),
        weights: weights.iter().map(|w| w / mean).collect(),
    }
}

fn random(shape: [usize; 4], seed: u64) -> Tensor<4> {
    let values = &mut InitialValues::new(seed, &Device::flex());
    values.uniform(shape, 1.0).val()
}

/// A field with its points in this order.
fn moved(field: &Tensor<4>, order: &[usize]) -> Tensor<4> {
    let [batch, channels, _, points] = field.dims();
    let values = values(field.clone());
    let rows = values.chunks_exact(points);
    let values: Vec<f32> = rows.flat_map(|row| order.iter().map(|&i| row[i])).collect();
    let shape = [batch, channels, 1, order.len()];
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap()
}

fn velocity(network: &SliceNetwork, nodes: &Nodes, w: &Tensor<4>, a: &Tensor<4>) -> Vec<f32> {
    let context = network.condition(a.clone(), nodes).unwrap();
    let tau = Tensor::from_floats([0.3, 0.7], &Device::flex());
    values(network.velocity(w.clone(), tau, &context).unwrap())
}

fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    let scale = expected.iter().fold(1e-6, |m: f32, v| m.max(v.abs()));
    let pairs = found.iter().zip(expected);
    let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / scale;
    assert!(
        found.len() == expected.len() && largest < tolerance,
        "error {largest}"
    );
}

struct Fixture {
    network: SliceNetwork,
    nodes: Nodes,
    w: Tensor<4>,
    a: Tensor<4>,
}

fn fixture() -> Fixture {
    Fixture {
        network: SliceNetwork::new(&sizes(), 3, &Device::flex()).unwrap(),
        nodes: scattered(POINTS),
        w: random([2, 1, 1, POINTS], 1),
        a: random([2, 2, 1, POINTS], 2),
    }
}

#[test]
fn the_order_of_points_is_that_of_the_outputs_and_changes_nothing_else() {
    let Fixture {
        network,
        nodes,
        w,
        a,
    } = fixture();
    let order: Vec<usize> = (0..POINTS).map(|i| (5 * i + 3) % POINTS).collect();
    let expected = velocity(&network, &nodes, &w, &a);
    let rows = expected.chunks_exact(POINTS);
    let expected: Vec<f32> = rows.flat_map(|row| order.iter().map(|&i| row[i])).collect();
    let shuffled = picked(&nodes, &order, |_| 1.0);
    let found = velocity(&network, &shuffled, &moved(&w, &order), &moved(&a, &order));
    assert_close(&found, &expected, 1e-5);
}

#[test]
fn a_point_twice_with_half_its_weight_is_that_point() {
    let Fixture {
        network,
        nodes,
        w,
        a,
    } = fixture();
    let twice: Vec<usize> = (0..POINTS).chain([4, 9]).collect();
    let half = |i: usize| if [4, 9].contains(&i) { 0.5 } else { 1.0 };
    let doubled = picked(&nodes, &twice, half);
    let expected = velocity(&network, &nodes, &w, &a);
    let rows = expected.chunks_exact(POINTS);
    let expected: Vec<f32> = rows.flat_map(|row| twice.iter().map(|&i| row[i])).collect();
    let found = velocity(&network, &doubled, &moved(&w, &twice), &moved(&a, &twice));
    assert_close(&found, &expected, 1e-5);
}

#[test]
fn a_finer_grid_gives_the_same_function() {
    let network = SliceNetwork::new(&sizes(), 3, &Device::flex()).unwrap();
    let at = |n: usize| {
        let grid = Grid::new(vec![Axis::closed("y", n), Axis::periodic("x", n)]);
        let mut nodes = Nodes::of(&grid, None);
        // Two coordinates, as the network expects: a periodic axis would have given a third.
        nodes.channels = 2;
        nodes.coordinates = (0..n * n)
            .flat_map(|i| [(i / n) as f32 / (n - 1) as f32, (i % n) as f32 / n as f32])
            .collect();
        let smooth = |c: usize| {
            let points = nodes.coordinates.chunks_exact(2);
            points
                .map(|p| (p[0] * (c + 1) as f32).sin() + (6.283_185_5 * p[1]).cos())
                .collect::<Vec<f32>>()
        };
        let field = |channels: usize| {
            let all: Vec<f32> = (0..2 * channels)
                .flat_map(|c| smooth(c % channels))
                .collect();
            let shape = [2, channels, n, n];
            Tensor::<4>::from_data(TensorData::new(all, shape), &Device::flex())
        };
        let found = velocity(&network, &nodes, &field(1), &field(2));
        // At the corner and in the middle of the first row.
        [found[0], found[n / 2]]
    };
    let ([a, b], [c, d]) = (at(16), at(64));
    assert!(
        (a - c).abs() < 0.02 && (b - d).abs() < 0.02,
        "{a} {c}, {b} {d}"
    );
}

#[test]
fn gradients_agree_with_finite_differences() {
    let Fixture { nodes, w, a, .. } = fixture();
    let device = Device::flex().autodiff();
    let network = SliceNetwork::new(&sizes(), 3, &device).unwrap();
    let loss = |network: &SliceNetwork| {
        let context = network.condition(a.clone(), &nodes).unwrap();
        let tau = Tensor::from_floats([0.3, 0.7], &Device::flex());
        network
            .velocity(w.clone(), tau, &context)
            .unwrap()
            .square()
            .mean()
    };
    let found = gradients(&network, loss(&network).backward()).unwrap();
    let all = weights(&network).unwrap();
    let largest = found
        .iter()
        .flat_map(|g| &g.values)
        .fold(0.0, |m: f32, v| m.max(v.abs()));
    for (k, weight) in all.iter().enumerate() {
        let place = weight.values.len() / 2;
        let at = |step: f32| {
            let mut moved = all.clone();
            moved[k].values[place] += step;
            let network = with_weights(network.clone(), moved).unwrap();
            f64::from(values(loss(&network))[0])
        };
        let step = 3e-2;
        let difference = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step)))
            / (12.0 * f64::from(step));
        let error = (difference - f64::from(found[k].values[place])).abs() / f64::from(largest);
        assert!(error < 2e-3, "{}: {error}", weight.name);
    }
}

#[test]
fn results_have_the_same_bits_on_any_number_of_threads() {
    let count = 700;
    let nodes = scattered(count);
    let config = SlicesConfig {
        hidden_channels: 32,
        slices: 16,
        ..sizes()
    };
    let network = SliceNetwork::new(&config, 3, &Device::flex().autodiff()).unwrap();
    let (w, a) = (random([2, 1, 1, count], 1), random([2, 2, 1, count], 2));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let context = network.condition(a.clone(), &nodes).unwrap();
            let tau = Tensor::from_floats([0.3, 0.7], &Device::flex());
            let velocity = network.velocity(w.clone(), tau, &context).unwrap();
            let loss = velocity.clone().square().mean();
            let gradient = gradients(&network, loss.backward()).unwrap();
            (values(velocity), gradient)
        })
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert!(on(threads) == alone, "{threads} threads");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let Fixture {
        network,
        nodes,
        w,
        a,
    } = fixture();
    let context = network.condition(a.clone(), &nodes).unwrap();
    let tau = || Tensor::from_floats([0.3, 0.7], &Device::flex());
    assert!(network.predict(w.clone(), &context).is_err());
    assert!(network.condition(w.clone(), &nodes).is_err());
    assert!(network.condition(a, &scattered(POINTS + 1)).is_err());
    let fewer = random([2, 1, 1, POINTS - 1], 1);
    assert!(network.velocity(fewer, tau(), &context).is_err());
    let sizes = SlicesConfig {
        heads: 3,
        ..sizes()
    };
    let words = SliceNetwork::new(&sizes, 0, &Device::flex()).unwrap_err();
    assert!(words.to_string().contains("multiple of heads"), "{words}");
}
