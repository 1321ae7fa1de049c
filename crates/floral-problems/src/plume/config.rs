//! The constants of the plume and their checks.

use serde::{Deserialize, Serialize};

use super::NAME;
use crate::{Error, Result};
use crate::{Resolution, positive};

/// Constants of the plume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlumeConfig {
    /// Points along y and x.
    pub resolution: Resolution,
    /// Number of sources of an input.
    pub sources: usize,
    /// Probability of the first direction; with 1 the distribution has a single mode.
    pub weight: f64,
    /// Angles between the wind and x, in degrees.
    pub directions: [f64; 2],
    /// Standard deviation of the angle around them, in degrees. With zero noise and one direction
    /// the distribution is log-normal at every point.
    pub noise: f64,
    /// Standard deviation of the logarithm of the strength.
    pub sigma: f64,
    /// Distance over which the wind carries a puff.
    pub reach: f64,
    /// Width (standard deviation) of a puff at release.
    pub width: f64,
    /// Additional width that a puff gains on its way.
    pub spread: f64,
    /// Number of puffs that make up the plume.
    pub puffs: usize,
    /// Number of puffs of the low-fidelity solver.
    pub low_puffs: usize,
    /// Additional width of its puffs, larger than the true one because the wind may turn.
    pub low_spread: f64,
}

/// Most sources or puffs: more would hardly change the plume, only slow it down.
const MOST: usize = 10_000;

impl Default for PlumeConfig {
    fn default() -> Self {
        Self {
            resolution: Resolution::PerAxis(vec![24, 40]),
            sources: 2,
            weight: 0.65,
            directions: [20.0, -25.0],
            noise: 3.0,
            sigma: 0.4,
            reach: 0.9,
            width: 0.06,
            spread: 0.08,
            puffs: 8,
            low_puffs: 2,
            low_spread: 0.25,
        }
    }
}

impl PlumeConfig {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value) in [
            ("reach", self.reach),
            ("width", self.width),
            ("spread", self.spread),
            ("low_spread", self.low_spread),
        ] {
            positive(NAME, name, value)?;
        }
        let angles = self.directions.iter().chain([&self.noise]);
        let is_angle = |angle: &f64| angle.abs() <= 180.0;
        let counts = [self.sources, self.puffs, self.low_puffs];
        let is_sound = (0.0..=1.0).contains(&self.weight)
            && angles.into_iter().all(is_angle)
            && self.noise >= 0.0
            && (0.0..=10.0).contains(&self.sigma)
            && self.reach <= 100.0 * self.width
            && counts.iter().all(|count| (1..=MOST).contains(count));
        if !is_sound {
            return Err(Error::unsolvable(
                NAME,
                "choose weight from 0 to 1, directions and noise within 180 degrees, sigma \
                         from 0 to 10, reach up to a hundred widths, and at least one source and puff \
                     and at most 10000",
            ));
        }
        Ok(())
    }
}
