//! A named axis: the coordinates of its points, and the domain that they sample.

use serde::{Deserialize, Serialize};

use super::{Direction, Domain};
use crate::quantity::non_empty;
use crate::units::Conversion;

/// A named axis: its points, and the domain that they sample.
///
/// [`closed`](Self::closed) has the points i / (n - 1), [`periodic`](Self::periodic) has i / n.
///
/// ```
/// use floral_data::Axis;
///
/// assert_eq!(Axis::closed("x", 3).coordinates, [0.0, 0.5, 1.0]);
/// assert_eq!(Axis::periodic("x", 4).coordinates, [0.0, 0.25, 0.5, 0.75]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredAxis")]
pub struct Axis {
    /// The axis's name, also the name of its dimension on disk.
    pub name: String,
    /// Coordinates in increasing order.
    pub coordinates: Vec<f64>,
    /// The domain that they sample.
    pub domain: Domain,
    /// Units of the coordinates, such as `m`, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// The long name, for figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_name: Option<String>,
    /// The direction declared by CF's attribute `axis`.
    #[serde(rename = "axis", skip_serializing_if = "Option::is_none")]
    pub declared: Option<Direction>,
}

impl Axis {
    /// `n` points from 0 to 1, both ends included.
    pub fn closed(name: &str, n: usize) -> Self {
        Self::over(Domain::closed(0.0, 1.0), name, n)
    }

    /// `n` points i/n of the unit interval with its ends identified.
    pub fn periodic(name: &str, n: usize) -> Self {
        Self::over(Domain::periodic(0.0, 1.0), name, n)
    }

    /// The times `end/n, 2 end/n, ..., end`: the initial state is not stored.
    pub fn times(name: &str, n: usize, end: f64) -> Self {
        Self::over(Domain::times(0.0, end), name, n)
    }

    /// `n` points that sample a domain evenly.
    pub fn over(domain: Domain, name: &str, n: usize) -> Self {
        Self {
            name: name.to_owned(),
            coordinates: (0..n).map(|i| domain.coordinate(i, n)).collect(),
            domain,
            units: None,
            long_name: None,
            declared: None,
        }
    }

    /// The same axis with coordinates in these units; an empty text counts as none.
    pub fn with_units(mut self, units: &str) -> Self {
        self.units = non_empty(units);
        self
    }

    /// The same axis with a long name; an empty text counts as none.
    pub fn with_long_name(mut self, long_name: &str) -> Self {
        self.long_name = non_empty(long_name);
        self
    }

    /// The same axis with a declared direction.
    pub fn with_direction(mut self, direction: Direction) -> Self {
        self.declared = Some(direction);
        self
    }

    /// The direction: as declared, or as suggested by the name.
    pub fn direction(&self) -> Option<Direction> {
        self.declared.or_else(|| Direction::of_name(&self.name))
    }

    /// The same axis with `n` points that sample its domain evenly.
    pub fn resampled(&self, n: usize) -> Self {
        Self {
            coordinates: (0..n).map(|i| self.domain.coordinate(i, n)).collect(),
            ..self.clone()
        }
    }

