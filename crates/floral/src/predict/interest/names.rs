//! The names that expressions may use: those of the channels and axes of a run.

use floral_quantities::{Name, Names};

use super::Subject;
use crate::{Axis, Quantity};

/// Channels of solution, input and low fidelity, and axes, with their units as far as known.
pub fn names(subject: &Subject<'_>) -> Names {
    let [input, solution] = subject.channels;
    Names {
        axes: subject.grid.axes.iter().map(axis).collect(),
        solution: channels(&subject.quantities.solution, solution),
        input: channels(&subject.quantities.input, input),
        has_low: subject.has_low,
    }
}

fn axis(axis: &Axis) -> Name {
    Name {
        name: axis.name.clone(),
        unit: axis.units.clone(),
    }
}

/// A name for every channel; older runs know less than all.
fn channels(quantities: &[Quantity], count: usize) -> Vec<Name> {
    let name = |channel: usize| {
        let known = quantities.get(channel);
        Name {
            name: known.and_then(|q| q.name.clone()).unwrap_or_default(),
            unit: known.and_then(|q| q.units.clone()),
        }
    };
    (0..count).map(name).collect()
}
