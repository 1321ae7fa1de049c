//! What can be wrong with a declared symmetry: each variant carries the facts and says what to do.

/// What can go wrong, in words meant for the person who typed the command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Symmetries and a lattice that do not go together.
    #[error("{context}: {reason}")]
    Config {
        /// The symmetry in question.
        context: String,
        /// What is wrong, and what to do.
        reason: String,
    },

    /// A name of an axis or of a symmetry that does not exist.
    #[error("unknown {kind} {name:?}; choose one of {known}")]
    UnknownName {
        /// What kind of thing was asked for.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: String,
    },
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;
