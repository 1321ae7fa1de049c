//! Brings inputs to the axes, channels and units of a run: what differs in order or units alone is
//! converted and said, what differs otherwise is refused.

use std::path::Path;

use super::extent;
use crate::dataset::view::{Source, View};
use crate::dataset::{Dataset, axis_names};
use crate::train::Header;
use crate::units::{Relation, relation};
use crate::{Axis, Error, Grid, Quantities, Quantity, Result};

/// How stored inputs are seen by a run.
pub(crate) struct Alignment {
    /// How their fields are seen.
    pub view: View,
    /// Their grid, with the run's axes in the run's units.
    pub grid: Grid,
    /// What their channels are, in the run's units.
    pub quantities: Quantities,
    /// What was converted, and what else to know.
    pub notes: Vec<String>,
}

/// Inputs as they are stored.
pub(crate) struct Given<'a> {
    /// Their grid.
    pub grid: &'a Grid,
    /// Whether each axis has coordinates, or only a number of points.
    pub has_coordinates: &'a [bool],
    /// What their channels are.
    pub quantities: &'a Quantities,
}

/// What is wrong, in words.
type Verdict<T> = std::result::Result<T, String>;

impl Alignment {
    /// That of the inputs of a file.
    pub fn new(header: &Header, path: &Path, given: &Given) -> Result<Self> {
        let aligned = aligned(header, given);
        aligned.map_err(|reason| Error::BadFile {
            path: path.to_owned(),
            reason,
        })
    }
}

/// A dataset as a run sees it, and what was converted for it.
pub fn aligned_dataset(header: &Header, dataset: &Dataset) -> Result<(Dataset, Vec<String>)> {
    let given = Given {
        grid: dataset.grid(),
        has_coordinates: dataset.has_coordinates(),
        quantities: dataset.quantities(),
    };
    let Alignment {
        view,
        grid,
        quantities,
        notes,
    } = Alignment::new(header, dataset.path(), &given)?;
    Ok((dataset.seen(view, grid, quantities), notes))
}

/// Refuses a dataset that a run would have to see in another order or in other units than it is
/// stored: of several runs, each might see another one.
pub fn check_terms(header: &Header, dataset: &Dataset) -> Result<()> {
    let (seen, notes) = aligned_dataset(header, dataset)?;
    let mut axes = header.grid.axes.iter().zip(&dataset.grid().axes);
    let is_scaled = axes.any(|(run, axis)| match (&run.units, &axis.units) {
        (Some(run), Some(axis)) => relation(axis, run) != Relation::Same,
        _ => false,
    });
    if seen.is_view() == dataset.is_view() && !is_scaled {
        return Ok(());
    }
    Err(Error::BadFile {
        path: dataset.path().to_owned(),
        reason: format!(
            "{}; write it in the run's order and units for this",
            notes.join("; ")
        ),
    })
}

pub(super) fn aligned(header: &Header, given: &Given) -> Verdict<Alignment> {
    let Given {
        grid, quantities, ..
    } = given;
    let mut notes = Vec::new();
    let order = order(&header.grid, grid, &mut notes)?;
    let axes = header.grid.axes.iter().zip(&order);
    let axes = axes.map(|(run, &i)| {
        let axis = &grid.axes[i];
        match given.has_coordinates.get(i) {
            Some(false) if run.coordinates != axis.coordinates => {
                Ok(extent::assumed(run, axis.len(), &mut notes))
            }
            _ => aligned_axis(run, axis, &mut notes),
        }
    });
    let axes = axes.collect::<Verdict<Vec<Axis>>>()?;
    let run = &header.quantities;
    let input = sources("input", &run.input, &quantities.input, &mut notes)?;
    let solution = sources("solution", &run.solution, &quantities.solution, &mut notes)?;
    Ok(Alignment {
        quantities: Quantities {
            input: seen(&run.input, &quantities.input, &input),
            solution: seen(&run.solution, &quantities.solution, &solution),
        },
        view: View::new(&grid.shape(), &order, input, solution),
        grid: Grid::new(axes),
        notes,
    })
}

