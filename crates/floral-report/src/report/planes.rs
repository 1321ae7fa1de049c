//! Planes: fields on three axes as maps of three planes through one point. Each plane is a
//! comparison.

use std::borrow::Cow;

use floral::{Axis, Error, Grid, Result};

use super::comparison::{Comparison, Setting, ShownInput};
use super::distribution::{Anomalies, Distribution, stride};

/// Maximum number of axes in one figure.
const MOST_DRAWN: usize = 2;

/// A comparison on at most two axes, which figures can show.
pub(super) struct Plane<'a> {
    pub comparison: Cow<'a, Comparison>,
    /// The suffix for file names; empty if there is only one plane.
    pub key: String,
    /// The names of the axes and the position of the plane.
    pub title: String,
}

impl Comparison {
    /// The comparison itself on one or two axes. On three axes, a plane across each axis through
    /// the point of the setting.
    pub(super) fn planes(&self) -> Vec<Plane<'_>> {
        if self.setting.grid.dimensions() <= MOST_DRAWN {
            return vec![Plane {
                comparison: Cow::Borrowed(self),
                key: String::new(),
                title: String::new(),
            }];
        }
        let axes = 0..self.setting.grid.dimensions();
        axes.map(|axis| self.plane(axis)).collect()
    }

    fn plane(&self, axis: usize) -> Plane<'_> {
        let cut = Cut::new(&self.setting, axis);
        let mut labels = self.setting.axes.clone();
        let label = labels.remove(axis);
        let at = rounded(self.setting.grid.axes[axis].coordinates[cut.index]);
        let units = label.units.as_ref().map(|units| format!(" {units}"));
        let place = format!("{} = {at}{}", label.name, units.unwrap_or_default());
        let mut axes = self.setting.grid.axes.clone();
        axes.remove(axis);
        let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
        let grid = Grid::new(axes);
        let shown = |shown: &ShownInput| ShownInput {
            low: shown.low.as_ref().map(|low| cut.fields(low)),
            truth: shown.truth.as_ref().map(|truth| cut.distribution(truth)),
            runs: shown.runs.iter().map(|run| cut.distribution(run)).collect(),
            ..shown.clone()
        };
        Plane {
            comparison: Cow::Owned(Self {
                setting: Setting {
                    right: grid.rightward(),
                    grid,
                    axes: labels,
                    through: Vec::new(),
                    place: Some(place.clone()),
                    ..self.setting.clone()
                },
                shown: self.shown.iter().map(shown).collect(),
                ..self.clone()
            }),
            key: names.join("-"),
            title: format!("{} at {place}", names.join(" and ")),
        }
    }
}

/// The index along each axis at which planes lie: the point nearest to the requested coordinate,
/// otherwise the middle. Empty for a grid that one figure can show.
pub(super) fn through(grid: &Grid, asked: &[(String, f64)]) -> Result<Vec<usize>> {
    let known = || grid.axes.iter().map(|axis| axis.name.as_str());
    let unknown = asked
        .iter()
        .find(|(name, _)| known().all(|own| own != name));
    if let Some((name, _)) = unknown {
        let known: Vec<&str> = known().collect();
        return Err(refusal(format!(
            "there is no axis {name}; choose among {}",
            known.join(", ")
        )));
    }
    if grid.dimensions() <= MOST_DRAWN {
        return match asked.first() {
            Some((name, _)) => Err(refusal(format!(
                "axis {name} is shown as a whole; planes are for fields on three axes"
            ))),
            None => Ok(Vec::new()),
        };
    }
    let strides = stride(&grid.shape());
    let axes = grid.axes.iter().zip(strides);
    axes.map(|(axis, stride)| {
        let wanted = asked.iter().find(|(name, _)| *name == axis.name);
        index(axis, stride, wanted.map(|(_, at)| *at))
    })
    .collect()
}

/// The index of a point at which quantiles are stored; every `stride`-th point has them.
fn index(axis: &Axis, stride: usize, wanted: Option<f64>) -> Result<usize> {
    let middle = axis.len() / 2 / stride * stride;
    let Some(wanted) = wanted else {
        return Ok(middle);
    };
    if !axis.domain.holds(&[wanted]) {
        return Err(refusal(format!(
            "{}={wanted} lies outside of the axis, which goes from {} to {}",
            axis.name, axis.domain.from, axis.domain.to
        )));
    }
    let apart = |i: &usize| (axis.coordinates[*i] - wanted).abs();
    let all = (0..axis.len()).step_by(stride);
    Ok(all
        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
        .unwrap_or(middle))
}

