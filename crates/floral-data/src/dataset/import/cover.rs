//! Whether the points of an array cover the grid to which it is interpolated: linear interpolation
//! does not extrapolate.

use super::axes::FoundAxis;
use crate::Axis;
use crate::grid::AxisKind;

/// How far a field may be continued beyond its last point, in units of its step: cell centres end
/// half a step inside the domain.
const HALF_A_CELL: f64 = 0.5;

/// Distances that count as rounding, in units of the step.
const ROUNDING: f64 = 1e-3;

/// A note about the interpolation from the points of `own` to those of `to`, or why it is
/// impossible.
pub(super) fn covered(own: &FoundAxis, to: &Axis) -> Result<Option<String>, String> {
    let name = &to.name;
    if own.coordinates.is_none() {
        return Ok((own.axis.len() != to.len()).then(|| assumed(own, to)));
    }
    let axis = &own.axis;
    let ends = |axis: &Axis| {
        let (first, last) = (axis.coordinates.first(), axis.coordinates.last());
        first.copied().zip(last.copied())
    };
    let (Some((first, last)), Some((from, end))) = (ends(axis), ends(to)) else {
        return Ok(None);
    };
    if axis.domain.is_periodic() || axis.len() < 2 && to.len() < 2 {
        return Ok(None);
    }
    let step = |a: Option<&f64>, b: Option<&f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs(),
        _ => 0.0,
    };
    let (points, n) = (&axis.coordinates, axis.len());
    let before = step(points.first(), points.get(1));
    let behind = step(points.last(), points.get(n.wrapping_sub(2)));
    // The start of times is not stored: it lies one step before the first time.
    let allowed = match axis.domain.kind {
        AxisKind::Times => [1.0, HALF_A_CELL],
        _ => [HALF_A_CELL; 2],
    };
    let beyond = [first - from, end - last];
    let steps = [before, behind];
    let is_beyond = |share: f64, i: usize| beyond[i] > (share + ROUNDING) * steps[i];
    if (0..2).any(|i| is_beyond(allowed[i], i)) {
        return Err(format!(
            "has points along {name} from {first} to {last}, but the grid goes from {from} to {end}"
        ));
    }
    Ok((0..2).any(|i| is_beyond(0.0, i)).then(|| {
        format!(
            "is continued linearly beyond its points along {name}, from {first} to {last}, to the \
             ends of the grid, {from} and {end}"
        )
    }))
}

/// The note that points without coordinates are spread over the domain.
fn assumed(own: &FoundAxis, to: &Axis) -> String {
    format!(
        "has no coordinates of its {} points along {}; they are taken to sample its domain evenly, \
         from {} to {}",
        own.axis.len(),
        to.name,
        to.domain.from,
        to.domain.to
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(coordinates: &[f64]) -> Axis {
        Axis::stored("x", coordinates.to_vec(), None).unwrap()
    }

    fn found(coordinates: &[f64], is_told: bool) -> FoundAxis {
        FoundAxis {
            axis: axis(coordinates),
            is_reversed: false,
            is_even: true,
            coordinates: is_told.then(|| "x_low".to_owned()),
            note: None,
            calendar: None,
        }
    }

    #[test]
    fn a_part_of_the_domain_is_not_extrapolated() {
        let fine: Vec<f64> = (0..17).map(|i| 1.0 + f64::from(i) / 16.0).collect();
        let words = covered(&found(&[1.4, 1.5, 1.6], true), &axis(&fine)).unwrap_err();
        assert!(
            words.contains("from 1.4 to 1.6, but the grid goes from 1 to 2"),
            "{words}"
        );
        assert!(covered(&found(&[1.0, 1.25, 1.5], true), &axis(&fine)).is_err());
        assert_eq!(
            covered(&found(&[1.0, 1.5, 2.0], true), &axis(&fine)),
            Ok(None)
        );
    }

    #[test]
    fn centres_of_cells_reach_half_a_cell_further_and_it_is_said() {
        let centres = [1.125, 1.375, 1.625, 1.875];
        let note = covered(&found(&centres, true), &axis(&[1.0, 1.5, 2.0])).unwrap();
        assert!(note.unwrap().contains("continued linearly"));
        let note = covered(&found(&[1.0, 2.0], false), &axis(&[1.0, 1.5, 2.0])).unwrap();
        assert!(note.unwrap().contains("no coordinates"));
    }
}
