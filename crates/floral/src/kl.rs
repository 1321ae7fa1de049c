//! The default method, crate `floral_kl`, and how the rest of the library speaks to it.

pub use floral_kl::*;

use crate::{AxisKind, Grid, observer};

/// Axes whose domain is periodic close.
impl From<&Grid> for Lattice {
    fn from(grid: &Grid) -> Self {
        let axes = grid.axes.iter().map(|axis| LatticeAxis {
            name: axis.name.clone(),
            len: axis.len(),
            periodic: axis.domain.kind == AxisKind::Periodic,
            even: axis.is_even(),
        });
        Self::new(axes.collect())
    }
}

impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Config { context, reason } => Self::Config { context, reason },
            Error::UnknownName { kind, name, known } => Self::UnknownName { kind, name, known },
            Error::Shape {
                what,
                found,
                expected,
            } => Self::Shape {
                what,
                found,
                expected,
            },
            Error::Numerical { what, advice } => Self::Numerical { what, advice },
            Error::Interrupted => Self::Interrupted,
            other => Self::Config {
                context: "floral-kl".into(),
                reason: other.to_string(),
            },
        }
    }
}

/// Passes the events of a fit on to an observer of the library.
pub(crate) struct Watched<'a>(pub &'a dyn observer::Observer);

impl Observer for Watched<'_> {
    fn observe(&self, event: &Event<'_>) {
        match *event {
            Event::Fitting { of, done, total } => {
                self.0
                    .observe(&observer::Event::Fitting { of, done, total });
            }
            Event::Outlier(outlier) => self.0.observe(&observer::Event::Outlier(outlier)),
            Event::Symmetries(found) => self.0.observe(&observer::Event::Symmetries(found)),
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}

/// Refuses a motion along an axis whose points it does not take to points.
pub(crate) fn check_spacing(symmetry: &Symmetry, grid: &Grid) -> crate::Result<()> {
    let Some(name) = symmetry.spaced_axis() else {
        return Ok(());
    };
    let is_uneven = |axis: &crate::Axis| axis.name == name && !axis.is_even();
    if !grid.axes.iter().any(is_uneven) {
        return Ok(());
    }
    Err(crate::Error::Config {
        context: format!("symmetry {symmetry}"),
        reason: format!(
            "the points of axis {name} are uneven, so that it does not take them to each other; \
             leave it out, or interpolate to an even grid"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn uneven_points_are_not_moved_to_each_other() {
        let squares = (0..5).map(|i| f64::from(i * i)).collect();
        let grid = Grid::new(vec![
            Axis::from_coordinates("z", squares),
            Axis::closed("x", 5),
        ]);
        let check = |text: &str| check_spacing(&text.parse().unwrap(), &grid);
        for text in ["roll:x", "reflect:x", "sign", "scale:1"] {
            assert!(check(text).is_ok(), "{text}");
        }
        for text in ["roll:z", "roll:z:1/5", "reflect:z:-"] {
            let words = check(text).unwrap_err().to_string();
            assert!(words.contains("axis z are uneven"), "{words}");
        }
    }
}
