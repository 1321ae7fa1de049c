//! The march from normal numbers to coefficients: midpoint steps of the perceptron in plain loops.
//!
//! Draws are marched sixteen abreast, each in a lane of its own, so that the bits of a draw do not
//! depend on its company.

use pulp::{Arch, Simd, WithSimd};

use super::logistic::silu;
use super::perceptron::{angle, embedded};

/// Draws abreast.
pub(super) const LANES: usize = 16;

/// Midpoint steps from normal numbers to coefficients.
const STEPS: usize = 8;

/// Outputs computed together, so that each input is loaded once for all.
const TOGETHER: usize = 4;

type Lanes = [f32; LANES];

/// A layer: weight \[input, output\], bias \[output\].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dense {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// The perceptron at one input: angle and components act as biases of the first layer.
pub(super) struct March<'a> {
    layers: &'a [Dense],
    dimension: usize,
    /// Bias of the first layer at the begin and the middle of each step.
    biases: Vec<Vec<f32>>,
}

impl<'a> March<'a> {
    pub(super) fn new(layers: &'a [Dense], dimension: usize, components: &[f32]) -> Self {
        let bias = |half_steps: usize| {
            let share = half_steps as f64 / (2 * STEPS) as f64;
            let constants = embedded(angle(share))
                .into_iter()
                .chain(components.iter().copied());
            first_bias(&layers[0], dimension, constants)
        };
        Self {
            layers,
            dimension,
            biases: (0..2 * STEPS).map(bias).collect(),
        }
    }

    /// points: \[dimension\] of lanes, normal numbers -> coefficients.
    pub(super) fn run(&self, points: &mut [Lanes]) {
        let march = Block {
            march: self,
            points,
        };
        Arch::new().dispatch(march);
    }

    #[inline(always)]
    fn steps(&self, points: &mut [Lanes]) {
        let step = angle(1.0 / STEPS as f64) as f32;
        let widest = self.layers.iter().map(|layer| layer.bias.len()).max();
        let width = widest.unwrap_or(0).max(self.dimension);
        let mut scratch = [vec![[0.0; LANES]; width], vec![[0.0; LANES]; width]];
        let mut middle = points.to_vec();
        for biases in self.biases.chunks_exact(2) {
            self.velocity(points, &biases[0], &mut scratch);
            advance(&mut middle, points, &scratch[0], 0.5 * step);
            self.velocity(&middle, &biases[1], &mut scratch);
            let here = points.to_vec();
            advance(points, &here, &scratch[0], step);
        }
    }

    /// The velocity of points, left in the first scratch.
    #[inline(always)]
    fn velocity(&self, points: &[Lanes], bias: &[f32], scratch: &mut [Vec<Lanes>; 2]) {
        let [from, to] = scratch;
        let (last, hidden) = self.layers.split_last().expect("a perceptron has layers");
        for (i, layer) in hidden.iter().enumerate() {
            let bias = if i == 0 { bias } else { &layer.bias };
            let inputs = if i == 0 { points } else { &from[..] };
            dense(&layer.weight, bias, inputs, to);
            for lanes in &mut to[..bias.len()] {
                lanes.iter_mut().for_each(|value| *value = silu(*value));
            }
            std::mem::swap(from, to);
        }
        dense(&last.weight, &last.bias, from, to);
        std::mem::swap(from, to);
    }
}

/// Compiled once for each kind of processor and chosen at run time; without fused multiplication, so
/// that the bits are the same on all.
struct Block<'a, 'b> {
    march: &'a March<'a>,
    points: &'b mut [Lanes],
}

impl WithSimd for Block<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.march.steps(self.points);
    }
}

/// What the inputs behind the point add to the bias of the first layer.
fn first_bias(layer: &Dense, dimension: usize, constants: impl Iterator<Item = f32>) -> Vec<f32> {
    let width = layer.bias.len();
    let mut bias = layer.bias.clone();
    for (row, constant) in layer
        .weight
        .chunks_exact(width)
        .skip(dimension)
        .zip(constants)
    {
        bias.iter_mut()
            .zip(row)
            .for_each(|(b, w)| *b += w * constant);
    }
    bias
}

#[inline(always)]
fn advance(to: &mut [Lanes], from: &[Lanes], velocity: &[Lanes], step: f32) {
    for ((to, from), velocity) in to.iter_mut().zip(from).zip(velocity) {
        for l in 0..LANES {
            to[l] = from[l] + step * velocity[l];
        }
    }
}

/// outputs = weight' inputs + bias.
#[inline(always)]
fn dense(weight: &[f32], bias: &[f32], inputs: &[Lanes], outputs: &mut [Lanes]) {
    let width = bias.len();
    let (groups, rest) = outputs[..width].as_chunks_mut::<TOGETHER>();
    let (biases, last) = bias.as_chunks::<TOGETHER>();
    for (group, (outputs, bias)) in groups.iter_mut().zip(biases).enumerate() {
        *outputs = together(weight, bias, inputs, [group * TOGETHER, width]);
    }
    let start = width - rest.len();
    for (k, (output, bias)) in rest.iter_mut().zip(last).enumerate() {
        [*output] = together(weight, &[*bias], inputs, [start + k, width]);
    }
}

/// N outputs from `start` on, of `width` in all. Arrays go by value, so that sums stay in registers.
#[inline(always)]
fn together<const N: usize>(
    weight: &[f32],
    bias: &[f32; N],
    inputs: &[Lanes],
    [start, width]: [usize; 2],
) -> [Lanes; N] {
    let mut sums = bias.map(|bias| [bias; LANES]);
    for (row, x) in weight.chunks_exact(width).zip(inputs) {
        let Some(row) = row[start..].first_chunk::<N>() else {
            break;
        };
        for k in 0..N {
            sums[k] = sum(sums[k], row[k], *x);
        }
    }
    sums
}

#[inline(always)]
fn sum(lanes: Lanes, weight: f32, x: Lanes) -> Lanes {
    std::array::from_fn(|l| lanes[l] + weight * x[l])
}
