//! The default method (re-export of the crate `floral_kl`), and its adapters to this library.

use std::time::{Duration, Instant};

pub use floral_kl::*;

mod inverted;

pub(crate) use inverted::inverted;

use crate::{Grid, observer};

/// Converts an error of the method into one of this library.
pub(crate) fn failed(error: Error) -> crate::Error {
    match error {
        Error::Config { context, reason } => crate::Error::config(context, reason),
        Error::UnknownName { kind, name, known } => crate::Error::unknown_name(kind, name, known),
        Error::Shape {
            what,
            found,
            expected,
        } => crate::Error::shape(what, found, expected),
        Error::Numerical { what, advice } => crate::Error::numerical(what, advice),
        Error::Interrupted => crate::Error::Interrupted,
        other => crate::Error::config("floral-kl", other.to_string()),
    }
}

/// Forwards the events of a fit to an observer of this library, and reports the time left of a
/// budget.
pub(crate) struct Watched<'a> {
    pub observer: &'a dyn observer::Observer,
    pub deadline: Option<Instant>,
}

impl Observer for Watched<'_> {
    fn observe(&self, event: &Event<'_>) {
        match *event {
            Event::Fitting { of, done, total } => {
                self.observer
                    .observe(&observer::Event::Fitting { of, done, total });
            }
            Event::Stacking { done, total } => {
                let left = self.time_left();
                self.observer
                    .observe(&observer::Event::Stacking { done, total, left });
            }
            Event::Spent { of, done, total } => self.note(&format!(
                "the budget is spent: {done} of {total} candidates for the {of} are fitted; a longer \
                 one may predict better"
            )),
            Event::Cut { steps, asked } => self.note(&format!(
                "the budget allows {steps} of {asked} network steps; a longer budget may predict \
                 better, and {steps} depends on the machine"
            )),
            Event::Outlier(outlier) => {
                let outlier = observer::Outlier {
                    input: outlier.input,
                    realization: outlier.realization,
                    distance: outlier.distance,
                };
                self.observer.observe(&observer::Event::Outlier(&outlier));
            }
            Event::Symmetries(found) => {
                let found = observer::FoundSymmetries {
                    periodic: found.periodic.clone(),
                    symmetries: found.symmetries.clone(),
                    contradicted: found.contradicted.clone(),
                };
                self.observer.observe(&observer::Event::Symmetries(&found));
            }
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.observer.should_stop()
    }

    fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }
}

impl Watched<'_> {
    fn note(&self, words: &str) {
        self.observer.observe(&observer::Event::Budget(words));
    }
}

/// Refuses a symmetry that does not map the points of the grid to points of the grid.
pub(crate) fn check_spacing(symmetry: &Symmetry, grid: &Grid) -> crate::Result<()> {
    if grid.mesh().is_some() && symmetry.moves_points() {
        return Err(crate::Error::config(
            format!("symmetry {symmetry}"),
            "the points of a mesh have no axes to move along; leave it out",
        ));
    }
    let Some(name) = symmetry.spaced_axis() else {
        return Ok(());
    };
    let is_uneven = |axis: &crate::Axis| axis.name == name && !axis.is_even();
    if !grid.axes.iter().any(is_uneven) {
        return Ok(());
    }
    Err(crate::Error::config(
        format!("symmetry {symmetry}"),
        format!(
            "the points of axis {name} are uneven, so that it does not take them to each other; \
             leave it out, or interpolate to an even grid"
        ),
    ))
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
