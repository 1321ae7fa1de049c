//! Errors of declared symmetries: each variant carries the facts and says what to do.

/// An error, in words meant for the person who typed the command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Symmetries that do not fit the lattice or the channels.
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
        /// The kind of name: axis or symmetry.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: String,
    },
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;
