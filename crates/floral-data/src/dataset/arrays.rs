//! A dataset from fields in memory, checked and stored.

use std::path::Path;

use serde_json::{Value, json};

use super::layout::{
    self, CHANNEL_DIMENSION, CHECKSUM, Channels, FORMAT, HIGH, INPUT, INPUT_DIMENSION, LOW,
    LOW_REALIZATION_DIMENSION, LOW_REALIZATIONS, PARAMETERS, REALIZATIONS_OF, SYMMETRIES, TITLE,
};
use super::mask::{Common, MASK};
use super::reader::Dataset;
use super::sensors::{SENSORS, measured};
use super::stochastic_low::{LOW_PAIRING, LowPairing};
use super::{mesh, parameters, quantities, symmetries};
use crate::grid::Mask;
use crate::quantity::non_empty;
use crate::storage::{Group, GroupPlan, Precision, array_metadata};
use crate::{Checksum, Error, Field, Grid, Quantities, Quantity, Result};
use floral_symmetry::Symmetry;

/// Inputs with their solutions, collected one by one.
///
/// ```
/// use floral_data::{Arrays, Axis, Field, Grid};
///
/// let grid = Grid::new(vec![Axis::closed("x", 3)]);
/// let mut arrays = Arrays::new(grid.clone());
/// let field = |values: [f64; 3]| Field::scalar(&grid, values.to_vec());
/// let (input, low) = (field([0.0, 1.0, 2.0]), field([0.0, 1.0, 4.0]));
/// let realizations = [field([0.1, 1.1, 4.1]), field([-0.1, 0.9, 3.9])];
/// arrays.push(&input, Some(&low), &realizations)?;
/// let folder = tempfile::tempdir().unwrap();
/// let dataset = arrays.write(folder.path().join("data.zarr"))?;
/// assert_eq!((dataset.inputs(), dataset.realizations()), (1, 2));
/// # Ok::<(), floral_data::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Arrays {
    grid: Grid,
    symmetries: Vec<Symmetry>,
    quantities: Quantities,
    title: Option<String>,
    low_pairing: LowPairing,
    has_sensors: bool,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    input: Field,
    low: Option<Field>,
    /// [realization, channel, point]; empty unless low fidelity is stochastic.
    low_realizations: Vec<f64>,
    /// [realization, channel, point]
    high: Vec<f64>,
    realizations: usize,
    channels: usize,
}

impl Arrays {
    /// An empty collection on this grid.
    pub fn new(grid: Grid) -> Self {
        Self {
            grid,
            symmetries: Vec::new(),
            quantities: Quantities::default(),
            title: None,
            low_pairing: LowPairing::Independent,
            has_sensors: false,
            entries: Vec::new(),
        }
    }

    /// Declares symmetries: if u is the solution for input a, the transformed u is the solution for
    /// the transformed a. Written as `roll:x`, `sign`, `reflect:x:-`, `transpose:x,y` or
    /// `scale:-1`; see [`Symmetry`].
    pub fn symmetries(mut self, declared: &[&str]) -> Result<Self> {
        self.symmetries = symmetries::parse(declared)?;
        Ok(self)
    }

    /// Declares the channels of input and solution, one quantity per channel. The units of
    /// coordinates are those of the grid's axes. Parameters come last among the channels of the
    /// input; they are stored as numbers.
    pub fn quantities(
        mut self,
        input: impl Into<Vec<Quantity>>,
        solution: impl Into<Vec<Quantity>>,
    ) -> Self {
        let (input, solution) = (input.into(), solution.into());
        self.quantities = Quantities { input, solution };
        self
    }

    /// Gives the dataset a title.
    pub fn title(mut self, title: &str) -> Self {
        self.title = non_empty(title);
        self
    }

    /// Declares that NaN in high fidelity means "not measured here". The measured points of an
    /// input are the same in all realizations and channels.
    pub fn sensors(mut self) -> Self {
        self.has_sensors = true;
        self
    }

