//! Agreement of two families of fields by wave number: correlation and coherence per band.

use std::f64::consts::TAU;
use std::sync::Arc;

use floral_fourier::{Complex, Fft, Precision};
use serde::Serialize;

use super::error::ratio;

/// Agreement of two families of fields in one band of wave numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    /// Smallest radial wave number of the band, in cycles per domain.
    pub from: usize,
    /// Largest radial wave number of the band.
    pub to: usize,
    /// Share of the second family's energy in this band.
    pub energy: f64,
    /// Energy of the first family divided by that of the second.
    pub gain: f64,
    /// Re <a b*> / sqrt(<|a|^2> <|b|^2>): agreement in phase, 1 for proportional fields.
    pub correlation: f64,
    /// Coherence |<a b*>|^2 / (<|a|^2> <|b|^2>), with averages over pairs at each wave vector:
    /// agreement up to a shift and a factor common to all pairs. For n unrelated pairs it is about
    /// 1/n.
    pub coherence: f64,
}

/// Cross-spectra of pairs of fields, averaged over pairs in octave bands 0, 1, 2-3, 4-7, ...
///
/// The mean of each field is subtracted and a Hann window is applied, because fields may not be
/// periodic (Welch 1967). The radial wave number is the Euclidean norm of the cycles per domain,
/// rounded.
pub struct BandSpectra {
    transform: TaperedTransform,
    band_of: Vec<usize>,
    sums: Vec<Sums>,
}

/// The Fourier transform of fields after subtraction of the mean and a Hann window.
pub(super) struct TaperedTransform {
    shape: Vec<usize>,
    transforms: Vec<Arc<dyn Fft<f64>>>,
    taper: Vec<f64>,
}

/// Sums over pairs at one wave vector.
#[derive(Debug, Clone, Default)]
struct Sums {
    cross: Complex<f64>,
    first: f64,
    second: f64,
}

impl BandSpectra {
    /// For fields on a grid of this shape.
    pub fn new(shape: &[usize]) -> Self {
        let points: usize = shape.iter().product();
        Self {
            transform: TaperedTransform::new(shape),
            band_of: (0..points).map(|i| octave(radius(shape, i))).collect(),
            sums: vec![Sums::default(); points],
        }
    }

    /// Adds a pair of fields, one channel each.
    pub fn push(&mut self, first: &[f64], second: &[f64]) {
        let (a, b) = (self.transform.of(first), self.transform.of(second));
        for ((sums, a), b) in self.sums.iter_mut().zip(&a).zip(&b) {
            sums.cross += a * b.conj();
            sums.first += a.norm_sqr();
            sums.second += b.norm_sqr();
        }
    }

    /// Adds sums gathered on the same grid.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    /// Adds sums gathered on the same grid, scaled by `weight`, for example to convert units.
    pub fn merge_weighted(&mut self, other: &Self, weight: f64) {
        let shapes = (&self.transform.shape, &other.transform.shape);
        assert_eq!(shapes.0, shapes.1, "spectra on the same grid");
        for (mine, theirs) in self.sums.iter_mut().zip(&other.sums) {
            mine.cross += theirs.cross * weight;
            mine.first += theirs.first * weight;
            mine.second += theirs.second * weight;
        }
    }

    /// The bands that have any energy, by wave number.
    pub fn bands(&self) -> Vec<Band> {
        let total: f64 = self.sums.iter().map(|s| s.second).sum();
        let count = self.band_of.iter().max().map_or(0, |last| last + 1);
        (0..count)
            .filter_map(|band| self.band(band, total))
            .collect()
    }

    fn band(&self, band: usize, total: f64) -> Option<Band> {
        let members = || {
            let pairs = self.band_of.iter().zip(&self.sums);
            pairs.filter(|(b, _)| **b == band).map(|(_, sums)| sums)
        };
        let first: f64 = members().map(|s| s.first).sum();
        let second: f64 = members().map(|s| s.second).sum();
        let in_phase: f64 = members().map(|s| s.cross.re).sum();
        let common: f64 = members().map(|s| s.cross.norm_sqr()).sum();
        let possible: f64 = members().map(|s| s.first * s.second).sum();
        (first + second > 0.0).then(|| Band {
            from: (1 << band) >> 1,
            to: (1 << band) - 1,
            energy: ratio(second, total),
            gain: ratio(first, second),
            correlation: ratio(in_phase, (first * second).sqrt()),
            coherence: ratio(common, possible),
        })
    }
}

impl TaperedTransform {
    /// For fields on a grid of this shape.
    pub fn new(shape: &[usize]) -> Self {
        let points: usize = shape.iter().product();
        Self {
            shape: shape.to_vec(),
            transforms: shape.iter().map(|&n| f64::forward(n)).collect(),
            taper: (0..points).map(|i| hann(shape, i)).collect(),
        }
    }

