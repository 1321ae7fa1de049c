//! The layout of an imported dataset: its arrays and attributes, before any value is written.

use serde_json::{Map, Value, json};

use super::axes::CALENDAR;
use super::survey::realizations;
use super::write::ImportPlan;
use crate::dataset::layout::{
    self, CHANNEL_DIMENSION, CHECKSUM, Channels, FORMAT, HIGH, INPUT, INPUT_DIMENSION, LOW,
    LOW_REALIZATION_DIMENSION, LOW_REALIZATIONS, REALIZATIONS_OF, TITLE,
};
use crate::dataset::quantities::describe;
use crate::storage::{Dimension, GroupPlan, LARGEST_CHUNK, array_metadata};
use crate::{Error, Quantities, Result};

impl ImportPlan<'_> {
    /// The arrays and attributes of the dataset.
    pub fn group(&self) -> Result<GroupPlan> {
        let grid = &self.frame.grid;
        let refuse = |reason: String| Error::config("the imported data", reason);
        layout::check_axes(grid).map_err(refuse)?;
        let Quantities { input, solution } = &self.quantities;
        let channels = Channels {
            input: input.len(),
            solution: solution.len().max(1),
        };
        let (inputs, high) = (self.survey.kept.len(), self.realizations());
        self.check_size(channels.solution)?;
        let mut arrays = layout::fields(
            grid,
            (inputs, high, self.precision),
            &channels,
            &self.quantities,
        );
        if self.low_count() == 0 {
            arrays.remove(LOW);
        }
        if high == 0 {
            arrays.remove(HIGH);
        } else if self.frame.high.is_some() {
            arrays.insert(HIGH.into(), self.coarse_high(channels.solution));
            for (name, coordinates) in self.high_axes() {
                let axis = array_metadata::coordinates((&name, coordinates.len()));
                arrays.insert(name, axis);
            }
        }
        if self.low_count() > 1 {
            let array = self.low_realizations(channels.solution);
            arrays.insert(LOW_REALIZATIONS.into(), array);
        }
        if self.is_ragged() {
            let meaning = "realizations that an input has; the others are missing";
            let counts = array_metadata::counts((INPUT_DIMENSION, inputs), meaning);
            arrays.insert(REALIZATIONS_OF.into(), counts);
        }
        for found in self.frame.found.iter().filter(|found| found.is_counted()) {
            // A dataset without coordinates already implies that its points are counted.
            arrays.remove(&found.axis.name);
        }
        self.describe(&mut arrays);
        let plan = GroupPlan {
            arrays,
            attributes: self.root_attributes(),
            precision: self.precision,
            shard: 1,
        };
        Ok(plan.sharded((INPUT_DIMENSION, inputs), self.shard))
    }

    /// Number of realizations of low fidelity.
    fn low_count(&self) -> usize {
        let counts = self
            .readings
            .iter()
            .map(|reading| realizations(&reading.low));
        counts.min().unwrap_or(0)
    }

    /// High fidelity on fewer points; its shorter axes have their own names.
    fn coarse_high(&self, channels: usize) -> Value {
        let grid = self.frame.high_grid();
        let names: Vec<(String, usize)> = grid
            .axes
            .iter()
            .zip(&self.frame.grid.axes)
            .map(|(axis, full)| match axis.len() == full.len() {
                true => (axis.name.clone(), axis.len()),
                false => (layout::high_axis(&axis.name), axis.len()),
            })
            .collect();
        let mut inner = vec![
            (layout::REALIZATION_DIMENSION, self.realizations()),
            (CHANNEL_DIMENSION, channels),
        ];
        inner.extend(names.iter().map(|(name, n)| (name.as_str(), *n)));
        let inputs = (INPUT_DIMENSION, self.survey.kept.len());
        self.solution(inputs, &inner, layout::HIGH_MEANING)
    }

    /// Names and coordinates of the axes along which high fidelity has fewer points.
    pub fn high_axes(&self) -> Vec<(String, Vec<f64>)> {
        let high = self.frame.high_grid();
        let pairs = high.axes.into_iter().zip(&self.frame.grid.axes);
        pairs
            .filter(|(axis, full)| axis.len() < full.len())
            .map(|(axis, _)| (layout::high_axis(&axis.name), axis.coordinates))
            .collect()
    }

    fn low_realizations(&self, channels: usize) -> Value {
        let inner: Vec<Dimension<'_>> = [
            vec![
                (LOW_REALIZATION_DIMENSION, self.low_count()),
                (CHANNEL_DIMENSION, channels),
            ],
            layout::dimensions(&self.frame.grid),
        ]
        .concat();
        let inputs = (INPUT_DIMENSION, self.survey.kept.len());
        self.solution(inputs, &inner, "realizations of the low-fidelity solution")
    }

    /// An array of solutions, with their quantities.
    fn solution(&self, inputs: Dimension<'_>, inner: &[Dimension<'_>], meaning: &str) -> Value {
        let mut array = array_metadata::values(inputs, inner, self.precision, meaning);
        describe(&mut array, &self.quantities.solution);
        array
    }

    /// Adds the descriptions of arrays and axes.
    fn describe(&self, arrays: &mut Map<String, Value>) {
        let first = self.readings.first();
        let stacks = first.map(|reading| [(INPUT, &reading.input), (LOW, &reading.low)]);
        for (name, stacks) in stacks.into_iter().flatten() {
            let own = stacks.iter().find_map(|stack| stack.own_shape.as_ref());
            if let (Some(own), Some(array)) = (own, arrays.get_mut(name)) {
                array["attributes"]["interpolated_from"] = json!(own);
            }
        }
        if let (2.., Some(low)) = (self.low_count(), arrays.get_mut(LOW)) {
            low["attributes"]["mean_of"] = json!(LOW_REALIZATIONS);
        }
        for (axis, found) in self.frame.grid.axes.iter().zip(&self.frame.found) {
            if axis.coordinates != found.axis.coordinates
                && let Some(array) = arrays.get_mut(&axis.name)
            {
                array["attributes"]["interpolated_from"] = json!(found.axis.coordinates);
            }
            if let (Some(calendar), Some(array)) = (&found.calendar, arrays.get_mut(&axis.name)) {
                array["attributes"][CALENDAR] = json!(calendar);
            }
        }
    }

    fn root_attributes(&self) -> Value {
        let mut attributes = json!({
            "title": TITLE,
            "floral_format": FORMAT,
            "floral_version": env!("CARGO_PKG_VERSION"),
            // Detects an existing store with the same name but other values.
            CHECKSUM: self.survey.checksum.to_string(),
        });
        if let Some(map) = attributes.as_object_mut() {
            map.extend(self.attributes.clone());
        }
        attributes
    }

    fn check_size(&self, channels: usize) -> Result<()> {
        let points = self.frame.grid.len();
        let most = self.realizations().max(self.low_count()).max(1);
        let bytes = [channels, points, self.precision.size()]
            .iter()
            .try_fold(most, |product, &n| product.checked_mul(n));
        match bytes {
            Some(bytes) if bytes <= LARGEST_CHUNK => Ok(()),
            _ => Err(Error::config(
                "the imported data",
                format!(
                    "{most} realizations of one input on {points} points take more than 2 GiB; take \
                     fewer of them, or every s-th point"
                ),
            )),
        }
    }
}
