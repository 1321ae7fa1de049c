//! The names that expressions may use: the channels and axes of a run.

use floral_quantities::{Name, Names};

use super::Subject;
use crate::{Axis, Grid, Quantity};

/// Names of the axes and of the channels of solution and input, with their units as far as known.
pub fn names(subject: &Subject<'_>) -> Names {
    let [input, solution] = subject.channels;
    Names {
        axes: axes(subject.grid),
        solution: channels(&subject.quantities.solution, solution),
        input: channels(&subject.quantities.input, input),
        has_low: subject.has_low,
    }
}

/// Names of the axes; the coordinates of a mesh are x, y and z.
pub(crate) fn axes(grid: &Grid) -> Vec<Name> {
    let Some(mesh) = grid.mesh() else {
        return grid.axes.iter().map(axis).collect();
    };
    let names = ["x", "y", "z"].into_iter().map(Name::new);
    names.take(mesh.points().dimension()).collect()
}

fn axis(axis: &Axis) -> Name {
    Name {
        name: axis.name.clone(),
        unit: axis.units.clone(),
    }
}

/// A name for every channel; empty if unknown, as in older runs.
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
