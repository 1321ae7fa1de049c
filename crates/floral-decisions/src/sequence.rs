//! Points that fill the unit cube evenly: a lattice, randomly shifted and folded, addressed by seed
//! and index.

use std::f64::consts::PI;

/// Largest number of points of a lattice.
pub(crate) const POINTS: usize = 1 << 16;

/// Number of candidate multipliers.
const CANDIDATES: u64 = 128;

/// Number of multipliers that are kept.
const GENERATORS: usize = 4;

/// Weight of a coordinate in the criterion; small weights emphasise subsets of few coordinates.
const WEIGHT: f64 = 0.3;

/// A Korobov lattice of n points, n prime: coordinate j of point k is k a^j / n, randomly shifted,
/// modulo 1.
///
/// The multiplier a is the best of some candidates by the mean square error of integrals of smooth
/// periodic functions (L'Ecuyer & Lemieux, Management Science 46 (2000)). The fold x -> 1 - |2 x -
/// 1| makes integrals of non-periodic functions as accurate (Hickernell, Obtaining O(N^-2+e)
/// convergence for lattice quadrature rules, 2002).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lattice {
    points: u64,
    /// The best multipliers; each shift takes the next one, because a function may resonate with
    /// one of them.
    generators: Vec<Vec<u64>>,
}

impl Lattice {
    /// A lattice with at least this number of points, for this number of coordinates.
    pub fn new(points: usize, dimensions: usize) -> Self {
        // Powers of a repeat after at most n - 1 coordinates.
        let points = next_prime(points.max(2 * dimensions + 1).max(31) as u64);
        let multiplier = |i: u64| 2 + mixed(i) % (points - 3);
        let generator = |a: u64| -> Vec<u64> {
            let powers = std::iter::successors(Some(1), |z| Some(z * a % points));
            powers.take(dimensions).collect()
        };
        let all = (0..CANDIDATES).map(|i| generator(multiplier(i)));
        let mut rated: Vec<(f64, Vec<u64>)> = all.map(|z| (criterion(points, &z), z)).collect();
        rated.sort_by(|a, b| a.0.total_cmp(&b.0));
        rated.dedup_by(|a, b| a.1 == b.1);
        rated.truncate(GENERATORS);
        Self {
            points,
            generators: rated.into_iter().map(|(_, z)| z).collect(),
        }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points as usize
    }

    /// One coordinate of a point, in the open interval from 0 to 1; `shift` is the number of an
    /// independent shift.
    pub fn coordinate(&self, seed: u64, shift: u64, index: usize, dimension: usize) -> f64 {
        let word = mixed(mixed(mixed(seed) ^ shift) ^ dimension as u64);
        let random = (word >> 11) as f64 / (1u64 << 53) as f64;
        let step = index as u64 % self.points
            * self.generators[shift as usize % self.generators.len()][dimension]
            % self.points;
        let x = (step as f64 / self.points as f64 + random).fract();
        (1.0 - (2.0 * x - 1.0).abs()).clamp(f64::EPSILON, 1.0 - f64::EPSILON)
    }
}

/// The mean square error, over random shifts, of integrals in a space of smooth periodic functions.
fn criterion(points: u64, generator: &[u64]) -> f64 {
    let kernel = |k: u64| -> f64 {
        let factor = |z: &u64| {
            let x = (k * z % points) as f64 / points as f64;
            1.0 + WEIGHT * 2.0 * PI * PI * (x * x - x + 1.0 / 6.0)
        };
        generator.iter().map(factor).product()
    };
    (0..points).map(kernel).sum()
}

fn next_prime(from: u64) -> u64 {
    let divides = |n: u64| {
        (2..)
            .take_while(move |d| d * d <= n)
            .any(|d| n.is_multiple_of(d))
    };
    let mut n = from.max(5);
    while divides(n) {
        n += 1;
    }
    n
}

/// The finalizer of SplitMix64: Steele, Lea & Flood (2014).
fn mixed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_is_even_and_no_two_are_the_same() {
        let lattice = Lattice::new(60, 12);
        assert_eq!(lattice.len(), 61);
        let column =
            |d: usize| -> Vec<f64> { (0..61).map(|i| lattice.coordinate(3, 2, i, d)).collect() };
        for d in 0..12 {
            // The fold keeps the points even, apart from the shift: about ten of 61 in each sixth.
            let mut seen = [0; 6];
            column(d).iter().for_each(|x| seen[(6.0 * x) as usize] += 1);
            assert!(seen.iter().all(|n| (9..=11).contains(n)), "{seen:?}");
            assert!((0..d).all(|other| lattice.generators[2][d] != lattice.generators[2][other]));
        }
    }

    #[test]
    fn points_depend_on_seed_shift_index_and_dimension() {
        let lattice = Lattice::new(100, 4);
        let base = lattice.coordinate(1, 2, 3, 1);
        assert_eq!(base, lattice.coordinate(1, 2, 3, 1));
        for (seed, shift, index, dimension) in
            [(2, 2, 3, 1), (1, 3, 3, 1), (1, 2, 4, 1), (1, 2, 3, 2)]
        {
            assert_ne!(base, lattice.coordinate(seed, shift, index, dimension));
        }
    }

    #[test]
    fn a_smooth_mean_is_far_more_accurate_than_by_independent_points() {
        let lattice = Lattice::new(1000, 3);
        let value = |i: usize| -> f64 {
            (0..3)
                .map(|d| lattice.coordinate(5, 0, i, d).exp())
                .product()
        };
        let mean = (0..lattice.len()).map(value).sum::<f64>() / lattice.len() as f64;
        let truth = (1f64.exp() - 1.0).powi(3);
        // Independent points: about 0.08.
        assert!((mean - truth).abs() < 1e-3, "{}", mean - truth);
    }
}
