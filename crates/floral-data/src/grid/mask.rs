//! A mask: points of a grid that lie outside the domain of every solution, such as land next to an
//! ocean.

use serde::{Deserialize, Serialize};

/// The points outside and inside a domain, at least one of each.
///
/// Fields are extended to the points outside, so that every method sees finite values. The
/// extension proceeds outwards from the points inside: each value is the mean of its neighbours
/// that are one step nearer. It is linear in the field and preserves constants. Predictions outside
/// are never shown or scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Mask {
    shape: Vec<usize>,
    outside: Vec<bool>,
    inside: Vec<usize>,
    /// Each point outside with the neighbours whose mean it takes, in the order of computation.
    steps: Vec<(usize, Vec<usize>)>,
}

/// The mask in a file: points per axis, and indices of the points outside.
#[derive(Serialize, Deserialize)]
struct Stored {
    shape: Vec<usize>,
    outside: Vec<usize>,
}

impl Mask {
    /// The mask of a grid of this shape, with `outside` for each point; none if all points are
    /// inside or all are outside.
    pub fn new(shape: &[usize], outside: Vec<bool>) -> Option<Self> {
        let inside: Vec<usize> = (0..outside.len()).filter(|&p| !outside[p]).collect();
        let is_whole = outside.len() == shape.iter().product::<usize>();
        let is_mask = is_whole && !inside.is_empty() && inside.len() < outside.len();
        is_mask.then(|| Self {
            steps: steps(shape, &outside),
            shape: shape.to_vec(),
            outside,
            inside,
        })
    }

    /// Points per axis of its grid.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Indices of the points inside.
    pub fn inside(&self) -> &[usize] {
        &self.inside
    }

    /// Number of points outside.
    pub fn count(&self) -> usize {
        self.outside.len() - self.inside.len()
    }

    /// For each point, whether it is outside.
    pub fn outside(&self) -> &[bool] {
        &self.outside
    }

    /// Whether this mask contains all points outside of another mask.
    pub fn holds(&self, other: &Self) -> bool {
        let mut pairs = self.outside.iter().zip(&other.outside);
        self.shape == other.shape && pairs.all(|(own, other)| *own || !other)
    }

    /// The mask of a grid whose points are those at `positions` of this grid.
    pub fn moved(&self, shape: &[usize], positions: &[usize]) -> Self {
        let outside: Vec<bool> = positions.iter().map(|&p| self.outside[p]).collect();
        let inside = (0..outside.len()).filter(|&p| !outside[p]).collect();
        Self {
            steps: steps(shape, &outside),
            shape: shape.to_vec(),
            outside,
            inside,
        }
    }

    /// Number of values in a stack of fields [.., point] that are not finite, not counting NaN
    /// outside.
    pub fn missing(&self, values: &[f64]) -> usize {
        let values = values.iter().enumerate();
        let missing = values.filter(|(i, value)| {
            let is_allowed = value.is_nan() && self.outside[i % self.outside.len()];
            !value.is_finite() && !is_allowed
        });
        missing.count()
    }

    /// Extends a stack of fields [.., point] to the points outside.
    pub fn extend(&self, values: &mut [f64]) {
        for field in values.chunks_exact_mut(self.outside.len()) {
            for (point, near) in &self.steps {
                let sum: f64 = near.iter().map(|&p| field[p]).sum();
                field[*point] = sum / near.len() as f64;
            }
        }
    }

    /// Sets the values outside to NaN, in a stack of fields [.., point].
    pub fn blank<T: Copy + From<f32>>(&self, values: &mut [T]) {
        blank(&self.outside, values);
    }
}

/// Sets the values at the points `outside` to NaN, in a stack of fields [.., point].
pub fn blank<T: Copy + From<f32>>(outside: &[bool], values: &mut [T]) {
    for field in values.chunks_exact_mut(outside.len().max(1)) {
        let points = field.iter_mut().zip(outside);
        let points = points.filter(|(_, is_outside)| **is_outside);
        points.for_each(|(value, _)| *value = f32::NAN.into());
    }
}

