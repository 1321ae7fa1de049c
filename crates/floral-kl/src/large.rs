//! Large domains: points at which candidates are judged, and products of positions along axes.
//!
//! Neighbouring points are redundant. Beyond [`LARGE`] points candidates are judged at some points,
//! and only members of a blend are evaluated at all points. `separable` filters a grid only at a
//! product of positions.

use super::Lattice;
use super::scattered::sampled;

/// Points beyond which a domain is large.
const LARGE: usize = 16_384;

/// Approximate number of points at which candidates are judged on a large domain.
const JUDGED: usize = 8192;

/// A product of positions is used if it has at most this many times the requested points.
const MOST_EXCESS: usize = 4;

/// Whether candidates are judged at some points of the lattice only.
pub(crate) fn is_large(lattice: &Lattice) -> bool {
    lattice.len() > LARGE
}

/// The points at which candidates are judged; `None` means all. Scattered points are chosen in
/// proportion to their weights.
pub(crate) fn judging(lattice: &Lattice) -> Option<Vec<usize>> {
    if !is_large(lattice) {
        return None;
    }
    if let Some(points) = lattice.points() {
        let every = lattice.len() as f64 / JUDGED as f64;
        return Some(sampled(points, &points.curve(), every, 0.5));
    }
    let mut steps = vec![1; lattice.axes.len()];
    let left = |steps: &[usize], axis: usize| lattice.axes[axis].len.div_ceil(steps[axis]);
    while (0..steps.len()).map(|a| left(&steps, a)).product::<usize>() > JUDGED {
        let longest = |axis: &usize| (left(&steps, *axis), usize::MAX - axis);
        let axis = (0..steps.len()).max_by_key(longest).unwrap_or(0);
        steps[axis] += 1;
    }
    let is_kept = |p: &usize| {
        let along = |axis: usize| lattice.position(*p, axis) % steps[axis] == steps[axis] / 2;
        (0..steps.len()).all(along)
    };
    Some((0..lattice.len()).filter(is_kept).collect())
}

/// A field at some points: [.., point] -> [.., chosen point].
pub(crate) fn picked(field: &[f64], points: usize, at: &[usize]) -> Vec<f64> {
    let channels = field.chunks_exact(points.max(1));
    channels
        .flat_map(|channel| at.iter().map(|&p| channel[p]))
        .collect()
}

/// A product of positions along the axes of a grid, which contains some requested points.
pub(crate) struct Positions {
    /// Positions along every axis, in order.
    pub along: Vec<Vec<usize>>,
    /// The place of each requested point in the product, the last axis fastest.
    pub places: Vec<usize>,
}

impl Positions {
    /// All points of a lattice.
    pub(crate) fn all(lattice: &Lattice) -> Self {
        Self {
            along: lattice.shape().iter().map(|n| (0..*n).collect()).collect(),
            places: (0..lattice.len()).collect(),
        }
    }

    /// The product that contains these points; `None` if it has many more.
    pub(crate) fn of(lattice: &Lattice, points: &[usize]) -> Option<Self> {
        if points.len() == lattice.len() && points.is_sorted() {
            return Some(Self::all(lattice));
        }
        let axes = 0..lattice.axes.len();
        let along = |axis: usize| -> Vec<usize> {
            let n = lattice.axes[axis].len;
            let mut is_seen = vec![false; n];
            points
                .iter()
                .for_each(|p| is_seen[lattice.position(*p, axis)] = true);
            (0..n).filter(|i| is_seen[*i]).collect()
        };
        let along: Vec<Vec<usize>> = axes.map(along).collect();
        let size: usize = along.iter().map(Vec::len).product();
        if size > MOST_EXCESS * points.len() {
            return None;
        }
        let mut places = vec![0; points.len()];
        for (axis, kept) in along.iter().enumerate() {
            let mut place_of = vec![0; lattice.axes[axis].len];
            kept.iter().enumerate().for_each(|(k, i)| place_of[*i] = k);
            for (place, p) in places.iter_mut().zip(points) {
                *place = *place * kept.len() + place_of[lattice.position(*p, axis)];
            }
        }
        Some(Self { along, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lattice, scattered};

    #[test]
    fn a_small_domain_is_judged_everywhere_and_a_large_one_at_about_as_many_points() {
        assert!(judging(&lattice(&[("y", 128), ("x", 128)], &[])).is_none());
        let large = [
            lattice(&[("t", 400), ("y", 16), ("x", 16)], &[]),
            lattice(&[("z", 32), ("y", 32), ("x", 32)], &[]),
            lattice(&[("x", 100_000)], &["x"]),
            Lattice::of_points("point", scattered(20_000, 3)),
        ];
        for lattice in large {
            let count = judging(&lattice).unwrap().len();
            assert!(
                (JUDGED / 3..=JUDGED + JUDGED / 4).contains(&count),
                "{count}"
            );
        }
    }

    #[test]
    fn points_that_are_no_product_are_not_taken_for_one() {
        let lattice = lattice(&[("t", 5), ("y", 4), ("x", 3)], &[]);
        assert!(Positions::of(&lattice, &[0, 16, 32, 48]).is_none());
        assert_eq!(Positions::of(&lattice, &[7]).unwrap().places, [0]);
    }

    #[test]
    fn points_are_found_in_the_product_of_their_positions() {
        let lattice = lattice(&[("t", 5), ("y", 4), ("x", 3)], &[]);
        let points = [42, 12, 20, 38, 14, 44];
        let Positions { along, places } = Positions::of(&lattice, &points).unwrap();
        assert_eq!(along, [vec![1, 3], vec![0, 2], vec![0, 2]]);
        for (p, place) in points.iter().zip(places) {
            let [ny, nx] = [along[1].len(), along[2].len()];
            let at = [
                along[0][place / (nx * ny)],
                along[1][place / nx % ny],
                along[2][place % nx],
            ];
            assert_eq!((at[0] * 4 + at[1]) * 3 + at[2], *p);
        }
    }
}
