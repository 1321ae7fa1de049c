//! Facts about a dataset that need no field: its grid, sizes, names and attributes.

use std::path::Path;

use serde_json::{Map, Value};

use super::Dataset;
use super::layout::{HIGH, INPUT, LOW, TITLE};
use crate::grid::Thinning;
use crate::{Axis, Grid, Quantities, Quantity};

impl Dataset {
    /// Path of the dataset.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Attributes of the Zarr group.
    pub fn attributes(&self) -> &Map<String, Value> {
        &self.attributes
    }

    /// The name of the problem, if known.
    pub fn problem(&self) -> Option<&str> {
        self.attributes.get("problem")?.as_str()
    }

    /// The problem's constants, if known.
    pub fn constants(&self) -> Option<&Map<String, Value>> {
        self.attributes.get("constants")?.as_object()
    }

    /// Its title, if it has one.
    pub fn title(&self) -> Option<&str> {
        let title = self.attributes.get("title")?.as_str()?;
        (!title.is_empty() && !title.ends_with(TITLE)).then_some(title)
    }

    /// The channels of the input, as far as known.
    pub fn input_quantities(&self) -> &[Quantity] {
        &self.quantities.input
    }

    /// The channels of the solutions, as far as known.
    pub fn solution_quantities(&self) -> &[Quantity] {
        &self.quantities.solution
    }

    /// The channels of input and solutions, as far as known.
    pub fn quantities(&self) -> &Quantities {
        &self.quantities
    }

    /// The random seed, if known.
    pub fn seed(&self) -> Option<u64> {
        self.attributes.get("seed")?.as_u64()
    }

    /// The grid of all fields; an axis without stored coordinates has the indices of its points.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// For each axis, whether its coordinates are stored; without them, they are the indices of its
    /// points.
    pub fn has_coordinates(&self) -> &[bool] {
        &self.has_coordinates
    }

    /// Whether fields are presented in another order or in other units than stored.
    pub fn is_view(&self) -> bool {
        self.view.is_some()
    }

    /// Remarks on the grid for a user: axes without coordinates, axes with uneven spacing, the
    /// mesh, sensors, and points outside the domain.
    pub fn notes(&self) -> Vec<String> {
        let axes = self.grid.axes.iter().zip(&self.has_coordinates);
        let axes = axes.filter(|_| self.grid.mesh().is_none());
        let of_axes = axes.filter_map(|(axis, has_coordinates)| note(axis, *has_coordinates));
        let mesh = self.grid.mesh.as_ref();
        let mesh = mesh.map(|mesh| format!("fields live on a mesh: {}", mesh.label()));
        let sensors = "high fidelity is known at sensors: NaN are points where it was not measured";
        let mask = self.mask().map(|mask| {
            let (outside, all) = (mask.count(), self.grid.len());
            format!("{outside} of {all} points are outside of the domain: NaN for every input")
        });
        of_axes
            .chain(mesh)
            .chain(self.has_sensors().then(|| sensors.to_owned()))
            .chain(mask)
            .collect()
    }

    /// Units of an axis, or of `input`, `low` or `high` if it has one channel; none if they are
    /// unknown or a pure number.
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
        let array = self.input.as_ref().or(self.parameters.as_ref());
        array.map_or(0, |array| array.shape()[0])
    }

    /// Largest number of realizations per input; zero for a dataset of inputs alone.
    pub fn realizations(&self) -> usize {
        self.high.as_ref().map_or(0, |high| high.shape()[1])
    }

    /// Smallest number of realizations per input.
    pub fn fewest_realizations(&self) -> usize {
        let fewest = self.counts.as_ref().and_then(|counts| counts.iter().min());
        fewest.copied().unwrap_or(self.realizations())
    }

    /// Number of realizations of an input.
    pub fn realizations_of(&self, index: usize) -> usize {
        let count = self.counts.as_ref().and_then(|counts| counts.get(index));
        count.copied().unwrap_or(self.realizations())
    }

    /// The points where high fidelity is known, if not all: every s-th point of the grid.
    pub fn known(&self) -> Option<&Thinning> {
        self.known.as_ref()
    }

    /// Number of high-fidelity points per axis.
    pub fn high_shape(&self) -> Vec<usize> {
        let known = self.known.as_ref();
        known.map_or_else(|| self.grid.shape(), Thinning::shape)
    }

    /// Number of channels of the input.
    pub fn input_channels(&self) -> usize {
        let arrays = self.input.iter().chain(&self.parameters);
        arrays.map(|array| array.shape()[1]).sum()
    }

    /// Number of channels of the solutions; none for a dataset of inputs alone.
    pub fn solution_channels(&self) -> Option<usize> {
        let high = self.high.as_ref().map(|high| high.shape()[2]);
        high.or_else(|| self.low.as_ref().map(|low| low.shape()[1]))
            .or_else(|| Some(self.low_realizations.as_ref()?.shape()[2]))
    }

    /// Whether low-fidelity solutions are stored or can be computed.
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
