//! Small lattices for tests.

use crate::{Lattice, LatticeAxis};

/// A lattice of axes given by name and length; those named in `periodic` are periodic.
pub(crate) fn lattice(axes: &[(&str, usize)], periodic: &[&str]) -> Lattice {
    let axis = |(name, len): &(&str, usize)| LatticeAxis {
        name: (*name).to_owned(),
        len: *len,
        periodic: periodic.contains(name),
        even: true,
    };
    Lattice::new(axes.iter().map(axis).collect())
}
