//! VTK legacy files (`.vtk`), text or binary, versions up to 5.1.
//!
//! <https://docs.vtk.org/en/latest/vtk_file_formats/vtk_legacy_file_format.html>

use crate::Error;
use crate::error::format;
use crate::file::array::{Number, indices};
use crate::file::arrays::shown;
use crate::file::cursor::{Cursor, Mode};
use crate::file::raw::Raw;
use crate::file::{structured, vtk_cell};

/// Reads a legacy file.
pub(crate) fn read(bytes: &[u8]) -> Result<Raw, Error> {
    let mut cursor = Cursor::new(bytes);
    let first = cursor.line().unwrap_or_default();
    let version = first
        .strip_prefix("# vtk DataFile Version")
        .and_then(|v| v.trim().parse().ok());
    let version: f64 = version.ok_or_else(|| {
        format("does not begin with \"# vtk DataFile Version\"; it is not a VTK legacy file")
    })?;
    cursor.line();
    cursor.mode = match cursor
        .line()
        .unwrap_or_default()
        .to_ascii_uppercase()
        .as_str()
    {
        "ASCII" => Mode::Ascii,
        "BINARY" => Mode::Binary { big: true },
        other => {
            let shown = shown(other);
            return Err(format(format!("line 3 is {shown:?}, not ASCII or BINARY")));
        }
    };
    let mut legacy = Legacy {
        cursor,
        file_size: bytes.len(),
        offsets: version >= 5.0,
        raw: Raw::default(),
        grid: Grid::default(),
        cells: None,
        in_cells: None,
        tuples: 0,
    };
    while let Some(word) = legacy.cursor.word() {
        legacy.section(&word.to_ascii_uppercase())?;
    }
    legacy.finish()
}

/// Properties of a grid, from which its points follow.
#[derive(Default)]
struct Grid {
    sizes: Option<[usize; 3]>,
    origin: [f64; 3],
    spacing: Option<[f64; 3]>,
    axes: [Vec<f64>; 3],
}

/// Cells whose types are not known yet.
struct Connectivity {
    nodes: Vec<usize>,
    ends: Vec<usize>,
}

/// A file, as far as it has been read.
pub(crate) struct Legacy<'a> {
    pub(crate) cursor: Cursor<'a>,
    file_size: usize,
    /// Whether cells are stored by offsets, as from version 5 on.
    offsets: bool,
    pub(crate) raw: Raw,
    grid: Grid,
    cells: Option<Connectivity>,
    /// Whether the following arrays belong to cells (true) or points (false); none before the first
    /// section of data.
    pub(crate) in_cells: Option<bool>,
    /// Number of rows of these arrays.
    pub(crate) tuples: usize,
}

