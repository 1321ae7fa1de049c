//! Reads a dataset input by input, made by [`generate`](super::generate()) or by other means.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::storage::ReadableStorage;

use super::layout::{
    EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, LOW_REALIZATIONS, REALIZATIONS_OF, REDRAWS, TITLE,
};
use super::realizations::Realizations;
use super::view::View;
use super::{quantities, root, shapes, stochastic_low};
use crate::grid::Thinning;
use crate::low::OnDemand;
use crate::problem::Moments;
use crate::storage::{StoredArray, zarr_store};
use crate::{Axis, Error, Field, Grid, Quantities, Quantity, Result, Silent};

/// A dataset on disk: any Zarr v3 group with an array `input` [input, channel, grid...], and
/// beside it `low` of the same form and `high` [input, realization, channel, grid...] if it has
/// solutions. Where inputs have unlike numbers of realizations, `realizations_of` \[input\] tells how
/// many of `high` are there. Only what is asked for is read.
#[derive(Clone)]
pub struct Dataset {
    path: PathBuf,
    attributes: Map<String, Value>,
    grid: Grid,
    has_coordinates: Vec<bool>,
    input: Arc<StoredArray>,
    low: Option<Arc<StoredArray>>,
    low_realizations: Option<Arc<StoredArray>>,
    high: Option<Arc<StoredArray>>,
    exact: Option<(Arc<StoredArray>, Arc<StoredArray>)>,
    redraws: Option<Arc<StoredArray>>,
    /// Where high fidelity is known, if not everywhere.
    known: Option<Thinning>,
    /// How many realizations each input has, if not all the same.
    counts: Option<Vec<usize>>,
    quantities: Quantities,
    /// How fields are seen, if not as they are stored.
    view: Option<Arc<View>>,
    /// Computes low fidelity of inputs that lack it.
    pub(super) on_demand: Option<Arc<OnDemand>>,
    as_stored: bool,
}

/// What an array holds.
#[derive(Clone, Copy)]
enum Kind {
    Input,
    Solution,
    Variance,
}

