//! Settings: what every key of a configuration means, from one table; configurations are written with
//! it, and so can a reference be.
//!
//! [`TRAINING`] are the keys of a training, [`of_problem`] those of a built-in problem;
//! `annotated` writes a configuration with the meaning of each key above it.

mod annotated;
mod problems;
mod training;

pub use annotated::annotated;
pub use problems::of_problem;
pub use training::TRAINING;

/// A key of a configuration and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Where it stands: `optimiser.batch`, or `optimiser` for the section itself.
    pub key: &'static str,
    /// What it means, a sentence or two.
    pub meaning: &'static str,
    /// A value of a key that may be absent, as it is written in a file.
    pub example: Option<&'static str>,
}

/// A key that is always there, or a section.
const fn key(key: &'static str, meaning: &'static str) -> Setting {
    Setting {
        key,
        meaning,
        example: None,
    }
}

/// A key that may be absent, with a value that it could have.
const fn optional(key: &'static str, example: &'static str, meaning: &'static str) -> Setting {
    Setting {
        key,
        meaning,
        example: Some(example),
    }
}

#[cfg(test)]
mod tests;