    /// An axis of points without a declared domain: see [`Domain::of_coordinates`].
    pub fn from_coordinates(name: &str, coordinates: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            domain: Domain::of_coordinates(&coordinates),
            coordinates,
            units: None,
            long_name: None,
            declared: None,
        }
    }

    /// An axis read from a file, with its domain if the file has one; an error describes the
    /// problem.
    pub fn stored(
        name: &str,
        coordinates: Vec<f64>,
        domain: Option<Domain>,
    ) -> Result<Self, String> {
        let Some(domain) = domain else {
            return Ok(Self::from_coordinates(name, coordinates));
        };
        if !domain.holds(&coordinates) {
            return Err(format!(
                "its coordinates do not lie in its {:?} domain from {} to {}",
                domain.kind, domain.from, domain.to
            ));
        }
        Ok(Self {
            domain,
            ..Self::from_coordinates(name, coordinates)
        })
    }

    /// The same axis with other points. It keeps its domain if the points lie in it, otherwise the
    /// domain is derived from the points.
    pub fn with_coordinates(&self, coordinates: Vec<f64>) -> Self {
        let domain = if self.domain.holds(&coordinates) {
            self.domain
        } else {
            Domain::of_coordinates(&coordinates)
        };
        Self {
            coordinates,
            domain,
            ..self.clone()
        }
    }

    /// The same axis after a conversion of units.
    pub fn converted(&self, conversion: Conversion) -> Self {
        if conversion.is_none() {
            return self.clone();
        }
        let Domain { from, to, .. } = self.domain;
        let map = |x| conversion.apply(x);
        self.mapped(map, map(from), map(to))
    }

    /// The axis under a linear map that takes its domain to `from` and `to`. Points that are even
    /// up to the precision of storage become exactly even.
    fn mapped(&self, map: impl Fn(f64) -> f64, from: f64, to: f64) -> Self {
        let mut mapped = Self {
            coordinates: self.coordinates.iter().map(|x| map(*x)).collect(),
            domain: Domain {
                from,
                to,
                ..self.domain
            },
            ..self.clone()
        };
        if self.is_even() && !mapped.is_even() {
            let (first, step) = (mapped.coordinates[0], mapped.spacing());
            let points = 0..mapped.len();
            mapped.coordinates = points.map(|i| first + i as f64 * step).collect();
        }
        mapped
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether the axis has no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Mean distance between neighbouring points; zero for a single point.
    pub fn spacing(&self) -> f64 {
        match self.coordinates.as_slice() {
            [first, .., last] => (last - first) / (self.len() - 1) as f64,
            _ => 0.0,
        }
    }

    /// Whether the points are evenly spaced in increasing order, up to the precision of the stored
    /// coordinates.
    pub fn is_even(&self) -> bool {
        let step = self.spacing();
        let first = self.coordinates.first().copied().unwrap_or_default();
        let deviation = |(i, x): (usize, &f64)| (x - first - i as f64 * step).abs();
        let widest = self
            .coordinates
            .iter()
            .enumerate()
            .map(deviation)
            .fold(0.0, f64::max);
        step.is_finite() && step >= 0.0 && widest <= self.rounding()
    }

    /// Largest deviation of a coordinate that rounding explains.
    fn rounding(&self) -> f64 {
        let is_single = self.coordinates.iter().all(|x| f64::from(*x as f32) == *x);
        let epsilon = if is_single {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        };
        let largest = self
            .coordinates
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        // Operations in the same precision, such as i / n * length, add rounding errors. Steps
        // comparable to these errors cannot be checked.
        let step = self.spacing();
        (4.0 * epsilon * largest).clamp(1e-6 * step, 0.1 * step)
    }

    /// The same axis in unit coordinates, without units: the ends of a closed axis become 0 and 1,
    /// the period of a periodic axis becomes 1, and times go from 0 to 1.
    pub fn unit(&self) -> Self {
        Self {
            units: None,
            ..self.mapped(|x| self.domain.unit(x), 0.0, 1.0)
        }
    }
}

/// An axis in a checkpoint; domain, units and long name may be absent.
#[derive(Deserialize)]
struct StoredAxis {
    name: String,
    coordinates: Vec<f64>,
    domain: Option<Domain>,
    units: Option<String>,
    long_name: Option<String>,
    axis: Option<Direction>,
}

impl TryFrom<StoredAxis> for Axis {
    type Error = String;

