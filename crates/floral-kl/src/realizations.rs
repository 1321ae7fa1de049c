//! Realizations of one input: stored in single precision where that loses nothing, read in units of
//! a fit.
//!
//! They are by far the largest part of the data. To have them in memory only once, a fit reads one
//! field at a time, which is converted to double precision and to units on the way.

use super::unit::Unit;

/// Stored realizations.
#[derive(Debug, Clone)]
pub enum Held {
    /// In single precision.
    Single(Vec<f32>),
    /// In double precision.
    Double(Vec<f64>),
}

impl From<Vec<f64>> for Held {
    /// In single precision if that represents every value exactly, as it does for most files.
    fn from(values: Vec<f64>) -> Self {
        match values.iter().all(|v| f64::from(*v as f32) == *v) {
            true => Self::Single(values.iter().map(|v| *v as f32).collect()),
            false => Self::Double(values),
        }
    }
}

/// Realizations of one input: [realization, channel, point].
#[derive(Debug, Clone, Copy)]
pub struct Realizations<'a> {
    values: Values<'a>,
    /// The units of the channels and their number of points; `None` leaves values unchanged.
    units: Option<(&'a [Unit], usize)>,
}

#[derive(Debug, Clone, Copy)]
enum Values<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl<'a> From<&'a Held> for Realizations<'a> {
    fn from(held: &'a Held) -> Self {
        match held {
            Held::Single(values) => Self::of(Values::Single(values)),
            Held::Double(values) => Self::of(Values::Double(values)),
        }
    }
}

impl<'a> From<&'a [f64]> for Realizations<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::of(Values::Double(values))
    }
}

impl<'a> From<&'a Vec<f64>> for Realizations<'a> {
    fn from(values: &'a Vec<f64>) -> Self {
        Self::of(Values::Double(values))
    }
}

impl<'a> Realizations<'a> {
    fn of(values: Values<'a>) -> Self {
        Self {
            values,
            units: None,
        }
    }

    /// The same values v, read as (v - shift) / scale in the units of their channels of `points`
    /// points.
    pub(super) fn in_units(self, units: &'a [Unit], points: usize) -> Self {
        Self {
            units: Some((units, points.max(1))),
            ..self
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self.values {
            Values::Single(values) => values.len(),
            Values::Double(values) => values.len(),
        }
    }

    /// Consecutive parts of `size` values each: realizations, or channels of them.
    pub(super) fn fields(self, size: usize) -> impl Iterator<Item = Vec<f64>> + 'a {
        let size = size.max(1);
        (0..self.len() / size).map(move |k| self.between(k * size, size))
    }

    /// One channel of every realization.
    pub(super) fn of_channel(
        self,
        channel: usize,
        channels: usize,
        points: usize,
    ) -> impl Iterator<Item = Vec<f64>> + 'a {
        let points = points.max(1);
        let count = self.len() / (channels * points).max(1);
        (0..count).map(move |r| self.between((r * channels + channel) * points, points))
    }

    /// All values.
    pub(super) fn to_vec(self) -> Vec<f64> {
        self.between(0, self.len())
    }

    fn between(&self, first: usize, count: usize) -> Vec<f64> {
        let mut values: Vec<f64> = match self.values {
            Values::Single(all) => {
                let all = &all[first..first + count];
                all.iter().map(|v| f64::from(*v)).collect()
            }
            Values::Double(all) => all[first..first + count].to_vec(),
        };
        if let Some((units, points)) = self.units {
            let mut rest = &mut values[..];
            let mut at = first;
            // Channel by channel; the first value may lie inside a channel.
            while !rest.is_empty() {
                let own = (points - at % points).min(rest.len());
                let (channel, others) = rest.split_at_mut(own);
                let unit = &units[at / points % units.len()];
                channel.iter_mut().for_each(|v| *v = unit.measured(*v));
                (rest, at) = (others, at + own);
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_single_precision_has_are_held_in_it_and_all_are_the_same_again() {
        let coarse: Vec<f64> = (0..12)
            .map(|i| f64::from((f64::from(i)).sin() as f32))
            .collect();
        let fine: Vec<f64> = (0..12).map(|i| f64::from(i).sin()).collect();
        assert!(matches!(Held::from(coarse.clone()), Held::Single(_)));
        assert!(matches!(Held::from(fine.clone()), Held::Double(_)));
        for values in [coarse, fine, vec![1e300, 0.0, -0.0, 1e-300]] {
            let held = Held::from(values.clone());
            assert_eq!(Realizations::from(&held).to_vec(), values);
        }
    }

    #[test]
    fn every_channel_is_seen_in_its_own_units() {
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        let unit = |shift, scale| Unit { shift, scale };
        let units = [unit(0.0, 1.0), unit(2.0, 2.0)];
        let seen = Realizations::from(&values).in_units(&units, 2);
        assert_eq!(seen.to_vec(), [0.0, 1.0, 0.0, 0.5, 4.0, 5.0, 2.0, 2.5]);
        let second: Vec<Vec<f64>> = seen.of_channel(1, 2, 2).collect();
        assert_eq!(second, [[0.0, 0.5], [2.0, 2.5]]);
        assert_eq!(seen.fields(4).last(), Some(vec![4.0, 5.0, 2.0, 2.5]));
    }
}
