//! A flat view of several fields on one grid: the members of an ensemble, or the observations.

use crate::{Error, Result};

/// A view of finite fields [field, point], with at least one field and one point.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    values: &'a [f32],
    points: usize,
}

impl<'a> Fields<'a> {
    /// A view of `values` as fields [field, point] of `points` values each.
    pub fn new(values: &'a [f32], points: usize) -> Result<Self> {
        if values.is_empty() || points == 0 || !values.len().is_multiple_of(points) {
            return Err(Error::shape(
                "an ensemble of fields",
                vec![values.len()],
                vec![values.len().div_ceil(points.max(1)).max(1), points.max(1)],
            ));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(not_finite(at / points, at % points, values[at])),
            None => Ok(Self { values, points }),
        }
    }

    /// Number of fields.
    pub fn count(&self) -> usize {
        self.values.len() / self.points
    }

    /// Number of values per field.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The fields in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'a, f32> {
        self.values.chunks_exact(self.points)
    }

    /// The field at `index`.
    pub fn field(&self, index: usize) -> &'a [f32] {
        &self.values[index * self.points..][..self.points]
    }

    /// The values at `width` points starting from `start`, transposed: [point, field].
    pub(super) fn columns(&self, start: usize, width: usize) -> Vec<f32> {
        let count = self.count();
        let mut columns = vec![0.0; count * width];
        for (i, field) in self.iter().enumerate() {
            for (point, value) in field[start..start + width].iter().enumerate() {
                columns[point * count + i] = *value;
            }
        }
        columns
    }

    /// Refuses observations on another grid than the members.
    pub(super) fn check_same_grid(&self, observations: Fields) -> Result<()> {
        if self.points == observations.points {
            return Ok(());
        }
        Err(Error::shape(
            "observations of an ensemble",
            vec![observations.count(), observations.points],
            vec![observations.count(), self.points],
        ))
    }
}

/// Fields [field, point] minus a centre. Scores of ensembles do not depend on the centre, but f32
/// resolves a small spread about zero better than about a large value.
pub fn centred<T: Copy + Into<f64>>(fields: &[T], centre: &[f64]) -> Vec<f32> {
    let pairs = fields.iter().zip(centre.iter().cycle());
    pairs.map(|(v, c)| ((*v).into() - c) as f32).collect()
}

/// The sum of values times the weights of their points, which repeat for [.., point]; the plain sum
/// if there are no weights.
pub fn weighted(values: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    match weights {
        [] => values.sum(),
        _ => {
            let pairs = values.zip(weights.iter().cycle());
            pairs.map(|(value, weight)| value * weight).sum()
        }
    }
}

fn not_finite(field: usize, point: usize, value: f32) -> Error {
    Error::numerical(
        format!("field {field} has the value {value} at point {point}"),
        "scores need finite fields: sample again with a smaller tolerance or time step",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_transpose() {
        let fields = Fields::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3).unwrap();
        assert_eq!((fields.count(), fields.field(1)), (2, &[4.0, 5.0, 6.0][..]));
        assert_eq!(fields.columns(1, 2), [2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn what_is_not_whole_or_not_finite_is_refused() {
        for (values, points) in [(&[1.0; 5][..], 2), (&[], 2), (&[1.0], 0), (&[], 0)] {
            assert!(matches!(
                Fields::new(values, points),
                Err(Error::Shape { .. })
            ));
        }
        let error = Fields::new(&[1.0, 2.0, 3.0, f32::NAN], 2).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("field 1 has the value NaN at point 1")
        );
    }
}
