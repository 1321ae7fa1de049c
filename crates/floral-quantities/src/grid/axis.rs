//! One axis of a tensor grid: its measure, its planes, and interpolation along it.

use crate::error::{Error, Result};
use crate::sparse::Entry;

/// Differences of coordinates, in units of the spacing, that count as rounding: coordinates are
/// often stored in single precision.
const ROUNDING: f64 = 1e-3;

/// Named coordinates in increasing order, of any spacing.
#[derive(Debug, Clone, PartialEq)]
pub struct GridAxis {
    name: String,
    coordinates: Vec<f64>,
    /// Start and end of the period of a periodic axis.
    period: Option<[f64; 2]>,
}

impl GridAxis {
    /// An axis that ends at its first and last coordinates. A single coordinate has measure 1.
    pub fn closed(name: impl Into<String>, coordinates: Vec<f64>) -> Result<Self> {
        Self::new(name.into(), coordinates, None)
    }

    /// An axis whose two ends are the same location. All coordinates lie between the ends, and the
    /// last one lies before the second end.
    pub fn periodic(
        name: impl Into<String>,
        coordinates: Vec<f64>,
        ends: [f64; 2],
    ) -> Result<Self> {
        Self::new(name.into(), coordinates, Some(ends))
    }

    fn new(name: String, coordinates: Vec<f64>, period: Option<[f64; 2]>) -> Result<Self> {
        let refuse = |reason: &str| Err(Error::config(format!("axis {name}"), reason));
        let (Some(first), Some(last)) = (coordinates.first(), coordinates.last()) else {
            return refuse("it has no coordinates; give at least one");
        };
        let is_increasing = coordinates.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_increasing || coordinates.iter().any(|x| !x.is_finite()) {
            return refuse("its coordinates must be finite and increase");
        }
        if let Some([from, to]) = period {
            let slack = 1e-6 * (to - from);
            let is_within =
                from - slack <= *first && last - first < to - from && *last <= to + slack;
            if !is_within || !(to - from).is_finite() {
                return refuse(&format!(
                    "its coordinates must lie in one period, from {from} to {to}"
                ));
            }
        }
        Ok(Self {
            name,
            coordinates,
            period,
        })
    }

    /// Name of the axis.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Coordinates of the axis.
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    pub(super) fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// The length of a period; none if the axis is closed.
    pub(super) fn period(&self) -> Option<f64> {
        self.period.map(|[from, to]| to - from)
    }

    /// The measure of each point.
    pub(super) fn whole(&self) -> Vec<f64> {
        self.weights(f64::NEG_INFINITY, f64::INFINITY)
    }

    /// The weights of the integral of the linear interpolant from `from` to `to`, restricted to the
    /// axis.
    pub(super) fn weights(&self, from: f64, to: f64) -> Vec<f64> {
        let mut weights = vec![0.0; self.len()];
        for cell in self.cells() {
            let (begin, end) = (cell.inner[0].max(from), cell.inner[1].min(to));
            if begin < end {
                // The mean of the interpolant over this part is its value at the midpoint.
                let share = ((begin + end) / 2.0 - cell.ends[0]) / (cell.ends[1] - cell.ends[0]);
                weights[cell.points[0]] += (end - begin) * (1.0 - share);
                weights[cell.points[1]] += (end - begin) * share;
            }
        }
        if self.len() == 1 && self.period.is_none() && (from..=to).contains(&self.coordinates[0]) {
            weights[0] = 1.0;
        }
        weights
    }

    /// The intervals between neighbours; the interval across the end of a period is listed twice,
    /// once at each end.
    fn cells(&self) -> Vec<Cell> {
        let x = &self.coordinates;
        let mut cells: Vec<Cell> = (1..x.len())
            .map(|i| Cell {
                points: [i - 1, i],
                ends: [x[i - 1], x[i]],
                inner: [x[i - 1], x[i]],
            })
            .collect();
        if let Some([from, to]) = self.period {
            let last = x.len() - 1;
            for shift in [0.0, from - to] {
                let ends = [x[last] + shift, x[0] + (to - from) + shift];
                cells.push(Cell {
                    points: [last, 0],
                    ends,
                    inner: [ends[0].max(from), ends[1].min(to)],
                });
            }
        }
        cells
    }

    /// 1 at the points with this coordinate and 0 elsewhere; refuses a coordinate without points.
    pub(super) fn plane(&self, at: f64) -> Result<Vec<f64>> {
        let distance = |x: f64| match self.period() {
            Some(period) => ((x - at + period / 2.0).rem_euclid(period) - period / 2.0).abs(),
            None => (x - at).abs(),
        };
        let nearest = (0..self.len())
            .min_by(|a, b| {
                distance(self.coordinates[*a]).total_cmp(&distance(self.coordinates[*b]))
            })
            .unwrap_or(0);
        if distance(self.coordinates[nearest]) <= self.rounding(nearest) {
            let mut weights = vec![0.0; self.len()];
            weights[nearest] = 1.0;
            return Ok(weights);
        }
        let reason = format!(
            "no grid points there; the nearest are at {} = {}",
            self.name, self.coordinates[nearest]
        );
        Err(Error::config(format!("{} == {at}", self.name), reason))
    }

    /// The difference that counts as rounding near a point.
    fn rounding(&self, point: usize) -> f64 {
        let x = &self.coordinates;
        let before = point.checked_sub(1).map(|i| x[point] - x[i]);
        let after = x.get(point + 1).map(|next| next - x[point]);
        let spacing = before
            .into_iter()
            .chain(after)
            .fold(f64::INFINITY, f64::min);
        let alone = self.period().unwrap_or_else(|| x[point].abs().max(1e-9));
        ROUNDING * if spacing.is_finite() { spacing } else { alone }
    }

    /// The two points next to a coordinate with their shares, or a single point at the coordinate.
    pub(super) fn interpolation(&self, at: f64) -> Result<Vec<Entry>> {
        let x = &self.coordinates;
        let (first, last) = (x[0], x[x.len() - 1]);
        let wrapped = match self.period() {
            Some(period) => first + (at - first).rem_euclid(period),
            None if at < first && first - at <= self.rounding(0) => first,
            None if at > last && at - last <= self.rounding(x.len() - 1) => last,
            None => at,
        };
        let end = self.period().map_or(last, |period| first + period);
        if !(first..=end).contains(&wrapped) {
            let reason =
                format!("outside of the domain, from {first} to {last}; choose a place inside");
            return Err(Error::config(format!("{} = {at}", self.name), reason));
        }
        let before = x.partition_point(|x| *x <= wrapped) - 1;
        let after = (before + 1) % x.len();
        let next = x.get(before + 1).copied().unwrap_or(end);
        let share = match next > x[before] {
            true => ((wrapped - x[before]) / (next - x[before])).min(1.0),
            false => 0.0,
        };
        let entries = [(before, 1.0 - share), (after, share)];
        let entries = entries.into_iter().filter(|(_, factor)| *factor > 0.0);
        Ok(entries
            .map(|(point, factor)| Entry { point, factor })
            .collect())
    }
}

/// An interval between two points, and the part of it inside the domain.
struct Cell {
    points: [usize; 2],
    ends: [f64; 2],
    inner: [f64; 2],
}
