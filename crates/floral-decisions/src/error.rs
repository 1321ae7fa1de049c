//! Errors of distributions, designs and estimates: the facts, and advice.

/// An error, worded for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{context}: {reason}")]
pub struct Error {
    /// The parameter, the option or the data in question.
    pub context: String,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl Error {
    pub(crate) fn new(context: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            context: context.into(),
            reason: reason.into(),
        }
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
