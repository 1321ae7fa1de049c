//! Plain implementation of the network in double precision, with Fourier sums term by term: the
//! reference for the fused operations on grids of any size.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use floral::network::box_shape;
use floral::operator::{FilmFnoConfig, Weight};

/// A field: [channel][point].
pub type Channels = Vec<Vec<f64>>;

/// Named weights in double precision.
pub struct PlainNetwork {
    config: FilmFnoConfig,
    weights: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
}

impl PlainNetwork {
    pub fn new(config: FilmFnoConfig, weights: &[Weight]) -> Self {
        let weights = weights.iter().map(|weight| {
            let values = weight.values.iter().copied().map(f64::from).collect();
            (weight.name.clone(), (weight.shape.clone(), values))
        });
        Self {
            config,
            weights: weights.collect(),
        }
    }

    /// This network with one array moved by `step` along a direction.
    pub fn moved(&self, name: &str, direction: &[f64], step: f64) -> Self {
        let mut weights = self.weights.clone();
        let (_, values) = weights.get_mut(name).unwrap();
        for (value, direction) in values.iter_mut().zip(direction) {
            *value += step * direction;
        }
        Self {
            config: self.config.clone(),
            weights,
        }
    }

    fn values(&self, name: &str) -> &[f64] {
        &self.weights[name].1
    }

    /// FiLM(L[w]) + N[w] on a grid [layers, rows, columns].
    pub fn velocity(
        &self,
        w: &Channels,
        tau: f64,
        condition: &Channels,
        grid: [usize; 3],
    ) -> Channels {
        let points = grid.iter().product();
        let time = embedding(tau).into_iter().map(|value| vec![value; points]);
        let inputs: Channels = w.iter().cloned().chain(time).collect();
        let place = self.coordinates(grid);
        let lifted = self.mlp("lift", &[inputs.clone(), place.clone()].concat());
        let context = self.mlp("lift_condition", &[condition.clone(), place].concat());
        let mut x = self.film("lift_film", lifted, &context);
        for layer in 0..self.config.layers {
            x = self.layer(layer, &x, &context, grid);
        }
        let nonlinear = self.mlp("project", &x);
        let local = self.pointwise("linear.pointwise", &inputs);
        let linear = add(&self.spectral("linear.spectral", &inputs, grid), &local);
        add(&self.film("linear.film", linear, condition), &nonlinear)
    }

    /// Coordinates i/n along each axis.
    fn coordinates(&self, grid: [usize; 3]) -> Channels {
        let points: usize = grid.iter().product();
        let along = |axis: usize| {
            let place = move |point| place(point, grid)[axis] as f64 / grid[axis] as f64;
            (0..points).map(place).collect()
        };
        (3 - self.config.n_modes.len()..3).map(along).collect()
    }

    fn layer(&self, index: usize, x: &Channels, context: &Channels, grid: [usize; 3]) -> Channels {
        let name = |part: &str| format!("layers.{index}.{part}");
        let last = index + 1 == self.config.layers;
        let bent = |x: Channels| if last { x } else { each(x, gelu) };
        let skip = self.pointwise(&name("skip"), x);
        let s = bent(add(&self.spectral(&name("spectral"), x, grid), &skip));
        let gate = self.values(&name("gate"));
        let gated = x.iter().zip(gate);
        let gated: Channels = gated
            .map(|(x, gate)| x.iter().map(|x| gate * x).collect())
            .collect();
        let y = bent(add(&self.mlp(&name("mlp"), &s), &gated));
        self.film(&name("film"), y, context)
    }

    fn mlp(&self, name: &str, x: &Channels) -> Channels {
        let hidden = each(self.pointwise(&format!("{name}.hidden"), x), gelu);
        self.pointwise(&format!("{name}.output"), &hidden)
    }

    /// x (1 + g) + b, where (g, b) is a perceptron with three hidden layers applied to the
    /// condition.
    fn film(&self, name: &str, x: Channels, condition: &Channels) -> Channels {
        let mut c = condition.clone();
        for layer in 0..4 {
            c = self.pointwise(&format!("{name}.layers.{layer}"), &c);
            if layer < 3 {
                c = each(c, |x| x / (1.0 + (-x).exp()));
            }
        }
        let (scale, shift) = c.split_at(x.len());
        let both = scale.iter().zip(shift);
        x.iter()
            .zip(both)
            .map(|(x, (g, b))| (0..x.len()).map(|i| x[i] * (1.0 + g[i]) + b[i]).collect())
            .collect()
    }

    fn pointwise(&self, name: &str, x: &Channels) -> Channels {
        let (shape, weight) = &self.weights[&format!("{name}.weight")];
        let outputs = shape[1];
        let bias = self.weights.get(&format!("{name}.bias"));
        (0..outputs)
            .map(|o| {
                let start = bias.map_or(0.0, |(_, bias)| bias[o]);
                let mut out = vec![start; x[0].len()];
                for (i, channel) in x.iter().enumerate() {
                    for (out, x) in out.iter_mut().zip(channel) {
                        *out += weight[i * outputs + o] * x;
                    }
                }
                out
            })
            .collect()
    }

