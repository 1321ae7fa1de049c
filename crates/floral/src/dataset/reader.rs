//! Reads a dataset input by input, made by [`generate`](super::generate()) or by other means.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::ReadableStorage;

use super::layout::{EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, REDRAWS};
use super::realizations::Realizations;
use super::{root, shapes};
use crate::problem::Moments;
use crate::storage::{METADATA_FILE, StoredArray, read_json};
use crate::{Error, Field, Grid, Result};

/// A dataset on disk: any Zarr v3 group with an array `input` [input, channel, grid...], and
/// beside it `low` of the same form and `high` [input, realization, channel, grid...] if it has
/// solutions. Only what is asked for is read.
pub struct Dataset {
    path: PathBuf,
    attributes: Map<String, Value>,
    grid: Grid,
    input: StoredArray,
    low: Option<StoredArray>,
    high: Option<StoredArray>,
    exact: Option<(StoredArray, StoredArray)>,
    redraws: Option<StoredArray>,
    as_stored: bool,
}

impl Dataset {
    /// Opens a dataset and checks that its arrays fit together.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let attributes = root::attributes(path)?;
        let storage = FilesystemStore::new(path).map_err(|error| Error::BadFile {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let storage: ReadableStorage = Arc::new(storage);
        let open = |name: &str| StoredArray::open(&storage, path, name);
        let input = open(INPUT)?.ok_or_else(|| missing(path, INPUT))?;
        let dataset = Self {
            grid: shapes::grid(&input, open)?,
            input,
            low: open(LOW)?,
            high: open(HIGH)?,
            exact: open(EXACT_MEAN)?.zip(open(EXACT_VARIANCE)?),
            redraws: open(REDRAWS)?,
            path: path.to_owned(),
            attributes,
            as_stored: false,
        };
        dataset.check()?;
        Ok(dataset)
    }

    /// Lets values that are not finite through, which are otherwise refused where they are read.
    pub fn as_stored(self) -> Self {
        Self {
            as_stored: true,
            ..self
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

    /// The seed it was drawn from, if it is told.
    pub fn seed(&self) -> Option<u64> {
        self.attributes.get("seed")?.as_u64()
    }

    /// The grid of all fields; without coordinates on disk, an axis counts its points.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The units of an array or axis, where its attributes tell them; those of pure numbers are
    /// none.
    pub fn units(&self, name: &str) -> Option<String> {
        let metadata = self.path.join(name).join(METADATA_FILE);
        let metadata = read_json(&metadata).ok().flatten()?;
        let units = metadata["attributes"]["units"].as_str()?;
        (units != "1" && !units.is_empty()).then(|| units.to_owned())
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.input.shape()[0]
    }

    /// Realizations per input; zero where there are only inputs.
    pub fn realizations(&self) -> usize {
        self.high.as_ref().map_or(0, |high| high.shape()[1])
    }

    /// Channels of the input.
    pub fn input_channels(&self) -> usize {
        self.input.shape()[1]
    }

    /// Channels of the solutions; none where there are only inputs.
    pub fn solution_channels(&self) -> Option<usize> {
        let high = self.high.as_ref().map(|high| high.shape()[2]);
        high.or_else(|| self.low.as_ref().map(|low| low.shape()[1]))
    }

    /// Whether there are low-fidelity solutions.
    pub fn has_low(&self) -> bool {
        self.low.is_some()
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
        self.field(&self.input, index)
    }

    /// The low-fidelity solution of an input.
    pub fn low(&self, index: usize) -> Result<Field> {
        let low = self.low.as_ref().ok_or_else(|| missing(&self.path, LOW))?;
        self.field(low, index)
    }

    /// The realizations of an input's high-fidelity solution.
    pub fn high(&self, index: usize) -> Result<Realizations> {
        let high = self.high.as_ref();
        let high = high.ok_or_else(|| missing(&self.path, HIGH))?;
        let values = self.values(high, index)?;
        Ok(Realizations::new(high.shape()[1..].to_vec(), values))
    }

    /// Exact mean and variance of an input's solution, where they are stored.
    pub fn exact_moments(&self, index: usize) -> Result<Option<Moments>> {
        let Some((mean, variance)) = &self.exact else {
            return Ok(None);
        };
        Ok(Some(Moments {
            mean: self.field(mean, index)?,
            variance: self.field(variance, index)?,
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
        for (array, realizations) in low.chain(exact).chain(high) {
            shapes::check(array, &self.input, &self.grid, realizations, solutions)?;
        }
        Ok(())
    }

    fn field(&self, array: &StoredArray, index: usize) -> Result<Field> {
        let values = self.values(array, index)?;
        Field::from_values(array.shape()[1], &self.grid.shape(), values)
    }

    fn values(&self, array: &StoredArray, index: usize) -> Result<Vec<f64>> {
        if index >= self.inputs() {
            return Err(Error::BadFile {
                path: self.path.clone(),
                reason: format!("has {} inputs, so none at index {index}", self.inputs()),
            });
        }
        let values = array.read(index..index + 1)?;
        if self.as_stored || values.iter().all(|value| value.is_finite()) {
            return Ok(values);
        }
        Err(array.bad(&format!(
            "input {index} has values that are not finite: a chunk is missing, or was never \
             computed; restore it, or leave this input out"
        )))
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
    Error::BadFile {
        path: path.to_owned(),
        reason: format!("has no array {name}, which is needed here"),
    }
}
