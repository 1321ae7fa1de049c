//! Transforms of complex numbers along one axis that keeps frequencies of both signs.
//!
//! Values along the axis are *pairs*: the real parts of all channels, then their imaginary parts. A
//! point may hold several pairs, such as one for each frequency along another axis.

use std::ops::Range;

use crate::fold::{Points, ToFrequencies, ToPoints};

/// The transform from the points of an axis to its frequencies and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Across {
    n: usize,
    frequencies: Range<i32>,
    to_frequencies: ToFrequencies,
    to_points: ToPoints,
}

/// Scratch for waves and for half the points, kept from call to call.
pub type Room = [Vec<f32>; 2];

impl Across {
    /// The transform on n points, with weights for analysis (to frequencies) and synthesis (to
    /// points).
    pub fn new(n: usize, frequencies: Range<i32>, [analysis, synthesis]: [f64; 2]) -> Self {
        // A frequency and its negative share their waves.
        let sizes = frequencies.clone().map(|k| k.unsigned_abs() as usize + 1);
        let magnitudes = sizes.max().unwrap_or(0);
        Self {
            n,
            frequencies,
            to_frequencies: ToFrequencies::new(n, magnitudes, |_| analysis),
            to_points: ToPoints::new(n, magnitudes, |_| synthesis),
        }
    }

    /// Points along the axis.
    pub fn points(&self) -> usize {
        self.n
    }

    /// Kept frequencies.
    pub fn count(&self) -> usize {
        self.frequencies.len()
    }

    /// Pairs at the points -> pairs at the frequencies: [frequency, pair, 2, channel].
    pub fn analyse(
        &self,
        points: Points<'_>,
        channels: usize,
        modes: &mut [f32],
        [sums, scratch]: &mut Room,
    ) {
        let (width, pair) = (points.width(), 2 * channels);
        let size = self.to_frequencies.count() * width;
        sums.resize(2 * size, 0.0);
        self.to_frequencies.sums(points, sums, scratch);
        let (cosines, sines) = sums.split_at(size);
        for (k, mode) in self.frequencies.clone().zip(modes.chunks_exact_mut(width)) {
            let at = k.unsigned_abs() as usize * width;
            // A - i B for positive frequencies, A + i B for negative ones.
            let sign = if k < 0 { -1.0 } else { 1.0 };
            let a = cosines[at..at + width].chunks_exact(pair);
            let b = sines[at..at + width].chunks_exact(pair);
            for ((a, b), mode) in a.zip(b).zip(mode.chunks_exact_mut(pair)) {
                let (a_re, a_im) = a.split_at(channels);
                let (b_re, b_im) = b.split_at(channels);
                let (re, im) = mode.split_at_mut(channels);
                for ((re, a), b) in re.iter_mut().zip(a_re).zip(b_im) {
                    *re = a + sign * b;
                }
                for ((im, a), b) in im.iter_mut().zip(a_im).zip(b_re) {
                    *im = a - sign * b;
                }
            }
        }
    }

    /// Adds the synthesis of the modes to the values at the points, [point, pair, 2, channel].
    pub fn add(&self, modes: Modes<'_>, values: &mut [f32], [waves, scratch]: &mut Room) {
        self.waves(modes, waves);
        self.to_points
            .add_values(waves, modes.width(), values, scratch);
    }

    /// The modes as waves of cosines and sines, [2, frequency, pair, 2, channel].
    fn waves(&self, modes: Modes<'_>, waves: &mut Vec<f32>) {
        let (channels, width) = (modes.channels, modes.width());
        let size = self.to_points.count() * width;
        waves.clear();
        waves.resize(2 * size, 0.0);
        let (cosines, sines) = waves.split_at_mut(size);
        for (i, k) in self.frequencies.clone().enumerate() {
            let at = k.unsigned_abs() as usize * width;
            // m e^(i k y) = m cos + i m sin, and the sine of a negative frequency is negative.
            let sign = k.signum() as f32;
            let pair = 2 * channels;
            let cosines = cosines[at..at + width].chunks_exact_mut(pair);
            let sines = sines[at..at + width].chunks_exact_mut(pair);
            for (j, (cosines, sines)) in cosines.zip(sines).enumerate() {
                let (cos_re, cos_im) = cosines.split_at_mut(channels);
                let (sin_re, sin_im) = sines.split_at_mut(channels);
                let [re, im] = modes.pair(i * modes.pairs + j);
                for ((cos, sin), re) in cos_re.iter_mut().zip(sin_im).zip(re) {
                    *cos += re;
                    *sin += sign * re;
                }
                for ((cos, sin), im) in cos_im.iter_mut().zip(sin_re).zip(im) {
                    *cos += im;
                    *sin -= sign * im;
                }
            }
        }
    }
}

/// Pairs at the frequencies of an axis: [frequency, pair, 2]; `stride` is the distance between
/// parts.
#[derive(Clone, Copy)]
pub struct Modes<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    /// Pairs per frequency.
    pub pairs: usize,
    pub channels: usize,
}

impl<'a> Modes<'a> {
    fn width(&self) -> usize {
        2 * self.pairs * self.channels
    }

    /// Real and imaginary part.
    fn pair(&self, index: usize) -> [&'a [f32]; 2] {
        [2 * index, 2 * index + 1].map(|part| &self.values[part * self.stride..][..self.channels])
    }
}
