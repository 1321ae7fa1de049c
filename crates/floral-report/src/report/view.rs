//! One channel of a comparison: what a figure shows.

use super::comparison::{ChannelResult, ChannelTruth, Comparison, RunResult, ShownInput};
use crate::draw::Label;

/// A channel of the solution with all that is known of it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub comparison: &'a Comparison,
    index: usize,
}

impl<'a> View<'a> {
    /// Every channel.
    pub fn all(comparison: &'a Comparison) -> impl Iterator<Item = Self> {
        (0..comparison.channels.len()).map(move |index| Self { comparison, index })
    }

    /// What is true of it.
    pub fn truth(self) -> &'a ChannelTruth {
        &self.comparison.channels[self.index]
    }

    /// What it is called, with its units.
    pub fn quantity(self) -> &'a Label {
        &self.truth().quantity
    }

    /// Whether it is the only one, and need not be named.
    pub fn is_only(self) -> bool {
        self.comparison.channels.len() == 1
    }

    /// A title, with the name of the channel where there are several.
    pub fn titled(self, title: &str) -> String {
        if self.is_only() {
            title.to_owned()
        } else {
            format!("{title}: {}", self.quantity().name)
        }
    }

    /// The title of what is shown of an input.
    pub fn titled_input(self, shown: &ShownInput, title: &str) -> String {
        let input = self.titled(&format!("Input {}", shown.input));
        match title {
            "" => input,
            title => format!("{input}, {title}"),
        }
    }

    /// The name of a file, with that of the channel where there are several.
    pub fn file(self, name: &str) -> String {
        match self.truth().key.as_str() {
            "" => name.to_owned(),
            key => format!("{name}-{key}"),
        }
    }

    /// The runs, each with what it predicts of the channel.
    pub fn runs(self) -> impl Iterator<Item = (&'a RunResult, &'a ChannelResult)> {
        let runs = self.comparison.runs.iter();
        runs.map(move |run| (run, &run.channels[self.index]))
    }

    /// The runs that have a spread.
    pub fn calibrated(self) -> impl Iterator<Item = (&'a RunResult, &'a ChannelResult)> {
        self.runs().filter(|(_, own)| !own.coverage.is_empty())
    }

    /// The channel's values of a field, [channel, point]; none of a field that is not there.
    pub fn of(self, field: &[f32]) -> Vec<f64> {
        let points = self.comparison.setting.grid.len();
        let own = field.chunks(points.max(1)).nth(self.index);
        let own = own.unwrap_or_default().iter();
        own.map(|value| f64::from(*value)).collect()
    }

    /// Below which value the truth never is: zero, if it is never negative.
    pub fn floor(self) -> Option<f64> {
        (self.truth().lowest >= 0.0).then_some(0.0)
    }
}
