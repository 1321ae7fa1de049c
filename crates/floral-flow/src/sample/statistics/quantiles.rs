//! Quantiles at every point of a field in bounded memory, exact while everything fits.
//!
//! Values fill a buffer of k per point. A full buffer is sorted. Two sorted buffers whose values
//! have weight w each merge into one that keeps every second value, with weight 2 w, as in a binary
//! counter: Manku, Rajagopalan & Lindsay (1998), SIGMOD, 426-435; Agarwal et al. (2013), ACM Trans.
//! Database Syst. 38, 26, section 3.1. All points are at the same stage at the same time, so that
//! they share the bookkeeping and the result depends on the order of realizations alone.
//!
//! Such a halving shifts the rank of any value by at most w, up if the first value is kept and down
//! if the second is. Halvings of one level alternate between the two, so that a pair of them shifts
//! a rank by at most w together. With N values the bound is about log2(N / k) / (4 k) of N.

use std::cmp::Ordering;
use std::mem;

use rayon::prelude::*;

use crate::{Error, Result};

/// Fewer values per point than this give no useful quantiles.
const SMALLEST_CAPACITY: usize = 16;

/// A number of 32 or 64 bits.
pub(super) trait Value: Copy + Default + PartialOrd + Into<f64> + Send + Sync {
    /// The nearest representable number.
    fn nearest(value: f64) -> Self;
    /// The total order of these numbers.
    fn order(&self, other: &Self) -> Ordering;
}

