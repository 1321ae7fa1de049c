//! The domain sampled by the points of an axis: its ends and its kind.

use serde::{Deserialize, Serialize};

/// Differences of coordinates that count as rounding, in units of the spacing.
const ROUNDING: f64 = 1e-3;

/// The kind of an axis: the meaning of the ends of its domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AxisKind {
    /// The first and the last point are the ends.
    Closed,
    /// The ends are the same point, stored once at the beginning.
    Periodic,
    /// Times from one step after the beginning, which is not stored, to the end.
    Times,
}

/// An interval and the kind of its ends. Coarser and finer axes sample the same interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// The meaning of the ends.
    pub kind: AxisKind,
    /// The beginning.
    pub from: f64,
    /// The end; for a periodic axis, the beginning plus one period.
    pub to: f64,
}

impl Domain {
    /// An interval with both ends included.
    pub fn closed(from: f64, to: f64) -> Self {
        let kind = AxisKind::Closed;
        Self { kind, from, to }
    }

    /// An interval whose ends are the same point.
    pub fn periodic(from: f64, to: f64) -> Self {
        let kind = AxisKind::Periodic;
        Self { kind, from, to }
    }

    /// Times after `from`, up to and including `to`.
    pub fn times(from: f64, to: f64) -> Self {
        let kind = AxisKind::Times;
        Self { kind, from, to }
    }

    /// The domain of coordinates for which none is declared: points i/n of the unit interval are
    /// periodic, points that begin one step after zero are times, and all others are closed.
    pub fn of_coordinates(coordinates: &[f64]) -> Self {
        let (Some(&first), Some(&last)) = (coordinates.first(), coordinates.last()) else {
            return Self::closed(0.0, 1.0);
        };
        let h = (last - first) / (coordinates.len().max(2) - 1) as f64;
        let near = |a: f64, b: f64| (a - b).abs() < ROUNDING * h;
        if near(first, 0.0) && near(last + h, 1.0) {
            Self::periodic(0.0, 1.0)
        } else if near(first, h) {
            Self::times(0.0, last)
        } else {
            Self::closed(first, last)
        }
    }

    /// Whether the ends are the same point.
    pub fn is_periodic(&self) -> bool {
        self.kind == AxisKind::Periodic
    }

    /// The length; for a periodic axis, the period.
    pub fn length(&self) -> f64 {
        self.to - self.from
    }

    /// The coordinate of point i of n evenly spaced points.
    pub fn coordinate(&self, i: usize, n: usize) -> f64 {
        let (i, count) = (i as f64, n as f64);
        match self.kind {
            AxisKind::Closed => self.from + self.length() * (i / (count.max(2.0) - 1.0)),
            AxisKind::Periodic => self.from + self.length() * (i / count),
            AxisKind::Times => self.from + self.length() * (i + 1.0) / count,
        }
    }

    /// A coordinate mapped to the unit interval; zero if the domain is a single point.
    pub fn unit(&self, x: f64) -> f64 {
        match self.length() {
            0.0 => 0.0,
            length => (x - self.from) / length,
        }
    }

    /// Whether the domain contains these coordinates, which are in increasing order.
    pub fn holds(&self, coordinates: &[f64]) -> bool {
        let (Some(first), Some(last)) = (coordinates.first(), coordinates.last()) else {
            return self.length() > 0.0;
        };
        // A coordinate written with few digits may exceed an end by a rounding error.
        let margin = 1e-6 * self.length();
        let is_inside = *first >= self.from - margin && *last <= self.to + margin;
        let is_ring = last - first < self.length();
        is_inside && self.length().is_finite() && (is_ring || self.kind == AxisKind::Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_for_bare_coordinates_knows_the_three_kinds() {
        let on =
            |domain: Domain, n| -> Vec<f64> { (0..n).map(|i| domain.coordinate(i, n)).collect() };
        for domain in [
            Domain::closed(0.0, 1.0),
            Domain::closed(-3.0, 5.0),
            Domain::periodic(0.0, 1.0),
            Domain::times(0.0, 0.2),
        ] {
            assert_eq!(Domain::of_coordinates(&on(domain, 16)), domain);
        }
        // Millimetres, a single point, and no point.
        assert_eq!(
            Domain::of_coordinates(&[0.0, 10.0, 20.0]),
            Domain::closed(0.0, 20.0)
        );
        assert_eq!(Domain::of_coordinates(&[7.0]), Domain::closed(7.0, 7.0));
        assert_eq!(Domain::of_coordinates(&[]), Domain::closed(0.0, 1.0));
    }

    #[test]
    fn a_domain_holds_what_lies_in_it() {
        let third = [0.0, 1.0 / 3.0, 2.0 / 3.0];
        assert!(Domain::periodic(0.0, 1.0).holds(&third));
        assert!(Domain::closed(0.0, 2.0).holds(&third));
        assert!(!Domain::closed(0.1, 1.0).holds(&third));
        assert!(!Domain::closed(0.0, 0.5).holds(&third));
        assert!(
            !Domain::periodic(0.0, 1.0).holds(&[0.0, 0.5, 1.0]),
            "an end counted twice"
        );
        assert!(!Domain::periodic(0.0, 0.0).holds(&[0.0]));
        assert!(!Domain::closed(f64::NAN, 1.0).holds(&third));
        assert!(!Domain::closed(0.0, f64::INFINITY).holds(&third));
        assert!(Domain::closed(7.0, 7.0).holds(&[7.0]));
    }

    #[test]
    fn unit_coordinates_go_from_zero_to_one_in_any_unit() {
        for domain in [
            Domain::closed(2.0, 6.0),
            Domain::periodic(2.0, 6.0),
            Domain::times(2.0, 6.0),
        ] {
            assert_eq!([2.0, 3.0, 6.0].map(|x| domain.unit(x)), [0.0, 0.25, 1.0]);
        }
        assert_eq!(Domain::closed(7.0, 7.0).unit(7.0), 0.0);
    }
}
