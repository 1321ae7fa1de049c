//! Reads points from a CSV file: a header that names the axes, with units if they differ from the
//! run's, as in `x [mm],y [mm]`, then a row for each point.

use std::path::Path;

use super::csv::{self, Fault};
use crate::units::Conversion;
use crate::{Axis, Grid, Points, Result};

/// Reads points in the domain of a grid; the columns are named like its axes, in any order.
pub fn read_points(path: &Path, grid: &Grid) -> Result<Points> {
    csv::read(path, |text| parse(text, grid))
}

fn parse(text: &str, grid: &Grid) -> std::result::Result<Points, Fault> {
    let mut lines = csv::lines(text);
    let (line, header) = lines.next().unwrap_or((1, ""));
    let columns = columns(header, grid).map_err(|reason| (Some(line), reason))?;
    let mut axes: Vec<(String, Vec<f64>)> = grid
        .axes
        .iter()
        .map(|axis| (axis.name.clone(), Vec::new()))
        .collect();
    for (line, row) in lines {
        let row = numbers(row, columns.len()).map_err(|reason| (Some(line), reason))?;
        for ((axis, (_, along)), (place, conversion)) in
            grid.axes.iter().zip(&mut axes).zip(&columns)
        {
            let x = conversion.apply(row[*place]);
            check(axis, x).map_err(|reason| (Some(line), reason))?;
            along.push(x);
        }
    }
    let units = grid.axes.iter().map(|axis| axis.units.clone()).collect();
    let points = Points { axes, units };
    if points.is_empty() {
        return Err((None, "holds no points below its header".into()));
    }
    Ok(points)
}

/// Index of the column of each axis, and the conversion to the axis's units.
fn columns(header: &str, grid: &Grid) -> std::result::Result<Vec<(usize, Conversion)>, String> {
    let cells: Vec<_> = csv::cells(header).into_iter().map(csv::named).collect();
    let names = || -> Vec<&str> { grid.axes.iter().map(|axis| axis.name.as_str()).collect() };
    let refused = || {
        format!(
            "the header is \"{}\", but must name the axes: {}",
            header.trim(),
            names().join(",")
        )
    };
    if cells.len() != grid.axes.len() {
        return Err(refused());
    }
    let column = |axis: &Axis| {
        let place = cells.iter().position(|(name, _)| *name == axis.name);
        let place = place.ok_or_else(refused)?;
        let given = cells[place].1.as_deref();
        let conversion = csv::conversion(&axis.name, given, axis.units.as_deref())?;
        Ok((place, conversion))
    };
    grid.axes.iter().map(column).collect()
}

fn numbers(row: &str, columns: usize) -> std::result::Result<Vec<f64>, String> {
    let cells = csv::row(row, columns)?;
    cells.into_iter().map(csv::number).collect()
}

/// Refuses a coordinate beyond the ends of an axis.
fn check(axis: &Axis, x: f64) -> std::result::Result<(), String> {
    let domain = &axis.domain;
    let (first, last) = match axis.coordinates.as_slice() {
        [first, .., last] if !domain.is_periodic() => (*first, *last),
        _ => (domain.from, domain.to),
    };
    // A coordinate at the end of the axis may exceed it by a rounding error.
    let margin = 1e-9 * (last - first);
    if (first - margin..=last + margin).contains(&x) {
        return Ok(());
    }
    Err(format!(
        "{} = {x} is outside the domain, which goes from {first} to {last}",
        axis.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::new(vec![Axis::times("t", 4, 0.2), Axis::periodic("x", 8)])
    }

    #[test]
    fn columns_come_in_any_order() {
        let points = parse("\u{feff}x, t\r\n0.99,0.05\r\n\r\n 0 ,0.2\r\n", &grid()).unwrap();
        let expected = [("t", vec![0.05, 0.2]), ("x", vec![0.99, 0.0])];
        assert_eq!(
            points.axes,
            expected.map(|(name, along)| (name.to_owned(), along))
        );
    }

    #[test]
    fn cells_may_be_quoted_as_spreadsheets_do() {
        let points = parse("\"t\",\"x\"\n\"0.05\", 0.5\n   \n", &grid()).unwrap();
        assert_eq!((points.len(), points.axes[0].1[0]), (1, 0.05));
    }

    #[test]
    fn units_of_columns_are_converted_to_those_of_the_axes() {
        let axes = ["x", "y"].map(|name| Axis::closed(name, 3).with_units("m"));
        let grid = Grid::new(axes.to_vec());
        let points = parse("y, x [mm]\n0.5,250\n", &grid).unwrap();
        let found: Vec<f64> = points.axes.iter().map(|(_, along)| along[0]).collect();
        assert_eq!(found, [0.25, 0.5]);
        let (line, reason) = parse("y,x [s]\n0.5,250\n", &grid).unwrap_err();
        assert_eq!(line, Some(1));
        assert!(reason.contains("does not convert to the m"), "{reason}");
    }

    #[test]
    fn errors_name_their_line() {
        let fault = |text: &str| {
            let (line, reason) = parse(text, &grid()).unwrap_err();
            format!("{line:?} {reason}")
        };
        for (text, words) in [
            ("", "t,x"),
            ("t,x\n", "no points"),
            ("t,y\n0.1,0.1\n", "Some(1) the header is \"t,y\""),
            ("t,x,z\n0.1,0.1,1\n", "Some(1)"),
            ("t,x\n0.1,0.1\n0.1\n", "Some(3) 1 values"),
            ("t,x\n0.1,a\n", "Some(2) \"a\" is not a number"),
            ("t,x\n0.1,nan\n", "is not a number"),
            ("t,x\n\n0.1,1.5\n", "Some(3) x = 1.5 is outside"),
            ("t,x\n0.01,0.5\n", "from 0.05 to 0.2"),
        ] {
            assert!(fault(text).contains(words), "{text}: {}", fault(text));
        }
    }
}