fn refusal(reason: String) -> Error {
    Error::config("--through", reason)
}

/// A coordinate with five significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// The values on a plane across an axis.
struct Cut {
    index: usize,
    /// Number of points of the grid, and the indices of those on the plane.
    points: (usize, Vec<usize>),
    /// The same for the points at which quantiles are stored.
    kept: (usize, Vec<usize>),
}

impl Cut {
    fn new(setting: &Setting, axis: usize) -> Self {
        let shape = setting.grid.shape();
        let strides = stride(&shape);
        let index = setting.through[axis];
        let lengths = shape.iter().zip(&strides);
        let kept: Vec<usize> = lengths.map(|(n, stride)| n.div_ceil(*stride)).collect();
        Self {
            index,
            points: (shape.iter().product(), across(&shape, axis, index)),
            kept: (
                kept.iter().product(),
                across(&kept, axis, index / strides[axis]),
            ),
        }
    }

    /// [.., point] -> [.., point of the plane].
    fn fields<T: Copy>(&self, values: &[T]) -> Vec<T> {
        taken(values, &self.points)
    }

    fn distribution(&self, whole: &Distribution) -> Distribution {
        let anomalies = |whole: &Anomalies, places| Anomalies {
            reach: whole.reach,
            codes: taken(&whole.codes, places),
        };
        Distribution {
            mean: self.fields(&whole.mean),
            deviation: self.fields(&whole.deviation),
            quantiles: anomalies(&whole.quantiles, &self.kept),
            realizations: anomalies(&whole.realizations, &self.points),
        }
    }
}

/// The points of a grid whose position along an axis is `index`.
fn across(shape: &[usize], axis: usize, index: usize) -> Vec<usize> {
    let stride: usize = shape[axis + 1..].iter().product();
    let points = 0..shape.iter().product();
    points
        .filter(|point| point / stride % shape[axis] == index)
        .collect()
}

/// From every field of `size` values, the values at some points.
fn taken<T: Copy>(values: &[T], (size, places): &(usize, Vec<usize>)) -> Vec<T> {
    let fields = values.chunks_exact((*size).max(1));
    fields
        .flat_map(|field| places.iter().map(move |place| field[*place]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use floral::grid::Domain;

    fn block() -> Grid {
        let axis = |name: &str, n| Axis::over(Domain::closed(0.0, 2.0), name, n);
        Grid::new(vec![axis("t", 200), axis("y", 5), axis("x", 4)])
    }

    #[test]
    fn planes_go_through_the_middle_or_a_chosen_point_with_quantiles() {
        assert_eq!(through(&block(), &[]).unwrap(), [100, 2, 2]);
        let asked = [("t".to_owned(), 0.31), ("x".to_owned(), 2.0)];
        let found = through(&block(), &asked).unwrap();
        assert_eq!(found[1..], [2, 3]);
        // Quantiles are stored at every fourth time.
        assert_eq!(stride(&block().shape()), [4, 1, 1]);
        assert!(found[0].is_multiple_of(4));
        assert!((block().axes[0].coordinates[found[0]] - 0.31).abs() <= 2.0 * 2.0 / 199.0);
    }

    #[test]
    fn an_unknown_axis_and_a_place_outside_are_refused() {
        let words = |name: &str, at: f64| {
            let refused = through(&block(), &[(name.to_owned(), at)]);
            refused.unwrap_err().to_string()
        };
        assert!(words("z", 1.0).contains("no axis z; choose among t, y, x"));
        assert!(words("x", 2.5).contains("from 0 to 2"));
        let plane = Grid::new(block().axes[1..].to_vec());
        assert!(through(&plane, &[("x".to_owned(), 1.0)]).is_err());
        assert!(through(&plane, &[]).unwrap().is_empty());
    }

    #[test]
    fn a_plane_has_the_values_of_its_points() {
        let places = across(&[3, 2, 4], 1, 1);
        assert_eq!(places, [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23]);
        let fields: Vec<usize> = (0..48).collect();
        let found = taken(&fields, &(24, across(&[3, 2, 4], 2, 3)));
        assert_eq!(found, [3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47]);
    }
}
