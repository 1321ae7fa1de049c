//! Seeded streams and small lattices for tests.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::{Lattice, LatticeAxis};

/// What a stream is for.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Input,
    Realization,
    Prior,
}

/// A seeded generator.
pub(crate) type Stream = ChaCha8Rng;

/// The generator of a seed, a purpose and two indices.
pub(crate) fn stream(seed: u64, purpose: Purpose, index: u64, draw: u64) -> Stream {
    let mut bytes = [0; 32];
    for (part, value) in bytes
        .chunks_exact_mut(8)
        .zip([seed, purpose as u64, index, draw])
    {
        part.copy_from_slice(&value.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

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

/// Standard normal numbers of a seed.
pub(crate) fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|_| StandardNormal.sample(&mut rng))
        .collect()
}
