//! The one error type of the library: each variant carries the facts and says what to do.
//!
//! [`Advice`] is the part of a message that depends on the front end: the command words it with its
//! flags, the Python package with its keywords.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// What a user can do about an error or a [`Note`]. The text names no flag or keyword; a front end
/// adds its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Choose another name for the output, or replace the existing one.
    Replace,
    /// Finish an unfinished output, or discard it.
    Discard,
    /// Restore a damaged dataset, or generate it again.
    GenerateAgain,
    /// Name the arrays of the input and of high fidelity.
    NameInputAndHigh,
    /// Name the array of the input.
    NameInput,
    /// Name the array of high fidelity.
    NameHigh,
    /// Name the dimensions of the arrays.
    NameDimensions,
    /// Take one index along an axis, or name the dimensions.
    TakeIndex {
        /// The axis.
        axis: String,
    },
    /// Restrict the other arrays to the part of an axis that one of them covers.
    TakeCovered {
        /// The axis.
        axis: String,
    },
    /// Take all later times as high fidelity.
    TakeLaterTimes {
        /// The selection, such as `u[t=1:]`.
        selection: String,
    },
    /// Use the grid of high fidelity, to which the other arrays are interpolated.
    UseHighGrid,
    /// Correct values that are not finite, or skip the inputs that have them.
    SkipMissing,
    /// Declare that the ends of an axis are the same point.
    DeclarePeriodic {
        /// The axis.
        axis: String,
    },
    /// Declare that realizations of low and high fidelity are independent.
    DeclareIndependent,
    /// Keep the right spread when predicting on a finer grid than that of training.
    KeepSpread,
    /// Choose one of several inputs.
    ChooseInput,
    /// Give low-fidelity solutions, stored or computed.
    GiveLow {
        /// The command recorded in the run or the dataset; it is not run without consent.
        recorded: Option<String>,
    },
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replace => f.write_str("choose another name, or replace it"),
            Self::Discard => f.write_str("finish it with the command that began it, or discard it"),
            Self::GenerateAgain => f.write_str("restore it, or generate the dataset again"),
            Self::NameInputAndHigh => f.write_str("name the arrays of input and high fidelity"),
            Self::NameInput => f.write_str("name the array of the input"),
            Self::NameHigh => f.write_str("name the array of high fidelity"),
            Self::NameDimensions => f.write_str("name their dimensions"),
            Self::TakeIndex { axis } => write!(
                f,
                "take one index along an axis, as in NAME[{axis}=0], or name the dimensions"
            ),
            Self::TakeCovered { axis } => write!(
                f,
                "give it on the whole domain, or restrict the other arrays to the part that it \
                 covers, as in NAME[{axis}=10:50]"
            ),
            Self::TakeLaterTimes { selection } => {
                write!(
                    f,
                    "to learn all later times, take {selection} as high fidelity"
                )
            }
            Self::UseHighGrid => f.write_str(
                "use the grid of high fidelity, to which input and low fidelity are interpolated",
            ),
            Self::SkipMissing => {
                f.write_str("correct the values, or skip the inputs that have them")
            }
            Self::DeclarePeriodic { axis } => {
                write!(f, "declare {axis} periodic if its ends are the same point")
            }
            Self::DeclareIndependent => {
                f.write_str("put missing realizations last in both, or declare the two independent")
            }
            Self::KeepSpread => f.write_str(
                "sample on the training grid, or train floral-kl or a flow with a fitted prior",
            ),
            Self::ChooseInput => f.write_str("choose one of them"),
            Self::GiveLow { .. } => {
                f.write_str("store them as the array low next to input, or give what computes them")
            }
        }
    }
}

/// A fact that a user should know, with optional advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The fact, without a full stop.
    pub fact: String,
    /// What to do about it.
    pub advice: Option<Advice>,
}

impl Note {
    /// The text of the note, with its advice worded by a front end.
    pub fn worded(&self, wording: impl FnOnce(&Advice) -> String) -> String {
        match &self.advice {
            Some(advice) => format!("{}; {}", self.fact, wording(advice)),
            None => self.fact.clone(),
        }
    }
}