    /// The transform of a field.
    pub fn of(&self, field: &[f64]) -> Vec<Complex<f64>> {
        let mean = field.iter().sum::<f64>() / field.len() as f64;
        let mut spectrum: Vec<Complex<f64>> = field
            .iter()
            .zip(&self.taper)
            .map(|(v, taper)| ((v - mean) * taper).into())
            .collect();
        for axis in 0..self.shape.len() {
            self.transform_axis(&mut spectrum, axis);
        }
        spectrum
    }

    fn transform_axis(&self, spectrum: &mut [Complex<f64>], axis: usize) {
        let n = self.shape[axis];
        let stride: usize = self.shape[axis + 1..].iter().product();
        let mut line = vec![Complex::default(); n];
        for block in spectrum.chunks_exact_mut(n * stride) {
            for offset in 0..stride {
                for (i, value) in line.iter_mut().enumerate() {
                    *value = block[offset + i * stride];
                }
                self.transforms[axis].process(&mut line);
                for (i, value) in line.iter().enumerate() {
                    block[offset + i * stride] = *value;
                }
            }
        }
    }
}

/// Index and length along each axis, for the point at `index` in memory; the fastest axis comes
/// first.
fn positions(shape: &[usize], index: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    shape.iter().rev().scan(index, |rest, &n| {
        let i = *rest % n;
        *rest /= n;
        Some((i, n))
    })
}

/// The Hann window, sin^2 at the cell centres: it is nowhere zero, so that even two points keep a
/// weight.
fn hann(shape: &[usize], index: usize) -> f64 {
    positions(shape, index)
        .map(|(i, n)| match n {
            1 => 1.0,
            _ => 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / n as f64).cos(),
        })
        .product()
}

pub(super) fn radius(shape: &[usize], index: usize) -> usize {
    let square: f64 = positions(shape, index)
        .map(|(i, n)| (i.min(n - i) as f64).powi(2))
        .sum();
    square.sqrt().round() as usize
}

/// The octave of a wave number: 0 for 0, 1 for 1, 2 for 2-3, 3 for 4-7, ...
fn octave(wave_number: usize) -> usize {
    (usize::BITS - wave_number.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize, k: usize, phase: f64) -> Vec<f64> {
        (0..n)
            .map(|i| (TAU * (k * i) as f64 / n as f64 + phase).sin())
            .collect()
    }

    #[test]
    fn bands_are_octaves() {
        let edges: Vec<usize> = [0, 1, 2, 3, 4, 7, 8].iter().map(|&k| octave(k)).collect();
        assert_eq!(edges, [0, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn proportional_fields_are_fully_correlated_with_the_square_of_the_factor_as_gain() {
        let mut spectra = BandSpectra::new(&[64]);
        let field: Vec<f64> = wave(64, 3, 0.1)
            .iter()
            .zip(wave(64, 12, 0.7))
            .map(|(a, b)| a + b)
            .collect();
        let half: Vec<f64> = field.iter().map(|v| 0.5 * v).collect();
        spectra.push(&half, &field);
        for band in spectra.bands() {
            assert!((band.correlation - 1.0).abs() < 1e-12);
            assert!((band.coherence - 1.0).abs() < 1e-12);
            assert!((band.gain - 0.25).abs() < 1e-12);
        }
    }

    #[test]
    fn a_constant_shift_keeps_coherence_and_loses_correlation() {
        let mut spectra = BandSpectra::new(&[128]);
        for i in 0..32 {
            let phase = f64::from(i) * 0.618 * TAU;
            spectra.push(&wave(128, 12, phase + TAU / 4.0), &wave(128, 12, phase));
        }
        let bands = spectra.bands();
        let band = bands.iter().find(|b| b.from == 8).unwrap();
        assert_eq!((band.from, band.to), (8, 15));
        assert!(band.energy > 0.999 && band.coherence > 0.999 && band.correlation.abs() < 0.01);
    }

    #[test]
    fn unrelated_phases_are_incoherent() {
        let mut spectra = BandSpectra::new(&[16, 16]);
        for i in 0..400 {
            let (p, q) = (f64::from(i) * 0.618 * TAU, f64::from(i) * 0.414 * TAU);
            spectra.push(&wave(256, 48, p), &wave(256, 48, q));
        }
        assert!(spectra.bands().iter().all(|b| b.coherence < 0.01));
    }

    #[test]
    fn merging_is_the_same_as_pushing_everything_into_one() {
        let (mut whole, mut part) = (BandSpectra::new(&[32]), BandSpectra::new(&[32]));
        let mut rest = BandSpectra::new(&[32]);
        for (i, target) in [&mut part, &mut rest].into_iter().enumerate() {
            let (a, b) = (wave(32, 3 + i, 0.2), wave(32, 3, 0.5));
            target.push(&a, &b);
            whole.push(&a, &b);
        }
        part.merge(&rest);
        assert_eq!(part.bands(), whole.bands());
    }
}
