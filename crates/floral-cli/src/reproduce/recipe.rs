//! Recipes: everything that determines a dataset, a run or an evaluation, and the key that names
//! it.

use std::ops::Range;

use serde::Serialize;
use toml::Table;

use floral::evaluate::Options;
use floral::sample::OdeSolver;
use floral::train::TrainConfig;
use floral::{dataset, train};

/// The version of evaluation records, raised when the meaning of older records changes.
const EVALUATION_FORMAT: u32 = 2;

/// Everything that determines the values of a dataset's inputs. Their number is left out: each
/// input has the same values among few as among many.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DataRecipe {
    format: u64,
    problem: String,
    constants: Table,
    realizations: usize,
    seed: u64,
    precision: &'static str,
}

impl DataRecipe {
    /// `constants` holds all constants, defaults included.
    pub fn new(problem: &str, constants: Table, request: &dataset::Request) -> Self {
        Self {
            format: dataset::FORMAT,
            problem: problem.to_owned(),
            constants,
            realizations: request.realizations,
            seed: request.seed,
            precision: request.precision.data_type(),
        }
    }
}

/// Everything that determines the weights of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunRecipe {
    format: u32,
    data: DataRecipe,
    training: TrainConfig,
}

impl RunRecipe {
    /// The recipe of this training on these data.
    pub fn new(data: DataRecipe, training: TrainConfig) -> Self {
        Self {
            format: train::checkpoint::FORMAT,
            data,
            training,
        }
    }
}

/// Everything that determines the scores of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationRecipe {
    format: u32,
    run: RunRecipe,
    inputs: Option<Range<usize>>,
    realizations: usize,
    reference: usize,
    seed: u64,
    solver: OdeSolver,
}

impl EvaluationRecipe {
    /// The recipe of this run's evaluation with these options.
    pub fn new(run: RunRecipe, options: &Options) -> Self {
        Self {
            format: EVALUATION_FORMAT,
            run,
            inputs: options.inputs.clone(),
            realizations: options.sampling.realizations,
            reference: options.reference,
            seed: options.sampling.seed,
            solver: options.sampling.solver,
        }
    }
}

/// A name derived from the content: twelve hexadecimal digits.
///
/// Keys only name files. Whether two recipes are equal is decided by comparing the recipes.
pub fn key(recipe: &impl Serialize) -> String {
    let text = serde_json::to_string(recipe).expect("a recipe of numbers, strings and lists");
    format!("{:012x}", fnv(text.as_bytes()) >> 16)
}

/// FNV-1a hash of 64 bits (Fowler, Noll & Vo): sufficient, because recipes themselves are compared.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_twelve_digits() {
        assert_eq!(key(&[1, 2]).len(), 12);
        assert_ne!(key(&[1, 2]), key(&[2, 1]));
    }

    /// Values from the authors' test suite.
    #[test]
    fn names_are_fnv_1a() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
