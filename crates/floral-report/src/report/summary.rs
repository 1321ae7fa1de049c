//! The summary of an ensemble: its distribution, a sample of its values, its spectrum.
//!
//! Made by `test_input` from all members, drawn by the figures.

use super::distribution::Distribution;
use floral::metric::{Fields, RadialSpectrum};

/// Values kept of each input for distributions over all inputs.
const VALUES: usize = 4096;

/// Realizations whose spectra are averaged.
const SPECTRA: usize = 64;

/// What a report shows of one input's solutions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The distribution.
    pub distribution: Distribution,
    /// Values scattered over realizations and points, each after the low-fidelity value at its
    /// point, which is not a number where there is none: [value, 2].
    pub pairs: Vec<[f32; 2]>,
    /// Energy by wave number of single realizations.
    pub spectrum: Vec<f64>,
}

impl Summary {
    /// Of members with a distribution.
    pub fn new(
        members: Fields,
        low: Option<&[f64]>,
        shape: &[usize],
        distribution: Distribution,
    ) -> Self {
        Self {
            distribution,
            pairs: pairs(members, low),
            spectrum: spectrum(members.iter().take(SPECTRA), shape),
        }
    }
}

fn pairs(members: Fields, low: Option<&[f64]>) -> Vec<[f32; 2]> {
    let points = members.points();
    let total = members.count() * points;
    let pair = |at: usize| {
        let low = low.map_or(f32::NAN, |low| low[at % points] as f32);
        [low, members.field(at / points)[at % points]]
    };
    scattered(total, VALUES).map(pair).collect()
}

/// Mean energy by wave number of fields, [channel, point] each, over all channels.
pub fn spectrum<'a>(fields: impl Iterator<Item = &'a [f32]>, shape: &[usize]) -> Vec<f64> {
    let mut spectrum = RadialSpectrum::new(shape);
    let points: usize = shape.iter().product();
    for field in fields {
        let values: Vec<f64> = field.iter().map(|v| f64::from(*v)).collect();
        values
            .chunks_exact(points)
            .for_each(|channel| spectrum.push(channel));
    }
    spectrum.energies()
}

/// So many of 0..total, without repetition and without pattern: multiples of a step that shares no
/// factor with the total and is near its golden section.
pub fn scattered(total: usize, wanted: usize) -> impl Iterator<Item = usize> {
    let mut step = ((total as f64 * 0.618_033_988_75) as usize).max(1);
    while greatest_common_divisor(step, total) > 1 {
        step += 1;
    }
    (0..wanted.min(total)).map(move |i| i * step % total)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_indices_are_different_and_spread_evenly() {
        for (total, wanted) in [(1, 5), (7, 7), (1000, 100), (4096 * 50, 4096)] {
            let mut all: Vec<usize> = scattered(total, wanted).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), wanted.min(total));
            let below = all.iter().filter(|i| **i < total.div_ceil(2)).count();
            assert!(below.abs_diff(all.len() / 2) <= 1 + all.len() / 50);
        }
    }

    #[test]
    fn a_value_keeps_the_low_fidelity_value_of_its_point() {
        let members = [10.0, 20.0, 30.0, 11.0, 21.0, 31.0];
        let low = [1.0, 2.0, 3.0];
        for [low, value] in pairs(Fields::new(&members, 3).unwrap(), Some(&low)) {
            assert_eq!((value / 10.0).floor(), low);
        }
        let without = pairs(Fields::new(&members, 3).unwrap(), None);
        assert!(without.iter().all(|[low, _]| low.is_nan()));
    }
}