impl Legacy<'_> {
    fn section(&mut self, word: &str) -> Result<(), Error> {
        match word {
            "DATASET" => self.cursor.expect("the type of the dataset").map(drop),
            "DIMENSIONS" => {
                let sizes = [self.count()?, self.count()?, self.count()?];
                structured::count(sizes, self.file_size)?;
                self.grid.sizes = Some(sizes);
                Ok(())
            }
            "ORIGIN" => self.three().map(|origin| self.grid.origin = origin),
            "SPACING" | "ASPECT_RATIO" => self
                .three()
                .map(|spacing| self.grid.spacing = Some(spacing)),
            "X_COORDINATES" => self.axis(0),
            "Y_COORDINATES" => self.axis(1),
            "Z_COORDINATES" => self.axis(2),
            "POINTS" => {
                let count = self.count()?;
                let number = self.number()?;
                let numbers = count.saturating_mul(3);
                self.raw.points = self.cursor.numbers(numbers, number, "a coordinate")?;
                Ok(())
            }
            "CELLS" => self.connectivity().map(|cells| self.cells = Some(cells)),
            "CELL_TYPES" => self.types(),
            "VERTICES" => self.surface(2),
            "LINES" => self.surface(4),
            "TRIANGLE_STRIPS" => self.surface(6),
            "POLYGONS" => self.surface(7),
            _ => self.values(word),
        }
    }

    /// Adds the points and cells of a grid.
    fn finish(mut self) -> Result<Raw, Error> {
        let Some(sizes) = self.grid.sizes else {
            return Ok(self.raw);
        };
        let expected = structured::count(sizes, self.file_size)?;
        let mut axes = self.grid.axes;
        if let Some(spacing) = self.grid.spacing {
            let origin = self.grid.origin;
            let line = |a: usize| (0..sizes[a]).map(move |i| origin[a] + i as f64 * spacing[a]);
            axes = [line(0).collect(), line(1).collect(), line(2).collect()];
        }
        if self.raw.points.is_empty() && axes.iter().zip(sizes).all(|(axis, n)| axis.len() == n) {
            structured::push_points(&mut self.raw, &axes);
        }
        let points = self.raw.points.len() / 3;
        if points != expected {
            let message = format!("has {points} points for a grid of {sizes:?}; it is damaged");
            return Err(format(message));
        }
        structured::push_cells(&mut self.raw, sizes, 0);
        Ok(self.raw)
    }

    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        self.cursor.parse("a count")
    }

    fn three(&mut self) -> Result<[f64; 3], Error> {
        let what = "a number";
        Ok([
            self.cursor.parse(what)?,
            self.cursor.parse(what)?,
            self.cursor.parse(what)?,
        ])
    }

    /// The type of the numbers that start on the next line.
    pub(crate) fn number(&mut self) -> Result<Number, Error> {
        let name = self.cursor.expect("the type of numbers")?;
        self.cursor.end_line();
        number_of(name)
    }

    fn axis(&mut self, axis: usize) -> Result<(), Error> {
        let count = self.count()?;
        let number = self.number()?;
        self.grid.axes[axis] = self.cursor.numbers(count, number, "a coordinate")?;
        Ok(())
    }

    fn connectivity(&mut self) -> Result<Connectivity, Error> {
        let (first, second) = (self.count()?, self.count()?);
        self.cursor.end_line();
        if self.offsets {
            return self.connectivity_by_offsets(first, second);
        }
        let numbers = self.cursor.numbers(second, Number::I32, "a node")?;
        let numbers = indices(&numbers, "CELLS")?;
        let (mut nodes, mut ends) = (Vec::new(), Vec::new());
        let mut rest = numbers.as_slice();
        while let Some((&count, after)) = rest.split_first() {
            let Some((cell, after)) = after.split_at_checked(count) else {
                return Err(format(format!(
                    "cell {} is cut short; it is damaged",
                    ends.len()
                )));
            };
            nodes.extend(cell);
            ends.push(nodes.len());
            rest = after;
        }
        if ends.len() != first {
            let held = ends.len();
            return Err(format(format!(
                "states {first} cells but holds {held}; it is damaged"
            )));
        }
        Ok(Connectivity { nodes, ends })
    }

    fn connectivity_by_offsets(
        &mut self,
        offsets: usize,
        nodes: usize,
    ) -> Result<Connectivity, Error> {
        self.keyword("OFFSETS")?;
        let number = self.number()?;
        let ends = self.cursor.numbers(offsets, number, "an offset")?;
        let ends = indices(&ends, "OFFSETS")?;
        self.keyword("CONNECTIVITY")?;
        let number = self.number()?;
        let nodes = self.cursor.numbers(nodes, number, "a node")?;
        let nodes = indices(&nodes, "CONNECTIVITY")?;
        let ends = ends.into_iter().skip(1).collect();
        Ok(Connectivity { nodes, ends })
    }

    fn keyword(&mut self, word: &str) -> Result<(), Error> {
        let found = self.cursor.expect(word)?;
        if found.eq_ignore_ascii_case(word) {
            return Ok(());
        }
        let shown = shown(found);
        Err(format(format!(
            "has {shown:?} in place of {word}; it is damaged"
        )))
    }

    fn types(&mut self) -> Result<(), Error> {
        let count = self.count()?;
        self.cursor.end_line();
        let types = self.cursor.numbers(count, Number::I32, "a cell type")?;
        let types = indices(&types, "CELL_TYPES")?;
        let cells = self.cells.take();
        let cells = cells.ok_or_else(|| format("has CELL_TYPES before CELLS; it is damaged"))?;
        if cells.ends.len() != types.len() {
            let (cells, types) = (cells.ends.len(), types.len());
            return Err(format(format!(
                "has {cells} cells but {types} types; it is damaged"
            )));
        }
        vtk_cell::push_all(&mut self.raw, &cells.nodes, &cells.ends, |cell| types[cell])
    }

    fn surface(&mut self, kind: usize) -> Result<(), Error> {
        let cells = self.connectivity()?;
        vtk_cell::push_all(&mut self.raw, &cells.nodes, &cells.ends, |_| kind)
    }
}

/// The number type with this name.
pub(crate) fn number_of(name: &str) -> Result<Number, Error> {
    let shown = shown(name);
    let unknown = || {
        format(format!(
            "type {shown:?} is not one of numbers; export it again"
        ))
    };
    Number::of_name(name).ok_or_else(unknown)
}