    fn try_from(stored: StoredAxis) -> Result<Self, String> {
        let axis = Self::stored(&stored.name, stored.coordinates, stored.domain)?;
        Ok(Self {
            units: stored.units,
            long_name: stored.long_name,
            declared: stored.axis,
            ..axis
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_place_their_ends_where_they_say() {
        assert_eq!(
            Axis::closed("x", 5).coordinates,
            [0.0, 0.25, 0.5, 0.75, 1.0]
        );
        assert_eq!(Axis::periodic("x", 4).coordinates, [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(Axis::times("t", 4, 2.0).coordinates, [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(Axis::closed("x", 5).spacing(), 0.25);
    }

    #[test]
    fn coordinates_are_the_quotients_to_the_last_bit() {
        for n in [2usize, 3, 7, 64, 100, 128] {
            let quotients =
                |f: &dyn Fn(f64) -> f64| (0..n).map(|i| f(i as f64)).collect::<Vec<_>>();
            let count = n as f64;
            assert_eq!(
                Axis::closed("x", n).coordinates,
                quotients(&|i| i / (count - 1.0))
            );
            assert_eq!(
                Axis::periodic("x", n).coordinates,
                quotients(&|i| i / count)
            );
            let times = quotients(&|i| 0.2 * (i + 1.0) / count);
            assert_eq!(Axis::times("t", n, 0.2).coordinates, times);
        }
    }

    #[test]
    fn an_axis_in_any_unit_has_the_unit_coordinates_of_the_unit_axis() {
        let millimetres = Axis::over(Domain::closed(100.0, 300.0), "x", 5);
        assert_eq!(millimetres.unit(), Axis::closed("x", 5));
        let degrees = Axis::over(Domain::periodic(0.0, 360.0), "x", 8);
        assert_eq!(degrees.unit(), Axis::periodic("x", 8));
        let times = Axis::times("t", 4, 0.2).unit();
        assert_eq!((times.domain.from, times.domain.to), (0.0, 1.0));
        for (unit, expected) in times.coordinates.iter().zip([0.25, 0.5, 0.75, 1.0]) {
            assert!((unit - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn other_points_of_an_axis_keep_its_domain_unless_they_leave_it() {
        let closed = Axis::closed("x", 5);
        let eighths = |scale: f64| {
            (0..8)
                .map(|i| scale * f64::from(i) / 8.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(closed.with_coordinates(eighths(1.0)).domain, closed.domain);
        let beyond = closed.with_coordinates(eighths(16.0));
        assert_eq!(beyond.domain, Domain::closed(0.0, 14.0));
    }

    #[test]
    fn a_domain_is_stored_and_an_axis_without_one_follows_the_rule() {
        let degrees = Axis::over(Domain::periodic(-180.0, 180.0), "x", 4);
        let text = serde_json::to_string(&degrees).unwrap();
        assert!(
            text.contains(r#""domain":{"kind":"periodic","from":-180.0,"to":180.0}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Axis>(&text).unwrap(), degrees);
        let old = r#"{"name": "x", "coordinates": [0.0, 0.25, 0.5, 0.75]}"#;
        assert_eq!(
            serde_json::from_str::<Axis>(old).unwrap(),
            Axis::periodic("x", 4)
        );
        let refusal = serde_json::from_str::<Axis>(&text.replace("180.0}", "90.0}")).unwrap_err();
        assert!(refusal.to_string().contains("from -180 to 90"), "{refusal}");
    }
    #[test]
    fn units_are_stored_and_an_axis_without_them_is_read() {
        let axis = Axis::closed("x", 3).with_units("mm");
        let axis = axis.with_long_name("distance");
        let text = serde_json::to_string(&axis).unwrap();
        assert!(text.contains(r#""units":"mm","long_name":"distance""#));
        assert_eq!(serde_json::from_str::<Axis>(&text).unwrap(), axis);
        let bare = serde_json::to_string(&Axis::closed("x", 3)).unwrap();
        assert!(!bare.contains("units"), "{bare}");
        assert_eq!(
            serde_json::from_str::<Axis>(&bare).unwrap(),
            Axis::closed("x", 3)
        );
    }

    #[test]
    fn other_points_of_an_axis_have_its_units() {
        let axis = Axis::closed("x", 3).with_units("mm");
        assert_eq!(axis.resampled(5), Axis::closed("x", 5).with_units("mm"));
        for end in [1.0, 10.0] {
            let other = axis.with_coordinates(vec![0.0, end]);
            assert_eq!(other.units.as_deref(), Some("mm"));
        }
    }

    /// Evenly spaced points, computed as NumPy does in single precision.
    fn single(n: usize, length: f32) -> Vec<f64> {
        let point = |i: usize| i as f32 / n as f32 * length / length * length;
        (0..n).map(|i| f64::from(point(i))).collect()
    }

    #[test]
    fn coordinates_in_single_precision_are_even_in_every_unit() {
        let milli = Conversion {
            factor: 1e-3,
            offset: 0.0,
        };
        for (n, length) in [(256, 2.0 * std::f32::consts::PI), (1000, 0.3), (37, 1e5)] {
            let axis = Axis::from_coordinates("x", single(n, length));
            assert!(axis.is_even(), "{n} {length}");
            assert!(axis.unit().is_even(), "{n} {length}");
            assert!(axis.converted(milli).is_even(), "{n} {length}");
        }
    }

    #[test]
    fn points_that_are_not_even_are_found_in_any_precision() {
        let squares = (0..8).map(|i| f64::from(i * i)).collect();
        assert!(!Axis::from_coordinates("x", squares).is_even());
        let mut late = single(256, 1.0);
        late[100] += 1e-5;
        assert!(!Axis::from_coordinates("x", late).is_even());
        // Seconds since 1970 with a jitter of a millisecond, a hundredth of the step.
        let jitter = |i: i32| 1.7e9 + 0.1 * f64::from(i) + if i == 5 { 1e-3 } else { 0.0 };
        let times = Axis::from_coordinates("t", (0..10).map(jitter).collect());
        assert!(!times.is_even());
        let steady = (0..10).map(|i| 1.7e9 + 0.1 * f64::from(i)).collect();
        assert!(Axis::from_coordinates("t", steady).is_even());
        assert!(Axis::from_coordinates("x", vec![3.0]).is_even());
    }
}