    /// Sums over the kept frequencies that the grid resolves: -n/2 .. n/2 along z and y, 0 ..= n/2
    /// along x.
    fn spectral(&self, name: &str, x: &Channels, grid: [usize; 3]) -> Channels {
        let [re, im] = ["re", "im"].map(|part| &self.weights[&format!("{name}.weight_{part}")]);
        let [rows, modes_x, inputs, outputs] = re.0[..] else {
            panic!("a matrix for each frequency")
        };
        let bias = self.values(&format!("{name}.bias"));
        let mut out: Channels = bias.iter().map(|b| vec![*b; x[0].len()]).collect();
        let [_, modes_y, _] = box_shape(&self.config.n_modes);
        let half = |n: usize| (n / 2) as i64;
        let is_held = |k: i64, n: usize| k >= -half(n) && k < n as i64 - half(n);
        for row in 0..rows {
            let kz = (row / modes_y) as i64 - half(rows / modes_y);
            let ky = (row % modes_y) as i64 - half(modes_y);
            if !is_held(kz, grid[0]) || !is_held(ky, grid[1]) {
                continue;
            }
            for kx in 0..modes_x.min(grid[2] / 2 + 1) {
                let k = [kz, ky, kx as i64];
                let spectrum: Vec<[f64; 2]> = x.iter().map(|x| coefficient(x, k, grid)).collect();
                for (o, out) in out.iter_mut().enumerate() {
                    let mut mixed = [0.0, 0.0];
                    for (i, [a, b]) in spectrum.iter().enumerate() {
                        let at = ((row * modes_x + kx) * inputs + i) * outputs + o;
                        mixed[0] += a * re.1[at] - b * im.1[at];
                        mixed[1] += a * im.1[at] + b * re.1[at];
                    }
                    add_wave(out, mixed, k, grid);
                }
            }
        }
        out
    }
}

/// Indices of a point along z, y and x.
fn place(point: usize, [_, ny, nx]: [usize; 3]) -> [usize; 3] {
    [point / (ny * nx), point / nx % ny, point % nx]
}

/// Phase of a wave at a point, in radians.
fn phase(point: usize, k: [i64; 3], grid: [usize; 3]) -> f64 {
    let place = place(point, grid);
    let turns = (0..3).map(|axis| k[axis] as f64 * place[axis] as f64 / grid[axis] as f64);
    TAU * turns.sum::<f64>()
}

/// Fourier coefficient of a frequency, with the factor 1/N.
fn coefficient(x: &[f64], k: [i64; 3], grid: [usize; 3]) -> [f64; 2] {
    let mut sum = [0.0, 0.0];
    for (i, value) in x.iter().enumerate() {
        let phase = phase(i, k, grid);
        sum[0] += value * phase.cos() / x.len() as f64;
        sum[1] -= value * phase.sin() / x.len() as f64;
    }
    sum
}

/// Adds the wave of a frequency to a real field: inverse transform along z and y, then along x.
/// Along x, frequency zero and, for even n, frequency n/2 have no conjugate partner, and only their
/// real part is used.
fn add_wave(out: &mut [f64], [re, im]: [f64; 2], k: [i64; 3], grid: [usize; 3]) {
    let alone = k[2] == 0 || 2 * k[2] == grid[2] as i64;
    for (i, out) in out.iter_mut().enumerate() {
        let up = phase(i, [k[0], k[1], 0], grid);
        let [re, im] = [re * up.cos() - im * up.sin(), re * up.sin() + im * up.cos()];
        let along = phase(i, [0, 0, k[2]], grid);
        *out += if alone {
            re * along.cos()
        } else {
            2.0 * (re * along.cos() - im * along.sin())
        };
    }
}

fn embedding(tau: f64) -> Vec<f64> {
    let phases = (0..5).map(|i| TAU * 0.1 * 1000f64.powf(f64::from(i) / 4.0) * tau);
    let phases: Vec<f64> = phases.collect();
    let sines = phases.iter().map(|phase| phase.sin());
    sines
        .chain(phases.iter().map(|phase| phase.cos()))
        .collect()
}

fn add(a: &Channels, b: &Channels) -> Channels {
    let rows = a.iter().zip(b);
    rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect())
        .collect()
}

fn each(x: Channels, f: fn(f64) -> f64) -> Channels {
    x.into_iter()
        .map(|channel| channel.into_iter().map(f).collect())
        .collect()
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / 2f64.sqrt()))
}

/// Abramowitz & Stegun (1964), 7.1.5; +-1 beyond 4, with an error of 1.5e-8.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.0 {
        return x.signum();
    }
    let (mut power, mut sum) = (x, x);
    for n in 1..80 {
        power *= -x * x / f64::from(n);
        sum += power / f64::from(2 * n + 1);
    }
    2.0 / PI.sqrt() * sum
}
