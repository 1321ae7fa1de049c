//! Inputs in a NumPy archive: the arrays `input` and `low`, and coordinates if present.

use std::path::{Path, PathBuf};

use crate::dataset::layout::{
    CHANNEL_DIMENSION, EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, INPUT_CHANNEL_DIMENSION, LOW,
    REDRAWS,
};
use crate::dataset::view::View;
use crate::npz::{self, NpyArray};
use crate::{Axis, Error, Field, Grid, Quantities, Quantity, Result};

/// Arrays of a dataset that predictions ignore.
const PASSED_OVER: [&str; 4] = [HIGH, EXACT_MEAN, EXACT_VARIANCE, REDRAWS];

/// Lists of texts that label the channels of the solution, and of the input if its channels differ.
const LABELS: [&str; 2] = [CHANNEL_DIMENSION, INPUT_CHANNEL_DIMENSION];

/// The fields of an archive, all in memory.
#[derive(Debug)]
pub struct NpzInputs {
    path: PathBuf,
    grid: Grid,
    /// Whether each axis has coordinates in the archive.
    has_coordinates: Vec<bool>,
    input: Stack,
    low: Option<Stack>,
    /// The channels, named by their labels.
    quantities: Quantities,
    /// The view through which fields are read, if they are not read as stored.
    view: Option<View>,
}

/// An array as [input, channel, grid...].
#[derive(Debug)]
struct Stack {
    inputs: usize,
    channels: usize,
    grid: Vec<usize>,
    values: Vec<f64>,
}

impl NpzInputs {
    /// Reads an archive whose fields live on a grid like `like`; the names of its axes are those of
    /// the coordinate arrays.
    ///
    /// Arrays are [input, channel, grid...]. With one channel, [input, grid...] is also valid. A
    /// single input may be [channel, grid...] or [grid...]. `channels` are the numbers of channels
    /// of input and solution. `assumed` gives the grid of a shape, used for axes without
    /// coordinates.
    pub fn open(
        path: &Path,
        like: &Grid,
        channels: (usize, usize),
        assumed: impl Fn(&[usize]) -> Result<Grid>,
    ) -> Result<Self> {
        let mut arrays = npz::read(path, |name| is_wanted(path, name, like))?;
        let dimensions = like.dimensions();
        let mut stack = |name: &str, channels: usize| {
            let array = arrays.remove(name);
            array
                .map(|array| Stack::new(path, name, array, dimensions, channels))
                .transpose()
        };
        let (input, low) = (stack(INPUT, channels.0)?, stack(LOW, channels.1)?);
        let Some(input) = input else {
            return Err(Error::bad_file(
                path,
                format!("has no array {INPUT}, which is needed"),
            ));
        };
        if let Some(low) = &low {
            check_low(path, low, &input)?;
        }
        let mut grid = assumed(&input.grid)?;
        let mut has_coordinates = Vec::new();
        for (axis, named) in grid.axes.iter_mut().zip(&like.axes) {
            axis.name.clone_from(&named.name);
            let array = arrays.remove(&axis.name);
            has_coordinates.push(array.is_some());
            if let Some(array) = array {
                *axis = axis.with_coordinates(coordinates(path, axis, like, array)?);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            grid,
            has_coordinates,
            input,
            low,
            quantities: labelled(path, channels)?,
            view: None,
        })
    }

    /// Whether each axis has coordinates in the archive.
    pub fn has_coordinates(&self) -> &[bool] {
        &self.has_coordinates
    }

    /// The channels, named by the labels of the archive.
    pub fn quantities(&self) -> &Quantities {
        &self.quantities
    }

    /// The same inputs on another grid with the same number of points, with their fields read
    /// through `view`.
    pub fn seen(self, grid: Grid, view: View) -> Self {
        let view = (!view.is_identity()).then_some(view);
        Self { grid, view, ..self }
    }
}

impl NpzInputs {
    /// Path of the archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The grid of all fields.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.input.inputs
    }

    /// An input.
    pub fn input(&self, index: usize) -> Result<Field> {
        let field = self.input.field(&self.path, index)?;
        match &self.view {
            Some(view) => moved(&field, view.apply(field.values(), &view.input, 1)),
            None => Ok(field),
        }
    }

    /// Whether there are low-fidelity solutions.
    pub fn has_low(&self) -> bool {
        self.low.is_some()
    }

    /// The low-fidelity solution of an input.
    pub fn low(&self, index: usize) -> Result<Field> {
        let Some(low) = &self.low else {
            return Err(Error::bad_file(&self.path, format!("has no array {LOW}")));
        };
        let field = low.field(&self.path, index)?;
        match &self.view {
            Some(view) => moved(&field, view.apply(field.values(), &view.solution, 1)),
            None => Ok(field),
        }
    }
}