/// The given axis at each place of the run's grid.
fn order(run: &Grid, given: &Grid, notes: &mut Vec<String>) -> Verdict<Vec<usize>> {
    if run.dimensions() != given.dimensions() {
        return Err(format!(
            "its grid {:?} has {} axes, but the run's grid {:?} has {}; only the number of points \
             may differ",
            given.shape(),
            given.dimensions(),
            run.shape(),
            run.dimensions()
        ));
    }
    let (ours, theirs) = (names(run), names(given));
    if ours == theirs {
        return Ok((0..theirs.len()).collect());
    }
    let place = |name: &&str| theirs.iter().position(|other| other == name);
    if let Some(order) = ours.iter().map(place).collect::<Option<Vec<_>>>() {
        notes.push(format!(
            "its axes are ({}), the run's ({}): transposed",
            theirs.join(", "),
            ours.join(", ")
        ));
        return Ok(order);
    }
    let counted = |names: &[&str]| names.iter().all(|name| axis_names::is_counted(name));
    if counted(&ours) || counted(&theirs) {
        notes.push(format!(
            "its axes ({}) are taken for the run's ({}) in this order, as one of them has no names",
            theirs.join(", "),
            ours.join(", ")
        ));
        return Ok((0..theirs.len()).collect());
    }
    Err(format!(
        "its axes are ({}), but the run was trained on ({}); rename its dimensions, or train a run \
         on these",
        theirs.join(", "),
        ours.join(", ")
    ))
}

fn names(grid: &Grid) -> Vec<&str> {
    grid.axes.iter().map(|axis| axis.name.as_str()).collect()
}

/// An axis with the run's name, in the run's units, over the run's domain.
fn aligned_axis(run: &Axis, axis: &Axis, notes: &mut Vec<String>) -> Verdict<Axis> {
    let what = format!("axis {}", run.name);
    let factor = factor(&what, &run.units, &axis.units, notes)?;
    let scaled = Axis {
        name: run.name.clone(),
        units: run.units.clone().or(axis.units.clone()),
        long_name: axis.long_name.clone().or(run.long_name.clone()),
        ..axis.scaled(factor)
    };
    extent::placed(run, scaled, notes)
}

/// The factor from given units to a run's, 1 where one of them is not told.
fn factor(
    what: &str,
    run: &Option<String>,
    given: &Option<String>,
    notes: &mut Vec<String>,
) -> Verdict<f64> {
    let (Some(run), Some(given)) = (run, given) else {
        return Ok(1.0);
    };
    match relation(given, run) {
        Relation::Same => Ok(1.0),
        Relation::Scaled(factor) => {
            notes.push(format!(
                "{what} is in {given}, the run's in {run}: converted to {run}, times {factor}"
            ));
            Ok(factor)
        }
        Relation::Apart => Err(format!(
            "{what} is in {given}, but the run was trained in {run}, and no factor takes one to the \
             other; convert the values to {run}"
        )),
        Relation::Unknown => Err(format!(
            "{what} is in {given}, but the run was trained in {run}, and how they are related is not \
             known; convert the values to {run} and say so in the attribute units"
        )),
    }
}

/// The given channel for each of a run's. Where their numbers differ, the shapes are refused later.
fn sources(
    what: &str,
    run: &[Quantity],
    given: &[Quantity],
    notes: &mut Vec<String>,
) -> Verdict<Vec<Source>> {
    let as_given = (0..given.len()).collect();
    if run.len() != given.len() {
        let source = |channel| Source {
            channel,
            factor: 1.0,
        };
        return Ok((0..given.len()).map(source).collect());
    }
    let order = match permutation(run, given) {
        Some(order) if order != as_given => {
            let named = |quantities: &[Quantity]| crate::quantity::labels(quantities).join(", ");
            notes.push(format!(
                "the channels of its {what} are ({}), the run's ({}): reordered",
                named(given),
                named(run)
            ));
            order
        }
        _ => as_given,
    };
    let channels = run.iter().zip(order).enumerate();
    let channels = channels.map(|(i, (run, channel))| {
        let quantity = &given[channel];
        if let (Some(ours), Some(theirs)) = (&run.name, &quantity.name)
            && !ours.eq_ignore_ascii_case(theirs)
        {
            return Err(format!(
                "channel {channel} of its {what} is {theirs}, but the run was trained on {ours} \
                 there; give that, or correct the name"
            ));
        }
        let what = match &run.name {
            Some(name) => format!("{name} of its {what}"),
            None => format!("channel {i} of its {what}"),
        };
        let factor = factor(&what, &run.units, &quantity.units, notes)?;
        Ok(Source { channel, factor })
    });
    channels.collect()
}

