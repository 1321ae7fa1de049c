//! The one error type of the library: each variant carries the facts and says what to do.

use std::path::PathBuf;

/// What can go wrong, in words meant for the person who typed the command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A constant outside the range in which the mathematics holds.
    #[error("{problem}: {reason}")]
    Unsolvable {
        /// The problem's name.
        problem: &'static str,
        /// What is wrong with the constants, and what to choose instead.
        reason: String,
    },

    /// A configuration that cannot be read: unknown keys, wrong types.
    #[error("{context}: {reason}")]
    Config {
        /// The file or flag in question.
        context: String,
        /// The parser's own words.
        reason: String,
    },

    /// A figure that cannot become pixels or pages.
    #[error("the figure cannot be drawn: {reason}; SVG files are written without drawing")]
    Undrawable {
        /// What stands against it.
        reason: String,
    },

    /// A name that no problem, kernel or method answers to.
    #[error("unknown {kind} {name:?}; choose one of {known}")]
    UnknownName {
        /// What kind of thing was asked for.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: String,
    },

    /// Two things that should have the same shape have not.
    #[error("{what} has shape {found:?} but {expected:?} is needed")]
    Shape {
        /// The array or field in question.
        what: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it should have.
        expected: Vec<usize>,
    },

    /// A tensor that does not fit the network.
    #[error("{name} has shape {found:?} but the network needs {expected}")]
    TensorShape {
        /// The tensor in question.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shapes that fit, in words.
        expected: String,
    },

    /// A parameter of the network that a list of weights lacks.
    #[error("tensor {name} is missing; is the configuration that of these weights?")]
    MissingTensor {
        /// The parameter's path.
        name: String,
    },

    /// A weight that the network has no place for.
    #[error(
        "tensor {name} is not part of the network, or given twice; is the configuration that of these weights?"
    )]
    UnknownTensor {
        /// The weight's name.
        name: String,
    },

    /// A velocity asked of a regression network, or the reverse.
    #[error("the network {has} a time embedding; call `{call}` instead")]
    Time {
        /// "has" or "has no".
        has: &'static str,
        /// The function that answers.
        call: &'static str,
    },

    /// A row of a context that was not computed.
    #[error("context row {row} does not exist; the context holds {rows} inputs")]
    Row {
        /// The row asked for.
        row: usize,
        /// How many there are.
        rows: usize,
    },

    /// A numerical procedure that ended without a trustworthy answer.
    #[error("{what}; {advice}")]
    Numerical {
        /// What happened.
        what: String,
        /// What to try.
        advice: String,
    },

    /// More memory than there is.
    #[error(
        "training would take about {needed} of memory and {available} are available; choose a \
         smaller optimiser.batch, a coarser training resolution or fewer network.hidden_channels"
    )]
    Memory {
        /// The estimate.
        needed: String,
        /// What is left.
        available: String,
    },

    /// A file that is not what it should be.
    #[error("{path}: {reason}")]
    BadFile {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },

    /// A run folder that holds a run of other settings.
    #[error(
        "{path}: holds a run with other settings ({differences}); choose another folder, or \
         continue it with its own settings"
    )]
    OtherSettings {
        /// The run folder.
        path: PathBuf,
        /// Every setting that differs, with the value there and the value asked for.
        differences: String,
    },

    /// The operating system refused to read or write.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },

    /// A device that could not compute what was asked of it.
    #[error(
        "the device could not compute this: {reason}; a coarser grid or a narrower network takes \
         less of its memory, and cpu does without it"
    )]
    Device {
        /// The driver's own words.
        reason: String,
    },

    /// Another of several ranks failed, and tells why.
    #[error("rank {rank} failed")]
    Elsewhere {
        /// Which one.
        rank: usize,
    },

    /// The observer asked to stop.
    #[error("stopped on request; what was finished is kept")]
    Interrupted,
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Turns the parser's error into one line that names the file or flag, and the key.
    pub fn toml(context: impl Into<String>) -> impl FnOnce(toml::de::Error) -> Self {
        let context = context.into();
        move |error| {
            let text = error.to_string();
            // The parser draws the line with a caret under it, in rows that hold a bar.
            let words = text.lines().filter(|line| !line.contains('|'));
            let words: Vec<&str> = words.flat_map(str::split_whitespace).collect();
            Self::Config {
                context,
                reason: words.join(" "),
            }
        }
    }

    /// Turns an error about the contents of a file into one that names it.
    pub fn in_file(path: impl Into<PathBuf>) -> impl FnOnce(Self) -> Self {
        let path = path.into();
        move |error| Self::BadFile {
            path,
            reason: error.to_string(),
        }
    }

    /// Turns an I/O error into one that names its file.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

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
