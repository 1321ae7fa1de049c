//! The source of a run's low fidelity, from its settings.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CommandSolver, OnDemand};
use crate::{Error, Result};

/// The source of low fidelity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LowConfig {
    /// The kind of low fidelity.
    pub kind: LowKind,
    /// A command that computes low fidelity of inputs that lack it, such as
    /// `./solve {input} {output}`.
    pub command: Option<String>,
    /// Version name of the command's solver; cached results of other versions are not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Seconds after which a command is killed.
    pub timeout: f64,
    /// Share of the wave numbers of each axis kept by `filter`.
    pub keep: f64,
}

/// The kind of low fidelity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LowKind {
    /// Stored in the dataset, or else computed by the command; none without either.
    #[default]
    Stored,
    /// The low-pass filtered input.
    Filter,
    /// The mean of the training solutions.
    Mean,
    /// Zero.
    Zero,
    /// No low fidelity, even if the dataset has it.
    None,
}

impl LowKind {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Filter => "filter",
            Self::Mean => "mean",
            Self::Zero => "zero",
            Self::None => "none",
        }
    }
}

impl Default for LowConfig {
    fn default() -> Self {
        Self {
            kind: LowKind::Stored,
            command: None,
            version: None,
            timeout: 600.0,
            keep: 0.25,
        }
    }
}

impl LowConfig {
    /// Refuses invalid settings.
    pub fn check(&self) -> Result<()> {
        let refused = |context: &str, reason: &str| Err(Error::config(context, reason));
        if !(self.keep > 0.0 && self.keep <= 1.0) {
            return refused(
                "low.keep",
                "the share of wave numbers is above 0 and at most 1",
            );
        }
        if self.command.is_some() && self.kind != LowKind::Stored {
            return refused(
                "low.command",
                "a command is for low fidelity that is stored or computed; leave low.kind out",
            );
        }
        self.solver().map(drop)
    }

    /// The command as a solver, if there is one.
    pub fn solver(&self) -> Result<Option<CommandSolver>> {
        let Some(command) = &self.command else {
            return Ok(None);
        };
        let timeout = Duration::try_from_secs_f64(self.timeout).ok();
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        let timeout = timeout.ok_or_else(|| {
            Error::config(
                "low.timeout",
                format!("{} must be a positive number of seconds", self.timeout),
            )
        })?;
        let solver = CommandSolver::new(command, timeout)?;
        Ok(Some(solver.of_version(self.version.as_deref())))
    }

    /// The command as a solver for this number of channels, with its results cached in the run
    /// folder.
    pub fn on_demand(&self, run: &Path, channels: usize) -> Result<Option<OnDemand>> {
        let on_demand = self.solver()?.map(|solver| OnDemand::new(solver, channels));
        Ok(match (on_demand, OnDemand::folder(run)) {
            (Some(on_demand), Some(folder)) => Some(on_demand.cached_in(&folder)),
            (on_demand, _) => on_demand,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_mean_nothing_are_refused_by_name() {
        let words = |text: &str| {
            let config: LowConfig = toml::from_str(text).unwrap();
            config.check().unwrap_err().to_string()
        };
        assert!(words("keep = 0").contains("low.keep"));
        assert!(words("command = './solve {input} {output}'\ntimeout = 0").contains("low.timeout"));
        assert!(words("command = './solve {input} {output}'\nkind = 'mean'").contains("low.kind"));
        assert!(words("command = './solve'").contains("{input}"));
        assert!(toml::from_str::<LowConfig>("kind = 'median'").is_err());
        assert!(
            toml::from_str::<LowConfig>("kind = 'zero'")
                .unwrap()
                .check()
                .is_ok()
        );
    }
}
