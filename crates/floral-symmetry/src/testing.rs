//! Small lattices for tests.

use crate::{Lattice, LatticeAxis};

/// A lattice of axes with a name and a length; those whose name is in `periodic` close.
pub(crate) fn lattice(axes: &[(&str, usize)], periodic: &[&str]) -> Lattice {
    let axis = |(name, len): &(&str, usize)| LatticeAxis {
        name: (*name).to_owned(),
        len: *len,
        periodic: periodic.contains(name),
        even: true,
    };
    Lattice::new(axes.iter().map(axis).collect())
}
