//! Tests of alignment: conversions, refusals and notes.

use super::*;
use crate::Quantity;
use crate::grid::Domain;
use crate::predict::testing::play;
use crate::train::Method;
use crate::units::Conversion;

const THOUSAND: Conversion = Conversion {
    factor: 1000.0,
    offset: 0.0,
};

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

/// The header of a run on this grid with these channels.
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
    millimetres.axes[0] = millimetres.axes[0].converted(THOUSAND).with_units("mm");
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
    assert!(words.contains("which measures something else"), "{words}");
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
    long.axes[0] = long.axes[0].converted(THOUSAND);
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
    // An axis from a file that does not declare it periodic.
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
    assert!(refusal(&header, &grid(), &given).contains("something else"));
}