impl From<String> for Note {
    fn from(fact: String) -> Self {
        Self { fact, advice: None }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(ToString::to_string))
    }
}

impl Serialize for Note {
    /// Serializes the note as its text.
    fn serialize<S: serde::Serializer>(
        &self,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Every way in which the library can fail.
///
/// ```
/// use floral_data::{Advice, Error};
///
/// let error = Error::config("data.zarr", "exists");
/// let error = error.advised(Advice::Replace);
/// assert_eq!(error.to_string(), "data.zarr: exists; choose another name, or replace it");
/// ```
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
        /// The parser's message.
        reason: String,
    },

    /// A figure that cannot be rendered to pixels or pages.
    #[error("the figure cannot be drawn: {reason}; SVG files are written without drawing")]
    Undrawable {
        /// The cause.
        reason: String,
    },

    /// A name that matches no problem, kernel or method.
    #[error("unknown {kind} {name:?}; choose one of {known}")]
    UnknownName {
        /// The kind of thing that was requested.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: String,
    },

    /// Two shapes that should agree but do not.
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
        /// The valid shapes, in words.
        expected: String,
    },

    /// A parameter of the network that is missing from a list of weights.
    #[error("tensor {name} is missing; is the configuration that of these weights?")]
    MissingTensor {
        /// The parameter's path.
        name: String,
    },

    /// A weight for which the network has no parameter.
    #[error(
        "tensor {name} is not part of the network, or given twice; is the configuration that of these weights?"
    )]
    UnknownTensor {
        /// The weight's name.
        name: String,
    },

    /// A velocity requested from a regression network, or the reverse.
    #[error("the network {has} a time embedding; call `{call}` instead")]
    Time {
        /// "has" or "has no".
        has: &'static str,
        /// The function to call instead.
        call: &'static str,
    },

    /// A row that does not exist in a context.
    #[error("context row {row} does not exist; the context holds {rows} inputs")]
    Row {
        /// The requested row.
        row: usize,
        /// Number of rows.
        rows: usize,
    },

    /// A numerical procedure that ended without a reliable answer.
    #[error("{what}; {advice}")]
    Numerical {
        /// What happened.
        what: String,
        /// What to try.
        advice: String,
    },

    /// A computation that needs more memory than is available.
    #[error(
        "training would take about {needed} of memory and {available} are available; choose a \
         smaller optimiser.batch, a coarser training resolution or fewer network.hidden_channels"
    )]
    Memory {
        /// The estimated need.
        needed: String,
        /// The available memory.
        available: String,
    },

    /// A file with invalid contents.
    #[error("{path}: {reason}")]
    BadFile {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },

    /// A run folder that holds a run with other settings.
    #[error(
        "{path}: holds a run with other settings ({differences}); choose another folder, or \
         continue it with its own settings"
    )]
    OtherSettings {
        /// The run folder.
        path: PathBuf,
        /// Every setting that differs, with the stored and the requested value.
        differences: String,
    },

    /// The operating system refused to read or write.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },

    /// A device that failed to compute a requested operation.
    #[error(
        "the device could not compute this: {reason}; a coarser grid or a narrower network takes \
         less of its memory, and cpu does without it"
    )]
    Device {
        /// The driver's message.
        reason: String,
    },

    /// An error that the user can avoid with an option of the front end.
    #[error("{error}; {advice}")]
    Advised {
        /// The error.
        error: Box<Error>,
        /// How to avoid it.
        advice: Advice,
    },

    /// Another rank failed; that rank reports the cause.
    #[error("rank {rank} failed")]
    Elsewhere {
        /// The rank that failed.
        rank: usize,
    },

    /// The observer requested a stop.
    #[error("stopped on request; what was finished is kept")]
    Interrupted,
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Turns a parser's error into one line that names the file or flag, and the key.
    pub fn toml(context: impl Into<String>) -> impl FnOnce(toml::de::Error) -> Self {
        let context = context.into();
        move |error| {
            let text = error.to_string();
            // The parser quotes the line with a caret under it, in rows that contain a bar.
            let words = text.lines().filter(|line| !line.contains('|'));
            let words: Vec<&str> = words.flat_map(str::split_whitespace).collect();
            Self::config(context, plain(&words))
        }
    }

    /// Adds advice.
    pub fn advised(self, advice: Advice) -> Self {
        Self::Advised {
            error: Box::new(self),
            advice,
        }
    }

    /// The message, with its advice worded by a front end.
    pub fn worded(&self, wording: impl FnOnce(&Advice) -> String) -> String {
        match self {
            Self::Advised { error, advice } => format!("{error}; {}", wording(advice)),
            other => other.to_string(),
        }
    }

    /// Settings or data that are inconsistent; `reason` also says what to do.
    pub fn config(context: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Config {
            context: context.into(),
            reason: reason.into(),
        }
    }

    /// Constants outside the range in which the mathematics holds; `reason` also says what to
    /// choose.
    pub fn unsolvable(problem: &'static str, reason: impl Into<String>) -> Self {
        Self::Unsolvable {
            problem,
            reason: reason.into(),
        }
    }

    /// A name that matches nothing, and the names that exist.
    pub fn unknown_name(
        kind: &'static str,
        name: impl Into<String>,
        known: impl Into<String>,
    ) -> Self {
        Self::UnknownName {
            kind,
            name: name.into(),
            known: known.into(),
        }
    }

    /// An array or field with a wrong shape.
    pub fn shape(
        what: impl Into<String>,
        found: impl Into<Vec<usize>>,
        expected: impl Into<Vec<usize>>,
    ) -> Self {
        Self::Shape {
            what: what.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// A tensor with a shape that the network does not accept.
    pub fn tensor_shape(
        name: impl Into<String>,
        found: impl Into<Vec<usize>>,
        expected: impl Into<String>,
    ) -> Self {
        Self::TensorShape {
            name: name.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// A numerical procedure that ended without a reliable answer, and what to try.
    pub fn numerical(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Numerical {
            what: what.into(),
            advice: advice.into(),
        }
    }

    /// A file with invalid contents; `reason` also says what to do.
    pub fn bad_file(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::BadFile {
            path: path.into(),
            reason: reason.into(),
        }
    }

    /// Adds the place where a numerical procedure failed; returns other errors unchanged.
    pub fn numerical_at(self, place: impl fmt::Display) -> Self {
        match self {
            Self::Numerical { what, advice } => Self::numerical(format!("{place}: {what}"), advice),
            other => other,
        }
    }

    /// Turns an error about the contents of a file into one that names it.
    pub fn in_file(path: impl Into<PathBuf>) -> impl FnOnce(Self) -> Self {
        let path = path.into();
        move |error| Self::bad_file(path, error.to_string())
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
            Symmetry::Config { context, reason } => Self::config(context, reason),
            Symmetry::UnknownName { kind, name, known } => Self::unknown_name(kind, name, known),
            other => Self::config("symmetries", other.to_string()),
        }
    }
}

/// A parser's message with its names of number types in words.
fn plain(words: &[&str]) -> String {
    let said = words.iter().enumerate().map(|(i, word)| {
        let is_type = i > 0 && words[i - 1] == "expected";
        match *word {
            "usize" | "u8" | "u16" | "u32" | "u64" if is_type => "a whole number",
            "i8" | "i16" | "i32" | "i64" if is_type => "an integer",
            "f32" | "f64" if is_type => "a number",
            word => word,
        }
    });
    said.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_type_is_refused_in_words() {
        #[derive(Debug, serde::Deserialize)]
        struct Split {
            #[serde(rename = "test")]
            _test: usize,
        }
        let found = toml::from_str::<Split>("test = 'two'").map_err(Error::toml("settings"));
        let words = found.unwrap_err().to_string();
        assert!(
            words.contains("\"two\", expected a whole number"),
            "{words}"
        );
    }
}
