//! A view of one channel of a comparison, for figures.

use super::comparison::{ChannelResult, ChannelTruth, Comparison, RunResult, ShownInput};
use super::distribution::Distribution;
use super::names::capitalized;
use crate::draw::Label;

/// A channel of the solution with its results.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub comparison: &'a Comparison,
    index: usize,
}

impl<'a> View<'a> {
    /// All channels.
    pub fn all(comparison: &'a Comparison) -> impl Iterator<Item = Self> {
        (0..comparison.channels.len()).map(move |index| Self { comparison, index })
    }

    /// The same channel of another comparison.
    pub fn on(self, comparison: &Comparison) -> View<'_> {
        View {
            comparison,
            index: self.index,
        }
    }

    /// The truth of the channel.
    pub fn truth(self) -> &'a ChannelTruth {
        &self.comparison.channels[self.index]
    }

    /// The name of the channel with its units.
    pub fn quantity(self) -> &'a Label {
        &self.truth().quantity
    }

    /// The label of a row of maps, with the plane if there are several.
    pub fn row(self, name: &str) -> Label {
        let place = self.comparison.setting.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" at {place}"));
        self.quantity().named(format!("{name}{place}"))
    }

    /// Whether this is the only channel, which need not be named.
    pub fn is_only(self) -> bool {
        self.comparison.channels.len() == 1
    }

    /// A title, with the name of the channel if there are several.
    pub fn titled(self, title: &str) -> String {
        if self.is_only() {
            title.to_owned()
        } else {
            format!("{title}: {}", self.quantity().name)
        }
    }

    /// The title of a figure of an input.
    pub fn titled_input(self, shown: &ShownInput, title: &str) -> String {
        let input = self.titled(&capitalized(&shown.name));
        match title {
            "" => input,
            title => format!("{input}, {title}"),
        }
    }

    /// A file name, with the suffix of the channel if there are several.
    pub fn file(self, name: &str) -> String {
        match self.truth().key.as_str() {
            "" => name.to_owned(),
            key => format!("{name}-{key}"),
        }
    }

    /// The runs, each with its prediction of the channel.
    pub fn runs(self) -> impl Iterator<Item = (&'a RunResult, &'a ChannelResult)> {
        let runs = self.comparison.runs.iter();
        runs.map(move |run| (run, &run.channels[self.index]))
    }

    /// The runs with a spread.
    pub fn calibrated(self) -> impl Iterator<Item = (&'a RunResult, &'a ChannelResult)> {
        self.runs().filter(|(_, own)| !own.coverage.is_empty())
    }

    /// The element for this channel in a list of one element per channel.
    pub fn own<T>(self, channels: &[T]) -> Option<&T> {
        channels.get(self.index)
    }

    /// The channel's values of a field, [channel, point]; empty if the field is missing.
    pub fn of(self, field: &[f32]) -> Vec<f64> {
        let points = self.comparison.setting.grid.len();
        let own = field.chunks(points.max(1)).nth(self.index);
        let own = own.unwrap_or_default().iter();
        own.map(|value| f64::from(*value)).collect()
    }

    /// The values of the channel as a map, [up, right].
    pub fn map(self, field: &[f32]) -> Vec<f64> {
        self.oriented(self.of(field))
    }

    /// Reorders values of the grid as a map, [up, right], or evaluates the pixels of a mesh.
    pub fn oriented(self, values: Vec<f64>) -> Vec<f64> {
        let setting = &self.comparison.setting;
        if let Some(picture) = setting.picture.as_ref().filter(|_| !values.is_empty()) {
            return picture.of(&values);
        }
        let [rows, columns] = match setting.grid.shape()[..] {
            [rows, columns] if setting.right == 0 && values.len() == rows * columns => {
                [rows, columns]
            }
            _ => return values,
        };
        let places = (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j));
        places.map(|at| values[at]).collect()
    }

    /// The quantile of a level at every point. `None` without a spread, and on a mesh, because
    /// quantiles are not stored at all points.
    pub fn quantile(self, distribution: &Distribution, level: f64) -> Option<Vec<f64>> {
        if self.comparison.setting.picture.is_some() {
            return None;
        }
        let shape = self.comparison.setting.grid.shape();
        distribution.quantile(level, &shape, self.index)
    }

    /// Lower and upper ends of the band around the mean; empty without a spread.
    pub fn band(self, distribution: &Distribution) -> Vec<[f64; 2]> {
        let moments = (
            self.of(&distribution.mean),
            self.of(&distribution.deviation),
        );
        let band = self.comparison.setting.band;
        band.ends(|level| self.quantile(distribution, level), moments)
    }

    /// A lower bound of the solution: zero if the truth is never negative.
    pub fn floor(self) -> Option<f64> {
        (self.truth().lowest >= 0.0).then_some(0.0)
    }
}
