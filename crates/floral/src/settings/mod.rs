//! Settings: the meaning of every configuration key, in one table that serves both annotated
//! configuration files and the reference pages.
//!
//! [`TRAINING`] lists the keys of a training, [`of_problem`] those of a built-in problem.
//! `annotated` writes a configuration with the meaning of each key above it.

mod annotated;
mod problems;
mod training;

pub use annotated::annotated;
pub use problems::of_problem;
pub use training::TRAINING;

/// A configuration key and its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Dotted path of the key: `optimiser.batch`, or `optimiser` for the section itself.
    pub key: &'static str,
    /// Meaning, in a sentence or two.
    pub meaning: &'static str,
    /// Example value of an optional key, as written in a file; `None` for a key that is always
    /// present.
    pub example: Option<&'static str>,
}

/// A key that is always present, or a section.
const fn key(key: &'static str, meaning: &'static str) -> Setting {
    Setting {
        key,
        meaning,
        example: None,
    }
}

/// An optional key with an example value.
const fn optional(key: &'static str, example: &'static str, meaning: &'static str) -> Setting {
    Setting {
        key,
        meaning,
        example: Some(example),
    }
}

#[cfg(test)]
mod tests;
