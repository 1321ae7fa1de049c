//! Reads a dataset input by input, regardless of how it was made.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::storage::ReadableStorage;

use super::layout::{
    EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, LOW_REALIZATIONS, PARAMETERS, REALIZATIONS_OF,
    REDRAWS,
};
use super::realizations::{ExactMoments, Realizations};
use super::view::View;
use super::{parameters, quantities, root, shapes, stochastic_low};
use crate::grid::{Mask, Thinning};
use crate::low::OnDemand;
use crate::storage::{METADATA_FILE, Stamp, StoredArray, zarr_store};
use crate::{Error, Field, Grid, Quantities, Result, Silent};

/// A dataset on disk: any Zarr v3 group with an array `input` [input, channel, grid...]. If it has
/// solutions, it also holds `low` of the same form and `high` [input, realization, channel,
/// grid...]. If the numbers of realizations differ between inputs, `realizations_of` \[input\]
/// holds them. Only requested values are read.
///
/// ```
/// use floral_data::dataset::Dataset;
/// # use floral_data::{Arrays, Axis, Field, Grid};
/// # let grid = Grid::new(vec![Axis::closed("x", 3)]);
/// # let field = |value: f64| Field::scalar(&grid, vec![value; 3]);
/// # let mut arrays = Arrays::new(grid.clone());
/// # arrays.push(&field(1.0), Some(&field(2.0)), &[field(1.9), field(2.1)])?;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("data.zarr");
/// # arrays.write(&path)?;
/// let dataset = Dataset::open(&path)?;
/// assert_eq!((dataset.inputs(), dataset.realizations()), (1, 2));
/// assert_eq!(dataset.low(0)?.values(), [2.0, 2.0, 2.0]);
/// # Ok::<(), floral_data::Error>(())
/// ```
#[derive(Clone)]
pub struct Dataset {
    pub(super) path: PathBuf,
    /// State of the dataset when it was opened.
    pub(super) stamp: Stamp,
    pub(super) attributes: Map<String, Value>,
    pub(super) grid: Grid,
    pub(super) has_coordinates: Vec<bool>,
    /// The fields of the input; none if it consists of parameters alone.
    pub(super) input: Option<Arc<StoredArray>>,
    pub(super) parameters: Option<Arc<StoredArray>>,
    pub(super) low: Option<Arc<StoredArray>>,
    pub(super) low_realizations: Option<Arc<StoredArray>>,
    pub(super) high: Option<Arc<StoredArray>>,
    pub(super) exact: Option<(Arc<StoredArray>, Arc<StoredArray>)>,
    pub(super) redraws: Option<Arc<StoredArray>>,
    /// The points where high fidelity is known, if not all.
    pub(super) known: Option<Thinning>,
    /// Number of realizations of each input, if they differ.
    pub(super) counts: Option<Vec<usize>>,
    pub(super) quantities: Quantities,
    /// The view through which fields are read, if they are not read as stored.
    pub(super) view: Option<Arc<View>>,
    /// Points outside the domain, on the grid of the view.
    pub(super) mask: Option<Arc<Mask>>,
    /// Computes low fidelity of inputs that lack it.
    pub(super) on_demand: Option<Arc<OnDemand>>,
    pub(super) as_stored: bool,
}

/// The kind of values in an array.
#[derive(Clone, Copy)]
enum Kind {
    Input,
    Solution,
    Variance,
}