    /// Adds an input, its low-fidelity solution if there is one, and the realizations of its
    /// high-fidelity solution. All inputs have the same channels; their numbers of realizations may
    /// differ. Points where every input has NaN are outside the domain.
    pub fn push(&mut self, input: &Field, low: Option<&Field>, high: &[Field]) -> Result<()> {
        let first = high.first().ok_or_else(|| refusal("has no realization"))?;
        for field in [input].into_iter().chain(low).chain(high) {
            if field.grid_shape() != self.grid.shape() {
                return Err(Error::shape(
                    format!("a field of input {}", self.entries.len()),
                    field.grid_shape().to_vec(),
                    self.grid.shape(),
                ));
            }
        }
        let channels = first.channels();
        if high.iter().chain(low).any(|f| f.channels() != channels) {
            return Err(refusal("has solutions with different numbers of channels"));
        }
        let values: Vec<f64> = high.iter().flat_map(Field::values).copied().collect();
        if self.has_sensors {
            measured(&values, self.grid.len()).map_err(refusal)?;
        }
        let entry = Entry {
            input: input.clone(),
            low: low.cloned(),
            low_realizations: Vec::new(),
            high: values,
            realizations: high.len(),
            channels,
        };
        if let Some(other) = self.entries.first()
            && other.form() != entry.form()
        {
            return Err(refusal(
                "has another number of channels than the first, or only one of them has a \
                 low-fidelity solution",
            ));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Adds realizations of the low-fidelity solution to the input added last. Their mean is the
    /// low-fidelity solution if none was given. All inputs have the same number of them.
    pub fn low_realizations(&mut self, low: &[Field]) -> Result<()> {
        let shape = self.grid.shape();
        let entry = self.entries.last_mut();
        let entry = entry.ok_or_else(|| refusal("must be added before its low realizations"))?;
        let fits = |f: &Field| f.grid_shape() == shape && f.channels() == entry.channels;
        if low.is_empty() || !low.iter().all(fits) {
            return Err(refusal(
                "needs low realizations with the channels and grid of high",
            ));
        }
        entry.low_realizations = low.iter().flat_map(Field::values).copied().collect();
        Ok(())
    }

    /// Declares how the realizations of low and high fidelity are paired.
    pub fn low_pairing(mut self, pairing: LowPairing) -> Self {
        self.low_pairing = pairing;
        self
    }

    /// Stores all inputs and opens the result as a dataset. An existing dataset is opened if it is
    /// identical; a different one is left unchanged and reported as an error.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<Dataset> {
        let path = path.as_ref();
        if let Some(group) = Group::open(path, self.plan()?, false)? {
            let mask = self.mask();
            let write = |name: &str, index: usize, values: &[f64]| match &mask {
                Some(mask) if mask.missing(values) == 0 => {
                    group.write_measured(name, index, values, values.len())
                }
                _ => group.write_values(name, index, values),
            };
            let is_masked = |values: &[f64]| mask.as_ref().is_some_and(|m| m.missing(values) == 0);
            let parameters = self.parameters()?;
            for (index, entry) in self.entries.iter().enumerate() {
                let own = (entry.input.channels() - parameters.len()) * self.grid.len();
                if own > 0 {
                    write(INPUT, index, &entry.input.values()[..own])?;
                }
                if !parameters.is_empty() {
                    let values = parameters::values(&entry.input, parameters, index)?;
                    group.write_values(PARAMETERS, index, &values)?;
                }
                if let Some(low) = &entry.low {
                    write(LOW, index, low.values())?;
                }
                let all = entry.channels * self.grid.len() * self.most_realizations();
                match self.has_sensors || is_masked(&entry.high) {
                    true => group.write_measured(HIGH, index, &entry.high, all)?,
                    false => group.write_padded(HIGH, index, &entry.high, all)?,
                }
                if group.plans(REALIZATIONS_OF) {
                    let count = u32::try_from(entry.realizations).unwrap_or(u32::MAX);
                    group.write_count(REALIZATIONS_OF, index, count)?;
                }
                if !entry.low_realizations.is_empty() {
                    write(LOW_REALIZATIONS, index, &entry.low_realizations)?;
                }
            }
            if self.grid.mesh().is_none() {
                for axis in &self.grid.axes {
                    group.write_coordinates(&axis.name, &axis.coordinates)?;
                }
            }
            mesh::write(&group, &self.grid)?;
            group.finish()?;
        }
        Dataset::open(path)
    }

    /// The parameters among the channels of the input.
    fn parameters(&self) -> Result<&[Quantity]> {
        let input = &self.quantities.input;
        Ok(&input[input.len() - parameters::count(input)?..])
    }

    /// Points outside the domain: those where every input has NaN.
    fn mask(&self) -> Option<Mask> {
        // With sensors, NaN marks a point of the domain that was not measured.
        if self.has_sensors {
            return None;
        }
        let common = |entry: &Entry| {
            let mut common = Common::new(self.grid.len());
            common.add(entry.input.values(), entry.input.channels());
            let low = entry.low.iter().map(Field::values);
            for values in low.chain([&entry.low_realizations[..], &entry.high[..]]) {
                common.add(values, entry.channels);
            }
            common
        };
        let all = self.entries.iter().map(common).reduce(|mut all, other| {
            all.and(&other);
            all
        });
        Mask::new(&self.grid.shape(), all?.outside())
    }

    fn plan(&self) -> Result<GroupPlan> {
        let first = self.entries.first();
        let first = first.ok_or_else(|| Error::config("a dataset", "needs at least one input"))?;
        layout::check_axes(&self.grid).map_err(|reason| Error::config("axes", reason))?;
        let channels = Channels {
            input: first.input.channels(),
            solution: first.channels,
        };
        symmetries::check(&self.symmetries, &self.grid, &channels)?;
        quantities::check(&self.quantities, &channels)?;
        self.parameters()?;
        let (inputs, precision) = (self.entries.len(), Precision::F64);
        let most = self.most_realizations();
        let numbers = (inputs, most, precision);
        let mut arrays = layout::fields(&self.grid, numbers, &channels, &self.quantities);
        if first.low.is_none() {
            arrays.remove(LOW);
        }
        if self.entries.iter().any(|entry| entry.realizations != most) {
            let meaning = "realizations that an input has";
            let counts = array_metadata::counts((INPUT_DIMENSION, inputs), meaning);
            arrays.insert(REALIZATIONS_OF.to_owned(), counts);
        }
        let mut pairing = None;
        if let Some(array) = self.low_realizations_array(first)? {
            arrays.insert(LOW_REALIZATIONS.to_owned(), array);
            pairing = Some(self.low_pairing.name());
        }
        let mut plan = GroupPlan {
            arrays,
            attributes: json!({
                "title": self.title.as_deref().unwrap_or(TITLE),
                "floral_format": FORMAT,
                "floral_version": env!("CARGO_PKG_VERSION"),
                SYMMETRIES: self.symmetries,
                // Detects an existing store with the same name but other values.
                CHECKSUM: self.checksum().to_string(),
            }),
            precision,
            shard: 1,
        };
        if self.mask().is_some() {
            plan.attributes[MASK] = true.into();
        }
        if self.has_sensors {
            plan.attributes[SENSORS] = true.into();
        }
        if let Some(pairing) = pairing {
            plan.attributes[LOW_PAIRING] = pairing.into();
        }
        Ok(plan)
    }

    /// Largest number of realizations of an input.
    fn most_realizations(&self) -> usize {
        let counts = self.entries.iter().map(|entry| entry.realizations);
        counts.max().unwrap_or(0)
    }

    /// The metadata of low realizations, if there are any.
    fn low_realizations_array(&self, first: &Entry) -> Result<Option<Value>> {
        let size = |entry: &Entry| entry.low_realizations.len();
        if self.entries.iter().any(|entry| size(entry) != size(first)) {
            return Err(refusal(
                "has another number of low realizations than the first",
            ));
        }
        if size(first) == 0 {
            return Ok(None);
        }
        let count = size(first) / (first.channels * self.grid.len());
        let leading = [
            (LOW_REALIZATION_DIMENSION, count),
            (CHANNEL_DIMENSION, first.channels),
        ];
        let inner = [&leading, layout::dimensions(&self.grid).as_slice()].concat();
        let inputs = (INPUT_DIMENSION, self.entries.len());
        let meaning = "realizations of the low-fidelity solution";
        let array = array_metadata::values(inputs, &inner, Precision::F64, meaning);
        Ok(Some(array))
    }

    fn checksum(&self) -> Checksum {
        let points = self.grid.mesh().map(|mesh| mesh.points().coordinates());
        let domain = Checksum::default().numbers(&points.unwrap_or_default());
        self.entries.iter().fold(domain, |sum, entry| {
            let low = entry
                .low
                .iter()
                .fold(sum.numbers(entry.input.values()), |sum, low| {
                    sum.numbers(low.values())
                });
            low.numbers(&entry.high).numbers(&entry.low_realizations)
        })
    }
}

impl Entry {
    fn form(&self) -> (usize, usize, bool) {
        (self.input.channels(), self.channels, self.low.is_some())
    }
}

fn refusal(reason: &str) -> Error {
    Error::config("an input of a dataset", reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn field(grid: &Grid, values: [f64; 3]) -> Field {
        Field::scalar(grid, values.to_vec())
    }

    #[test]
    fn inputs_may_have_unlike_numbers_of_realizations() {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let mut arrays = Arrays::new(grid.clone());
        let high = [0.0, 1.0, 2.0].map(|v| field(&grid, [v; 3]));
        for count in [1, 3, 2] {
            let input = field(&grid, [count as f64; 3]);
            arrays.push(&input, None, &high[..count]).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
        assert_eq!(dataset.realizations(), 3);
        let counts = [0, 1, 2].map(|index| dataset.realizations_of(index));
        assert_eq!(counts, [1, 3, 2]);
        assert_eq!(dataset.high(2).unwrap().shape(), [2, 1, 3]);
    }

    #[test]
    fn sensors_know_some_points_and_must_agree() {
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let mut arrays = Arrays::new(grid.clone()).sensors();
        let input = field(&grid, [0.0; 3]);
        let nan = f64::NAN;
        let seen = [[1.0, nan, 3.0], [4.0, nan, 6.0]].map(|values| field(&grid, values));
        arrays.push(&input, None, &seen).unwrap();
        let unlike = [[1.0, nan, 3.0], [nan, 5.0, 6.0]].map(|values| field(&grid, values));
        assert!(arrays.push(&input, None, &unlike).is_err());
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
        assert_eq!(dataset.points_of(0).unwrap(), Some(vec![0, 2]));
        assert_eq!(dataset.high(0).unwrap().values(), [1.0, 3.0, 4.0, 6.0]);
    }
}
