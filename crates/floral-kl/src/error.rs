//! Errors of a fit: each variant carries the facts and says what to do.

/// An error, in words meant for the person who typed the command.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Settings or data that do not fit together.
    #[error("{context}: {reason}")]
    Config {
        /// The setting or the data in question.
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

    /// An array whose shape does not match its lattice.
    #[error("{what} has shape {found:?} but {expected:?} is needed")]
    Shape {
        /// The array in question.
        what: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it should have.
        expected: Vec<usize>,
    },

    /// A numerical procedure that ended without a trustworthy answer.
    #[error("{what}; {advice}")]
    Numerical {
        /// What happened.
        what: String,
        /// What to try.
        advice: String,
    },

    /// The observer asked to stop.
    #[error("stopped on request; what was finished is kept")]
    Interrupted,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl From<floral_symmetry::Error> for Error {
    fn from(error: floral_symmetry::Error) -> Self {
        use floral_symmetry::Error as Symmetry;
        match error {
            Symmetry::Config { context, reason } => Self::Config { context, reason },
            Symmetry::UnknownName { kind, name, known } => Self::UnknownName { kind, name, known },
            other => Self::Config {
                context: "symmetries".into(),
                reason: other.to_string(),
            },
        }
    }
}
