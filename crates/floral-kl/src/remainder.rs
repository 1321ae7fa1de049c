//! The remainder: the variance that the factors leave, as white noise smoothed to a fitted width.

use std::ops::{AddAssign, Mul};

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Lattice;
use super::scattered::{SmoothNoise, spacing};

/// Reach of filters in widths.
const REACH: f64 = 3.0;

/// Draws are filtered in single precision, covariances in double.
trait Number: Copy + From<f32> + Mul<Output = Self> + AddAssign {}

impl Number for f32 {}
impl Number for f64 {}

/// A filter along one axis that keeps the variance of white noise.
struct Smoothing {
    /// Number of positions, and how far apart in memory they are.
    len: usize,
    stride: usize,
    periodic: bool,
    /// One tap per shift from -reach to reach.
    taps: Vec<f32>,
    /// Factor at each position that keeps the variance: near an end of the axis fewer taps count.
    scale: Vec<f32>,
}

/// A Gaussian field with a given deviation at every point and the correlation of its filters.
pub(super) struct Remainder {
    deviation: Vec<f32>,
    points: usize,
    smoothing: Vec<Smoothing>,
    /// The noise on scattered points, in place of filtered white noise.
    scattered: Option<SmoothNoise>,
}

impl Remainder {
    /// deviation: [channel, point]; widths: in points along each axis, or in distances between
    /// nearest neighbours of scattered points.
    pub(super) fn new(lattice: &Lattice, widths: &[f64], deviation: Vec<f32>) -> Self {
        let axes = widths.iter().enumerate();
        let scattered = lattice
            .points()
            .zip(widths.first().filter(|width| **width > 0.0));
        let scattered =
            scattered.map(|(points, width)| SmoothNoise::new(points, width * spacing(points)));
        let smoothing = axes.filter_map(|(axis, width)| Smoothing::new(lattice, axis, *width));
        Self {
            deviation,
            points: lattice.len(),
            smoothing: match lattice.points() {
                Some(_) => Vec::new(),
                None => smoothing.collect(),
            },
            scattered,
        }
    }

    /// The deviation at every value: [channel, point].
    pub(super) fn deviation(&self) -> &[f32] {
        &self.deviation
    }

    /// The covariances of all values with sum_i factor_i u_i over entries (place, factor):
    /// C = D A A' D, with the deviations D and the filters A.
    pub(super) fn covariances(&self, entries: &[(usize, f64)]) -> Vec<f64> {
        let mut all = vec![0.0; self.deviation.len()];
        for (place, factor) in entries {
            all[*place] += factor * f64::from(self.deviation[*place]);
        }
        let mut next = vec![0.0; self.points];
        for channel in all.chunks_exact_mut(self.points.max(1)) {
            if channel.iter().all(|v| *v == 0.0) {
                continue;
            }
            if let Some(scattered) = &self.scattered {
                channel.copy_from_slice(&scattered.covariances(channel));
                continue;
            }
            let mut field = channel.to_vec();
            for along in self.smoothing.iter().rev() {
                along.apply_transposed(&mut field, &mut next);
                std::mem::swap(&mut field, &mut next);
            }
            for along in &self.smoothing {
                along.apply(&field, &mut next);
                std::mem::swap(&mut field, &mut next);
            }
            channel.copy_from_slice(&field);
        }
        let scaled = all.iter().zip(&self.deviation);
        scaled.map(|(v, d)| v * f64::from(*d)).collect()
    }

    /// Adds one draw to `out`: [channel, point].
    pub(super) fn add(&self, rng: &mut impl Rng, out: &mut [f32]) {
        let mut noise = vec![0.0; self.points];
        let mut smooth = vec![0.0; self.points];
        let channels = out.chunks_exact_mut(self.points);
        for (out, deviation) in channels.zip(self.deviation.chunks_exact(self.points)) {
            match &self.scattered {
                Some(scattered) => scattered.draw(rng, &mut noise),
                None => noise
                    .iter_mut()
                    .for_each(|v| *v = StandardNormal.sample(rng)),
            }
            for along in &self.smoothing {
                along.apply(&noise, &mut smooth);
                std::mem::swap(&mut noise, &mut smooth);
            }
            for (out, (noise, deviation)) in out.iter_mut().zip(noise.iter().zip(deviation)) {
                *out += noise * deviation;
            }
        }
    }
}

impl Smoothing {
    fn new(lattice: &Lattice, axis: usize, width: f64) -> Option<Self> {
        let (len, periodic) = (lattice.axes[axis].len, lattice.axes[axis].periodic);
        let reach = ((REACH * width).ceil() as usize).min((len.max(1) - 1) / 2);
        if reach == 0 {
            return None;
        }
        let tap = |k: usize| (-0.5 * ((k as f64 - reach as f64) / width).powi(2)).exp();
        let taps: Vec<f64> = (0..=2 * reach).map(tap).collect();
        let scale = |i: usize| {
            let inside = |k: &usize| periodic || (i + k >= reach && i + k < len + reach);
            let square: f64 = (0..taps.len())
                .filter(inside)
                .map(|k| taps[k].powi(2))
                .sum();
            1.0 / square.sqrt() as f32
        };
        Some(Self {
            len,
            stride: lattice.stride(axis),
            periodic,
            scale: (0..len).map(scale).collect(),
            taps: taps.iter().map(|t| *t as f32).collect(),
        })
    }

