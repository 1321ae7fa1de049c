//! Stand-ins for low fidelity that need no solver and are part of a trained run.

use serde::{Deserialize, Serialize};

use super::filter::filtered;
use super::{LowConfig, LowKind};
use crate::field::refined;
use crate::{Error, Field, Grid, Result};

/// A substitute for low fidelity; part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StandIn {
    /// The low-pass filtered input.
    Filter {
        /// Largest wave number kept along each axis.
        largest: Vec<usize>,
    },
    /// The mean of the training solutions.
    Mean {
        /// Mean on the training grid: [channel, point].
        values: Vec<f64>,
    },
    /// Zero.
    Zero,
}

impl StandIn {
    /// The stand-in chosen in the settings, if any; `mean` computes the mean of the training
    /// solutions.
    pub fn new(
        config: &LowConfig,
        grid: &Grid,
        mean: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<Option<Self>> {
        Ok(match config.kind {
            LowKind::Stored | LowKind::None => None,
            LowKind::Zero => Some(Self::Zero),
            LowKind::Mean => Some(Self::Mean { values: mean()? }),
            LowKind::Filter => Some(Self::filter(grid, config.keep)),
        })
    }

    /// A filter that keeps this share of the wave numbers of a grid.
    pub fn filter(grid: &Grid, keep: f64) -> Self {
        let largest = |n: usize| (keep * 0.5 * n as f64).round().max(1.0) as usize;
        Self::Filter {
            largest: grid.shape().into_iter().map(largest).collect(),
        }
    }

    /// Refuses numbers of channels that the stand-in does not support.
    pub fn check(&self, input: usize, solution: usize) -> Result<()> {
        match self {
            Self::Filter { .. } if input != solution => Err(Error::config(
                "low.kind filter",
                format!(
                    "a filtered input has {input} channels and the solution {solution}; choose \
                     mean, zero or none"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Whether it fits a run with this number of channels on this grid.
    pub fn fits(&self, channels: usize, grid: &Grid) -> bool {
        match self {
            Self::Zero => true,
            Self::Mean { values } => values.len() == channels * grid.len(),
            Self::Filter { largest } => largest.len() == grid.dimensions(),
        }
    }

    /// The stand-in for an input on `grid`, with `channels` solution channels, for a run trained on
    /// the grid `trained`.
    pub fn of(
        &self,
        input: &Field,
        grid: &Grid,
        (channels, trained): (usize, &Grid),
    ) -> Result<Field> {
        match self {
            Self::Zero => {
                let values = vec![0.0; channels * grid.len()];
                Field::from_values(channels, &grid.shape(), values)
            }
            Self::Mean { values } => {
                let mean = Field::from_values(channels, &trained.shape(), values.clone())?;
                if grid == trained {
                    return Ok(mean);
                }
                refined(&mean, trained, grid)
            }
            Self::Filter { largest } => {
                let values = filtered(input, grid, largest);
                Field::from_values(channels, &grid.shape(), values)
            }
        }
    }
}
