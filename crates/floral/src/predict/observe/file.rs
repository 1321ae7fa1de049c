//! Reads observations from a CSV file. The header names the axes, `value` and optionally `std` and
//! `channel`, with units if they differ from the run's, as in `x [mm],y [mm],value [degC],std`.

use std::path::Path;

use floral_quantities::Name;

use super::{Observations, PointReading, channel, solution};
use crate::predict::csv::{self, Fault};
use crate::predict::interest::{Subject, names};
use crate::train::Header;
use crate::{Grid, Quantity, Result};

impl Observations {
    /// Reads values at points in the domain of a grid.
    pub fn read(path: &Path, header: &Header, grid: &Grid) -> Result<Self> {
        let subject = Subject::of_run(header, grid, None, false);
        let axes = names(&subject).axes;
        let points = csv::read(path, |text| parse(text, &axes, &solution(header)))?;
        Ok(Self {
            points,
            quantities: Vec::new(),
        })
    }
}

fn parse(
    text: &str,
    axes: &[Name],
    solution: &[Quantity],
) -> std::result::Result<Vec<PointReading>, Fault> {
    let mut lines = csv::lines(text);
    let (line, first) = lines.next().unwrap_or((1, ""));
    let columns = Columns::new(first, axes).map_err(|reason| (Some(line), reason))?;
    let reading = |(line, row): (usize, &str)| {
        let reading = columns.reading(row, axes, solution);
        reading
            .map(|reading| PointReading {
                name: format!("line {line}"),
                ..reading
            })
            .map_err(|reason| (Some(line), reason))
    };
    let points = lines
        .map(reading)
        .collect::<std::result::Result<Vec<_>, _>>()?;
    match points.is_empty() {
        true => Err((None, "holds no readings below its header".into())),
        false => Ok(points),
    }
}

/// A column: its index, and its units if given.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    place: usize,
    units: Option<String>,
}

struct Columns {
    count: usize,
    axes: Vec<Column>,
    value: Column,
    std: Option<Column>,
    channel: Option<usize>,
}

impl Columns {
    fn new(header: &str, axes: &[Name]) -> std::result::Result<Self, String> {
        let cells: Vec<(String, Option<String>)> =
            csv::cells(header).into_iter().map(csv::named).collect();
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let wanted = || {
            format!(
                "the header is \"{}\", but must name the columns {},value, and std or channel where \
                 they are needed",
                header.trim(),
                names.join(",")
            )
        };
        let of = |name: &str| {
            let place = cells.iter().position(|(cell, _)| cell == name)?;
            let units = cells[place].1.clone();
            Some(Column { place, units })
        };
        let known =
            |name: &str| names.contains(&name) || ["value", "std", "channel"].contains(&name);
        let twice = |i: usize| cells[..i].iter().any(|(name, _)| *name == cells[i].0);
        if (0..cells.len()).any(|i| !known(&cells[i].0) || twice(i)) {
            return Err(wanted());
        }
        let along = names
            .iter()
            .map(|name| of(name))
            .collect::<Option<Vec<_>>>();
        match (along, of("value")) {
            (Some(axes), Some(value)) => Ok(Self {
                count: cells.len(),
                axes,
                value,
                std: of("std"),
                channel: of("channel").map(|column| column.place),
            }),
            _ => Err(wanted()),
        }
    }

    fn reading(
        &self,
        row: &str,
        axes: &[Name],
        solution: &[Quantity],
    ) -> std::result::Result<PointReading, String> {
        let cells = csv::row(row, self.count)?;
        let number = |column: &Column| csv::number(cells[column.place]);
        let coordinate = |(column, axis): (&Column, &Name)| {
            let along = csv::conversion(&axis.name, column.units.as_deref(), axis.unit.as_deref())?;
            Ok(along.apply(number(column)?))
        };
        let place = self.axes.iter().zip(axes).map(coordinate);
        let channel = channel(solution, self.channel.map(|place| cells[place]))?;
        let units = solution[channel].units.as_deref();
        let own = self.value.units.as_deref();
        let std = match &self.std {
            None => 0.0,
            Some(column) => {
                let own = column.units.as_deref().or(own);
                // A standard deviation is converted by the factor alone, without offset.
                csv::conversion("std", own, units)?.factor * number(column)?
            }
        };
        if std < 0.0 {
            return Err(format!("std is {std}; it has to be 0 or more"));
        }
        Ok(PointReading {
            name: String::new(),
            place: place.collect::<std::result::Result<_, String>>()?,
            channel,
            value: csv::conversion("value", own, units)?.apply(number(&self.value)?),
            std,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes() -> Vec<Name> {
        let axis = |name: &str| Name {
            name: name.into(),
            unit: Some("m".into()),
        };
        ["x", "y"].map(axis).to_vec()
    }

    fn solution() -> Vec<Quantity> {
        vec![Quantity::named("T").with_units("K"), Quantity::named("p")]
    }

    #[test]
    fn columns_come_in_any_order_and_units_are_converted() {
        let text = "\u{feff}value [degC], y,x [mm] ,channel,std\r\n20,0.5,250,T,0.1\r\n\r\n";
        let found = parse(text, &axes(), &solution()).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].place.as_slice(), found[0].channel),
            (&[0.25, 0.5][..], 0)
        );
        assert!((found[0].value - 293.15).abs() < 1e-9 && found[0].std == 0.1);
        assert_eq!(found[0].name, "line 2");
    }

    #[test]
    fn errors_name_their_line() {
        let fault = |text: &str| {
            let (line, reason) = parse(text, &axes(), &solution()).unwrap_err();
            format!("{line:?} {reason}")
        };
        for (text, words) in [
            ("", "Some(1) the header is \"\""),
            ("x,y,value,channel\n", "no readings"),
            ("0.1,0.2,3\n", "Some(1) the header is \"0.1,0.2,3\""),
            ("x,y,value,x\n", "x,y,value"),
            ("x,y,value,colour\n", "must name"),
            ("x,y,value\n0,0,1\n", "has 2 channels"),
            (
                "x,y,value,channel\n0,0,1,q\n",
                "unknown channel \"q\"; choose one of T, p",
            ),
            ("x,y,value,channel\n0,0,T\n", "Some(2) 3 values"),
            ("x,y,value,channel\n0,0,nan,T\n", "\"nan\" is not a number"),
            ("x,y,value,channel,std\n0,0,1,T,-1\n", "std is -1"),
            (
                "x [K],y,value,channel\n0,0,1,T\n",
                "x is in K, which does not convert to the m",
            ),
            (
                "x,y,value [m],channel\n0,0,1,T\n",
                "value is in m, which does not convert",
            ),
            (
                "x,y,value [m],channel\n0,0,1,p\n",
                "does not know its units",
            ),
        ] {
            assert!(fault(text).contains(words), "{text}: {}", fault(text));
        }
    }
}