impl Value for f32 {
    fn nearest(value: f64) -> Self {
        value as f32
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

impl Value for f64 {
    fn nearest(value: f64) -> Self {
        value
    }

    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

/// Values of every point in buffers [point, capacity].
#[derive(Debug, Clone)]
pub(super) struct QuantileSketch<V> {
    points: usize,
    capacity: usize,
    filling: Vec<V>,
    filled: usize,
    levels: Vec<Level<V>>,
}

/// A buffer whose values have weight 2^level.
#[derive(Debug, Clone)]
struct Level<V> {
    /// Sorted at every point.
    buffer: Option<Vec<V>>,
    /// Number of times that two buffers of this level were merged into one of the next.
    halvings: usize,
}

impl<V: Value> QuantileSketch<V> {
    /// For about this many realizations within `memory` bytes.
    pub(super) fn new(points: usize, realizations: usize, memory: usize) -> Result<Self> {
        let per_point = memory / size_of::<V>() / points.max(1);
        let capacity = capacity(realizations, per_point);
        if capacity < SMALLEST_CAPACITY.min(realizations) {
            return Err(Error::config(
                "quantiles",
                format!(
                    "{memory} bytes are {per_point} values at each of {points} points, too few for \
                     {realizations} realizations; allow more memory, or ask for no quantiles"
                ),
            ));
        }
        Ok(Self {
            points,
            capacity: capacity.max(SMALLEST_CAPACITY),
            filling: Vec::new(),
            filled: 0,
            levels: Vec::new(),
        })
    }

    pub(super) fn push<T: Copy + Into<f64>>(&mut self, values: &[T]) {
        if self.filled == self.capacity {
            self.carry();
        }
        if self.filled == 0 {
            self.filling = vec![V::default(); self.points * self.capacity];
        }
        let slots = self.filling.iter_mut().skip(self.filled);
        for (slot, value) in slots.step_by(self.capacity).zip(values) {
            *slot = V::nearest((*value).into());
        }
        self.filled += 1;
    }

    /// Moves the full buffer up to the first free level, merging it with the buffers on the way.
    fn carry(&mut self) {
        let mut carried = mem::take(&mut self.filling);
        self.filled = 0;
        let points = carried.par_chunks_exact_mut(self.capacity);
        points.for_each(|values| values.sort_unstable_by(V::order));
        for index in 0.. {
            if index == self.levels.len() {
                self.levels.push(Level {
                    buffer: None,
                    halvings: 0,
                });
            }
            let level = &mut self.levels[index];
            let Some(other) = level.buffer.take() else {
                level.buffer = Some(carried);
                return;
            };
            let second = (level.halvings + index) % 2;
            level.halvings += 1;
            carried = halve(&other, &carried, second, self.capacity);
        }
    }

    /// The quantile fields of these levels of probability; requires at least one realization.
    pub(super) fn quantiles(
        &self,
        levels: &[f64],
        smallest: &[f64],
        largest: &[f64],
    ) -> Vec<Vec<f64>> {
        let mut fields = vec![vec![0.0; self.points]; levels.len()];
        let last = (self.count() - 1) as f64;
        let points = (0..self.points).into_par_iter();
        let values = points.map_init(Vec::new, |weighted, point| {
            self.gather(point, weighted);
            let ends = [smallest[point], largest[point]];
            let at = |q: &f64| value_at(q * last, weighted, ends, last);
            levels.iter().map(at).collect::<Vec<f64>>()
        });
        for (point, values) in values.collect::<Vec<_>>().into_iter().enumerate() {
            for (field, value) in fields.iter_mut().zip(values) {
                field[point] = value;
            }
        }
        fields
    }

    fn count(&self) -> usize {
        let levels = self.levels.iter().enumerate();
        let full = levels.filter(|(_, level)| level.buffer.is_some());
        self.filled + full.map(|(index, _)| self.capacity << index).sum::<usize>()
    }

    /// All values of a point with their weights, in ascending order.
    fn gather(&self, point: usize, weighted: &mut Vec<(V, usize)>) {
        let from = point * self.capacity;
        weighted.clear();
        let filling = &self.filling[from..from + self.filled];
        weighted.extend(filling.iter().map(|value| (*value, 1)));
        for (index, level) in self.levels.iter().enumerate() {
            let values = level
                .buffer
                .iter()
                .flat_map(|b| &b[from..from + self.capacity]);
            weighted.extend(values.map(|value| (*value, 1 << index)));
        }
        weighted.sort_unstable_by(|a, b| a.0.order(&b.0));
    }
}

/// The largest capacity with which all buffers held at the same time fit into `per_point` values.
fn capacity(realizations: usize, per_point: usize) -> usize {
    if realizations <= per_point {
        return realizations;
    }
    // Of B full buffers at most log2(B) + 1 are held, beside the one that is being filled.
    let with = |levels: usize| (levels, per_point / (levels + 2));
    let fits = |(levels, capacity): &(usize, usize)| {
        *capacity == 0 || ((realizations - 1) / capacity).max(1).ilog2() as usize <= *levels
    };
    (0..)
        .map(with)
        .find(fits)
        .map_or(0, |(_, capacity)| capacity)
}

/// Every second value of the union of two sorted buffers, starting with the first or the second.
fn halve<V: Value>(a: &[V], b: &[V], second: usize, capacity: usize) -> Vec<V> {
    let mut halved = vec![V::default(); a.len()];
    let points = halved.par_chunks_exact_mut(capacity);
    let pairs = a
        .par_chunks_exact(capacity)
        .zip(b.par_chunks_exact(capacity));
    points.zip(pairs).for_each(|(out, (a, b))| {
        let (mut i, mut j) = (0, 0);
        for place in 0..2 * capacity {
            let from_a = j == capacity || (i < capacity && a[i] <= b[j]);
            let value = if from_a { a[i] } else { b[j] };
            i += usize::from(from_a);
            j += usize::from(!from_a);
            if place % 2 == second {
                out[place / 2] = value;
            }
        }
    });
    halved
}

/// The value at a rank from 0 to `last`, linear between the mean ranks of neighbouring values.
///
/// With values of weight 1: Hyndman & Fan (1996), definition 7, which is NumPy's default.
fn value_at<V: Value>(rank: f64, weighted: &[(V, usize)], ends: [f64; 2], last: f64) -> f64 {
    let mut below = (0.0, ends[0]);
    let mut passed = 0;
    for (value, weight) in weighted {
        let middle = passed as f64 + (*weight as f64 - 1.0) / 2.0;
        let above = (middle, (*value).into());
        if middle >= rank {
            return between(below, above, rank);
        }
        below = above;
        passed += weight;
    }
    between(below, (last, ends[1]), rank)
}

fn between(below: (f64, f64), above: (f64, f64), rank: f64) -> f64 {
    let width = above.0 - below.0;
    if width <= 0.0 {
        return above.1;
    }
    below.1 + (above.1 - below.1) * ((rank - below.0) / width)
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    impl QuantileSketch<f32> {
        /// A bound e on the error in rank: the quantile given for level q lies between those of
        /// levels q - e and q + e.
        fn rank_error(&self) -> f64 {
            if self.levels.iter().all(|level| level.halvings == 0) {
                return 0.0;
            }
            let shift = |(index, level): (usize, &Level<f32>)| level.halvings.div_ceil(2) << index;
            let shifts: usize = self.levels.iter().enumerate().map(shift).sum();
            // Between two values of weight w, a rank is known up to w / 2.
            let width = (1 << (self.levels.len() - 1)) / 2 + 1;
            (shifts + width) as f64 / self.count() as f64
        }
    }

    use super::*;
    use crate::random::{Purpose, stream};

    const LEVELS: [f64; 9] = [0.0, 0.01, 0.05, 0.25, 0.5, 0.77, 0.95, 0.99, 1.0];

    /// One point; values in the order given.
    fn sketch(values: &[f32], memory: usize) -> QuantileSketch<f32> {
        let mut sketch = QuantileSketch::<f32>::new(1, values.len(), memory).unwrap();
        values.iter().for_each(|value| sketch.push(&[*value]));
        assert_eq!(sketch.count(), values.len());
        sketch
    }

    fn quantiles(sketch: &QuantileSketch<f32>, values: &[f32], levels: &[f64]) -> Vec<f64> {
        let values = || values.iter().map(|v| f64::from(*v));
        let smallest = values().fold(f64::INFINITY, f64::min);
        let largest = values().fold(f64::NEG_INFINITY, f64::max);
        let fields = sketch.quantiles(levels, &[smallest], &[largest]);
        fields.iter().map(|field| field[0]).collect()
    }

    /// Reference: Python's `statistics.quantiles(values, n=20, method="inclusive")`.
    #[test]
    fn quantiles_are_those_of_definition_seven_while_everything_fits() {
        let values = [3.5, -1.25, 0.0, 8.75, 2.0, 2.0, -6.5, 4.25, 1.125, 7.0, 0.5];
        let expected = [
            -3.875, -1.25, -0.625, 0.0, 0.25, 0.5, 0.8125, 1.125, 1.5625, 2.0, 2.0, 2.0, 2.75, 3.5,
            3.875, 4.25, 5.625, 7.0, 7.875,
        ];
        let sketch = sketch(&values, 1 << 10);
        assert_eq!(sketch.rank_error(), 0.0);
        let levels: Vec<f64> = (1..20).map(|i| f64::from(i) / 20.0).collect();
        for (found, expected) in quantiles(&sketch, &values, &levels).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
        assert_eq!(quantiles(&sketch, &values, &[0.0, 1.0]), [-6.5, 8.75]);
    }

    #[test]
    fn a_buffer_that_has_not_been_halved_is_still_exact() {
        let values: Vec<f32> = (0..30).map(|i| ((i * 17) % 30) as f32).collect();
        let mut sketch = QuantileSketch::<f32>::new(1, 16, 1 << 10).unwrap();
        values.iter().for_each(|value| sketch.push(&[*value]));
        assert_eq!(sketch.rank_error(), 0.0);
        assert_eq!(quantiles(&sketch, &values, &[0.5]), [14.5]);
    }

    /// Sorted, reversed, shuffled and normal, interleaved from both ends, and with many ties.
    fn orders(count: usize) -> Vec<Vec<f32>> {
        let mut rng = stream(9, Purpose::Prior, 0, 0);
        let ends = |i: usize| if i.is_multiple_of(2) { i } else { 2 * count - i } as f32;
        vec![
            (0..count).map(|i| i as f32).collect(),
            (0..count).rev().map(|i| i as f32).collect(),
            StandardNormal.sample_iter(&mut rng).take(count).collect(),
            (0..count).map(ends).collect(),
            (0..count).map(|i| ((i * 7919) % 10) as f32).collect(),
        ]
    }

    /// Distance of the rank q (n - 1) from the ranks at which the sorted values equal or enclose
    /// `value`, as a share of n.
    fn rank_error(sorted: &[f32], value: f64, level: f64) -> f64 {
        let below = sorted.partition_point(|v| f64::from(*v) < value) as f64;
        let upto = sorted.partition_point(|v| f64::from(*v) <= value) as f64;
        let rank = level * (sorted.len() - 1) as f64;
        (below - 1.0 - rank).max(rank - upto).max(0.0) / sorted.len() as f64
    }

    #[test]
    fn the_stated_rank_error_holds_in_any_order_of_values() {
        for (count, memory) in [(1000, 1 << 10), (20_000, 1 << 13), (99_999, 1 << 14)] {
            for mut values in orders(count) {
                let sketch = sketch(&values, memory);
                let bound = sketch.rank_error();
                let found = quantiles(&sketch, &values, &LEVELS);
                values.sort_unstable_by(f32::total_cmp);
                assert!(bound > 0.0 && bound < 0.04, "{count}: {bound}");
                for (level, value) in LEVELS.iter().zip(found) {
                    let error = rank_error(&values, value, *level);
                    assert!(error <= bound, "{count}, {level}: {error} above {bound}");
                }
            }
        }
    }

    #[test]
    fn the_typical_rank_error_is_far_below_the_bound() {
        let count = 50_000;
        let mut rng = stream(2, Purpose::Prior, 0, 0);
        let mut values: Vec<f32> = StandardNormal.sample_iter(&mut rng).take(count).collect();
        let sketch = sketch(&values, 1 << 14);
        let found = quantiles(&sketch, &values, &LEVELS);
        values.sort_unstable_by(f32::total_cmp);
        for (level, value) in LEVELS.iter().zip(found) {
            let error = rank_error(&values, value, *level);
            // The sampling error of a median of 50 000 is 0.0022.
            assert!(error < 1.5e-3, "{level}: {error}");
        }
    }

    #[test]
    fn memory_stays_within_what_is_allowed() {
        for (count, values_allowed) in [(1000, 160), (5000, 256), (100_000, 4096)] {
            let mut sketch = QuantileSketch::<f32>::new(1, count, 4 * values_allowed).unwrap();
            let mut most = 0;
            for i in 0..count {
                sketch.push(&[i as f32]);
                let held = sketch.levels.iter().filter(|level| level.buffer.is_some());
                most = most.max(sketch.capacity * (1 + held.count()));
            }
            assert!(most <= values_allowed, "{most} values of {values_allowed}");
            assert!(
                2 * most > values_allowed,
                "{most} values of {values_allowed}"
            );
        }
        assert!(QuantileSketch::<f32>::new(1000, 500, 4000).is_err());
    }

    #[test]
    fn points_do_not_influence_one_another() {
        let (a, b) = (&orders(3000)[2], &orders(3000)[3]);
        let mut both = QuantileSketch::<f32>::new(2, 3000, 1 << 11).unwrap();
        a.iter().zip(b).for_each(|(a, b)| both.push(&[*a, *b]));
        for (point, values) in [a, b].into_iter().enumerate() {
            let alone = sketch(values, 1 << 10);
            let expected = quantiles(&alone, values, &[0.1, 0.6]);
            let fields = both.quantiles(&[0.1, 0.6], &[0.0; 2], &[0.0; 2]);
            assert_eq!([fields[0][point], fields[1][point]], expected[..]);
        }
    }

    #[test]
    fn more_realizations_than_announced_are_welcome() {
        let mut sketch = QuantileSketch::<f32>::new(1, 10, 1 << 20).unwrap();
        (0..1000).for_each(|i| sketch.push(&[i as f32]));
        assert!(sketch.rank_error() > 0.0);
        let median = sketch.quantiles(&[0.5], &[0.0], &[999.0])[0][0];
        assert!((median / 999.0 - 0.5).abs() <= sketch.rank_error());
    }
}