/// A field of the same shape with other values.
fn moved(field: &Field, values: Vec<f64>) -> Result<Field> {
    Field::from_values(field.channels(), field.grid_shape(), values)
}

/// The channels of input and solution, named by their labels.
fn labelled(path: &Path, (input, solution): (usize, usize)) -> Result<Quantities> {
    let lists = npz::labels(path, &LABELS)?;
    let named = |names: &[&str], channels: usize| {
        let mut lists = names.iter().filter_map(|name| lists.get(*name));
        let list = lists.find(|list| list.len() == channels);
        list.map_or(vec![Quantity::default(); channels], |list| {
            list.iter().map(|label| Quantity::named(label)).collect()
        })
    };
    Ok(Quantities {
        input: named(&[INPUT_CHANNEL_DIMENSION, CHANNEL_DIMENSION], input),
        solution: named(&[CHANNEL_DIMENSION], solution),
    })
}

impl Stack {
    fn new(
        path: &Path,
        name: &str,
        array: NpyArray,
        dimensions: usize,
        channels: usize,
    ) -> Result<Self> {
        let NpyArray { shape, values } = array;
        let refuse = |words: String| {
            Err(Error::bad_file(
                path,
                format!("the array {name} has the shape {shape:?}{words}"),
            ))
        };
        if values.is_empty() {
            return refuse(", so it is empty".into());
        }
        let (inputs, found, grid) = match shape.len().checked_sub(dimensions) {
            Some(2) => (shape[0], shape[1], &shape[2..]),
            Some(1) if channels == 1 => (shape[0], 1, &shape[1..]),
            Some(1) => (1, shape[0], &shape[1..]),
            Some(0) if dimensions > 0 => (1, 1, &shape[..]),
            _ => {
                return refuse(format!(
                    ", but fields of the run have {dimensions} axes: give it as [input, channel, \
                     grid...], of one channel as [input, grid...], or a single input as [channel, \
                     grid...] or [grid...]"
                ));
            }
        };
        if found != channels {
            return refuse(format!(
                ", which is {found} channels, but the run has {channels}"
            ));
        }
        Ok(Self {
            inputs,
            channels,
            grid: grid.to_vec(),
            values,
        })
    }

    fn field(&self, path: &Path, index: usize) -> Result<Field> {
        let size = self.channels * self.grid.iter().product::<usize>();
        let Some(values) = self.values.chunks_exact(size).nth(index) else {
            return Err(Error::bad_file(
                path,
                format!("has {} inputs, so none at index {index}", self.inputs),
            ));
        };
        Field::from_values(self.channels, &self.grid, values.to_vec())
    }
}

fn is_wanted(path: &Path, name: &str, like: &Grid) -> Result<bool> {
    let axes = || like.axes.iter().map(|axis| axis.name.as_str());
    if [INPUT, LOW].contains(&name) || axes().any(|axis| axis == name) {
        return Ok(true);
    }
    if PASSED_OVER.contains(&name) || LABELS.contains(&name) {
        return Ok(false);
    }
    let known: Vec<&str> = [INPUT, LOW].into_iter().chain(axes()).collect();
    Err(Error::bad_file(
        path,
        format!(
            "has an array {name}, which is not expected; valid names are {}",
            known.join(", ")
        ),
    ))
}

fn check_low(path: &Path, low: &Stack, input: &Stack) -> Result<()> {
    let of = |stack: &Stack| [&[stack.inputs], stack.grid.as_slice()].concat();
    if of(low) == of(input) {
        return Ok(());
    }
    Err(Error::bad_file(
        path,
        format!(
            "{LOW} has {} inputs on the grid {:?}, but {INPUT} has {} on {:?}; both need the same",
            low.inputs, low.grid, input.inputs, input.grid
        ),
    ))
}

fn coordinates(path: &Path, axis: &Axis, like: &Grid, array: NpyArray) -> Result<Vec<f64>> {
    if array.shape != [axis.len()] {
        let axes: Vec<&str> = like.axes.iter().map(|axis| axis.name.as_str()).collect();
        return Err(Error::shape(
            format!(
                "{}: the coordinates {} (fields are [.., {}], in this order)",
                path.display(),
                axis.name,
                axes.join(", ")
            ),
            array.shape,
            vec![axis.len()],
        ));
    }
    let values = array.values;
    let is_increasing = values.windows(2).all(|pair| pair[0] < pair[1]);
    if is_increasing && values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    Err(Error::bad_file(
        path,
        format!(
            "the coordinates {} have to be finite and increasing; sort the axis",
            axis.name
        ),
    ))
}