/// The given channel of each of a run's names, if all have names of their own.
fn permutation(run: &[Quantity], given: &[Quantity]) -> Option<Vec<usize>> {
    let place = |quantity: &Quantity| {
        let name = quantity.name.as_ref()?;
        let mut found = (0..given.len()).filter(|&i| given[i].name.as_ref() == Some(name));
        found.next().filter(|_| found.next().is_none())
    };
    let order: Vec<usize> = run.iter().map(place).collect::<Option<_>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted
        .iter()
        .enumerate()
        .all(|(i, place)| i == *place)
        .then_some(order)
}

/// What the channels of a view are: the run's, and what it does not tell as it is given.
fn seen(run: &[Quantity], given: &[Quantity], sources: &[Source]) -> Vec<Quantity> {
    let told = |i: usize, source: &Source| {
        let ours = run.get(i).cloned().unwrap_or_default();
        let theirs = &given[source.channel];
        Quantity {
            name: ours.name.or(theirs.name.clone()),
            units: ours.units.or(theirs.units.clone()),
            long_name: ours.long_name.or(theirs.long_name.clone()),
        }
    };
    sources
        .iter()
        .enumerate()
        .map(|(i, s)| told(i, s))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Domain;
    use crate::predict::testing::play;
    use crate::train::Method;

    fn grid() -> Grid {
        Grid::new(vec![
            Axis::over(Domain::closed(0.0, 1.2), "x", 5).with_units("m"),
            Axis::over(Domain::closed(0.0, 2.0), "y", 9).with_units("m"),
        ])
    }

    fn quantities() -> Quantities {
        Quantities {
            input: vec![Quantity::named("load").with_units("Pa")],
            solution: vec![
                Quantity::named("deflection").with_units("m"),
                Quantity::named("pressure").with_units("Pa"),
            ],
        }
    }

    /// That of a run on this grid with these channels.
    fn header() -> Header {
        let play = play();
        Header {
            grid: grid(),
            quantities: quantities(),
            ..play.predictor(Method::Kriging).header().clone()
        }
    }

    fn of(header: &Header, grid: &Grid, quantities: &Quantities) -> Verdict<Alignment> {
        let given = Given {
            grid,
            has_coordinates: &[],
            quantities,
        };
        aligned(header, &given)
    }

    fn refusal(header: &Header, grid: &Grid, quantities: &Quantities) -> String {
        of(header, grid, quantities).err().expect("a refusal")
    }

    #[test]
    fn what_is_the_same_is_seen_as_it_is() {
        let header = header();
        let same = of(&header, &grid(), &quantities()).unwrap();
        assert!(same.view.is_identity() && same.notes.is_empty());
        assert_eq!((same.grid, same.quantities), (grid(), quantities()));
        let finer = Grid::new(vec![grid().axes[0].resampled(17), grid().axes[1].clone()]);
        let same = of(&header, &finer, &quantities()).unwrap();
        assert!(same.notes.is_empty(), "{:?}", same.notes);
        assert_eq!(same.grid, finer);
    }

    #[test]
    fn an_order_of_axes_is_converted_by_name() {
        let header = header();
        let swapped = Grid::new(grid().axes.into_iter().rev().collect());
        let seen = of(&header, &swapped, &quantities()).unwrap();
        assert_eq!(
            seen.notes,
            ["its axes are (y, x), the run's (x, y): transposed"]
        );
        assert_eq!(seen.grid, grid());
        assert!(!seen.view.is_identity());
        let mut other = grid();
        other.axes[1].name = "z".into();
        let words = refusal(&header, &other, &quantities());
        assert!(words.contains("its axes are (x, z), but"), "{words}");
        let line = Grid::new(vec![grid().axes[0].clone()]);
        let words = refusal(&header, &line, &quantities());
        assert!(
            words.contains("[5] has 1 axes, but the run's grid [5, 9] has 2"),
            "{words}"
        );
    }

    #[test]
    fn units_of_an_axis_are_converted_and_without_them_the_extent_is_refused() {
        let header = header();
        let mut millimetres = grid();
        millimetres.axes[0] = millimetres.axes[0].scaled(1000.0).with_units("mm");
        let seen = of(&header, &millimetres, &quantities()).unwrap();
        assert_eq!(seen.grid, grid());
        let note = "axis x is in mm, the run's in m: converted to m, times 0.001";
        assert_eq!(seen.notes, [note]);
        millimetres.axes[0].units = None;
        let words = refusal(&header, &millimetres, &quantities());
        let parts = [
            "from 0 to 1200, but the run was trained from 0 to 1.2 m",
            "1000 times",
        ];
        assert!(parts.iter().all(|part| words.contains(part)), "{words}");
        millimetres.axes[0].units = Some("s".into());
        let words = refusal(&header, &millimetres, &quantities());
        assert!(
            words.contains("no factor takes one to the other"),
            "{words}"
        );
        millimetres.axes[0].units = Some("furlong".into());
        assert!(refusal(&header, &millimetres, &quantities()).contains("not known"));
    }

    #[test]
    fn an_older_run_without_units_compares_extents_alone() {
        let mut header = header();
        for axis in &mut header.grid.axes {
            axis.units = None;
        }
        header.quantities = Quantities {
            input: vec![Quantity::default()],
            solution: vec![Quantity::default(); 2],
        };
        let seen = of(&header, &grid(), &quantities()).unwrap();
        assert!(seen.notes.is_empty() && seen.view.is_identity());
        let mut long = grid();
        long.axes[0] = long.axes[0].scaled(1000.0);
        assert!(refusal(&header, &long, &quantities()).contains("from 0 to 1200"));
    }

    #[test]
    fn a_part_of_the_domain_is_refused() {
        let header = header();
        let mut half = grid();
        half.axes[1] = half.axes[1].with_coordinates((0..5).map(|i| 0.25 * f64::from(i)).collect());
        assert_eq!(
            half.axes[1].domain,
            grid().axes[1].domain,
            "it lies in the whole"
        );
        let words = refusal(&header, &half, &quantities());
        assert!(words.contains("axis y goes from 0 to 1, but"), "{words}");
    }

    #[test]
    fn a_periodic_axis_stores_its_end_once() {
        let mut header = header();
        header.grid.axes[0] = Axis::over(Domain::periodic(0.0, 360.0), "x", 8);
        let mut given = grid();
        given.axes[0] = Axis::over(Domain::closed(0.0, 360.0), "x", 9);
        let words = refusal(&header, &given, &quantities());
        assert!(words.contains("leave the last point out"), "{words}");
        // Of a file that does not tell that it is periodic.
        let bare = header.grid.axes[0].resampled(16).coordinates;
        given.axes[0] = Axis::from_coordinates("x", bare);
        let seen = of(&header, &given, &quantities()).unwrap();
        assert_eq!(seen.grid.axes[0].domain, header.grid.axes[0].domain);
        assert!(seen.notes.is_empty(), "{:?}", seen.notes);
    }

    #[test]
    fn points_without_coordinates_are_taken_to_sample_the_domain_and_it_is_said() {
        let header = header();
        let quantities = quantities();
        let counted = |n: usize| (0..n).map(|i| i as f64).collect();
        let counted = Grid::new(vec![
            Axis::from_coordinates("x", counted(7)),
            Axis::from_coordinates("y", counted(9)),
        ]);
        let given = Given {
            grid: &counted,
            has_coordinates: &[false, false],
            quantities: &quantities,
        };
        let seen = aligned(&header, &given).unwrap();
        assert_eq!(seen.grid.axes[0], grid().axes[0].resampled(7));
        assert_eq!(seen.grid.axes[1], grid().axes[1]);
        assert!(seen.notes[0].contains("its 7 points") && seen.notes[0].contains("from 0 to 1.2"));
        assert!(
            seen.notes[1].contains("taken for the run's"),
            "{:?}",
            seen.notes
        );
    }

    #[test]
    fn channels_are_found_by_name_and_converted() {
        let header = header();
        let mut given = quantities();
        given.solution.reverse();
        given.solution[0].units = Some("kPa".into());
        let seen = of(&header, &grid(), &given).unwrap();
        assert_eq!(seen.notes.len(), 2, "{:?}", seen.notes);
        assert!(seen.notes[0].contains("(pressure, deflection)"));
        assert!(seen.notes[1].contains("pressure of its solution is in kPa"));
        assert_eq!(
            seen.view.apply(&[1.0; 90], &seen.view.solution, 1)[44..46],
            [1.0, 1000.0]
        );
        assert_eq!(seen.quantities, quantities());
        given.solution[0].name = Some("stress".into());
        let words = refusal(&header, &grid(), &given);
        assert!(
            words.contains("channel 0 of its solution is stress"),
            "{words}"
        );
        let mut given = quantities();
        given.input[0].units = Some("degC".into());
        assert!(refusal(&header, &grid(), &given).contains("no factor"));
    }
}