    fn apply<T: Number>(&self, noise: &[T], out: &mut [T]) {
        self.convolve(noise, out);
        self.rescale(out);
    }

    /// The transpose of `apply`; the taps are symmetric.
    fn apply_transposed<T: Number>(&self, from: &mut [T], out: &mut [T]) {
        self.rescale(from);
        self.convolve(from, out);
    }

    fn rescale<T: Number>(&self, fields: &mut [T]) {
        for block in fields.chunks_exact_mut(self.len * self.stride) {
            for (line, scale) in block.chunks_exact_mut(self.stride).zip(&self.scale) {
                let scale = T::from(*scale);
                line.iter_mut().for_each(|v| *v = scale * *v);
            }
        }
    }

    /// Shifts every block of positions as a whole, so that the inner loop is over contiguous
    /// memory.
    fn convolve<T: Number>(&self, noise: &[T], out: &mut [T]) {
        let block = self.len * self.stride;
        let reach = self.taps.len() / 2;
        for (noise, out) in noise.chunks_exact(block).zip(out.chunks_exact_mut(block)) {
            out.fill(T::from(0.0));
            for (k, tap) in self.taps.iter().enumerate() {
                let shift = k.abs_diff(reach) * self.stride;
                let rest = block - shift;
                if k >= reach {
                    add(*tap, &noise[shift..], &mut out[..rest]);
                    if self.periodic {
                        add(*tap, &noise[..shift], &mut out[rest..]);
                    }
                } else {
                    add(*tap, &noise[..rest], &mut out[shift..]);
                    if self.periodic {
                        add(*tap, &noise[rest..], &mut out[..shift]);
                    }
                }
            }
        }
    }
}

fn add<T: Number>(factor: f32, from: &[T], to: &mut [T]) {
    let factor = T::from(factor);
    to.iter_mut()
        .zip(from)
        .for_each(|(to, v)| *to += factor * *v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;
    use crate::testing::{Purpose, stream};

    #[test]
    fn draws_have_their_deviation_everywhere_and_the_correlation_of_their_width() {
        let lattice = lattice(&[("t", 12), ("x", 20)], &["x"]);
        let deviation: Vec<f32> = (0..240).map(|p| 1.0 + p as f32 / 240.0).collect();
        let remainder = Remainder::new(&lattice, &[1.0, 1.5], deviation.clone());
        let count = 20_000;
        let mut square = vec![0.0; 240];
        let (mut across_seam, mut in_time) = (0.0, 0.0);
        for j in 0..count {
            let mut draw = vec![0.0; 240];
            remainder.add(&mut stream(1, Purpose::Prior, 0, j), &mut draw);
            let unit: Vec<f32> = draw.iter().zip(&deviation).map(|(v, d)| v / d).collect();
            square.iter_mut().zip(&unit).for_each(|(s, v)| *s += v * v);
            across_seam += unit[100] * unit[119];
            in_time += unit[105] * unit[125];
        }
        let mean = |sum: f32| f64::from(sum) / count as f64;
        assert!(square.iter().all(|s| (mean(*s) - 1.0).abs() < 0.06));
        let expected = |width: f64| (-0.25 / (width * width)).exp();
        assert!((mean(across_seam) - expected(1.5)).abs() < 0.04);
        assert!((mean(in_time) - expected(1.0)).abs() < 0.04);
    }

    #[test]
    fn covariances_are_those_of_draws() {
        let lattice = lattice(&[("t", 6), ("x", 7)], &["x"]);
        let deviation: Vec<f32> = (0..84).map(|p| 0.5 + p as f32 / 84.0).collect();
        let remainder = Remainder::new(&lattice, &[0.8, 1.2], deviation);
        let entries = [(9, 0.7), (10, 0.3), (60, -1.0)];
        let found = remainder.covariances(&entries);
        let (mut sums, count) = (vec![0.0; 84], 20_000);
        for j in 0..count {
            let mut draw = vec![0.0; 84];
            remainder.add(&mut stream(2, Purpose::Prior, 0, j), &mut draw);
            let read: f64 = entries.iter().map(|(p, f)| f * f64::from(draw[*p])).sum();
            let pairs = sums.iter_mut().zip(&draw);
            pairs.for_each(|(sum, v)| *sum += read * f64::from(*v) / count as f64);
        }
        let errors = found.iter().zip(&sums).map(|(a, b)| (a - b).abs());
        assert!(errors.fold(0.0, f64::max) < 0.05);
    }
}
