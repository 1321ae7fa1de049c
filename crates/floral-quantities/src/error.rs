//! Errors of a quantity: each variant carries the facts and advice.

/// The longest expression, in characters.
pub(crate) const LONGEST: usize = 2000;
/// Number of characters of a longer expression that an error shows.
const SHOWN: usize = 60;

/// An error, worded for the person who typed the expression.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An expression that cannot be parsed, or has no meaning.
    #[error("{text}: column {column}: {message}")]
    Expression {
        /// The expression as given.
        text: String,
        /// Where the error is, in characters, from 1.
        column: usize,
        /// What is wrong, and what to do.
        message: String,
    },

    /// A quantity that does not fit the domain or the data.
    #[error("{context}: {reason}")]
    Config {
        /// The quantity, the axis or the data in question.
        context: String,
        /// What is wrong, and what to do.
        reason: String,
    },

    /// An array whose length does not match its domain.
    #[error(
        "{what} has {found} values but {expected} are needed; give one for each channel and point"
    )]
    Length {
        /// The array in question.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
}

impl Error {
    /// The expression with a caret below the error, for a terminal; none for other errors.
    pub fn pointer(&self) -> Option<String> {
        match self {
            Self::Expression { text, column, .. } => Some(format!("{text}\n{:>column$}", '^')),
            _ => None,
        }
    }

    pub(crate) fn config(context: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Config {
            context: context.into(),
            reason: reason.into(),
        }
    }
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error inside an expression, not yet joined with its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// Position in characters, from 1.
    pub column: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Fault {
    pub fn new(column: usize, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
        }
    }

    /// The error with its text on one line; a text that is too long is truncated.
    pub fn of(self, text: &str) -> Error {
        let is_long = text.chars().nth(LONGEST).is_some();
        let shown = text
            .trim_end()
            .chars()
            .take(if is_long { SHOWN } else { LONGEST });
        let mut line: String = shown
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if is_long {
            line += "...";
        }
        Error::Expression {
            text: line,
            column: self.column,
            message: self.message,
        }
    }
}
