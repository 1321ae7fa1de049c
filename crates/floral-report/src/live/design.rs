//! The box of a model's parameters, and points that fill it.

use floral::train::Header;

/// Maximum number of parameters for which a design contains all corners.
const MOST_CORNERED: usize = 5;

/// The seed of random points.
const SEED: u64 = 0x11fe;

/// The box spanned by the training inputs. Points in it have coordinates between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bounds {
    /// Lower and upper bound of each parameter.
    pub bounds: Vec<[f64; 2]>,
}

impl Bounds {
    pub fn of(header: &Header) -> Self {
        let ranges = header.ranges.input.iter();
        Self {
            bounds: ranges.map(|range| [range.min, range.max]).collect(),
        }
    }

    /// Whether no parameter varies.
    pub fn is_point(&self) -> bool {
        self.bounds.iter().all(|[from, to]| from == to)
    }

    /// The parameters at a point.
    pub fn parameters(&self, place: &[f64]) -> Vec<f64> {
        let pairs = self.bounds.iter().zip(place);
        pairs
            .map(|([from, to], t)| from + t * (to - from))
            .collect()
    }

    /// Corners, centres of faces, and a sequence that fills the box. A longer design starts with
    /// the shorter one.
    ///
    /// The sequence is additive, with the steps of Roberts (2018), "The unreasonable effectiveness
    /// of quasirandom sequences": powers of 1 / phi, where phi^(d + 1) = phi + 1.
    pub fn design(&self, count: usize) -> Vec<Vec<f64>> {
        let d = self.bounds.len();
        let corners = if d <= MOST_CORNERED { 1 << d } else { 0 };
        let corner = |k: usize| {
            (0..d)
                .map(|axis| f64::from(u8::from((k >> axis) & 1 == 1)))
                .collect()
        };
        let side = |k: usize| {
            let mut place = vec![0.5; d];
            place[k / 2] = (k % 2) as f64;
            place
        };
        let ends: Vec<Vec<f64>> = (0..corners)
            .map(corner)
            .chain((0..2 * d).map(side))
            .collect();
        let phi = (0..64).fold(2.0_f64, |phi, _| (phi + 1.0).powf(1.0 / (d + 1) as f64));
        let within = |i: usize| -> Vec<f64> {
            let step = |axis: usize| phi.powi(-(axis as i32 + 1));
            (0..d)
                .map(|axis| (0.5 + (i + 1) as f64 * step(axis)).fract())
                .collect()
        };
        ends.into_iter().chain((0..count).map(within)).collect()
    }

    /// Uniform random points, the same in every call.
    pub fn random(&self, count: usize) -> Vec<Vec<f64>> {
        let d = self.bounds.len();
        let place = |i: usize| (0..d).map(|axis| uniform((i * d + axis) as u64)).collect();
        (0..count).map(place).collect()
    }
}

/// A uniform number between 0 and 1 for each index (SplitMix64): Steele, Lea & Flood (2014), "Fast
/// splittable pseudorandom number generators".
fn uniform(index: u64) -> f64 {
    let mut bits = SEED.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_begins_with_the_shorter_one_and_fills_the_box() {
        let all = Bounds {
            bounds: vec![[0.0, 1.0]; 3],
        };
        let (short, long) = (all.design(64), all.design(128));
        assert_eq!(short[..], long[..short.len()]);
        for axis in 0..3 {
            let below = long[14..].iter().filter(|place| place[axis] < 0.5).count();
            assert!((58..=70).contains(&below), "{below}");
        }
        assert!(long.iter().flatten().all(|t| (0.0..=1.0).contains(t)));
        assert_eq!(all.random(4), all.random(8)[..4]);
    }
}
