//! Random streams addressed by seed and index, never by thread order.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers, independent of the streams at all other addresses.
pub type Stream = ChaCha8Rng;

/// The purpose of a stream; part of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The input of a problem: indices (input, 0).
    Input = 1,
    /// A realization of the solution: indices (input, realization).
    Realization = 2,
    /// The prior draw of a realization: indices (input, realization).
    Prior = 3,
    /// The time and the fields of a training sample's path: indices (epoch, sample).
    Path = 4,
    /// The same for a validation sample, equal in every epoch: indices (0, sample).
    Validation = 5,
    /// The order of an epoch's samples: indices (epoch, 0).
    Shuffle = 6,
    /// Draws from which moments are computed: indices (0, draw).
    Moments = 7,
    /// Batches and motions of a network stacked on regressions: indices (network, step).
    Stack = 8,
    /// Realizations of plausible models, and the random numbers of their epistemic part: indices
    /// (row, realization).
    Plausible = 9,
    /// Draws from the distribution predicted for an input that was left out of the fit: indices
    /// (input, draw).
    LeftOut = 10,
    /// The initial values of a network: indices (0, 0).
    InitialValues = 16,
}

/// The stream at an address.
///
/// The address is the key of the cipher itself, so that distinct addresses give independent streams
/// and any of them can be opened without drawing from the others.
pub fn stream(seed: u64, purpose: Purpose, first: u64, second: u64) -> Stream {
    let mut key = [0; 32];
    for (bytes, word) in key
        .chunks_exact_mut(8)
        .zip([seed, purpose as u64, first, second])
    {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn a_stream_depends_on_every_part_of_its_address() {
        let first = |seed, purpose, i, j| stream(seed, purpose, i, j).next_u64();
        let base = first(0, Purpose::Input, 0, 0);
        assert_eq!(base, first(0, Purpose::Input, 0, 0));
        assert_ne!(base, first(1, Purpose::Input, 0, 0));
        assert_ne!(base, first(0, Purpose::Realization, 0, 0));
        assert_ne!(base, first(0, Purpose::Input, 1, 0));
        assert_ne!(base, first(0, Purpose::Input, 0, 1));
    }
}