impl Dataset {
    /// Opens a dataset and checks that its arrays fit together.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let attributes = root::attributes(path)?;
        let storage: ReadableStorage = Arc::new(zarr_store(path)?);
        let open = |name: &str| StoredArray::open(&storage, path, name);
        let shared = |name: &str| Ok::<_, Error>(open(name)?.map(Arc::new));
        let input = shared(INPUT)?.ok_or_else(|| missing(path, INPUT))?;
        let (grid, has_coordinates) = shapes::grid(&input, open)?;
        let high = shared(HIGH)?;
        let known = match &high {
            Some(high) => shapes::thinning(high, &grid, open)?,
            None => None,
        };
        let mut dataset = Self {
            grid,
            has_coordinates,
            input,
            low: shared(LOW)?,
            low_realizations: shared(LOW_REALIZATIONS)?,
            high,
            exact: shared(EXACT_MEAN)?.zip(shared(EXACT_VARIANCE)?),
            redraws: shared(REDRAWS)?,
            known,
            counts: None,
            on_demand: None,
            path: path.to_owned(),
            attributes,
            quantities: Quantities::default(),
            view: None,
            as_stored: false,
        };
        dataset.check()?;
        if let Some(counts) = open(REALIZATIONS_OF)? {
            let (inputs, most) = (dataset.inputs(), dataset.realizations());
            dataset.counts = Some(shapes::counts(&counts, inputs, most)?);
        }
        dataset.quantities = dataset.told_quantities()?;
        Ok(dataset)
    }

    /// Lets values that are not finite through, which are otherwise refused where they are read.
    pub fn as_stored(self) -> Self {
        Self {
            as_stored: true,
            ..self
        }
    }

    /// The same dataset with its fields seen in another way, on the grid and with the quantities
    /// that they then have.
    pub(crate) fn seen(&self, view: View, grid: Grid, quantities: Quantities) -> Self {
        Self {
            grid,
            quantities,
            view: (!view.is_identity()).then(|| Arc::new(view)),
            ..self.clone()
        }
    }

    /// Where the dataset is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The attributes of its group.
    pub fn attributes(&self) -> &Map<String, Value> {
        &self.attributes
    }

    /// The name of the problem, if it is told.
    pub fn problem(&self) -> Option<&str> {
        self.attributes.get("problem")?.as_str()
    }

    /// The problem's constants, if they are told.
    pub fn constants(&self) -> Option<&Map<String, Value>> {
        self.attributes.get("constants")?.as_object()
    }

    /// Its own title, if it is told.
    pub fn title(&self) -> Option<&str> {
        let title = self.attributes.get("title")?.as_str()?;
        (!title.is_empty() && !title.ends_with(TITLE)).then_some(title)
    }

    /// What the channels of the input are; of each what is told, if anything is.
    pub fn input_quantities(&self) -> &[Quantity] {
        &self.quantities.input
    }

    /// What the channels of the solutions are; of each what is told, if anything is.
    pub fn solution_quantities(&self) -> &[Quantity] {
        &self.quantities.solution
    }

    /// What the channels of input and solutions are.
    pub fn quantities(&self) -> &Quantities {
        &self.quantities
    }

    /// The seed it was drawn from, if it is told.
    pub fn seed(&self) -> Option<u64> {
        self.attributes.get("seed")?.as_u64()
    }

    /// The grid of all fields; without coordinates on disk, an axis counts its points.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Whether each axis has coordinates on disk; one without counts its points.
    pub(crate) fn has_coordinates(&self) -> &[bool] {
        &self.has_coordinates
    }

    /// Whether fields are seen in another order or in other units than they are stored.
    pub(crate) fn is_view(&self) -> bool {
        self.view.is_some()
    }

    /// What a user of its grid should know: axes that count their points for want of coordinates,
    /// and axes whose points are not evenly spaced.
    pub fn notes(&self) -> Vec<String> {
        let axes = self.grid.axes.iter().zip(&self.has_coordinates);
        let of_axes = axes.filter_map(|(axis, told)| note(axis, *told));
        let sensors = "high fidelity is known at sensors: NaN are points where it was not measured";
        of_axes
            .chain(self.has_sensors().then(|| sensors.to_owned()))
            .collect()
    }

    /// The units of an axis, or of `input`, `low` or `high` if it has one channel, where they are
    /// told; those of pure numbers are none.
    pub fn units(&self, name: &str) -> Option<String> {
        let axis = self.grid.axes.iter().find(|axis| axis.name == name);
        let Quantities { input, solution } = &self.quantities;
        let units = match (axis, name, input.as_slice(), solution.as_slice()) {
            (Some(axis), ..) => axis.units.clone(),
            (_, INPUT, [one], _) | (_, LOW | HIGH, _, [one]) => one.units.clone(),
            _ => None,
        };
        units.filter(|units| units != "1")
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.input.shape()[0]
    }

    /// Realizations per input, the most that any has; zero where there are only inputs.
    pub fn realizations(&self) -> usize {
        self.high.as_ref().map_or(0, |high| high.shape()[1])
    }

    /// The fewest realizations that an input has.
    pub fn fewest_realizations(&self) -> usize {
        let fewest = self.counts.as_ref().and_then(|counts| counts.iter().min());
        fewest.copied().unwrap_or(self.realizations())
    }

    /// Realizations of an input.
    pub fn realizations_of(&self, index: usize) -> usize {
        let count = self.counts.as_ref().and_then(|counts| counts.get(index));
        count.copied().unwrap_or(self.realizations())
    }

    /// The points at which high fidelity is known, where they are not all: every s-th of the grid's.
    pub fn known(&self) -> Option<&Thinning> {
        self.known.as_ref()
    }

    /// Points per axis of high fidelity.
    pub fn high_shape(&self) -> Vec<usize> {
        let known = self.known.as_ref();
        known.map_or_else(|| self.grid.shape(), Thinning::shape)
    }

    /// Channels of the input.
    pub fn input_channels(&self) -> usize {
        self.input.shape()[1]
    }

    /// Channels of the solutions; none where there are only inputs.
    pub fn solution_channels(&self) -> Option<usize> {
        let high = self.high.as_ref().map(|high| high.shape()[2]);
        high.or_else(|| self.low.as_ref().map(|low| low.shape()[1]))
            .or_else(|| Some(self.low_realizations.as_ref()?.shape()[2]))
    }

    /// Whether there are low-fidelity solutions, or what computes them.
    pub fn has_low(&self) -> bool {
        self.low.is_some() || self.low_realizations.is_some() || self.on_demand.is_some()
    }

    /// Whether there are realizations of the high-fidelity solution.
    pub fn has_high(&self) -> bool {
        self.high.is_some()
    }

    /// Whether the exact moments of the solutions are stored.
    pub fn has_exact_moments(&self) -> bool {
        self.exact.is_some()
    }

    /// An input.
    pub fn input(&self, index: usize) -> Result<Field> {
        self.field(&self.input, index, Kind::Input)
    }

    /// The low-fidelity solution of an input, stored or else computed.
    pub fn low(&self, index: usize) -> Result<Field> {
        match &self.on_demand {
            Some(on_demand) if self.lacks_low(index)? => {
                on_demand.low(&self.input(index)?, &self.grid, &Silent)
            }
            _ => self.stored_low(index),
        }
    }

    /// What is stored, or the mean of realizations.
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

    /// The realizations of an input's low-fidelity solution, where it is stochastic.
    pub fn low_realizations(&self, index: usize) -> Result<Option<Realizations>> {
        let Some(low) = &self.low_realizations else {
            return Ok(None);
        };
        let values = self.values(low, index, Kind::Solution)?;
        let leading = &low.shape()[1..3];
        let shape = [leading, &self.grid.shape()].concat();
        Ok(Some(Realizations::new(shape, values)))
    }

    /// How many realizations of low fidelity an input has, where it is stochastic.
    pub(super) fn low_realization_count(&self) -> Option<usize> {
        Some(self.low_realizations.as_ref()?.shape()[1])
    }

    /// Whether no low-fidelity solution of an input is stored: there are none, or it has nothing but
    /// NaN.
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

    /// The same with NaN where sensors are not.
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
        // Only so many realizations are there.
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

    /// Exact mean and variance of an input's solution, where they are stored.
    pub fn exact_moments(&self, index: usize) -> Result<Option<Moments>> {
        let Some((mean, variance)) = &self.exact else {
            return Ok(None);
        };
        Ok(Some(Moments {
            mean: self.field(mean, index, Kind::Solution)?,
            variance: self.field(variance, index, Kind::Variance)?,
        }))
    }

    /// How many draws the solver repeated over all inputs, where it is stored.
    pub fn redraws(&self) -> Result<Option<u64>> {
        let Some(redraws) = &self.redraws else {
            return Ok(None);
        };
        let counts = redraws.read(0..redraws.shape().first().copied().unwrap_or(0))?;
        Ok(Some(counts.into_iter().map(|count| count as u64).sum()))
    }

    fn check(&self) -> Result<()> {
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
            shapes::check(array, &self.input, &self.grid, realizations, solutions)?;
        }
        let high_grid = shapes::high_grid(&self.grid, self.known.as_ref());
        for (array, realizations) in high {
            shapes::check(array, &self.input, &high_grid, realizations, solutions)?;
        }
        Ok(())
    }

    fn told_quantities(&self) -> Result<Quantities> {
        let channels = self.solution_channels().unwrap_or(0);
        let told = |array: &Arc<StoredArray>| quantities::of_array(array, channels);
        let solution = match (&self.high, &self.low) {
            (Some(high), Some(low)) => quantities::merged(told(high)?, told(low)?, low)?,
            (Some(one), None) | (None, Some(one)) => told(one)?,
            (None, None) => Vec::new(),
        };
        let input = quantities::of_array(&self.input, self.input_channels())?;
        Ok(Quantities { input, solution })
    }

    fn field(&self, array: &StoredArray, index: usize, kind: Kind) -> Result<Field> {
        let values = self.values(array, index, kind)?;
        Field::from_values(array.shape()[1], &self.grid.shape(), values)
    }

    fn stored_values(&self, array: &StoredArray, index: usize) -> Result<Vec<f64>> {
        if index >= self.inputs() {
            return Err(Error::BadFile {
                path: self.path.clone(),
                reason: format!("has {} inputs, so none at index {index}", self.inputs()),
            });
        }
        array.read(index..index + 1)
    }

    fn values(&self, array: &StoredArray, index: usize, kind: Kind) -> Result<Vec<f64>> {
        let values = self.stored_values(array, index)?;
        self.seen_values(array, index, kind, values)
    }

    /// Values as they are seen, unless they are not finite.
    fn seen_values(
        &self,
        array: &StoredArray,
        index: usize,
        kind: Kind,
        values: Vec<f64>,
    ) -> Result<Vec<f64>> {
        if self.as_stored || values.iter().all(|value| value.is_finite()) {
            return Ok(match &self.view {
                None => values,
                Some(view) => kind.seen(view, &values),
            });
        }
        Err(array.bad(&format!(
            "input {index} has values that are not finite: a chunk is missing, or was never \
             computed; restore it, or leave this input out"
        )))
    }
}

impl Kind {
    /// Fields as a view shows them.
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

fn note(axis: &Axis, has_coordinates: bool) -> Option<String> {
    let (name, last) = (&axis.name, axis.len().saturating_sub(1));
    if !has_coordinates {
        return Some(format!(
            "axis {name} has no coordinates: its points are counted, from 0 to {last}"
        ));
    }
    if axis.is_even() {
        return None;
    }
    let steps = axis.coordinates.windows(2).map(|pair| pair[1] - pair[0]);
    let (least, most) = steps.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), step| {
        (least.min(step), most.max(step))
    });
    Some(format!(
        "axis {name} is uneven, with steps from {least:.3e} to {most:.3e}: methods see its points by \
         their number, and a network predicts at these points alone; interpolate to an even grid if \
         the widest steps matter"
    ))
}

fn missing(path: &Path, name: &str) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason: format!("has no array {name}, which is needed here"),
    }
}
