//! Energy of fields by wave number, averaged over rings of wave vectors.

use super::spectrum::{TaperedTransform, radius};

/// Mean energy of fields on each ring of wave vectors, in units of the field squared.
///
/// The mean of each field is subtracted and a Hann window is applied, because fields may not be
/// periodic. The energy of a ring is the sum of its squared amplitudes; the sum over all rings is
/// the variance of the tapered field.
pub struct RadialSpectrum {
    transform: TaperedTransform,
    ring_of: Vec<usize>,
    energy: Vec<f64>,
    fields: usize,
}

impl RadialSpectrum {
    /// For fields on a grid of this shape. Rings beyond the shortest axis are incomplete and left
    /// out.
    pub fn new(shape: &[usize]) -> Self {
        let points: usize = shape.iter().product();
        let longest = shape.iter().filter(|n| **n > 1).min().map_or(0, |n| n / 2);
        Self {
            transform: TaperedTransform::new(shape),
            ring_of: (0..points).map(|i| radius(shape, i)).collect(),
            energy: vec![0.0; longest + 1],
            fields: 0,
        }
    }

    /// Adds a field, one channel.
    pub fn push(&mut self, field: &[f64]) {
        // The transform is not normalised: the squared number of points converts its squares to
        // energies.
        let scale = (field.len() as f64).powi(-2);
        for (amplitude, ring) in self.transform.of(field).iter().zip(&self.ring_of) {
            if let Some(energy) = self.energy.get_mut(*ring) {
                *energy += scale * amplitude.norm_sqr();
            }
        }
        self.fields += 1;
    }

    /// Mean energy at the wave numbers 0, 1, 2, ..., in cycles per domain.
    pub fn energies(&self) -> Vec<f64> {
        let fields = self.fields.max(1) as f64;
        self.energy.iter().map(|energy| energy / fields).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    #[test]
    fn the_energy_of_a_wave_lies_at_its_wave_number() {
        let n = 32;
        let mut spectrum = RadialSpectrum::new(&[n, n]);
        let wave = |i: usize| (TAU * 5.0 * (i % n) as f64 / n as f64).sin();
        let field: Vec<f64> = (0..n * n).map(wave).collect();
        spectrum.push(&field);
        let energies = spectrum.energies();
        assert_eq!(energies.len(), n / 2 + 1);
        let near: f64 = energies[3..=7].iter().sum();
        assert!(near > 0.99 * energies.iter().sum::<f64>());
        assert!(energies[5] > energies[4] && energies[5] > energies[6]);
    }

    #[test]
    fn energies_are_averages_of_squares() {
        let mut one = RadialSpectrum::new(&[16]);
        let field: Vec<f64> = (0..16).map(|i| (i as f64).cos()).collect();
        one.push(&field);
        let mut two = RadialSpectrum::new(&[16]);
        two.push(&field);
        two.push(&field.iter().map(|v| 3.0 * v).collect::<Vec<_>>());
        for (a, b) in one.energies().iter().zip(two.energies()) {
            assert!((5.0 * a - b).abs() < 1e-12);
        }
    }
}