impl Dataset {
    /// Opens a dataset and checks that its arrays are consistent.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let (stamp, attributes) = root::stamped_attributes(path)?;
        let storage: ReadableStorage = Arc::new(zarr_store(path)?);
        let open = |name: &str| StoredArray::open(&storage, path, name);
        let shared = |name: &str| Ok::<_, Error>(open(name)?.map(Arc::new));
        let (input, parameters) = (shared(INPUT)?, shared(PARAMETERS)?);
        if input.is_none() && parameters.is_none() {
            return Err(missing(path, INPUT));
        }
        let (grid, has_coordinates) =
            shapes::grid(open)?.unwrap_or_else(|| (Grid::single(), vec![true]));
        let high = shared(HIGH)?;
        let known = match &high {
            Some(high) => shapes::thinning(high, &grid, open)?,
            None => None,
        };
        let mut dataset = Self {
            grid,
            has_coordinates,
            input,
            parameters,
            low: shared(LOW)?,
            low_realizations: shared(LOW_REALIZATIONS)?,
            high,
            exact: shared(EXACT_MEAN)?.zip(shared(EXACT_VARIANCE)?),
            redraws: shared(REDRAWS)?,
            known,
            counts: None,
            on_demand: None,
            path: path.to_owned(),
            stamp,
            attributes,
            quantities: Quantities::default(),
            view: None,
            mask: None,
            as_stored: false,
        };
        dataset.check()?;
        if let Some(counts) = open(REALIZATIONS_OF)? {
            let (inputs, most) = (dataset.inputs(), dataset.realizations());
            dataset.counts = Some(shapes::counts(&counts, inputs, most)?);
        }
        dataset.quantities = dataset.described_quantities()?;
        dataset.mask = dataset.found_mask()?.map(Arc::new);
        Ok(dataset)
    }

    /// Returns values that are not finite instead of refusing them.
    pub fn as_stored(self) -> Self {
        Self {
            as_stored: true,
            ..self
        }
    }

    /// The same dataset read through `view`, with the resulting grid and quantities.
    pub fn seen(&self, view: View, grid: Grid, quantities: Quantities) -> Self {
        let mask = self.mask.as_ref().map(|mask| match view.is_identity() {
            true => mask.clone(),
            false => Arc::new(mask.moved(&grid.shape(), view.positions())),
        });
        Self {
            grid,
            quantities,
            mask,
            view: (!view.is_identity()).then(|| Arc::new(view)),
            ..self.clone()
        }
    }

    /// The same dataset with the mask of a run, which contains at least the dataset's own mask.
    pub fn masked(self, mask: Option<&Mask>) -> Self {
        let mask = mask.map(|mask| Arc::new(mask.clone()));
        Self { mask, ..self }
    }

    /// The same inputs on another grid, if the dataset has no fields; otherwise unchanged.
    pub fn placed(&self, grid: &Grid) -> Self {
        let arrays = [&self.input, &self.low, &self.low_realizations, &self.high];
        if arrays.iter().any(|array| array.is_some()) {
            return self.clone();
        }
        Self {
            grid: grid.clone(),
            has_coordinates: vec![true; grid.dimensions()],
            ..self.clone()
        }
    }

    /// An input.
    pub fn input(&self, index: usize) -> Result<Field> {
        let (values, array) = self.input_values(index)?;
        let values = self.seen_values(array, index, Kind::Input, values)?;
        Field::from_values(self.input_channels(), &self.grid.shape(), values)
    }

    /// The stored channels of an input followed by its parameters as channels, and an array to name
    /// in errors.
    pub(super) fn input_values(&self, index: usize) -> Result<(Vec<f64>, &StoredArray)> {
        let arrays = (self.input.as_ref(), self.parameters.as_ref());
        let (own, parameters) = arrays;
        let array = own
            .or(parameters)
            .ok_or_else(|| missing(&self.path, INPUT))?;
        let mut values = match own {
            Some(own) => self.stored_values(own, index)?,
            None => Vec::new(),
        };
        if let Some(parameters) = parameters {
            let numbers = self.stored_values(parameters, index)?;
            values.extend(parameters::channels(&numbers, self.grid.len()));
        }
        Ok((values, array))
    }

    /// The low-fidelity solution of an input, stored or computed.
    pub fn low(&self, index: usize) -> Result<Field> {
        match &self.on_demand {
            Some(on_demand) if self.lacks_low(index)? => {
                on_demand.low(&self.input(index)?, &self.grid, &Silent)
            }
            _ => self.stored_low(index),
        }
    }

    /// The stored low-fidelity solution, or the mean of its realizations.
    fn stored_low(&self, index: usize) -> Result<Field> {
        match (&self.low, self.low_realizations(index)?) {
            (Some(low), _) => self.field(low, index, Kind::Solution),
            (None, Some(all)) => {
                let mean = stochastic_low::mean(&all);
                Field::from_values(all.shape()[1], &self.grid.shape(), mean)
            }
            (None, None) => Err(missing(&self.path, LOW)),
        }
    }

    /// The realizations of an input's low-fidelity solution, if it is stochastic.
    pub fn low_realizations(&self, index: usize) -> Result<Option<Realizations>> {
        let Some(low) = &self.low_realizations else {
            return Ok(None);
        };
        let values = self.values(low, index, Kind::Solution)?;
        let leading = &low.shape()[1..3];
        let shape = [leading, &self.grid.shape()].concat();
        Ok(Some(Realizations::new(shape, values)))
    }

    /// Number of low-fidelity realizations per input, if low fidelity is stochastic.
    pub(super) fn low_realization_count(&self) -> Option<usize> {
        Some(self.low_realizations.as_ref()?.shape()[1])
    }

    /// Whether no low-fidelity solution of an input is stored: there is no array, or all of its
    /// values are NaN.
    pub(super) fn lacks_low(&self, index: usize) -> Result<bool> {
        let Some(low) = self.low.as_ref().or(self.low_realizations.as_ref()) else {
            return Ok(true);
        };
        let values = self.stored_values(low, index)?;
        Ok(values.iter().all(|value| value.is_nan()))
    }

    /// The realizations of an input's high-fidelity solution, at the points where it is known.
    pub fn high(&self, index: usize) -> Result<Realizations> {
        let high = self.high_on_grid(index)?;
        match self.has_sensors() {
            true => self.at_sensors(index, high),
            false => Ok(high),
        }
    }

    /// The realizations of an input's high-fidelity solution, with NaN where it was not measured.
    pub(super) fn high_on_grid(&self, index: usize) -> Result<Realizations> {
        let high = self.high.as_ref();
        let high = high.ok_or_else(|| missing(&self.path, HIGH))?;
        if (self.known.is_some() || self.has_sensors()) && self.view.is_some() {
            return Err(high.bad(
                "is known on fewer points, and axes, channels or units of the data are not those of \
                 the run; import them as the run has them",
            ));
        }
        let mut shape = high.shape()[1..].to_vec();
        shape[0] = self.realizations_of(index);
        let mut values = self.stored_values(high, index)?;
        // The remaining values are padding.
        values.truncate(shape.iter().product());
        if !self.has_sensors() {
            values = self.seen_values(high, index, Kind::Solution, values)?;
        }
        if self.known.is_none() {
            shape.truncate(2);
            shape.extend(self.grid.shape());
        }
        Ok(Realizations::new(shape, values))
    }

    /// Exact mean and variance of an input's solution, if stored.
    pub fn exact_moments(&self, index: usize) -> Result<Option<ExactMoments>> {
        let Some((mean, variance)) = &self.exact else {
            return Ok(None);
        };
        Ok(Some(ExactMoments {
            mean: self.field(mean, index, Kind::Solution)?,
            variance: self.field(variance, index, Kind::Variance)?,
        }))
    }

    /// Number of draws that the solver repeated, summed over all inputs, if stored.
    pub fn redraws(&self) -> Result<Option<u64>> {
        let Some(redraws) = &self.redraws else {
            return Ok(None);
        };
        let counts = redraws.read(0..redraws.shape().first().copied().unwrap_or(0))?;
        Ok(Some(counts.into_iter().map(|count| count as u64).sum()))
    }

    fn check(&self) -> Result<()> {
        if let Some(parameters) = &self.parameters {
            parameters::check(parameters)?;
        }
        let solutions = self.solution_channels();
        let low = self.low.iter().map(|low| (low, None));
        let exact = self
            .exact
            .iter()
            .flat_map(|(mean, variance)| [(mean, None), (variance, None)]);
        let high = self
            .high
            .iter()
            .map(|high| (high, Some(self.realizations())));
        let count = |array: &StoredArray| array.shape().get(1).copied();
        let stochastic = self.low_realizations.iter().map(|low| (low, count(low)));
        for (array, realizations) in low.chain(exact).chain(stochastic) {
            shapes::check(array, self.inputs(), &self.grid, realizations, solutions)?;
        }
        let high_grid = shapes::high_grid(&self.grid, self.known.as_ref());
        for (array, realizations) in high {
            shapes::check(array, self.inputs(), &high_grid, realizations, solutions)?;
        }
        if let (Some(input), Some(parameters)) = (&self.input, &self.parameters)
            && input.shape()[0] != parameters.shape()[0]
        {
            let count = parameters.shape()[1];
            return Err(parameters.misshapen(vec![input.shape()[0], count]));
        }
        Ok(())
    }

    fn described_quantities(&self) -> Result<Quantities> {
        let channels = self.solution_channels().unwrap_or(0);
        let of_array = |array: &Arc<StoredArray>| quantities::of_array(array, channels);
        let solution = match (&self.high, &self.low) {
            (Some(high), Some(low)) => quantities::merged(of_array(high)?, of_array(low)?, low)?,
            (Some(one), None) | (None, Some(one)) => of_array(one)?,
            (None, None) => Vec::new(),
        };
        let mut input = match &self.input {
            Some(own) => quantities::of_array(own, own.shape()[1])?,
            None => Vec::new(),
        };
        if let Some(parameters) = &self.parameters {
            input.extend(parameters::quantities(parameters)?);
        }
        Ok(Quantities { input, solution })
    }

    fn field(&self, array: &StoredArray, index: usize, kind: Kind) -> Result<Field> {
        let values = self.values(array, index, kind)?;
        Field::from_values(array.shape()[1], &self.grid.shape(), values)
    }

    pub(super) fn stored_values(&self, array: &StoredArray, index: usize) -> Result<Vec<f64>> {
        if index >= self.inputs() {
            return Err(Error::bad_file(
                &self.path,
                format!("has {} inputs, so none at index {index}", self.inputs()),
            ));
        }
        let values = array.read(index..index + 1)?;
        self.check_unchanged()?;
        Ok(values)
    }

    /// Refuses a dataset that was replaced after it was opened: its values would be a mixture of
    /// both.
    fn check_unchanged(&self) -> Result<()> {
        match Stamp::of(&self.path, METADATA_FILE) {
            Ok(stamp) if stamp == self.stamp => Ok(()),
            _ => Err(Error::bad_file(
                &self.path,
                "was replaced or removed while it was read; run the command again once it \
                         is complete",
            )),
        }
    }

    fn values(&self, array: &StoredArray, index: usize, kind: Kind) -> Result<Vec<f64>> {
        let values = self.stored_values(array, index)?;
        self.seen_values(array, index, kind, values)
    }

    /// Applies the view and the mask; refuses values that are not finite, unless `as_stored` is
    /// set.
    fn seen_values(
        &self,
        array: &StoredArray,
        index: usize,
        kind: Kind,
        values: Vec<f64>,
    ) -> Result<Vec<f64>> {
        let mut values = match &self.view {
            None => values,
            Some(view) => kind.seen(view, &values),
        };
        if let Some(mask) = &self.mask {
            mask.extend(&mut values);
        }
        if self.as_stored || values.iter().all(|value| value.is_finite()) {
            return Ok(values);
        }
        Err(array.bad(&format!(
            "input {index} has values that are not finite: a chunk is missing, or was never \
             computed; restore it, or leave this input out"
        )))
    }
}

impl Kind {
    /// Applies a view to fields.
    fn seen(self, view: &View, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Input => view.apply(values, &view.input, 1),
            Self::Solution => view.apply(values, &view.solution, 1),
            Self::Variance => view.apply(values, &view.solution, 2),
        }
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dataset")
            .field("path", &self.path)
            .field("inputs", &self.inputs())
            .field("realizations", &self.realizations())
            .field("grid", &self.grid.shape())
            .finish_non_exhaustive()
    }
}

fn missing(path: &Path, name: &str) -> Error {
    Error::bad_file(path, format!("has no array {name}, which is needed here"))
}