/// The points outside from nearest to farthest, each with its neighbours that are one step nearer.
fn steps(shape: &[usize], outside: &[bool]) -> Vec<(usize, Vec<usize>)> {
    let mut distance: Vec<usize> = outside
        .iter()
        .map(|&o| if o { usize::MAX } else { 0 })
        .collect();
    let mut steps = Vec::new();
    let mut nearest: Vec<usize> = (0..outside.len()).filter(|&p| !outside[p]).collect();
    for step in 1.. {
        let next = nearest.iter().flat_map(|&p| neighbours(shape, p));
        let mut next: Vec<usize> = next.filter(|&p| distance[p] == usize::MAX).collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            break;
        }
        next.iter().for_each(|&p| distance[p] = step);
        let near = |p: usize| {
            let near = neighbours(shape, p).into_iter();
            near.filter(|&q| distance[q] == step - 1).collect()
        };
        steps.extend(next.iter().map(|&p| (p, near(p))));
        nearest = next;
    }
    steps
}

/// The neighbours of a point along the axes.
fn neighbours(shape: &[usize], point: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut stride = 1;
    for &n in shape.iter().rev() {
        let place = point / stride % n;
        found.extend((place > 0).then(|| point - stride));
        found.extend((place + 1 < n).then(|| point + stride));
        stride *= n;
    }
    found
}

impl TryFrom<Stored> for Mask {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let count = stored
            .shape
            .iter()
            .try_fold(1, |n: usize, m| n.checked_mul(*m));
        let count = count.filter(|count| *count <= 1 << 26);
        let count = count.ok_or_else(|| format!("a mask of shape {:?}", stored.shape))?;
        let mut outside = vec![false; count];
        for point in stored.outside {
            *outside
                .get_mut(point)
                .ok_or("a mask with a point off its grid")? = true;
        }
        Self::new(&stored.shape, outside)
            .ok_or_else(|| "a mask with no point inside or outside".into())
    }
}

impl From<Mask> for Stored {
    fn from(mask: Mask) -> Self {
        let points = 0..mask.outside.len();
        Self {
            outside: points.filter(|&p| mask.outside[p]).collect(),
            shape: mask.shape,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An island of four points in a sea of 4 x 5.
    fn island() -> Mask {
        let outside = (0..20).map(|p| [6, 7, 11, 12].contains(&p)).collect();
        Mask::new(&[4, 5], outside).unwrap()
    }

    #[test]
    fn a_constant_is_continued_as_it_is_and_values_inside_are_kept() {
        let mask = island();
        let mut field: Vec<f64> = (0..20).map(|_| 3.0).collect();
        mask.blank(&mut field);
        assert_eq!(field.iter().filter(|value| value.is_nan()).count(), 4);
        mask.extend(&mut field);
        assert_eq!(field, [3.0; 20]);
        let mut slope: Vec<f64> = (0..20).map(f64::from).collect();
        mask.extend(&mut slope);
        mask.inside()
            .iter()
            .for_each(|&p| assert_eq!(slope[p], p as f64));
        assert_eq!(slope[6], 3.0, "the mean of 1 above and 5 to the left");
    }

    #[test]
    fn a_far_corner_is_reached_step_by_step() {
        let outside = (0..16).map(|p| p != 0).collect();
        let mask = Mask::new(&[4, 4], outside).unwrap();
        let mut field = vec![f64::NAN; 16];
        field[0] = 2.0;
        mask.extend(&mut field);
        assert_eq!(field, [2.0; 16]);
    }

    #[test]
    fn transposing_a_field_and_continuing_it_commute() {
        let mask = island();
        let positions: Vec<usize> = (0..20).map(|p| p % 4 * 5 + p / 4).collect();
        let turned = mask.moved(&[5, 4], &positions);
        let mut field: Vec<f64> = (0..20).map(|p| f64::from(p * p % 7)).collect();
        let mut moved: Vec<f64> = positions.iter().map(|&p| field[p]).collect();
        mask.extend(&mut field);
        turned.extend(&mut moved);
        for (value, &p) in moved.iter().zip(&positions) {
            assert!((value - field[p]).abs() < 1e-12);
        }
    }

    #[test]
    fn it_is_stored_by_its_points_and_one_without_any_is_refused() {
        let text = serde_json::to_string(&island()).unwrap();
        assert_eq!(text, r#"{"shape":[4,5],"outside":[6,7,11,12]}"#);
        assert_eq!(serde_json::from_str::<Mask>(&text).unwrap(), island());
        for text in [
            r#"{"shape":[2],"outside":[]}"#,
            r#"{"shape":[2],"outside":[0,1]}"#,
            r#"{"shape":[2],"outside":[2]}"#,
            r#"{"shape":[4294967296,4294967296],"outside":[0]}"#,
        ] {
            assert!(serde_json::from_str::<Mask>(text).is_err(), "{text}");
        }
    }
}
